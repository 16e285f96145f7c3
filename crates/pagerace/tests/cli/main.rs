//! Tests of the command line as users run it.

mod advise;
mod bulk;
#[path = "../../../pagerace-sim/tests/published/cases.rs"]
mod cases;
#[cfg(feature = "study")]
mod corpus;
mod errors;
mod essential;
mod explain;
mod files;
mod guide;
mod interventions;
mod layout;
mod live;
#[cfg(feature = "mcp")]
mod mcp;
mod objects;
#[cfg(feature = "live")]
mod probe;
mod race;
mod recommend;
#[path = "../../../../tests/corpus/files.rs"]
mod recordings;
mod reliability;
#[cfg(feature = "scan")]
mod scan;
mod study;
mod support;
#[cfg(feature = "survey")]
mod survey;
mod words;

//! The command line, as its users meet it.

mod bulk;
mod errors;
mod essential;
mod explain;
mod files;
mod interventions;
mod live;
mod objects;
mod race;
mod reliability;
mod support;
mod words;

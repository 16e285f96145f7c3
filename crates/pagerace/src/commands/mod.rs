//! One module for each subcommand, and shared modules.

#[cfg(feature = "filter-lists")]
mod ad_list;
pub(crate) mod bulk;
#[cfg(feature = "live")]
pub(crate) mod calibrate;
#[cfg(feature = "study")]
pub(crate) mod corpus;
pub(crate) mod explain;
pub(crate) mod failed;
mod files;
pub(crate) mod inputs;
mod interventions;
pub(crate) mod list;
#[cfg(feature = "live")]
pub(crate) mod live;
#[cfg(feature = "study")]
mod markdown;
pub(crate) mod needs;
pub(crate) mod objects;
pub(crate) mod page;
mod paints;
#[cfg(feature = "live")]
pub(crate) mod probe;
pub(crate) mod race;
#[cfg(feature = "study")]
pub(crate) mod recommend;
#[cfg(feature = "live")]
pub(crate) mod record;
#[cfg(feature = "scan")]
pub(crate) mod scan;
#[cfg(feature = "study")]
mod sections;
#[cfg(feature = "live")]
pub(crate) mod serve;
mod simulate;
#[cfg(feature = "study")]
pub(crate) mod study;
#[cfg(feature = "live")]
mod today;
mod warn;

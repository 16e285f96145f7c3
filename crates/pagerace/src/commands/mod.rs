//! One module for each subcommand, and shared modules.

mod ad_list;
pub(crate) mod bulk;
pub(crate) mod calibrate;
pub(crate) mod explain;
pub(crate) mod failed;
mod files;
mod inputs;
mod interventions;
pub(crate) mod list;
pub(crate) mod live;
pub(crate) mod needs;
pub(crate) mod objects;
pub(crate) mod page;
mod paints;
pub(crate) mod race;
mod racers;
pub(crate) mod record;
pub(crate) mod serve;
mod simulate;
mod today;
mod warn;

//! Studies: races over many pages, cut into shards that can be computed anywhere and in
//! any order, with one row for each load in Parquet files.
//!
//! * [`plan`]: the plan, a TOML file whose races have the options of `pagerace race`;
//! * [`shard`]: the units of work and their names;
//! * [`row`]: one row for each load, and its columns;
//! * [`store`]: the folder that holds the results.
//!
//! This crate knows neither the simulator nor the command line: the caller resolves the
//! options of a race into a [`Plan`](pagerace_lab::Plan) and supplies the
//! [`Runner`](pagerace_lab::Runner).

pub mod error;
#[cfg(test)]
mod fixture;
pub mod plan;
pub mod row;
pub mod shard;
pub mod store;

pub use error::StudyError;
pub use plan::{PageFile, Race, Study};
pub use row::{Key, Row};
pub use shard::{Piece, Shard};
pub use store::Store;

//! Studies: races over many pages, cut into shards that can be computed anywhere and in
//! any order, with one row for each load in Parquet files.
//!
//! * [`plan`]: the plan, a TOML file whose races have the options of `pagerace race`;
//! * [`shard`]: the units of work and their names;
//! * [`row`]: one row for each load; [`detail`]: one for each request and part;
//! * [`columns`]: their columns in Parquet files; [`key`]: those that name a cell;
//! * [`store`]: the folder that holds the results;
//! * [`frame`], [`compare`], [`table`], [`measure`], [`matrix`] and [`claim`]: statistics over
//!   pages from rows alone; [`plot`]: pictures of them.
//!
//! This crate runs no loads: the caller resolves the options of a race into a
//! [`Plan`](pagerace_lab::Plan), loads the pages, and hands over the rows.

pub mod claim;
pub mod columns;
pub mod compare;
pub mod detail;
pub mod error;
#[cfg(test)]
#[path = "../tests/support/fixture.rs"]
mod fixture;
pub mod frame;
pub mod key;
pub mod losses;
pub mod matrix;
pub mod measure;
pub mod plan;
pub mod plot;
pub mod recommend;
pub mod row;
pub mod shard;
pub mod store;
pub mod table;

pub use error::StudyError;
pub use key::Key;
pub use plan::{PageFile, Race, Study};
pub use row::Row;
pub use shard::{Cutter, Piece, Shard, Twins};
pub use store::Store;

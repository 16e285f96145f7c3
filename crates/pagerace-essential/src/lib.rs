//! Finds the resources that a page can do without.
//!
//! [`essential`] judges each resource, by rules and by the paints of loads without it
//! (`docs/essential.md`). [`ads`] identifies advertisement and analytics.

pub mod ads;
pub mod essential;

pub use essential::{Assessment, Overrides, Reason, assess};

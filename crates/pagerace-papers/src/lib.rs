//! Presets of published studies: networks, pages and variants, for the command line.
//!
//! The crates below know studies only as sources of their methods.

pub mod networks;
pub mod srivastava;

pub use networks::NETWORKS;

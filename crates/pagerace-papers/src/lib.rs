//! Presets of published studies: networks, pages and variants, for the command line.
//!
//! The crates below know studies only as sources of their methods.

pub mod networks;
pub mod srivastava;
pub mod zhou;

use pagerace_har::TransferSequence;

pub use networks::NETWORKS;

/// Returns the synthetic page of a study with this name; `None` if no study has such names.
///
/// # Errors
/// A message with the names that exist, if the study has no such page.
pub fn synthetic_page(name: &str) -> Result<Option<TransferSequence>, String> {
    srivastava::page(name)
}

//! Where recordings are; tests of several crates include this file as a module.

#![allow(dead_code, reason = "not every test needs all of it")]

use std::path::{Path, PathBuf};

/// Returns the recordings of `tests/corpus`, sorted.
pub(crate) fn corpus() -> Vec<PathBuf> {
    let files = recordings(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus"));
    let files = files.expect("the repository has a folder tests/corpus");
    assert!(files.len() >= 12, "{} recordings", files.len());
    files
}

/// Returns the recordings of sites, which are no part of the repository, sorted. If they are
/// missing, reports that and returns none.
#[allow(clippy::print_stderr, reason = "tests report what they skip")]
pub(crate) fn shared() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/har");
    let Some(files) = recordings(folder) else {
        eprintln!("skipped: ../shared/data/har is not there (recordings of real sites)");
        return Vec::new();
    };
    assert!(!files.is_empty(), "{folder} is empty");
    files
}

/// Returns the recordings of the repository, and those of sites if they are there.
pub(crate) fn all() -> Vec<PathBuf> {
    let mut files = corpus();
    files.extend(shared());
    files
}

fn recordings(folder: &str) -> Option<Vec<PathBuf>> {
    let is_recording = |path: &PathBuf| {
        let name = path.to_string_lossy();
        [".har", ".har.gz", ".page.gz"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    let entries = std::fs::read_dir(Path::new(folder)).ok()?;
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths.filter(is_recording).collect();
    files.sort();
    Some(files)
}

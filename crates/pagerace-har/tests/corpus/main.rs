//! Import of every recording of the shared corpus, page by page, with checks of the
//! invariants of all pages and of the expected results for each file.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod expected;
mod invariants;

use std::path::{Path, PathBuf};

use pagerace_har::{ImportError, ImportOptions, from_bytes};
use pagerace_page::Page;

const HAR_DIR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/har");

/// Returns the recordings, sorted; none, with a message, if the corpus is missing.
fn files() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(HAR_DIR) else {
        eprintln!("skipped: ../shared/data is not there (har/*.har.gz)");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".har.gz"))
        .collect();
    files.sort();
    assert_eq!(files.len(), 52);
    files
}

fn name(path: &Path) -> &str {
    path.file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .strip_suffix(".har.gz")
        .unwrap()
}

/// Returns all pages of a file by asking for each number until there is none.
fn pages(path: &Path) -> Vec<Page> {
    let bytes = std::fs::read(path).unwrap();
    let mut pages = Vec::new();
    for number in 1.. {
        let options = ImportOptions {
            page: Some(number.to_string()),
        };
        match from_bytes(name(path), &bytes, &options) {
            Ok(page) => pages.push(page),
            Err(ImportError::NoSuchPage { pages: listed, .. }) => {
                assert_eq!(
                    listed.len(),
                    number - 1,
                    "{}: pages without entries",
                    name(path)
                );
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    pages
}

#[test]
fn every_recording_becomes_a_page_that_can_be_raced() {
    for path in files() {
        for page in pages(&path) {
            invariants::check(&page);
        }
    }
}

#[test]
fn counts_and_bytes_are_those_of_the_manifest() {
    if files().is_empty() {
        return;
    }
    let manifest = std::fs::read_to_string(Path::new(HAR_DIR).join("MANIFEST.csv")).unwrap();
    let mut failures = Vec::new();
    for path in files() {
        let name = name(&path);
        let row = manifest
            .lines()
            .find(|l| l.starts_with(&format!("{name}.har.gz,")))
            .unwrap();
        let pages = pages(&path);
        if let Err(failure) = expected::compare(name, row, &pages) {
            failures.push(format!("{name}: {failure}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn importing_twice_gives_the_same_page() {
    for path in files().iter().step_by(7) {
        assert_eq!(pages(path), pages(path));
    }
}

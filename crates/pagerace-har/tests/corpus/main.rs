//! Import of every recording of `tests/corpus`, page by page, with checks of the invariants
//! of all pages and of the expected results for each file; also of recordings of sites, if
//! they are there.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod coverage;
#[path = "../../../../tools/src/bin/make_corpus/entries.rs"]
mod entries;
mod expected;
#[path = "../../../../tests/corpus/files.rs"]
mod files;
mod generated;
mod invariants;
mod recorders;
#[path = "../../../../tools/src/bin/make_corpus/variants/mod.rs"]
mod variants;

use std::path::Path;

use pagerace_har::{ImportOptions, from_bytes};
use pagerace_page::Page;

fn name(path: &Path) -> &str {
    let file = path.file_name().unwrap().to_str().unwrap();
    let ends = [".har.gz", ".page.gz", ".har"];
    ends.iter().find_map(|end| file.strip_suffix(end)).unwrap()
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
            Err(error) => {
                let told = error.to_string();
                assert!(told.contains(": has no page \""), "{told}");
                let listed = told.matches(" entries)").count();
                assert_eq!(listed, number - 1, "{}: pages without entries", name(path));
                break;
            }
        }
    }
    pages
}

#[test]
fn every_recording_becomes_a_page_that_can_be_raced() {
    for path in files::all() {
        for page in pages(&path) {
            assert_eq!(page.check(), Ok(()), "{}", page.name);
            invariants::check(&page);
        }
    }
}

#[test]
fn counts_are_those_that_the_corpus_is_known_to_have() {
    let counts: Vec<String> = files::corpus()
        .iter()
        .map(|path| expected::counts(name(path), &pages(path)))
        .collect();
    assert_eq!(counts, expected::CORPUS, "\n{}", counts.join("\n"));
}

#[test]
fn counts_and_bytes_of_real_sites_are_those_of_the_manifest() {
    let mut failures = Vec::new();
    let shared = files::shared();
    let Some(folder) = shared.first().and_then(|path| path.parent()) else {
        return;
    };
    assert_eq!(shared.len(), expected::FILES.len());
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.csv")).unwrap();
    for path in &shared {
        let name = name(path);
        let row = manifest
            .lines()
            .find(|l| l.starts_with(&format!("{name}.har.gz,")))
            .unwrap();
        if let Err(failure) = expected::compare(name, row, &pages(path)) {
            failures.push(format!("{name}: {failure}"));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn importing_twice_gives_the_same_page() {
    let shared = files::shared();
    for path in files::corpus().iter().chain(shared.iter().step_by(7)) {
        assert_eq!(pages(path), pages(path));
    }
}

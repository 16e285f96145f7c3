//! ARCHITECTURE.md names the places that a change touches. Each row is walked with an
//! example that exists: the code that mentions it must lie in the places of the row.

#![allow(clippy::unwrap_used, reason = "tests fail where they stand")]

use std::fs;
use std::path::{Path, PathBuf};

/// The beginning of a row, and a word that stands for an addition of its kind.
const EXAMPLES: &[(&str, &str)] = &[
    ("add a command", "calibrate::run"),
    ("add a page change", "fetch_priority::FetchPriority"),
    ("add a strategy", "firefox_eps"),
    ("add a reliability policy", "fec"),
    ("add a named network", "starlink-like"),
    ("add a congestion controller", "illinois"),
    ("add a browser profile", "firefox"),
    ("add a metric", "byte-index"),
    ("measure what the browser knows", "byte_index"),
    ("measure what links", "link_losses"),
    ("add a setting", "name_lookup"),
    ("add a section to the report", "AcrossSection"),
    ("add the presets of a paper", "srivastava"),
    ("add a kind of table to studies", "cdf"),
    ("add a statistic to claims", "SignedRankP"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the rows of "Where to change what": the task, and the places.
fn rows() -> Vec<(String, Vec<PathBuf>)> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = text.split_once("## Where to change what").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| "));
    let cells = rows.skip(1).filter_map(|line| line.split_once(" | "));
    let row = |(task, places): (&str, &str)| {
        let spans = places.split('`').skip(1).step_by(2);
        let paths = spans.filter(|span| span.contains('/')).map(place);
        (task.trim_start_matches("| ").to_owned(), paths.collect())
    };
    cells.map(row).collect()
}

/// Returns the path that a row names: in the folder `crates`, or in the root.
fn place(name: &str) -> PathBuf {
    let path = root().join("crates").join(name);
    if path.exists() {
        path
    } else {
        root().join(name)
    }
}

/// Returns the sources and tables of all crates, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !matches!(name.as_str(), "tests" | "examples" | "target") {
            sources(&path, found);
        } else if path
            .extension()
            .is_some_and(|end| end == "rs" || end == "tsv")
            && name != "tests.rs"
        {
            found.push(path);
        }
    }
}

/// Returns true if the code of a file, without comments and tests, has the word.
fn mentions(path: &Path, word: &str) -> bool {
    let text = fs::read_to_string(path).unwrap();
    let code = text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let whole = |(at, _): (usize, &str), line: &str| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    };
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//") && !line.starts_with("# "))
        .any(|line| line.match_indices(word).any(|found| whole(found, line)))
}

#[test]
fn every_place_exists() {
    let rows = rows();
    assert!(rows.len() > 20, "the table has moved");
    for (task, places) in &rows {
        assert!(!places.is_empty(), "{task}: names no place");
        for place in places {
            assert!(place.exists(), "{task}: {} does not exist", place.display());
        }
    }
}

#[test]
fn a_study_is_a_folder_that_no_code_names() {
    let rows = rows();
    let row = rows
        .iter()
        .find(|(task, _)| task == "add the study of a paper");
    let (_, places) = row.unwrap();
    assert!(places.contains(&root().join("studies/")));
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
    let mut studies = 0;
    for folder in fs::read_dir(root().join("studies")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(folder.join("plan.toml").exists(), "{name}");
        let text = root().join("docs/reproductions").join(&name);
        let text = fs::read_to_string(text.with_extension("md")).unwrap();
        assert!(
            text.starts_with(&format!("<!-- begin of study {name}:")),
            "{name}"
        );
        for file in &files {
            assert!(!mentions(file, &name), "{} names {name}", file.display());
        }
        studies += 1;
    }
    assert!(studies > 5, "the studies have moved");
}

#[test]
fn additions_touch_the_places_that_are_named() {
    let rows = rows();
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    for (task, word) in EXAMPLES {
        let row = rows.iter().find(|(name, _)| name.starts_with(task));
        let (_, places) = row.unwrap_or_else(|| panic!("there is no row for: {task}"));
        let found: Vec<&PathBuf> = files.iter().filter(|file| mentions(file, word)).collect();
        assert!(!found.is_empty(), "{task}: nothing mentions {word}");
        for file in found {
            let named = places.iter().any(|place| file.starts_with(place));
            assert!(
                named,
                "{task}: {} mentions {word}, and no row names it",
                file.display()
            );
        }
    }
}

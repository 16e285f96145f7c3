use std::fs;
use std::path::PathBuf;

use super::{Header, Journal};
use crate::row::Row;
use crate::settings::{Decisive, Settings};

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = format!("pagerace-scan-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(folder);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn header(names: &[&str]) -> Header {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    Header::new("1", &names, Decisive::new(&Settings::default(), "roots"))
}

fn row(domain: &str) -> Row {
    Row {
        domain: domain.to_owned(),
        ..Row::default()
    }
}

#[test]
fn a_journal_goes_on_where_it_was_cut() {
    let folder = Folder::new("cut");
    let path = folder.0.join("journal");
    let header = header(&["a", "b", "c", "d"]);
    let mut journal = Journal::open(&path, &header, 4).unwrap();
    for (i, name) in [(2, "c"), (0, "a"), (1, "b")] {
        journal.add(i, &row(name)).unwrap();
    }
    drop(journal);
    let whole = fs::read(&path).unwrap();
    // Killed at any byte, a scan keeps exactly the whole lines.
    for end in 0..=whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        let lines = whole[..end].split(|byte| *byte == b'\n').count() - 1;
        let mut journal = Journal::open(&path, &header, 4).unwrap();
        assert_eq!(journal.done(), lines.saturating_sub(1), "cut at {end}");
        journal.add(3, &row("d")).unwrap();
        let names: Vec<String> = journal
            .rows(0, 4)
            .unwrap()
            .into_iter()
            .map(|r| r.domain)
            .collect();
        let mut expected = names.clone();
        expected.sort();
        assert_eq!(names, expected);
        assert_eq!(names.last().map(String::as_str), Some("d"));
        drop(journal);
        let again = Journal::open(&path, &header, 4).unwrap();
        assert!(again.has(3));
        assert_eq!(again.done(), lines.saturating_sub(1) + 1, "cut at {end}");
    }
}

#[test]
fn another_scan_is_refused() {
    let folder = Folder::new("other");
    let path = folder.0.join("journal");
    drop(Journal::open(&path, &header(&["a"]), 1).unwrap());
    let other = Journal::open(&path, &header(&["b"]), 1)
        .unwrap_err()
        .to_string();
    assert!(other.contains("another list of domains"), "{other}");
    let mut settings = header(&["a"]);
    settings.settings.port = 8443;
    let other = Journal::open(&path, &settings, 1).unwrap_err().to_string();
    assert!(other.contains("--port"), "{other}");
    let mut roots = header(&["a"]);
    roots.settings.roots = "others".to_owned();
    let other = Journal::open(&path, &roots, 1).unwrap_err().to_string();
    assert!(other.contains("--ca"), "{other}");
    fs::write(&path, "no journal\n").unwrap();
    let other = Journal::open(&path, &header(&["a"]), 1)
        .unwrap_err()
        .to_string();
    assert!(other.contains("line 1: is no line of a journal"), "{other}");
}

#[test]
fn one_scan_at_a_time_writes_a_journal() {
    let folder = Folder::new("busy");
    let path = folder.0.join("journal");
    let header = header(&["a"]);
    let mut first = Journal::open(&path, &header, 1).unwrap();
    let second = Journal::open(&path, &header, 1).unwrap_err().to_string();
    assert!(
        second.contains("another scan writes this journal"),
        "{second}"
    );
    first.add(0, &row("a")).unwrap();
    drop(first);
    assert!(Journal::open(&path, &header, 1).unwrap().has(0));
}

#[test]
fn a_file_that_is_no_journal_stays_as_it_is() {
    let folder = Folder::new("foreign");
    let path = folder.0.join("journal");
    // A list of one domain without the end of its line.
    fs::write(&path, "a.example").unwrap();
    let error = Journal::open(&path, &header(&["a"]), 1)
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 1: is no line of a journal"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "a.example");
}

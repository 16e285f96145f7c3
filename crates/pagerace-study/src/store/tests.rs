use std::fs;

use pagerace_sim::Explainable;

use super::{Details, ShardRows, Store};
use crate::fixture::rows;
use crate::row::Row;
use crate::shard::{Piece, Place, Shard};

const NO_DETAILS: Details = Details {
    requests: false,
    parts: None,
};

fn loads(loads: Vec<Row>) -> ShardRows {
    ShardRows {
        loads,
        ..ShardRows::default()
    }
}

fn open(folder: &Folder, details: Details) -> Store {
    Store::open(&folder.0, details).unwrap()
}

/// A folder that is removed at the end.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pagerace-{name}-{}", std::process::id()));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn shard(pieces: &[(&str, std::ops::Range<u32>)]) -> Shard {
    let piece = |(index, (cell, runs)): (usize, &(&str, std::ops::Range<u32>))| {
        let (cell, runs) = ((*cell).to_owned(), runs.clone());
        let place = Place {
            race: 0,
            page: 0,
            cell: index,
        };
        (place, Piece { cell, runs })
    };
    Shard {
        pieces: pieces.iter().enumerate().map(piece).collect(),
    }
}

#[test]
fn only_what_is_missing_is_left() {
    let folder = Folder::new("missing");
    let store = open(&folder, NO_DETAILS);
    let all = shard(&[("a", 0..30), ("b", 0..30)]);
    assert_eq!(store.missing(&all), Some(all.clone()));
    let done = shard(&[("a", 5..10)]);
    store.write(&done, &loads(rows("a", 5..10)), &[]).unwrap();
    let done = shard(&[("a", 8..20), ("b", 0..30)]);
    let both = [rows("a", 8..20), rows("b", 0..30)].concat();
    store.write(&done, &loads(both), &[]).unwrap();

    let store = open(&folder, NO_DETAILS);
    assert_eq!(store.files(), 2);
    let mut rest = shard(&[("a", 0..5), ("a", 20..30)]);
    rest.pieces[1].0.cell = 0;
    assert_eq!(store.missing(&all), Some(rest));
    assert_eq!(store.missing(&shard(&[("a", 5..20), ("b", 3..4)])), None);
    // Loads that two files hold are returned once, in order.
    let cells = ["a".to_owned(), "b".to_owned()];
    let found = store.rows(&cells, 15).unwrap();
    assert_eq!(found, [rows("a", 5..15), rows("b", 0..15)].concat());
}

#[test]
fn a_damaged_file_is_named() {
    let folder = Folder::new("damaged");
    let store = open(&folder, NO_DETAILS);
    let path = store
        .write(&shard(&[("a", 0..3)]), &loads(rows("a", 0..3)), &[])
        .unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = Store::open(&folder.0, NO_DETAILS).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
    assert!(
        error.ends_with("remove the file and run the study again"),
        "{error}"
    );
}

#[test]
fn a_changed_value_is_damage() {
    let folder = Folder::new("changed");
    let store = open(&folder, NO_DETAILS);
    let all = rows("a", 0..3);
    let path = store
        .write(&shard(&[("a", 0..3)]), &loads(all.clone()), &[])
        .unwrap();
    let bytes = fs::read(&path).unwrap();
    let seed = all[1].seed.to_le_bytes();
    let found = bytes.windows(8).rposition(|window| window == seed);
    let mut changed = bytes.clone();
    changed[found.unwrap()] ^= 1;
    fs::write(&path, changed).unwrap();
    let store = open(&folder, NO_DETAILS);
    let error = store.rows(&["a".to_owned()], 3).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()), "{error}");
    fs::write(&path, bytes).unwrap();
    assert_eq!(store.rows(&["a".to_owned()], 3).unwrap(), all);
}

#[test]
fn a_shard_without_its_details_is_missing() {
    let folder = Folder::new("details");
    let all = shard(&[("a", 0..3)]);
    let store = open(&folder, NO_DETAILS);
    store.write(&all, &loads(rows("a", 0..3)), &[]).unwrap();
    let details = Details {
        requests: true,
        parts: Some(Explainable::Lcp),
    };
    let store = open(&folder, details);
    assert_eq!(store.missing(&all), Some(all.clone()));
    assert!(!store.has(&all));
    store.write(&all, &loads(rows("a", 0..3)), &[]).unwrap();
    assert!(store.has(&all));
    for details in [details, NO_DETAILS] {
        assert_eq!(open(&folder, details).missing(&all), None);
    }
    // The parts of another metric are other rows.
    let details = Details {
        parts: Some(Explainable::Fcp),
        ..details
    };
    assert_eq!(open(&folder, details).missing(&all), Some(all));
}

#[test]
fn files_in_progress_do_not_count() {
    let folder = Folder::new("partial");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join(".0123.parquet.7.partial"), b"PAR1").unwrap();
    fs::write(folder.0.join("notes.txt"), b"mine").unwrap();
    assert_eq!(open(&folder, NO_DETAILS).files(), 0);
}

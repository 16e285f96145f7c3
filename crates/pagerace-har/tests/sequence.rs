//! Transfer sequences of every recording, and of damaged texts, which give an
//! error or a sequence, never a panic.
//!
//! A failure prints the seed that reproduces it.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "../../../tests/corpus/files.rs"]
mod files;

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use pagerace_core::Rng;
use pagerace_har::sequence::{TransferSequence, Urls, stand_in};
use pagerace_har::{ImportOptions, load};
use serde_json::{Value, json};

const BYTE_MUTANTS: u64 = 1500;
const FIELD_MUTANTS: u64 = 1500;

/// A writer that counts the bytes and drops them.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn every_recording_has_one() {
    for path in files::all() {
        let page = load(&path, &ImportOptions::default()).unwrap();
        let name = &page.name;
        let sequence = TransferSequence::of(&page, Urls::default());
        assert_eq!(sequence.transfers().len(), page.resources.len(), "{name}");
        assert_eq!(sequence.bytes(), page.body_bytes(), "{name}");
        let text = sequence.to_json();
        assert!(!text.contains('?'), "{name} tells queries");
        for written in [sequence, TransferSequence::of(&page, Urls::Whole)] {
            let text = written.to_json();
            let read = TransferSequence::from_json(name, text.as_bytes()).unwrap();
            assert_eq!(read, written, "{name}");
        }
        for transfer in TransferSequence::of(&page, Urls::default()).transfers() {
            let mut counter = Counter(0);
            stand_in::write(&transfer.extension, transfer.size, &mut counter).unwrap();
            assert_eq!(counter.0, transfer.size, "{name}: {}", transfer.file_name);
        }
    }
}

/// Returns the sequence of a recording.
fn recorded() -> TransferSequence {
    TransferSequence::of(
        &load(&files::corpus()[0], &ImportOptions::default()).unwrap(),
        Urls::default(),
    )
}

/// Parses a sequence and checks the result.
fn read(seed: u64, text: &[u8]) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        match TransferSequence::from_json("s.json", text) {
            Ok(sequence) => {
                let transfers = sequence.transfers();
                let ordered = |w: &[_]| key(&w[0]) < key(&w[1]);
                assert!(!transfers.is_empty() && transfers.windows(2).all(ordered));
                let again = TransferSequence::from_json("again", sequence.to_json().as_bytes());
                assert_eq!(again.unwrap(), sequence);
            }
            Err(error) => assert!(error.to_string().starts_with("s.json: "), "{error}"),
        }
    }));
    assert!(result.is_ok(), "seed {seed}: see the panic above");
}

fn key(transfer: &pagerace_har::Transfer) -> (u64, u32) {
    (transfer.start.as_nanos(), transfer.id)
}

#[test]
fn flipped_and_missing_bytes() {
    let original = recorded().to_json().into_bytes();
    for seed in 0..BYTE_MUTANTS {
        let mut rng = Rng::new(seed, "bytes");
        let mut bytes = original.clone();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(8) {
                0 => bytes.truncate(at.max(1)),
                1 => drop(bytes.drain(at..(at + 40).min(bytes.len()))),
                // Digits and quotes keep the text valid JSON more often than random
                // bytes.
                2..=5 => bytes[at] = b"0123456789-\"{}[],:e."[rng.below(20) as usize],
                _ => bytes[at] = rng.below(256) as u8,
            }
            if bytes.is_empty() {
                break;
            }
        }
        read(seed, &bytes);
    }
}

#[test]
fn deleted_and_foreign_fields() {
    let original: Value = serde_json::from_str(&recorded().to_json()).unwrap();
    for seed in 0..FIELD_MUTANTS {
        let mut rng = Rng::new(seed, "fields");
        let mut value = original.clone();
        let list = value.as_array_mut().unwrap();
        for _ in 0..=rng.below(3) {
            let at = rng.below(list.len() as u64) as usize;
            match rng.below(10) {
                0 => list[at] = foreign(&mut rng),
                1 => list.swap(0, at),
                2 => drop(list.remove(at)),
                _ => damage(&mut list[at], &mut rng),
            }
        }
        read(seed, value.to_string().as_bytes());
    }
}

fn damage(entry: &mut Value, rng: &mut Rng) {
    let Some(fields) = entry.as_object_mut().filter(|fields| !fields.is_empty()) else {
        return;
    };
    let at = rng.below(fields.len() as u64) as usize;
    let name = fields.keys().nth(at).unwrap().clone();
    match rng.below(8) {
        0 => drop(fields.remove(&name)),
        1 => drop(fields.insert("more".to_owned(), foreign(rng))),
        _ => fields[&name] = foreign(rng),
    }
}

/// Returns a value that parsers often mishandle.
fn foreign(rng: &mut Rng) -> Value {
    match rng.below(14) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!([[[]], {}]),
        6 => json!({"id": 1}),
        7 => json!(""),
        8 => json!("../../etc/\u{0}\u{fffd}"),
        9 => json!(true),
        10 => json!("NaN"),
        11 => json!("css"),
        12 => json!(rng.unit() * 1e8),
        _ => json!(rng.below(1_000_000)),
    }
}

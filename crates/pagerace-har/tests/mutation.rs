//! Import of damaged recordings: the result is an error or a page, never a panic or a
//! hang.
//!
//! A seeded mutator damages the small recordings of `tests/corpus`, the example pages, and
//! small recordings of sites if they are there. It flips and cuts bytes, deletes fields, and sets
//! fields to values of another type, to huge or negative values, or to values from elsewhere. A
//! failure prints the file and the seed that reproduce it.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

#[path = "../../../tests/corpus/files.rs"]
mod files;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use pagerace_core::Rng;
use pagerace_har::{ImportOptions, from_bytes};
use pagerace_page::{Page, Trigger};
use serde_json::{Value, json};

/// Maximum size of a recording in bytes, so that thousands of mutants take seconds in the
/// dev profile.
const LARGEST: usize = 400_000;

const BYTE_MUTANTS: u64 = 60;
const FIELD_MUTANTS: u64 = 120;

/// Returns name and JSON text of each recording to damage.
fn originals() -> Vec<(String, String)> {
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/pages");
    let examples = std::fs::read_dir(examples).unwrap();
    let mut paths = files::all();
    paths.extend(examples.map(|entry| entry.unwrap().path()));
    let mut all = Vec::new();
    for path in paths {
        if let Some(text) = text(&path).filter(|t| t.len() <= LARGEST) {
            all.push((
                path.file_name().unwrap().to_string_lossy().into_owned(),
                text,
            ));
        }
    }
    all.sort();
    assert!(all.len() >= 15, "only {} recordings are small", all.len());
    all
}

fn text(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).ok()?;
    if path.extension()? != "gz" {
        return (path.extension()? == "har").then(|| String::from_utf8(bytes).unwrap());
    }
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut text).ok()?;
    Some(text)
}

/// Imports a recording and checks the result.
fn import(name: &str, seed: u64, bytes: &[u8]) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        match from_bytes(name, bytes, &ImportOptions::default()) {
            Ok(page) => check(&page),
            Err(error) => assert!(error.to_string().starts_with(name), "{error}"),
        }
    }));
    assert!(
        result.is_ok(),
        "{name} with seed {seed}: see the panic above"
    );
}

fn check(page: &Page) {
    assert_eq!(page.check(), Ok(()), "what is imported can be raced");
    assert!(page.document.index() < page.resources.len());
    for (i, r) in page.resources.iter().enumerate() {
        match r.discovery.trigger {
            Trigger::Navigation => assert_eq!(i, 0),
            trigger => assert!(trigger.parent().unwrap().index() < i),
        }
        assert!(r.body_bytes <= 1 << 32 && r.think_time.as_secs_f64() <= 3600.0);
        assert!(r.origin.index() < page.origins.len());
    }
}

#[test]
fn flipped_and_missing_bytes() {
    for (name, text) in originals() {
        for seed in 0..BYTE_MUTANTS {
            let mut rng = Rng::new(seed, &name);
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=rng.below(8) {
                let at = rng.below(bytes.len() as u64) as usize;
                match rng.below(4) {
                    0 => bytes.truncate(at.max(1)),
                    1 => drop(bytes.drain(at..(at + 40).min(bytes.len()))),
                    // Digits and quotes keep the text valid JSON more often than random
                    // bytes.
                    2 => bytes[at] = b"0123456789-\"{}[],:e"[rng.below(19) as usize],
                    _ => bytes[at] = rng.below(256) as u8,
                }
                if bytes.is_empty() {
                    break;
                }
            }
            import(&name, seed, &bytes);
        }
    }
}

#[test]
fn deleted_and_foreign_fields() {
    for (name, text) in originals() {
        let original: Value = serde_json::from_str(&text).unwrap();
        for seed in 0..FIELD_MUTANTS {
            let mut rng = Rng::new(seed, &name);
            let mut har = original.clone();
            for _ in 0..=rng.below(40) {
                mutate(&mut har, &mut rng);
            }
            import(&name, seed, har.to_string().as_bytes());
        }
    }
}

/// Descends to a random place and damages it.
fn mutate(value: &mut Value, rng: &mut Rng) {
    let stop = rng.chance(0.06);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let key = map
                .keys()
                .nth(rng.below(map.len() as u64) as usize)
                .unwrap()
                .clone();
            match (stop, rng.below(3)) {
                (true, 0) => drop(map.remove(&key)),
                (true, 1) => drop(map.insert(key, foreign(rng))),
                _ => mutate(&mut map[&key], rng),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let at = rng.below(list.len() as u64) as usize;
            match (stop, rng.below(4)) {
                (true, 0) => drop(list.remove(at)),
                (true, 1) => list.push(list[at].clone()),
                (true, 2) => list.swap(0, at),
                _ => mutate(&mut list[at], rng),
            }
        }
        leaf => *leaf = foreign(rng),
    }
}

/// Returns a value that importers often mishandle.
fn foreign(rng: &mut Rng) -> Value {
    match rng.below(18) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!([]),
        6 => json!({"url": "https://a.test/", "type": "script"}),
        7 => json!(""),
        8 => json!("https://a.test/?x=%00#\u{fffd}"),
        9 => json!("data:text/html,<script>"),
        10 => json!("http://[::1"),
        11 => json!(true),
        12 => json!("9999-99-99T99:99:99Z"),
        13 => json!("1969-12-31T23:59:59.999-23:59"),
        14 => json!("<base href='//x/'><script src=a><img srcset=', ,'>"),
        15 => json!("NaN"),
        16 => json!("document"),
        _ => json!(rng.below(1_000_000)),
    }
}

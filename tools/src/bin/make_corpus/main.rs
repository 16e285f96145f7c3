//! Writes the recordings of `tests/corpus`, which tests of several crates read.
//!
//! `cargo run -p pagerace-tools --bin make_corpus` from the root of the project writes
//! the recordings in the form of other recorders again. It derives them from
//! `examples/pages` and from the files `tests/corpus/*.page.gz`. With a folder of files
//! that `pagerace record` wrote (`target/calibration/pages` after a calibration), it first
//! replaces these `.page.gz` files.
//!
//! Deterministic: the same input gives the same JSON.

mod clean;
mod entries;
mod variants;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pagerace_har::{ImportOptions, from_bytes};
use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus");
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/pages");

/// Recordings by `pagerace record`: the name in the corpus, and the name in the
/// calibration.
const RECORDED: [(&str, &str); 4] = [
    ("carousel", "carousel"),
    ("slides", "impress"),
    ("spectre", "spectre"),
    ("todo", "vue"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let corpus = Path::new(CORPUS);
    if let Some(folder) = std::env::args_os().nth(1) {
        for (name, source) in RECORDED {
            let path = Path::new(&folder).join(format!("{source}.page.gz"));
            let har = clean::clean(read(&path)?);
            write(&corpus.join(format!("{name}.page.gz")), &har)?;
        }
    }
    let example = |name: &str| read(&Path::new(EXAMPLES).join(format!("{name}.har")));
    let recorded = |name: &str| read(&corpus.join(format!("{name}.page.gz")));
    for (file, har) in variants::all(&example, &recorded)? {
        write(&corpus.join(file), &har)?;
    }
    Ok(())
}

/// Reads a recording, plain or compressed.
fn read(path: &Path) -> std::io::Result<Value> {
    let bytes = fs::read(path).map_err(|error| {
        std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
    })?;
    let mut text = Vec::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        GzDecoder::new(&bytes[..]).read_to_end(&mut text)?;
    } else {
        text = bytes;
    }
    Ok(serde_json::from_slice(&text)?)
}

/// Writes a recording that can be imported, compressed if the file's name says so.
fn write(path: &Path, har: &Value) -> Result<(), Box<dyn std::error::Error>> {
    let text = serde_json::to_string(har)? + "\n";
    from_bytes(
        &path.display().to_string(),
        text.as_bytes(),
        &ImportOptions::default(),
    )?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(text.as_bytes())?;
        fs::write(path, encoder.finish()?)?;
    } else {
        fs::write(path, text)?;
    }
    Ok(())
}

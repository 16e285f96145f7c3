//! Reading a trace from its file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};

use flate2::read::MultiGzDecoder;

use super::{Opportunities, Shape, Steps, Trace};
use crate::error::TraceError;

/// The maximum length of the decompressed text in bytes. A longer file is probably not a trace.
const TEXT_BYTES_MAX: u64 = 256 << 20;

const EITHER: &str = "a time in ms (mahimahi), or a time in seconds and a rate in Mbit/s";
const MAHIMAHI: &str = "one time in whole ms, not before the line above";
const STEPS: &str = "a time in seconds after the line above, and a rate in Mbit/s up to 1000000";

impl Trace {
    /// Reads a file in either format. A gzipped file is recognised by its first two
    /// bytes. Blank lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// [`TraceError`] names the file and, for a malformed line, its number, the text
    /// found and the text expected.
    pub fn read(path: &str) -> Result<Self, TraceError> {
        let failed = |error: io::Error| TraceError(format!("{path}: {error}"));
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            let why = "not a regular file; give the path of a trace";
            return Err(TraceError(format!("{path}: {why}")));
        }
        let mut file = BufReader::new(File::open(path).map_err(failed)?);
        let packed = file.fill_buf().map_err(failed)?.starts_with(&[0x1f, 0x8b]);
        let mut text = Vec::new();
        let read = if packed {
            MultiGzDecoder::new(file)
                .take(TEXT_BYTES_MAX + 1)
                .read_to_end(&mut text)
        } else {
            file.take(TEXT_BYTES_MAX + 1).read_to_end(&mut text)
        };
        if read.map_err(failed)? as u64 > TEXT_BYTES_MAX {
            let why = "longer than 256 MiB; cut it";
            return Err(TraceError(format!("{path}: {why}")));
        }
        Self::parse(path, &String::from_utf8_lossy(&text))
    }

    /// Parses the text of a trace; `name` identifies it in errors and output.
    ///
    /// # Errors
    /// See [`Trace::read`].
    pub fn parse(name: &str, text: &str) -> Result<Self, TraceError> {
        let lines = text.lines().enumerate().map(|(i, l)| (i + 1, l.trim()));
        let mut lines = lines
            .filter(|(_, l)| !l.is_empty() && !l.starts_with('#'))
            .peekable();
        let at = |line: usize, found: &str, expected: &'static str| {
            let found: String = found.chars().take(40).collect();
            TraceError(format!(
                "{name}, line {line}: found `{found}`, expected {expected}"
            ))
        };
        let words = lines.peek().map(|(_, l)| l.split_whitespace().count());
        let shape = match words {
            Some(1) | None => opportunities(lines, at)
                .map(|runs| Opportunities::new(runs).map(|o| Shape::Opportunities(o.into())))?,
            Some(2) => steps(lines, at).map(|steps| Steps::new(steps).map(Shape::Steps))?,
            Some(_) => {
                let (line, found) = lines.next().unwrap_or((1, ""));
                return Err(at(line, found, EITHER));
            }
        };
        let shape = shape.map_err(|why| TraceError(format!("{name}: {why}")))?;
        Ok(Self {
            name: name.to_owned(),
            shape,
        })
    }
}

fn opportunities<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    at: impl Fn(usize, &str, &'static str) -> TraceError,
) -> Result<Vec<(u32, u32)>, TraceError> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for (line, text) in lines {
        let expected = if runs.is_empty() { EITHER } else { MAHIMAHI };
        let ms: u32 = text.parse().map_err(|_| at(line, text, expected))?;
        match runs.last_mut() {
            Some(last) if ms < last.0 => return Err(at(line, text, MAHIMAHI)),
            Some(last) if ms == last.0 => last.1 += 1,
            _ => runs.push((ms, 1)),
        }
    }
    Ok(runs)
}

fn steps<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    at: impl Fn(usize, &str, &'static str) -> TraceError,
) -> Result<Vec<(u64, u64)>, TraceError> {
    let mut stamps: Vec<(u64, u64)> = Vec::new();
    for (line, text) in lines {
        let mut words = text.split_whitespace().map(number);
        let (Some(Some(seconds)), Some(Some(mbit)), None) =
            (words.next(), words.next(), words.next())
        else {
            return Err(at(line, text, STEPS));
        };
        let stamp = ((seconds * 1e9).round() as u64, (mbit * 1e6).round() as u64);
        if mbit > 1e6 || stamps.last().is_some_and(|last| stamp.0 <= last.0) {
            return Err(at(line, text, STEPS));
        }
        stamps.push(stamp);
    }
    let lasts: Vec<u64> = stamps
        .windows(2)
        .map(|pair| pair[1].0 - pair[0].0)
        .collect();
    let last = lasts.last().copied().unwrap_or(1_000_000_000);
    let lasts = lasts.into_iter().chain([last]);
    Ok(lasts
        .zip(stamps)
        .map(|(ns, (_, rate))| (ns, rate))
        .collect())
}

/// Parses a number from 0 to a billion.
fn number(word: &str) -> Option<f64> {
    word.parse().ok().filter(|x| (0.0..=1e9).contains(x))
}

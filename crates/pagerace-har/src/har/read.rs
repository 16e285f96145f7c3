//! Conversion of a file's bytes to JSON: gzip, byte order marks, damaged text.
//!
//! Follows RFC 1952 (several members) and RFC 8259. Invalid UTF-8 and escapes of half a
//! surrogate pair are replaced by U+FFFD instead of being rejected, because Chrome writes
//! both when it exports binary bodies as text.

use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde_json::Value;

use crate::ImportError;
use crate::error::{self, json_message};

/// Maximum number of decompressed bytes. The largest known recording has 120 MB; a file
/// beyond this limit is a mistake or an attack.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// Returns the name and the bytes of a file.
pub(super) fn file(path: &Path) -> Result<(String, Vec<u8>), ImportError> {
    error::read(path, MAX_BYTES, || too_large(MAX_BYTES))
}

fn too_large(limit: u64) -> String {
    format!("larger than {limit} bytes when decompressed; export it again without response bodies")
}

/// Returns true if the bytes are those of a gzip file (RFC 1952, section 2.3.1), whatever its
/// name.
#[must_use]
pub fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// Returns the file's bytes, decompressed if they are gzip.
pub(super) fn decompress<'a>(
    file: &str,
    bytes: &'a [u8],
    limit: u64,
) -> Result<Cow<'a, [u8]>, ImportError> {
    let mut out = Cow::Borrowed(bytes);
    if is_gzip(bytes) {
        let mut decompressed = Vec::new();
        let mut decoder = MultiGzDecoder::new(bytes).take(limit + 1);
        decoder.read_to_end(&mut decompressed).map_err(|error| {
            let read = decompressed.len();
            let finding = format!(
                "the gzip data is damaged or cut off after {read} decompressed bytes \
                     ({error}); copy the file again"
            );
            ImportError::new(file, finding)
        })?;
        out = decompressed.into();
    }
    if out.len() as u64 > limit {
        return Err(ImportError::new(file, too_large(limit)));
    }
    Ok(out)
}

/// Parses the JSON document in `bytes`.
pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Value, ImportError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ImportError::new(
            file,
            "the file is empty; export the recording again",
        ));
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let finding = "is text in UTF-16, but JSON is UTF-8; convert it (for example with iconv)";
        return Err(ImportError::new(file, finding));
    }
    let first = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    repair(bytes)
        .and_then(|text| serde_json::from_str(&text).ok())
        .ok_or_else(|| {
            let finding = format!(
                "line {}, column {}: not valid JSON ({}); the file was probably cut off or is not \
                 a HAR: export it again with \"Save all as HAR\" or the like",
                first.line(),
                first.column(),
                json_message(&first)
            );
            ImportError::new(file, finding)
        })
}

/// Replaces invalid UTF-8 and unpaired `\uD8xx` escapes; `None` if there is nothing to
/// repair.
fn repair(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    replace_lone_surrogates(&text).or(match text {
        Cow::Owned(text) => Some(text),
        Cow::Borrowed(_) => None,
    })
}

fn replace_lone_surrogates(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    let mut copied = 0;
    let mut i = 0;
    while i + 1 < bytes.len() {
        if bytes[i] != b'\\' {
            i += 1;
            continue;
        }
        let unit = escaped_unit(bytes, i);
        let paired = matches!(unit, Some(0xd800..=0xdbff))
            && matches!(escaped_unit(bytes, i + 6), Some(0xdc00..=0xdfff));
        if paired {
            i += 12;
        } else if matches!(unit, Some(0xd800..=0xdfff)) {
            let out = out.get_or_insert_default();
            out.extend_from_slice(&bytes[copied..i]);
            out.extend_from_slice(b"\\ufffd");
            i += 6;
            copied = i;
        } else {
            i += 2;
        }
    }
    let mut out = out?;
    out.extend_from_slice(&bytes[copied..]);
    String::from_utf8(out).ok()
}

/// Returns the UTF-16 code unit of the `\uXXXX` escape at `at`, if there is one.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests;

//! Lines between the chunks of chunked content.
//!
//! Source: RFC 9112, section 7.1. Chunk extensions are ignored.

use super::Error;

/// Longest chunk-size line, extensions included, in bytes.
const LINE_MAX: usize = 1024;

/// Most digits of a chunk size, which give 60 bits.
const DIGITS_MAX: usize = 15;

/// Parses a chunk-size line. Returns the length of the line and the chunk size, or `None`
/// if the line is incomplete.
pub(super) fn size(bytes: &[u8]) -> Result<Option<(usize, u64)>, Error> {
    let Some(end) = bytes.iter().take(LINE_MAX).position(|b| *b == b'\n') else {
        if bytes.len() >= LINE_MAX {
            return Err(Error::bad("a chunk's size has too long a line"));
        }
        return Ok(None);
    };
    let line = bytes[..end]
        .strip_suffix(b"\r")
        .ok_or_else(|| Error::bad("a chunk's size ends in LF without CR"))?;
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    let extension = line[digits..].trim_ascii_start();
    let clean = extension.first().is_none_or(|b| *b == b';') && !extension.contains(&b'\r');
    if digits == 0 || digits > DIGITS_MAX || !clean {
        let shown = line.escape_ascii();
        return Err(Error::bad(format!("\"{shown}\" is not a chunk size")));
    }
    let size = line[..digits].iter().fold(0, |size, digit| {
        let value = char::from(*digit).to_digit(16).expect("a digit");
        size << 4 | u64::from(value)
    });
    Ok(Some((end + 1, size)))
}

/// Returns true if `bytes` begins with the line end that follows a chunk, and false if
/// more bytes are needed to tell.
pub(super) fn end(bytes: &[u8]) -> Result<bool, Error> {
    match bytes {
        [b'\r', b'\n', ..] => Ok(true),
        [] | [b'\r'] => Ok(false),
        _ => Err(Error::bad("a chunk is longer than its size")),
    }
}

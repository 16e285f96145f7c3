//! Byte ranges in requests and in responses.
//!
//! Source: RFC 9110, sections 14 and 15.3.7, <https://www.rfc-editor.org/rfc/rfc9110#section-14>.

mod read;

use std::fmt::Write as _;

use crate::Field;

pub use read::{NotRanges, RangeReader};

/// Most ranges that a request may have. Requests with more are an attack (RFC 9110,
/// section 17.15), or better served with the whole content.
pub const RANGES_MAX: usize = 128;

/// A byte range that includes both its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteRange {
    /// Offset of the first byte.
    pub first: u64,
    /// Offset of the last byte; at least `first`.
    pub last: u64,
}

/// The ranges that a `range` field selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// At least one range, in the order of the field, each limited to the content.
    Parts(Vec<ByteRange>),
    /// No range overlaps the content.
    Unsatisfiable,
}

impl ByteRange {
    /// Number of bytes in the range; never zero.
    pub const fn size(self) -> u64 {
        self.last - self.first + 1
    }

    /// Formats the range as a `content-range` value, for content of `length` bytes.
    pub fn content_range(self, length: u64) -> String {
        format!("bytes {}-{}/{length}", self.first, self.last)
    }
}

/// Parses a `range` field for content of `length` bytes. Returns `None` if the field is
/// to be ignored: it has another unit, too many ranges, or is malformed.
pub fn parse(field: &[u8], length: u64) -> Option<Wanted> {
    let text = std::str::from_utf8(field).ok()?;
    let (unit, set) = text.split_once('=')?;
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut parts = Vec::new();
    for (i, spec) in set.split(',').enumerate() {
        if i >= RANGES_MAX {
            return None;
        }
        if let One::Part(part) = range(spec.trim(), length)? {
            parts.push(part);
        }
    }
    Some(if parts.is_empty() {
        Wanted::Unsatisfiable
    } else {
        Wanted::Parts(parts)
    })
}

/// The result of one range of a `range` field.
enum One {
    Part(ByteRange),
    /// The range does not overlap the content.
    Nowhere,
}

/// Parses one range. Returns `None` if it is malformed.
fn range(spec: &str, length: u64) -> Option<One> {
    let (first, last) = spec.split_once('-')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // A number that does not fit is beyond the end of any content.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    if first.is_empty() {
        // A suffix range: the last `suffix` bytes.
        let suffix = number(last)?;
        if suffix == 0 || length == 0 {
            return Some(One::Nowhere);
        }
        return Some(One::Part(ByteRange {
            first: length.saturating_sub(suffix),
            last: length - 1,
        }));
    }
    let first = number(first)?;
    let last = if last.is_empty() {
        u64::MAX
    } else {
        number(last)?
    };
    if last < first {
        return None;
    }
    if first >= length {
        return Some(One::Nowhere);
    }
    let last = last.min(length - 1);
    Some(One::Part(ByteRange { first, last }))
}

/// Returns the `range` field that requests `ranges`.
///
/// # Panics
/// If `ranges` is empty.
pub fn field(ranges: &[ByteRange]) -> Field {
    assert!(!ranges.is_empty(), "a range field has a range");
    let mut value = String::from("bytes=");
    for (i, range) in ranges.iter().enumerate() {
        let comma = if i > 0 { "," } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(value, "{comma}{}-{}", range.first, range.last);
    }
    Field::new("range", value)
}

/// Returns the boundary line and head of a part of a `multipart/byteranges` response (RFC
/// 9110, section 14.6). All parts but the `first` are preceded by a line break.
pub fn part_head(
    range: ByteRange,
    length: u64,
    boundary: &str,
    content_type: Option<&str>,
    first: bool,
) -> String {
    let mut head = String::new();
    if !first {
        head.push_str("\r\n");
    }
    let _ = write!(head, "--{boundary}\r\n");
    if let Some(ty) = content_type {
        let _ = write!(head, "content-type: {ty}\r\n");
    }
    let _ = write!(
        head,
        "content-range: {}\r\n\r\n",
        range.content_range(length)
    );
    head
}

/// Returns the closing boundary line after the last part.
pub fn parts_end(boundary: &str) -> String {
    format!("\r\n--{boundary}--\r\n")
}

/// Parses a `content-range` value. Returns the range, and the length of the content if it
/// is known.
fn parse_content_range(value: &str) -> Option<(ByteRange, Option<u64>)> {
    let (unit, rest) = value.trim().split_once(' ')?;
    let (range, length) = rest.trim().split_once('/')?;
    let (first, last) = range.split_once('-')?;
    let range = ByteRange {
        first: first.parse().ok()?,
        last: last.parse().ok()?,
    };
    let length = match length {
        "*" => None,
        digits => Some(digits.parse().ok()?),
    };
    let sensible = unit.eq_ignore_ascii_case("bytes")
        && range.first <= range.last
        && range.last < u64::MAX
        && length.is_none_or(|length| range.last < length);
    sensible.then_some((range, length))
}

#[cfg(test)]
mod tests;

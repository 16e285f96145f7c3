//! Decoder for field sections without a dynamic table.
//!
//! Source: RFC 9204, sections 4.3 and 4.5.

use std::ops::Range;

use bytes::Bytes;

use super::static_table::ENTRIES;
use super::{Error, Memory};
use crate::Field;
use crate::literal::{integer, string};

/// Decodes one field section, of at most `size_max` bytes as [`Field::size`] counts them.
///
/// `memory` is the same for all sections that a connection receives.
///
/// # Errors
/// [`Error::SectionTooLarge`] affects only this message. Any other error is a connection
/// error `QPACK_DECOMPRESSION_FAILED`.
pub fn decode(bytes: &[u8], size_max: u64, memory: &mut Memory) -> Result<Vec<Field>, Error> {
    let mut rest = after_prefix(bytes)?;
    let mut lines = Lines {
        // No code is shorter than 5 bits.
        text: Vec::with_capacity(rest.len() * 8 / 5),
        spans: Vec::new(),
    };
    let mut size = 0;
    let mut new = Vec::new();
    while !rest.is_empty() {
        let place = lines.spans.len();
        let len = if let Some((known, len)) = memory.decode(place, rest) {
            let Field { name, value } = known.clone();
            lines.spans.push((Part::Shared(name), Part::Shared(value)));
            len
        } else {
            let len = lines.read(rest, size_max)?;
            new.push((place, &rest[..len]));
            len
        };
        rest = &rest[len..];
        size += lines.last_size();
        if size > size_max {
            return Err(Error::SectionTooLarge(size_max));
        }
    }
    let fields = lines.finish();
    for (place, code) in new {
        memory.keep_decoded(place, &fields[place], code);
    }
    Ok(fields)
}

/// Checks bytes of the peer's encoder stream.
///
/// Our settings allow no dynamic table, so the only valid instruction is the one that sets
/// its capacity to zero (RFC 9204, section 4.3.1).
///
/// # Errors
/// [`Error::Capacity`], a connection error `QPACK_ENCODER_STREAM_ERROR`.
pub fn check_encoder_instructions(bytes: &[u8]) -> Result<(), Error> {
    if bytes.iter().all(|&byte| byte == 0b0010_0000) {
        Ok(())
    } else {
        Err(Error::Capacity)
    }
}

/// Skips required insert count and base, which refer to the dynamic table: section 4.5.1.
fn after_prefix(bytes: &[u8]) -> Result<&[u8], Error> {
    let (required, first) = integer::decode(8, bytes)?.ok_or(Error::Truncated)?;
    let rest = &bytes[first..];
    let (_, second) = integer::decode(7, rest)?.ok_or(Error::Truncated)?;
    let is_below_zero = rest[0] & 0x80 != 0;
    if required > 0 || is_below_zero {
        return Err(Error::Prefix);
    }
    Ok(&rest[second..])
}

/// The location of a decoded name or value.
enum Part {
    Shared(Bytes),
    Text(Range<usize>),
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Shared(bytes) => bytes.len(),
            Self::Text(range) => range.len(),
        }
    }

    fn resolve(self, text: &Bytes) -> Bytes {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Text(range) => text.slice(range),
        }
    }
}

/// Decoded lines of a section. All literals of the section share one allocation.
struct Lines {
    text: Vec<u8>,
    spans: Vec<(Part, Part)>,
}

impl Lines {
    /// Decodes the line at the start of `bytes`, which must not be empty. Returns its
    /// encoded length.
    fn read(&mut self, bytes: &[u8], size_max: u64) -> Result<usize, Error> {
        let first = bytes[0];
        // Prefix of the index, and the flag of the static table; literal names have no index.
        let (prefix, is_static) = match first {
            // Indexed field line: section 4.5.2.
            0b1000_0000.. => (6, first & 0b0100_0000 != 0),
            // Literal field line with name reference: section 4.5.4.
            0b0100_0000.. => (4, first & 0b0001_0000 != 0),
            // Literal field line with literal name: section 4.5.6.
            0b0010_0000.. => {
                let (name, start) = self.literal(3, bytes, size_max)?;
                return self.value(name, start, bytes, size_max);
            }
            // Post-base indices refer to the dynamic table: sections 4.5.3 and 4.5.5.
            0b0001_0000.. => (4, false),
            _ => (3, false),
        };
        let (index, len) = integer::decode(prefix, bytes)?.ok_or(Error::Truncated)?;
        if !is_static {
            return Err(Error::DynamicIndex);
        }
        let entry = usize::try_from(index).ok().and_then(|at| ENTRIES.get(at));
        let (name, value) = *entry.ok_or(Error::StaticIndex(index))?;
        let shared = |text: &'static str| Part::Shared(Bytes::from_static(text.as_bytes()));
        if first & 0b1000_0000 == 0 {
            return self.value(shared(name), len, bytes, size_max);
        }
        self.spans.push((shared(name), shared(value)));
        Ok(len)
    }

    /// Decodes the value at `start`, which completes the line.
    fn value(
        &mut self,
        name: Part,
        start: usize,
        bytes: &[u8],
        size_max: u64,
    ) -> Result<usize, Error> {
        let (value, len) = self.literal(7, &bytes[start..], size_max)?;
        self.spans.push((name, value));
        Ok(start + len)
    }

    fn literal(
        &mut self,
        prefix: u32,
        bytes: &[u8],
        size_max: u64,
    ) -> Result<(Part, usize), Error> {
        let (literal, len) = string::parse(prefix, bytes)?.ok_or(Error::Truncated)?;
        let start = self.text.len();
        literal.decode(&mut self.text)?;
        if self.text.len() as u64 > size_max {
            return Err(Error::SectionTooLarge(size_max));
        }
        Ok((Part::Text(start..self.text.len()), len))
    }

    fn last_size(&self) -> u64 {
        self.spans
            .last()
            .map_or(0, |(name, value)| (name.len() + value.len() + 32) as u64)
    }

    fn finish(self) -> Vec<Field> {
        let text = Bytes::from(self.text);
        let resolve = |(name, value): (Part, Part)| Field {
            name: name.resolve(&text),
            value: value.resolve(&text),
        };
        self.spans.into_iter().map(resolve).collect()
    }
}

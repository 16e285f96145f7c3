//! Decoder for field sections, with a dynamic table.
//!
//! Source: RFC 9204, sections 2.2 and 4.5.

use std::ops::Range;

use bytes::Bytes;

use super::Error;
use super::dynamic_table::DynamicTable;
use super::encoder_stream::{self, static_entry};
use crate::Field;
use crate::literal::{self, integer, string};

/// The decoder of one connection.
#[derive(Debug)]
pub struct Decoder {
    table: DynamicTable,
    /// Number of inserts that the encoder knows we have received (RFC 9204, section
    /// 2.1.4).
    known_received: u64,
    /// The incomplete instruction at the end of the encoder stream.
    unfinished: Vec<u8>,
    /// Instructions for the decoder stream that were not taken yet.
    instructions: Vec<u8>,
}

/// The result of decoding a field section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Section {
    /// The field lines, in order.
    Decoded(Vec<Field>),
    /// The section refers to inserts that have not arrived. Retry when
    /// [`Decoder::insert_count`] has reached this number.
    Blocked(u64),
}

impl Decoder {
    /// Creates a decoder whose settings allow a dynamic table of `capacity_max` bytes.
    pub fn new(capacity_max: u64) -> Self {
        Self {
            table: DynamicTable::new(capacity_max),
            known_received: 0,
            unfinished: Vec::new(),
            instructions: Vec::new(),
        }
    }

    /// Number of entries inserted so far.
    pub const fn insert_count(&self) -> u64 {
        self.table.inserted()
    }

    /// Handles bytes of the peer's encoder stream, split at any point.
    ///
    /// # Errors
    /// Any [`Error`] here is a connection error `QPACK_ENCODER_STREAM_ERROR`.
    pub fn handle_encoder_stream(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.unfinished.extend_from_slice(bytes);
        let mut at = 0;
        while let Some(len) = encoder_stream::execute(&mut self.table, &self.unfinished[at..])? {
            at += len;
        }
        self.unfinished.drain(..at);
        // Acknowledge inserts at once, so that the encoder may refer to the entries
        // without risking a blocked stream: section 4.4.3.
        let increment = self.table.inserted() - self.known_received;
        if increment > 0 {
            integer::encode(6, 0b0000_0000, increment, &mut self.instructions);
            self.known_received = self.table.inserted();
        }
        Ok(())
    }

    /// Decodes one field section of `stream`, of at most `size_max` bytes as
    /// [`Field::size`] counts them.
    ///
    /// # Errors
    /// [`Error::SectionTooLarge`] affects only this message. Any other error is a
    /// connection error `QPACK_DECOMPRESSION_FAILED`.
    pub fn decode(&mut self, stream: u64, bytes: &[u8], size_max: u64) -> Result<Section, Error> {
        let (prefix, start) = self.prefix(bytes)?;
        if prefix.required > self.table.inserted() {
            return Ok(Section::Blocked(prefix.required));
        }
        let mut lines = Lines {
            table: &self.table,
            prefix,
            text: Vec::new(),
            spans: Vec::new(),
        };
        let mut at = start;
        let mut size = 0;
        while at < bytes.len() {
            at += lines.read(&bytes[at..], size_max)?;
            size += lines.last_size();
            if size > size_max {
                return Err(Error::SectionTooLarge(size_max));
            }
        }
        let fields = lines.finish();
        if prefix.required > 0 {
            // Section acknowledgement: section 4.4.1.
            integer::encode(7, 0b1000_0000, stream, &mut self.instructions);
            self.known_received = self.known_received.max(prefix.required);
        }
        Ok(Section::Decoded(fields))
    }

    /// Tells the encoder that sections of `stream` will not be decoded
    /// (RFC 9204, section 2.2.2.2).
    pub fn cancel(&mut self, stream: u64) {
        if self.table.entries_max() > 0 {
            integer::encode(6, 0b0100_0000, stream, &mut self.instructions);
        }
    }

    /// Takes the bytes to write on our decoder stream; empty if there are none.
    pub fn take_instructions(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.instructions)
    }

    /// Decodes required insert count and base: section 4.5.1.
    fn prefix(&self, bytes: &[u8]) -> Result<(Prefix, usize), Error> {
        let (encoded, first) = integer::decode(8, bytes)?.ok_or(Error::Truncated)?;
        let rest = &bytes[first..];
        let (delta, second) = integer::decode(7, rest)?.ok_or(Error::Truncated)?;
        let required = self.required_insert_count(encoded)?;
        let base = if rest[0] & 0x80 == 0 {
            required + delta
        } else {
            required.checked_sub(delta + 1).ok_or(Error::Prefix)?
        };
        Ok((Prefix { required, base }, first + second))
    }

    /// Undoes the wrapping of the required insert count: section 4.5.1.1.
    fn required_insert_count(&self, encoded: u64) -> Result<u64, Error> {
        if encoded == 0 {
            return Ok(0);
        }
        let range = 2 * self.table.entries_max();
        if encoded > range {
            return Err(Error::Prefix);
        }
        let value_max = self.table.inserted() + self.table.entries_max();
        let mut required = value_max / range * range + encoded - 1;
        if required > value_max {
            required = required.checked_sub(range).ok_or(Error::Prefix)?;
        }
        if required == 0 {
            Err(Error::Prefix)
        } else {
            Ok(required)
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Prefix {
    required: u64,
    base: u64,
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

/// Decodes the lines of a section. All literals of the section share one allocation.
struct Lines<'a> {
    table: &'a DynamicTable,
    prefix: Prefix,
    text: Vec<u8>,
    spans: Vec<(Part, Part)>,
}

impl Lines<'_> {
    /// Decodes the line at the start of `bytes`, which must not be empty. Returns its
    /// encoded length.
    fn read(&mut self, bytes: &[u8], size_max: u64) -> Result<usize, Error> {
        let first = bytes[0];
        if first & 0b1000_0000 != 0 {
            // Indexed field line: section 4.5.2.
            let (index, len) = integer::decode(6, bytes)?.ok_or(Error::Truncated)?;
            let field = self.entry(index, first & 0b0100_0000 != 0)?;
            self.spans
                .push((Part::Shared(field.name), Part::Shared(field.value)));
            return Ok(len);
        }
        if first & 0b1111_0000 == 0b0001_0000 {
            // Indexed field line with post-base index: section 4.5.3.
            let (index, len) = integer::decode(4, bytes)?.ok_or(Error::Truncated)?;
            let field = self.post_base(index)?;
            self.spans
                .push((Part::Shared(field.name), Part::Shared(field.value)));
            return Ok(len);
        }
        let (name, start) = if first & 0b0100_0000 != 0 {
            // Literal field line with name reference: section 4.5.4.
            let (index, len) = integer::decode(4, bytes)?.ok_or(Error::Truncated)?;
            (
                Part::Shared(self.entry(index, first & 0b0001_0000 != 0)?.name),
                len,
            )
        } else if first & 0b0010_0000 != 0 {
            // Literal field line with literal name: section 4.5.6.
            self.literal(3, bytes, size_max)?
        } else {
            // Literal field line with post-base name reference: section 4.5.5.
            let (index, len) = integer::decode(3, bytes)?.ok_or(Error::Truncated)?;
            (Part::Shared(self.post_base(index)?.name), len)
        };
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
        let parsed = string::parse(prefix, bytes, bytes.len() as u64);
        let (literal, len) = match parsed {
            Ok(Some(parsed)) => parsed,
            Ok(None) | Err(literal::Error::StringTooLong) => return Err(Error::Truncated),
            Err(error) => return Err(error.into()),
        };
        let start = self.text.len();
        literal.decode(&mut self.text)?;
        if self.text.len() as u64 > size_max {
            return Err(Error::SectionTooLarge(size_max));
        }
        Ok((Part::Text(start..self.text.len()), len))
    }

    /// Returns a static entry, or the dynamic entry with an index relative to the base.
    fn entry(&self, index: u64, is_static: bool) -> Result<Field, Error> {
        if is_static {
            return static_entry(index);
        }
        let below = self
            .prefix
            .base
            .checked_sub(index + 1)
            .ok_or(Error::DynamicIndex)?;
        self.declared(below)
    }

    fn post_base(&self, index: u64) -> Result<Field, Error> {
        self.declared(self.prefix.base + index)
    }

    /// Returns a dynamic entry that the required insert count covers: section 2.2.1.
    fn declared(&self, absolute: u64) -> Result<Field, Error> {
        if absolute >= self.prefix.required {
            return Err(Error::DynamicIndex);
        }
        self.table.absolute(absolute).cloned()
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

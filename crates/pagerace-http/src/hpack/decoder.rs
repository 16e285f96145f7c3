//! Decoder for field sections.
//!
//! Source: RFC 7541, sections 3, 4 and 6.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::Bytes;

use super::static_table::ENTRIES;
use super::{DEFAULT_CAPACITY, Error, Memory};
use crate::Field;
use crate::literal::{integer, string};

/// The decoder of one connection.
#[derive(Debug)]
pub struct Decoder {
    /// The dynamic table, newest entry first.
    entries: VecDeque<Field>,
    size: u64,
    capacity: u64,
    /// The largest capacity that the encoder may choose.
    capacity_max: u64,
    /// True if the next section must begin with a table size update.
    update_due: bool,
    /// Text of the literals in the current section.
    text: Vec<u8>,
    memory: Memory,
}

/// A field line, or the location of its parts.
enum Line {
    Whole(Field),
    Literal(Name, Range<usize>),
}

enum Name {
    Known(Bytes),
    Text(Range<usize>),
}

impl Line {
    /// The size in bytes that counts towards the section limit: RFC 9113, section 6.5.2.
    fn size(&self) -> u64 {
        match self {
            Self::Whole(field) => field.size(),
            Self::Literal(name, value) => {
                let name = match name {
                    Name::Known(name) => name.len(),
                    Name::Text(name) => name.len(),
                };
                (name + value.len() + 32) as u64
            }
        }
    }
}

impl Default for Decoder {
    /// A decoder with the capacity that applies before any settings.
    fn default() -> Self {
        let capacity = u64::from(DEFAULT_CAPACITY);
        Self {
            entries: VecDeque::new(),
            size: 0,
            capacity,
            capacity_max: capacity,
            update_due: false,
            text: Vec::new(),
            memory: Memory::default(),
        }
    }
}

impl Decoder {
    /// Sets the largest capacity, in bytes. Call this when the peer has acknowledged the
    /// setting (`SETTINGS_HEADER_TABLE_SIZE`).
    pub fn set_capacity_max(&mut self, capacity_max: u32) {
        self.capacity_max = u64::from(capacity_max);
        self.update_due = self.capacity > self.capacity_max;
    }

    /// Decodes a complete field section of at most `size_max` bytes, as
    /// [`section_size`](crate::fields::section_size) counts them.
    ///
    /// # Errors
    /// [`Error::SectionTooLarge`] affects only this message. Any other error is a
    /// connection error `COMPRESSION_ERROR`.
    pub fn decode(&mut self, section: &[u8], size_max: u64) -> Result<Vec<Field>, Error> {
        let mut rest = self.size_updates(section)?;
        let mut lines = Vec::new();
        let mut size = 0_u64;
        self.text.clear();
        let mut new = Vec::new();
        for place in 0.. {
            if rest.is_empty() {
                break;
            }
            let (line, len) = if let Some((known, len)) = self.memory.decode(place, rest) {
                (Line::Whole(known.clone()), len)
            } else {
                let (line, len) = self.line(rest)?;
                // Other codes may refer to the dynamic table, which changes.
                if matches!(line, Line::Literal(Name::Text(_), _)) {
                    new.push((place, &rest[..len]));
                }
                (line, len)
            };
            rest = &rest[len..];
            size = size.saturating_add(line.size());
            if size > size_max {
                // Decode the rest, to update the dynamic table, but keep no lines.
                lines.clear();
                self.text.clear();
            } else {
                lines.push(line);
            }
        }
        if size > size_max {
            return Err(Error::SectionTooLarge(size_max));
        }
        let text = Bytes::copy_from_slice(&self.text);
        let field = |line| match line {
            Line::Whole(field) => field,
            Line::Literal(name, value) => Field {
                name: match name {
                    Name::Known(name) => name,
                    Name::Text(name) => text.slice(name),
                },
                value: text.slice(value),
            },
        };
        let fields: Vec<Field> = lines.into_iter().map(field).collect();
        for (place, code) in new {
            self.memory.keep_decoded(place, &fields[place], code);
        }
        Ok(fields)
    }

    /// Applies the table size updates at the start of `section` and returns the rest:
    /// section 4.2.
    fn size_updates<'a>(&mut self, section: &'a [u8]) -> Result<&'a [u8], Error> {
        let mut rest = section;
        while let Some(0b0010_0000..=0b0011_1111) = rest.first() {
            let (size, len) = integer::decode(5, rest)?.ok_or(Error::Truncated)?;
            if size > self.capacity_max {
                let max = self.capacity_max;
                return Err(Error::Capacity { size, max });
            }
            self.capacity = size;
            self.evict();
            self.update_due = false;
            rest = &rest[len..];
        }
        if self.update_due {
            return Err(Error::UpdatePlace);
        }
        Ok(rest)
    }

    /// Decodes the line at the start of `bytes` and returns it with its encoded length.
    fn line(&mut self, bytes: &[u8]) -> Result<(Line, usize), Error> {
        match bytes[0] {
            // Indexed header field: section 6.1.
            0b1000_0000.. => {
                let (index, len) = integer::decode(7, bytes)?.ok_or(Error::Truncated)?;
                Ok((Line::Whole(self.entry(index)?), len))
            }
            // Literal header field with incremental indexing: section 6.2.1.
            0b0100_0000.. => {
                let kept = self.text.len();
                let (name, value, len) = self.literal(6, bytes)?;
                let name = match name {
                    Name::Known(name) => name,
                    Name::Text(name) => Bytes::copy_from_slice(&self.text[name]),
                };
                let value = Bytes::copy_from_slice(&self.text[value]);
                self.text.truncate(kept);
                let field = Field { name, value };
                self.insert(field.clone());
                Ok((Line::Whole(field), len))
            }
            0b0010_0000.. => Err(Error::UpdatePlace),
            // Literal header field without indexing, or never indexed: sections 6.2.2,
            // 6.2.3.
            _ => {
                let (name, value, len) = self.literal(4, bytes)?;
                Ok((Line::Literal(name, value), len))
            }
        }
    }

    fn literal(&mut self, prefix: u32, bytes: &[u8]) -> Result<(Name, Range<usize>, usize), Error> {
        let (index, mut at) = integer::decode(prefix, bytes)?.ok_or(Error::Truncated)?;
        let name = if index == 0 {
            let (name, len) = self.string(&bytes[at..])?;
            at += len;
            Name::Text(name)
        } else {
            Name::Known(self.entry(index)?.name)
        };
        let (value, len) = self.string(&bytes[at..])?;
        Ok((name, value, at + len))
    }

    /// Decodes a string and appends it to `text`.
    fn string(&mut self, bytes: &[u8]) -> Result<(Range<usize>, usize), Error> {
        let parsed = string::parse(7, bytes)?;
        let (literal, len) = parsed.ok_or(Error::Truncated)?;
        let start = self.text.len();
        literal.decode(&mut self.text)?;
        Ok((start..self.text.len(), len))
    }

    /// Returns the entry with an index in the combined address space of the static and
    /// dynamic tables: section 2.3.3.
    fn entry(&self, index: u64) -> Result<Field, Error> {
        let unknown = Error::Index(index);
        let at = usize::try_from(index)
            .ok()
            .and_then(|i| i.checked_sub(1))
            .ok_or(unknown)?;
        if let Some((name, value)) = ENTRIES.get(at) {
            return Ok(Field::from_static(name, value));
        }
        let entry = self.entries.get(at - ENTRIES.len());
        entry.cloned().ok_or(unknown)
    }

    /// Inserts an entry. An entry larger than the table empties it: section 4.4.
    fn insert(&mut self, field: Field) {
        self.size += field.size();
        self.entries.push_front(field);
        self.evict();
    }

    fn evict(&mut self) {
        while self.size > self.capacity {
            let oldest = self.entries.pop_back().expect("an empty table has size 0");
            self.size -= oldest.size();
        }
    }

    /// Size of the dynamic table in bytes, as RFC 7541, section 4.1 counts it.
    #[cfg(test)]
    pub(super) fn table_size(&self) -> u64 {
        self.size
    }
}

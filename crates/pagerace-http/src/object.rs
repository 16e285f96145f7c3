//! Responses whose content comes in numbered HTTP datagrams: an extension of ours,
//! after the system of Srivastava 2024, section 5.8.
//!
//! Both ends say that they know it by a setting of their own beside
//! `SETTINGS_H3_DATAGRAM` (RFC 9297 leaves it to an extension what datagrams mean
//! for GET, which defines none itself). A server may then answer with
//!
//! ```text
//! HEADERS  :status 200, object-datagrams: length=4711, chunk=1158, parity=1, repair=later
//! DATAGRAM quarter stream id, number, up to `chunk` bytes          (any number, any order)
//! DATA     how many chunks were sent                               (the end marker)
//! ```
//!
//! The content is cut into chunks of `chunk` bytes, the last one shorter; chunk *n*
//! begins at byte *n* times `chunk`. Numbers from the count of chunks on are parity:
//! any so many chunks as the content has restore it (Reed-Solomon, shorter chunks
//! filled up with zeros). `repair` says that what is missing may be asked for by range
//! requests (RFC 9110, section 14), `now`, `later` once what the page needs first is
//! there, or then `if-useless` as it came; without it, lost is lost. `deadline` is the time in milliseconds from the
//! request, after which the server sends no more datagrams and the client waits for
//! none. `repr-digest` (RFC 9530) tells whether all is as it was.
//!
//! There is no `content-length`: it would have to count the end marker.

use bytes::{Buf, Bytes};
use pagerace_core::Duration;
use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::{Field, fields, varint};

/// The field that announces a response in datagrams.
pub const FIELD: &str = "object-datagrams";

/// Most bytes of a chunk: what a QUIC packet can carry at most (RFC 9000, section 18.2).
const CHUNK_MAX: u32 = 65_527;

/// Most chunks of content, a gigabyte's; there is no more parity than content.
const CHUNKS_MAX: u64 = 1 << 20;

/// Longest deadline: an hour, in milliseconds.
const DEADLINE_MAX_MS: u64 = 3_600_000;

/// How a response in datagrams is cut, and what happens to what is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Bytes of the content; at least one.
    pub length: u64,
    /// Bytes of each chunk but the last of the content.
    pub chunk: u32,
    /// Chunks of parity beyond those of the content.
    pub parity: u32,
    /// When what is missing may be asked for again, if at all.
    pub repair: Option<Repair>,
    /// From the request: no datagrams are sent or waited for after it.
    pub deadline: Option<Duration>,
}

/// When what was lost may be asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// At once.
    Now,
    /// Once all that is essential is there.
    Later,
    /// Likewise, if what came is of no use without it.
    IfUseless,
}

impl Announcement {
    /// Chunks of the content.
    pub const fn chunks(&self) -> u64 {
        self.length.div_ceil(self.chunk as u64)
    }

    /// Chunks of content and parity.
    pub const fn total(&self) -> u64 {
        self.chunks() + self.parity as u64
    }

    /// Bytes of the chunk with this number.
    pub fn size(&self, number: u64) -> usize {
        let chunk = u64::from(self.chunk);
        if number + 1 == self.chunks() {
            (self.length - number * chunk) as usize
        } else {
            chunk as usize
        }
    }

    /// The response field that tells it.
    pub fn field(&self) -> Field {
        use std::fmt::Write as _;
        let mut value = format!("length={}, chunk={}", self.length, self.chunk);
        // Writing to a string cannot fail.
        if self.parity > 0 {
            let _ = write!(value, ", parity={}", self.parity);
        }
        if let Some(repair) = self.repair {
            let when = match repair {
                Repair::Now => "now",
                Repair::Later => "later",
                Repair::IfUseless => "if-useless",
            };
            let _ = write!(value, ", repair={when}");
        }
        if let Some(deadline) = self.deadline {
            let millis = deadline.as_nanos() / 1_000_000;
            let _ = write!(value, ", deadline={millis}");
        }
        Field::new(FIELD, value)
    }

    /// What the fields of a response tell of it; `None` if they announce nothing,
    /// or nothing that makes sense, in which case the content never comes.
    pub fn of_fields(fields: &[Field]) -> Option<Result<Self, Malformed>> {
        let value = fields::get(fields, FIELD)?;
        Some(Self::parse(value).ok_or(Malformed))
    }

    fn parse(value: &[u8]) -> Option<Self> {
        let dictionary = Parser::new(value).parse::<Dictionary>().ok()?;
        let item = |key: &str| match dictionary.get(key)? {
            ListEntry::Item(item) => Some(&item.bare_item),
            ListEntry::InnerList(_) => None,
        };
        let integer = |key: &str| match item(key)? {
            BareItem::Integer(n) => u64::try_from(i64::from(*n)).ok(),
            _ => None,
        };
        let optional = |key: &str| match dictionary.get(key) {
            None => Some(0),
            Some(_) => integer(key),
        };
        let announcement = Self {
            length: integer("length").filter(|n| *n > 0)?,
            chunk: u32::try_from(integer("chunk")?).ok()?,
            parity: u32::try_from(optional("parity")?).ok()?,
            repair: match item("repair") {
                None => None,
                Some(BareItem::Token(when)) => match when.as_str() {
                    "now" => Some(Repair::Now),
                    "later" => Some(Repair::Later),
                    "if-useless" => Some(Repair::IfUseless),
                    _ => return None,
                },
                Some(_) => return None,
            },
            deadline: if dictionary.contains_key("deadline") {
                let millis = integer("deadline").filter(|ms| *ms <= DEADLINE_MAX_MS)?;
                Some(Duration::from_millis(millis))
            } else {
                None
            },
        };
        let sensible = (1..=CHUNK_MAX).contains(&announcement.chunk)
            && announcement.chunks() <= CHUNKS_MAX
            && u64::from(announcement.parity) <= announcement.chunks();
        sensible.then_some(announcement)
    }
}

/// An announcement that makes no sense: the response is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the object-datagrams field makes no sense")]
pub struct Malformed;

/// Appends the number that begins a chunk.
pub fn encode_number(number: u64, out: &mut Vec<u8>) {
    varint::encode(number, out);
}

/// A chunk's number and its bytes; `None` if there is no number.
pub fn decode_chunk(mut payload: Bytes) -> Option<(u64, Bytes)> {
    let (number, length) = varint::decode(&payload)?;
    payload.advance(length);
    Some((number, payload))
}

/// The content of the end marker: how many chunks were sent.
pub fn end_marker(sent: u64) -> Vec<u8> {
    let mut marker = Vec::with_capacity(8);
    varint::encode(sent, &mut marker);
    marker
}

/// Reads an end marker; `None` if it is none.
pub fn decode_end_marker(content: &[u8]) -> Option<u64> {
    let (sent, length) = varint::decode(content)?;
    (length == content.len()).then_some(sent)
}

#[cfg(test)]
mod tests;

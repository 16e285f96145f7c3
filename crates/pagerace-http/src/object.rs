//! Responses whose content is sent in numbered HTTP datagrams: an extension of this
//! project, modelled on Srivastava 2024, section 5.8.
//!
//! Each end announces support by a setting of this extension beside
//! `SETTINGS_H3_DATAGRAM`. RFC 9297 defines no meaning of datagrams for GET and leaves it
//! to extensions. A server may then respond with
//!
//! ```text
//! HEADERS  :status 200, object-datagrams: length=4711, chunk=1158, parity=1, repair=later
//! DATAGRAM quarter stream id, number, up to `chunk` bytes          (any number, any order)
//! DATA     how many chunks were sent                               (the end marker)
//! ```
//!
//! The content is cut into chunks of `chunk` bytes, of which the last one may be shorter.
//! Chunk *n* begins at byte *n* times `chunk`. Numbers from the count of content chunks
//! on denote Reed-Solomon parity: any set of chunks as large as the count of content
//! chunks restores the content, with shorter chunks padded with zeros.
//!
//! `repair` allows the client to fetch missing chunks by range requests (RFC 9110,
//! section 14). `now` allows it at once, and `later` once no essential object is
//! outstanding. `if-useless` is like `later`, but the client fetches nothing if the
//! received part is of use on its own. Without `repair`, lost chunks stay lost.
//!
//! `deadline` is a time in milliseconds from the request. After it the server sends no
//! more datagrams and the client waits for none. `repr-digest` (RFC 9530) lets the client
//! verify the content.
//!
//! The response has no `content-length`, because that would have to count the end marker.

use bytes::{Buf, Bytes};
use pagerace_core::{Duration, Repair};
use sfv::{BareItem, Dictionary, ListEntry, Parser};

use crate::{Field, fields, varint};

/// The field that announces a response in datagrams.
pub const FIELD: &str = "object-datagrams";

/// Largest chunk in bytes: the maximum UDP payload that QUIC permits (RFC 9000, section
/// 18.2).
const CHUNK_MAX: u32 = 65_527;

/// Most chunks of content, enough for a gigabyte. There may be at most as many parity
/// chunks.
const CHUNKS_MAX: u64 = 1 << 20;

/// Longest deadline in milliseconds: one hour.
const DEADLINE_MAX_MS: u64 = 3_600_000;

/// The chunking of a response in datagrams, and the handling of lost chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Length of the content in bytes; at least 1.
    pub length: u64,
    /// Length in bytes of each chunk except the last content chunk, which may be shorter.
    pub chunk: u32,
    /// Number of parity chunks, which follow the content chunks.
    pub parity: u32,
    /// Time at which the client may fetch missing chunks; `None` for never.
    pub repair: Option<Repair>,
    /// Time from the request after which no datagrams are sent or waited for.
    pub deadline: Option<Duration>,
}

impl Announcement {
    /// Number of content chunks.
    pub const fn chunks(&self) -> u64 {
        self.length.div_ceil(self.chunk as u64)
    }

    /// Number of content and parity chunks.
    pub const fn total(&self) -> u64 {
        self.chunks() + self.parity as u64
    }

    /// Length in bytes of the chunk numbered `number`.
    pub fn size(&self, number: u64) -> usize {
        let chunk = u64::from(self.chunk);
        if number + 1 == self.chunks() {
            (self.length - number * chunk) as usize
        } else {
            chunk as usize
        }
    }

    /// Returns the response field that carries the announcement.
    pub fn field(&self) -> Field {
        use std::fmt::Write as _;
        let mut value = format!("length={}, chunk={}", self.length, self.chunk);
        // Writing to a string cannot fail.
        if self.parity > 0 {
            let _ = write!(value, ", parity={}", self.parity);
        }
        if let Some(repair) = self.repair {
            let _ = write!(value, ", repair={repair}");
        }
        if let Some(deadline) = self.deadline {
            let millis = deadline.as_nanos() / 1_000_000;
            let _ = write!(value, ", deadline={millis}");
        }
        Field::new(FIELD, value)
    }

    /// Reads the announcement from the fields of a response. Returns `None` if there is
    /// none, and an error if it is invalid, in which case the content never arrives.
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
                Some(BareItem::Token(when)) => Some(when.as_str().parse().ok()?),
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

/// An invalid announcement, which makes the response malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the object-datagrams field is malformed")]
pub struct Malformed;

/// Appends the chunk number that precedes the bytes of a chunk.
pub fn encode_number(number: u64, out: &mut Vec<u8>) {
    varint::encode(number, out);
}

/// Splits the payload of a datagram into chunk number and chunk bytes. Returns `None` if
/// the payload holds no complete number.
pub fn decode_chunk(mut payload: Bytes) -> Option<(u64, Bytes)> {
    let (number, length) = varint::decode(&payload)?;
    payload.advance(length);
    Some((number, payload))
}

/// Encodes the content of the end marker, which is the number of chunks sent.
pub fn end_marker(sent: u64) -> Vec<u8> {
    let mut marker = Vec::with_capacity(8);
    varint::encode(sent, &mut marker);
    marker
}

/// Decodes the content of an end marker. Returns `None` if `content` is no end marker.
pub fn decode_end_marker(content: &[u8]) -> Option<u64> {
    let (sent, length) = varint::decode(content)?;
    (length == content.len()).then_some(sent)
}

#[cfg(test)]
mod tests;

//! HPACK: compression of field sections in HTTP/2.
//!
//! The decoder implements all of RFC 7541. The encoder refers to the static table and
//! writes Huffman literals. It never inserts into the peer's dynamic table, so that
//! sections may be encoded in one order and sent in another, and so that HTTP/2 and
//! HTTP/3 are compared with similar compression.
//!
//! This module exists because no library fits: `loona-hpack` 0.4.3 builds a map of all
//! Huffman codes for every string (15 µs for a short one, more than the rest of a request
//! together) and accepts table size updates inside a section, and `httlib-hpack` 0.1.3
//! panics on a section that ends inside an integer. The module shares the difficult parts
//! with QPACK. The tests check it against `loona-hpack`.
//!
//! Source: RFC 7541, <https://www.rfc-editor.org/rfc/rfc7541>.

mod decoder;
mod encoder;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{EMPTY_TABLE, encode};

use crate::literal;
pub use crate::literal::memory::Memory;

/// Capacity of the dynamic table in bytes, until settings change it.
///
/// Source: RFC 9113, section 6.5.2, `SETTINGS_HEADER_TABLE_SIZE`.
pub const DEFAULT_CAPACITY: u32 = 4096;

/// Errors in HPACK bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer, string or line runs past the end of its section.
    #[error("the field section ends inside a line")]
    Truncated,
    /// An integer or a string is invalid.
    #[error(transparent)]
    Literal(#[from] literal::Error),
    /// An index is neither in the static nor in the dynamic table (RFC 7541, section
    /// 2.3.3).
    #[error("index {0} names no entry of the tables")]
    Index(u64),
    /// A table size update exceeds our settings (RFC 7541, section 6.3).
    #[error("a table size update to {size} bytes exceeds the {max} allowed")]
    Capacity {
        /// The requested size in bytes.
        size: u64,
        /// The maximum in bytes, from our settings.
        max: u64,
    },
    /// A table size update follows a field line, or is missing although a change of our
    /// settings requires it (RFC 7541, section 4.2).
    #[error("a table size update is missing at the start of a section, or not at its start")]
    UpdatePlace,
    /// A section exceeds the size limit in our settings. The dynamic table stays valid,
    /// so only this message is affected.
    #[error("the field section is larger than the {0} bytes allowed")]
    SectionTooLarge(u64),
}

#[cfg(test)]
mod tests;

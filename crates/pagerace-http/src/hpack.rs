//! HPACK: compression of field sections in HTTP/2.
//!
//! The decoder does all of RFC 7541. The encoder refers to the static table and
//! writes Huffman literals; it never inserts into the peer's dynamic table, so
//! sections may be made in one order and sent in another, and HTTP/2 and HTTP/3
//! are compared with like compression.
//!
//! Why our own: of the libraries, `loona-hpack` 0.4.3 builds a map of all
//! Huffman codes for every string (15 µs for a short one, more than the rest of
//! a request together) and takes table size updates inside a section, and
//! `httlib-hpack` 0.1.3 panics on a section that ends inside an integer. What is
//! hard in HPACK, QPACK had already brought here. The first of them checks ours
//! in the tests.
//!
//! Source: RFC 7541, <https://www.rfc-editor.org/rfc/rfc7541>.

mod decoder;
mod encoder;
mod static_table;

pub use decoder::Decoder;
pub use encoder::{EMPTY_TABLE, encode};

use crate::literal;

/// Capacity of the dynamic table before settings say otherwise, in bytes.
///
/// Source: RFC 9113, section 6.5.2, `SETTINGS_HEADER_TABLE_SIZE`.
pub const DEFAULT_CAPACITY: u32 = 4096;

/// Why HPACK bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer, string or line runs past the end of its section.
    #[error("the field section ends inside a line")]
    Truncated,
    /// More than 62 bits (RFC 7541, section 5.1 asks for a limit).
    #[error("an integer has more than 62 bits")]
    IntegerTooLarge,
    /// A code that is no symbol, or padding that is not a prefix of EOS
    /// (RFC 7541, section 5.2).
    #[error("a string is no valid Huffman code")]
    Huffman,
    /// Neither in the static nor in the dynamic table (RFC 7541, section 2.3.3).
    #[error("index {0} names no entry of the tables")]
    Index(u64),
    /// Above what our settings allow (RFC 7541, section 6.3).
    #[error("a table size update to {size} bytes exceeds the {max} allowed")]
    Capacity {
        /// What was asked for.
        size: u64,
        /// Our limit.
        max: u64,
    },
    /// A table size update after a field line, or none where our settings made
    /// one necessary (RFC 7541, section 4.2).
    #[error("a table size update is missing at the start of a section, or not at its start")]
    UpdatePlace,
    /// Larger than the limit of the settings; the tables are in order, so the
    /// message alone is at fault.
    #[error("the field section is larger than the {0} bytes allowed")]
    SectionTooLarge(u64),
}

impl From<literal::Error> for Error {
    fn from(error: literal::Error) -> Self {
        match error {
            literal::Error::IntegerTooLarge => Self::IntegerTooLarge,
            literal::Error::Huffman => Self::Huffman,
            // The only limit given is what the section has left.
            literal::Error::StringTooLong => Self::Truncated,
        }
    }
}

#[cfg(test)]
mod tests;

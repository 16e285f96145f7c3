//! QPACK: compression of field sections.
//!
//! There is no dynamic table: our settings allow none, and the encoder never inserts into
//! the peer's. Encoder and decoder refer to the static table and use Huffman literals, so
//! no section ever blocks.
//!
//! This module exists because no library fits: `qpack` 0.1.0 leaves its maintenance open,
//! and `ls-qpack` 0.1.4 needs cmake, libclang and a C library behind unsafe code. The
//! tests check this module against `qpack`.
//!
//! Source: RFC 9204, <https://www.rfc-editor.org/rfc/rfc9204>.

mod decoder;
mod encoder;
mod static_table;

pub use decoder::{check_encoder_instructions, decode};
pub use encoder::{check_decoder_instructions, encode};

use crate::literal;
pub use crate::literal::memory::Memory;

/// Errors in QPACK bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer, string or line runs past the end of its section.
    #[error("the field section ends inside a line")]
    Truncated,
    /// An integer or a string is invalid.
    #[error(transparent)]
    Literal(#[from] literal::Error),
    /// An index exceeds the 99 entries of the static table (RFC 9204, section 3.1).
    #[error("static table index {0} does not exist (0 to 98 do)")]
    StaticIndex(u64),
    /// A reference to the dynamic table, which our settings do not allow.
    #[error("a dynamic table reference names an entry that is not there")]
    DynamicIndex,
    /// The prefix of a section is invalid (RFC 9204, section 4.5.1).
    #[error("the required insert count or base of a field section is impossible")]
    Prefix,
    /// A section exceeds the size limit in our settings.
    #[error("the field section is larger than the {0} bytes allowed")]
    SectionTooLarge(u64),
    /// The peer's encoder uses a dynamic table, which our settings do not allow (RFC 9204,
    /// sections 3.2.2 and 4.3.1).
    #[error("an encoder instruction exceeds the dynamic table's capacity")]
    Capacity,
    /// The peer acknowledges inserts that were never made (RFC 9204, section 4.4).
    #[error("a decoder instruction acknowledges inserts that were never made")]
    Acknowledgement,
}

#[cfg(test)]
mod tests;

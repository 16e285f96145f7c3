//! QPACK: compression of field sections.
//!
//! The decoder does all of RFC 9204: static and dynamic table, blocked
//! sections, and the instructions that it owes the encoder. The encoder refers
//! to the static table and writes Huffman literals; it never inserts into the
//! peer's dynamic table, so nothing that it writes can block.
//!
//! Why our own: of the libraries, `qpack` 0.1.0 offers only sections without a
//! dynamic table and calls its upkeep undecided, and `ls-qpack` 0.1.4 needs
//! cmake, libclang and a C library behind unsafe code. The first of them
//! checks ours in the tests.
//!
//! Source: RFC 9204, <https://www.rfc-editor.org/rfc/rfc9204>.

mod decoder;
mod dynamic_table;
mod encoder;
mod encoder_stream;
mod static_table;

pub use decoder::{Decoder, Section};
pub use encoder::{check_decoder_instructions, encode};

use crate::literal;

/// Why QPACK bytes were refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer, string or line runs past the end of its section.
    #[error("the field section ends inside a line")]
    Truncated,
    /// More than 62 bits (RFC 9204, section 4.1.1).
    #[error("an integer has more than 62 bits")]
    IntegerTooLarge,
    /// A code that is no symbol, or padding that is not a prefix of EOS
    /// (RFC 7541, section 5.2).
    #[error("a string is no valid Huffman code")]
    Huffman,
    /// Beyond the 99 entries of the static table (RFC 9204, section 3.1).
    #[error("static table index {0} does not exist (0 to 98 do)")]
    StaticIndex(u64),
    /// An entry never inserted, evicted, or outside what the section declared.
    #[error("a dynamic table reference names an entry that is not there")]
    DynamicIndex,
    /// The prefix of the section is impossible (RFC 9204, section 4.5.1).
    #[error("the required insert count or base of a field section is impossible")]
    Prefix,
    /// Larger than the limit of the settings.
    #[error("the field section is larger than the {0} bytes allowed")]
    SectionTooLarge(u64),
    /// An entry larger than the table, or a capacity above the one allowed
    /// (RFC 9204, sections 3.2.2 and 4.3.1).
    #[error("an encoder instruction exceeds the dynamic table's capacity")]
    Capacity,
    /// The peer acknowledges what we never inserted (RFC 9204, section 4.4).
    #[error("a decoder instruction acknowledges inserts that were never made")]
    Acknowledgement,
}

impl From<literal::Error> for Error {
    fn from(error: literal::Error) -> Self {
        match error {
            literal::Error::IntegerTooLarge => Self::IntegerTooLarge,
            literal::Error::Huffman => Self::Huffman,
            // Limits are set where a string goes into the dynamic table.
            literal::Error::StringTooLong => Self::Capacity,
        }
    }
}

#[cfg(test)]
mod tests;

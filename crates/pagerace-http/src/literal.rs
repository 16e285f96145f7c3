//! Encodings that HPACK and QPACK share: prefixed integers, string literals and their
//! Huffman code.
//!
//! Source: RFC 7541, section 5 and appendix B,
//! <https://www.rfc-editor.org/rfc/rfc7541#section-5>, which RFC 9204, section 4.1
//! adopts.

pub(crate) mod huffman;
pub(crate) mod integer;
pub(crate) mod memory;
pub(crate) mod string;
pub(crate) mod table;

/// Errors in prefixed integers and string literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// An integer has more than 62 bits (RFC 7541, section 5.1 asks for a limit; RFC 9204,
    /// section 4.1.1).
    #[error("an integer has more than 62 bits")]
    IntegerTooLarge,
    /// A string holds a code without a symbol, or padding that is not a prefix of EOS
    /// (RFC 7541, section 5.2).
    #[error("a string is not valid Huffman code")]
    Huffman,
}

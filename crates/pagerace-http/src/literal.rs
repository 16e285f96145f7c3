//! What HPACK and QPACK share: prefixed integers, string literals and their
//! Huffman code.
//!
//! Source: RFC 7541, section 5 and appendix B,
//! <https://www.rfc-editor.org/rfc/rfc7541#section-5>; RFC 9204, section 4.1,
//! takes them over.

pub(crate) mod huffman;
pub(crate) mod integer;
pub(crate) mod string;
pub(crate) mod table;

/// Why bytes are no integer or string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// More than 62 bits.
    IntegerTooLarge,
    /// A code that is no symbol, or wrong padding.
    Huffman,
    /// A string longer than the caller takes.
    StringTooLong,
}

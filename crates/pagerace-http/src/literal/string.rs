//! String literals: a Huffman flag, a length, and the bytes of the string.
//!
//! Source: RFC 7541, section 5.2, as RFC 9204, section 4.1.2 uses it.

use super::{Error, huffman, integer};

/// A string literal in its encoded form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal<'a> {
    huffman: bool,
    bytes: &'a [u8],
}

impl Literal<'_> {
    /// Decodes the literal and appends its text.
    pub(crate) fn decode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.huffman {
            return huffman::decode(self.bytes, out);
        }
        out.extend_from_slice(self.bytes);
        Ok(())
    }
}

/// Parses the string literal at the start of `bytes`. Its length has a prefix of `prefix`
/// bits, below the Huffman flag. Returns `Ok(None)` if the input ends inside it.
pub(crate) fn parse(prefix: u32, bytes: &[u8]) -> Result<Option<(Literal<'_>, usize)>, Error> {
    let Some((len, start)) = integer::decode(prefix, bytes)? else {
        return Ok(None);
    };
    let huffman = bytes[0] & (1 << prefix) != 0;
    let end = usize::try_from(len)
        .unwrap_or(usize::MAX)
        .saturating_add(start);
    Ok(bytes
        .get(start..end)
        .map(|bytes| (Literal { huffman, bytes }, end)))
}

/// Appends `text` as a string literal, Huffman-coded if that is shorter. `pattern` holds
/// the bits above the Huffman flag.
pub(crate) fn encode(prefix: u32, pattern: u8, text: &[u8], out: &mut Vec<u8>) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        integer::encode(prefix, pattern | 1 << prefix, coded as u64, out);
        huffman::encode(text, coded, out);
    } else {
        integer::encode(prefix, pattern, text.len() as u64, out);
        out.extend_from_slice(text);
    }
}

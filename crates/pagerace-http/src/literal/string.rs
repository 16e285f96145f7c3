//! String literals: a Huffman flag, a length, and the bytes.
//!
//! Source: RFC 7541, section 5.2, as RFC 9204, section 4.1.2 uses it.

use super::{Error, huffman, integer};

/// A string literal as it stands in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Literal<'a> {
    huffman: bool,
    bytes: &'a [u8],
}

impl Literal<'_> {
    /// Appends the text.
    pub(crate) fn decode(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        if self.huffman {
            return huffman::decode(self.bytes, out);
        }
        out.extend_from_slice(self.bytes);
        Ok(())
    }
}

/// The string at the start of `bytes` whose length has `prefix` bits, under
/// the Huffman flag; `Ok(None)` if the input ends inside it.
///
/// # Errors
/// [`Error::StringTooLong`]: it is longer than `limit` bytes, as written; told
/// before the bytes are there, so that nobody waits for them.
pub(crate) fn parse(
    prefix: u32,
    bytes: &[u8],
    limit: u64,
) -> Result<Option<(Literal<'_>, usize)>, Error> {
    let Some((len, start)) = integer::decode(prefix, bytes)? else {
        return Ok(None);
    };
    if len > limit {
        return Err(Error::StringTooLong);
    }
    let huffman = bytes[0] & (1 << prefix) != 0;
    let end = start + len as usize;
    Ok(bytes
        .get(start..end)
        .map(|bytes| (Literal { huffman, bytes }, end)))
}

/// Appends `text`, Huffman-coded where that is shorter; `pattern` holds the
/// bits above the Huffman flag.
pub(crate) fn encode(prefix: u32, pattern: u8, text: &[u8], out: &mut Vec<u8>) {
    let coded = huffman::encoded_len(text);
    if coded < text.len() {
        integer::encode(prefix, pattern | 1 << prefix, coded as u64, out);
        huffman::encode(text, out);
    } else {
        integer::encode(prefix, pattern, text.len() as u64, out);
        out.extend_from_slice(text);
    }
}

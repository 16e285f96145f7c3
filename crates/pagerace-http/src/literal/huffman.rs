//! The Huffman code of HPACK and QPACK.
//!
//! The code is canonical: among codes of equal length, values ascend with the symbols.
//! The lengths alone therefore define the code, and the tables are computed from them.
//!
//! Source: RFC 7541, section 5.2 and appendix B,
//! <https://www.rfc-editor.org/rfc/rfc7541#appendix-B>.

use super::Error;

/// Length in bits of each byte's code. The code of EOS, symbol 256, has 30 bits.
#[rustfmt::skip]
const LENGTHS: [u8; 256] = [
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
];

/// Length in bits of the longest code.
const LONGEST: usize = 30;

/// Number of bits that one table lookup resolves.
const FAST_BITS: u32 = 9;

/// Tables derived from [`LENGTHS`].
struct Tables {
    /// The code of each byte, right-aligned.
    codes: [u32; 256],
    /// (symbol, length) by the next [`FAST_BITS`] bits. The length is 0 for longer codes.
    fast: [(u8, u8); 1 << FAST_BITS],
    /// For each code length, the first code, and the position of its symbol in `symbols`.
    first: [(u32, u16); LONGEST + 1],
    /// The number of codes of each length.
    counts: [u16; LONGEST + 1],
    /// Bytes in ascending order of (code length, code).
    symbols: [u8; 256],
}

static TABLES: Tables = tables();

const fn tables() -> Tables {
    let mut t = Tables {
        codes: [0; 256],
        fast: [(0, 0); 1 << FAST_BITS],
        first: [(0, 0); LONGEST + 1],
        counts: [0; LONGEST + 1],
        symbols: [0; 256],
    };
    let mut code = 0_u32;
    let mut at = 0_u16;
    let mut length = 1;
    while length <= LONGEST {
        code <<= 1;
        t.first[length] = (code, at);
        let mut symbol = 0;
        while symbol < 256 {
            if LENGTHS[symbol] as usize == length {
                t.codes[symbol] = code;
                t.symbols[at as usize] = symbol as u8;
                t.counts[length] += 1;
                if length as u32 <= FAST_BITS {
                    let shift = FAST_BITS - length as u32;
                    let mut low = 0;
                    while low < 1 << shift {
                        t.fast[((code << shift) | low) as usize] = (symbol as u8, length as u8);
                        low += 1;
                    }
                }
                code += 1;
                at += 1;
            }
            symbol += 1;
        }
        length += 1;
    }
    t
}

/// Length in bytes of the encoding of `text`.
pub(crate) fn encoded_len(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&b| LENGTHS[b as usize] as usize).sum();
    bits.div_ceil(8)
}

/// Appends the encoding of `text`, padded with the most significant bits of EOS (ones).
pub(crate) fn encode(text: &[u8], out: &mut Vec<u8>) {
    let mut bits = 0_u64;
    let mut count = 0_u32;
    for &byte in text {
        let length = u32::from(LENGTHS[byte as usize]);
        bits = bits << length | u64::from(TABLES.codes[byte as usize]);
        count += length;
        while count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    if count > 0 {
        out.push((bits << (8 - count)) as u8 | (0xff >> count));
    }
}

/// Appends the text that `code` encodes.
///
/// # Errors
/// [`Error::Huffman`] if `code` contains EOS, or padding that is longer than 7 bits or
/// not all ones.
pub(crate) fn decode(code: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let mut bits = 0_u64; // The low `count` bits are the next ones of the input.
    let mut count = 0_u32;
    let mut input = code.iter();
    loop {
        while count <= 56 {
            let Some(&byte) = input.next() else { break };
            bits = bits << 8 | u64::from(byte);
            count += 8;
        }
        // Read as if ones followed the input without end, so that missing bits look like
        // padding.
        let window = if count >= 32 {
            (bits >> (count - 32)) as u32
        } else {
            ((bits << (32 - count)) as u32) | (u32::MAX >> count)
        };
        let (symbol, length) = match TABLES.fast[(window >> (32 - FAST_BITS)) as usize] {
            (_, 0) => match slow(window) {
                Some(found) => found,
                // Only a prefix of EOS is left, which is valid padding if it is shorter
                // than 8 bits.
                None if count < 8 => return Ok(()),
                None => return Err(Error::Huffman),
            },
            found => found,
        };
        if u32::from(length) > count {
            // The remaining bits are too few for a symbol, and not all ones.
            return Err(Error::Huffman);
        }
        out.push(symbol);
        count -= u32::from(length);
    }
}

/// Returns the symbol and length of the code at the start of `window`, which is longer
/// than [`FAST_BITS`].
fn slow(window: u32) -> Option<(u8, u8)> {
    (FAST_BITS as usize + 1..=LONGEST).find_map(|length| {
        let code = window >> (32 - length);
        let (first, at) = TABLES.first[length];
        let index = code.checked_sub(first)?;
        (index < u32::from(TABLES.counts[length]))
            .then(|| (TABLES.symbols[at as usize + index as usize], length as u8))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(code: &[u8]) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        decode(code, &mut out).map(|()| out)
    }

    /// RFC 7541, appendices C.4.1 and C.6.1.
    #[test]
    fn the_examples_of_the_rfc() {
        let host = [
            0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
        ];
        assert_eq!(decoded(&host).unwrap(), b"www.example.com");
        assert_eq!(decoded(&[0x64, 0x02]).unwrap(), b"302");
        let mut out = Vec::new();
        encode(b"www.example.com", &mut out);
        assert_eq!(out, host);
    }

    #[test]
    fn codes_at_the_corners_of_appendix_b() {
        assert_eq!(TABLES.codes[usize::from(b'0')], 0x0);
        assert_eq!(TABLES.codes[usize::from(b' ')], 0x14);
        assert_eq!(TABLES.codes[usize::from(b'\\')], 0x7_fff0);
        assert_eq!(TABLES.codes[0], 0x1ff8);
        assert_eq!(TABLES.codes[22], 0x3fff_fffe);
        assert_eq!(TABLES.codes[255], 0x3ff_ffee);
    }

    #[test]
    fn bad_padding_is_refused() {
        assert_eq!(decoded(&[0x18]), Err(Error::Huffman)); // "a", then zeros.
        assert_eq!(decoded(&[0x64, 0x02, 0xff]), Err(Error::Huffman)); // A whole byte of padding.
        assert_eq!(decoded(&[0xff; 4]), Err(Error::Huffman)); // EOS.
        assert_eq!(decoded(&[]), Ok(Vec::new()));
    }

    proptest! {
        #[test]
        fn round_trip(text in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut code = Vec::new();
            encode(&text, &mut code);
            prop_assert_eq!(code.len(), encoded_len(&text));
            prop_assert_eq!(decoded(&code).unwrap(), text);
        }

        /// Each text has one encoding, so every valid code encodes back to itself.
        #[test]
        fn the_code_is_unique(code in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(text) = decoded(&code) {
                let mut again = Vec::new();
                encode(&text, &mut again);
                prop_assert_eq!(again, code);
            }
        }
    }
}

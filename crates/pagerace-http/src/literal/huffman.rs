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

/// Number of bits that one table lookup resolves: two codes of the usual letters.
const PAIR_BITS: usize = 11;

/// Least number of bits in a [`window`].
const WINDOW_BITS: usize = 57;

/// The one or two symbols whose codes are complete in [`PAIR_BITS`] bits.
#[derive(Clone, Copy)]
struct Pair {
    symbols: [u8; 2],
    count: u8,
    /// Number of bits that they take. 0 if the first code is longer.
    length: u8,
}

/// Tables derived from [`LENGTHS`].
struct Tables {
    /// The code of each byte, right-aligned.
    codes: [u32; 256],
    /// The next symbols by the next [`PAIR_BITS`] bits.
    pairs: [Pair; 1 << PAIR_BITS],
    /// For each code length, the first code, and the position of its symbol in `symbols`.
    first: [(u32, u16); LONGEST + 1],
    /// The number of codes of each length.
    counts: [u16; LONGEST + 1],
    /// Bytes in ascending order of (code length, code).
    symbols: [u8; 256],
}

static TABLES: Tables = tables();

const fn tables() -> Tables {
    let none = Pair {
        symbols: [0; 2],
        count: 0,
        length: 0,
    };
    let mut t = Tables {
        codes: [0; 256],
        pairs: [none; 1 << PAIR_BITS],
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
                if length <= PAIR_BITS {
                    let shift = PAIR_BITS - length;
                    let mut low = 0;
                    while low < 1 << shift {
                        t.pairs[((code as usize) << shift) | low] = Pair {
                            symbols: [symbol as u8, 0],
                            count: 1,
                            length: length as u8,
                        };
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
    let singles = t.pairs;
    let mut bits = 0;
    while bits < 1 << PAIR_BITS {
        let first = singles[bits];
        let second = singles[(bits << first.length) & ((1 << PAIR_BITS) - 1)];
        let length = first.length + second.length;
        if first.count > 0 && second.count > 0 && length as usize <= PAIR_BITS {
            t.pairs[bits] = Pair {
                symbols: [first.symbols[0], second.symbols[0]],
                count: 2,
                length,
            };
        }
        bits += 1;
    }
    t
}

/// Length in bytes of the encoding of `text`.
pub(crate) fn encoded_len(text: &[u8]) -> usize {
    let bits: usize = text.iter().map(|&b| LENGTHS[b as usize] as usize).sum();
    bits.div_ceil(8)
}

/// Appends the encoding of `text`, which has [`encoded_len`] bytes, padded with the most
/// significant bits of EOS (ones).
pub(crate) fn encode(text: &[u8], encoded_len: usize, out: &mut Vec<u8>) {
    let mut at = out.len();
    let end = at + encoded_len;
    // The last word may be longer than what is left of the text.
    out.resize(end + 4, 0);
    let mut bits = 0_u64;
    let mut count = 0_u32;
    for &byte in text {
        let length = u32::from(LENGTHS[byte as usize]);
        bits = bits << length | u64::from(TABLES.codes[byte as usize]);
        count += length;
        if count >= 32 {
            count -= 32;
            put(((bits >> count) as u32).to_be_bytes(), at, out);
            at += 4;
        }
    }
    let padded = (bits << (32 - count)) as u32 | u32::MAX >> count;
    put(padded.to_be_bytes(), at, out);
    out.truncate(end);
}

/// Writes `bytes` at `at`, without the call that copying a slice makes.
fn put<const N: usize>(bytes: [u8; N], at: usize, out: &mut [u8]) {
    let place = out[at..].first_chunk_mut();
    *place.expect("the buffer has room for them") = bytes;
}

/// Appends the text that `code` encodes.
///
/// # Errors
/// [`Error::Huffman`] if `code` contains EOS, or padding that is longer than 7 bits or
/// not all ones.
pub(crate) fn decode(code: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let bits = 8 * code.len();
    let mut read = 0; // Bits of `code`.
    let mut end = out.len();
    // No code is shorter than 5 bits, and a pair may write a byte that the next one replaces.
    out.resize(end + bits / 5 + 2, 0);
    loop {
        let fresh = window(code, read);
        let (start, known) = (read, bits.min(read + WINDOW_BITS));
        let mut rest = fresh;
        while read + PAIR_BITS <= known {
            let pair = TABLES.pairs[(rest >> (64 - PAIR_BITS)) as usize];
            if pair.length == 0 {
                break;
            }
            put(pair.symbols, end, out);
            end += usize::from(pair.count);
            read += usize::from(pair.length);
            rest <<= pair.length;
        }
        if read > start {
            continue;
        }
        // A long code comes next, or the input ends.
        let next = (fresh >> 32) as u32;
        if bits - read < 8 && next == u32::MAX {
            break; // Padding.
        }
        // If the symbol takes more bits than are left, they are padding that is not all ones.
        let found = single(next).filter(|(_, length)| read + length <= bits);
        let (symbol, length) = found.ok_or(Error::Huffman)?;
        out[end] = symbol;
        end += 1;
        read += length;
    }
    out.truncate(end);
    Ok(())
}

/// Returns the bits of `code` from bit `at` on, as if ones followed it without end. The first
/// [`WINDOW_BITS`] are valid.
fn window(code: &[u8], at: usize) -> u64 {
    let rest = &code[at / 8..];
    let word = rest.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0xff; 8];
        word[..rest.len()].copy_from_slice(rest);
        word
    });
    u64::from_be_bytes(word) << (at % 8)
}

/// Returns the symbol and length of the code at the start of `window`, if one is there.
fn single(window: u32) -> Option<(u8, usize)> {
    (1..=LONGEST).find_map(|length| {
        let code = window >> (32 - length);
        let (first, at) = TABLES.first[length];
        let index = code.checked_sub(first)?;
        (index < u32::from(TABLES.counts[length]))
            .then(|| (TABLES.symbols[at as usize + index as usize], length))
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
        encode(b"www.example.com", 12, &mut out);
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
            encode(&text, encoded_len(&text), &mut code);
            prop_assert_eq!(decoded(&code).unwrap(), text);
        }

        /// Each text has one encoding, so every valid code encodes back to itself.
        #[test]
        fn the_code_is_unique(code in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(text) = decoded(&code) {
                let mut again = Vec::new();
                encode(&text, encoded_len(&text), &mut again);
                prop_assert_eq!(again, code);
            }
        }
    }
}

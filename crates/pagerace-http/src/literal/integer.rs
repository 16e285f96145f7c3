//! Prefixed integers.
//!
//! Source: RFC 7541, section 5.1, as RFC 9204, section 4.1.1 uses it.

use super::Error;

/// A decoded value and its length in bytes; `None` if the input ends inside it.
pub(crate) type Parsed<T> = Result<Option<(T, usize)>, Error>;

/// Decodes the integer that begins in the low `prefix` bits (1 to 8) of the first byte.
/// Returns its value and the bytes it took, or `None` if the input ends inside it.
///
/// # Errors
/// [`Error::IntegerTooLarge`] if the integer has more than 62 bits.
pub(crate) fn decode(prefix: u32, bytes: &[u8]) -> Parsed<u64> {
    let Some(&first) = bytes.first() else {
        return Ok(None);
    };
    let mask = (1_u64 << prefix) - 1;
    let mut value = u64::from(first) & mask;
    if value < mask {
        return Ok(Some((value, 1)));
    }
    for (at, &byte) in bytes.iter().enumerate().skip(1) {
        let shift = 7 * (at as u32 - 1);
        let part = u64::from(byte & 0x7f);
        // Nine bytes of seven bits hold 63 bits, so a tenth byte can only be padding.
        if shift > 62 || (part << shift) >> shift != part {
            return Err(Error::IntegerTooLarge);
        }
        value = value
            .checked_add(part << shift)
            .ok_or(Error::IntegerTooLarge)?;
        if value > crate::varint::MAX {
            return Err(Error::IntegerTooLarge);
        }
        if byte & 0x80 == 0 {
            return Ok(Some((value, at + 1)));
        }
    }
    Ok(None)
}

/// Appends `value` with a prefix of `prefix` bits. `pattern` holds the bits above the
/// prefix.
pub(crate) fn encode(prefix: u32, pattern: u8, value: u64, out: &mut Vec<u8>) {
    let mask = (1_u64 << prefix) - 1;
    if value < mask {
        out.push(pattern | value as u8);
        return;
    }
    out.push(pattern | mask as u8);
    let mut rest = value - mask;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 7541, appendix C.1.
    #[test]
    fn the_examples_of_the_rfc() {
        assert_eq!(decode(5, &[0b1110_1010]), Ok(Some((10, 1))));
        assert_eq!(decode(5, &[0x1f, 0x9a, 0x0a]), Ok(Some((1337, 3))));
        assert_eq!(decode(8, &[0x2a]), Ok(Some((42, 1))));
        assert_eq!(decode(5, &[0x1f, 0x9a]), Ok(None));
    }

    #[test]
    fn too_large_is_refused_not_wrapped() {
        assert_eq!(decode(8, &[0xff; 12]), Err(Error::IntegerTooLarge));
        let endless_zeros = [&[0xff_u8][..], &[0x80; 20]].concat();
        assert_eq!(decode(8, &endless_zeros), Err(Error::IntegerTooLarge));
    }

    proptest! {
        #[test]
        fn round_trip(value in 0..=crate::varint::MAX, prefix in 3_u32..=8) {
            let mut bytes = Vec::new();
            encode(prefix, 0, value, &mut bytes);
            prop_assert_eq!(decode(prefix, &bytes), Ok(Some((value, bytes.len()))));
            prop_assert_eq!(decode(prefix, &bytes[..bytes.len() - 1]), Ok(None));
        }
    }
}

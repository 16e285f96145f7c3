//! QUIC variable-length integers.
//!
//! Source: RFC 9000, section 16, <https://www.rfc-editor.org/rfc/rfc9000#section-16>.

/// The largest encodable value: 2^62 - 1.
pub const MAX: u64 = (1 << 62) - 1;

/// Length in bytes of the shortest encoding of `value`: 1, 2, 4 or 8.
///
/// # Panics
/// If `value` exceeds [`MAX`].
pub const fn size(value: u64) -> usize {
    match value {
        0..=0x3f => 1,
        0x40..=0x3fff => 2,
        0x4000..=0x3fff_ffff => 4,
        0x4000_0000..=MAX => 8,
        _ => panic!("a QUIC integer has at most 62 bits"),
    }
}

/// Appends the shortest encoding of `value`.
///
/// # Panics
/// If `value` exceeds [`MAX`].
pub fn encode(value: u64, out: &mut Vec<u8>) {
    let len = size(value);
    let prefix = u64::from(len.trailing_zeros()) << (8 * len - 2);
    out.extend_from_slice(&(value | prefix).to_be_bytes()[8 - len..]);
}

/// Decodes the integer at the start of `bytes`. Returns its value and the length of its
/// encoding, or `None` if the encoding is incomplete. Encodings longer than needed are
/// accepted.
pub fn decode(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let len = 1 << (first >> 6);
    let rest = bytes.get(1..len)?;
    let value = rest
        .iter()
        .fold(u64::from(first & 0x3f), |v, &b| v << 8 | u64::from(b));
    Some((value, len))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// RFC 9000, appendix A.1.
    #[test]
    fn the_examples_of_the_rfc() {
        let cases: [(&[u8], u64); 5] = [
            (
                &[0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c],
                151_288_809_941_952_652,
            ),
            (&[0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
            (&[0x7b, 0xbd], 15_293),
            (&[0x25], 37),
            (&[0x40, 0x25], 37),
        ];
        for (bytes, value) in cases {
            assert_eq!(decode(bytes), Some((value, bytes.len())));
            assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
        }
    }

    proptest! {
        #[test]
        fn round_trip(value in 0..=MAX) {
            let mut bytes = Vec::new();
            encode(value, &mut bytes);
            prop_assert_eq!(bytes.len(), size(value));
            prop_assert_eq!(decode(&bytes), Some((value, bytes.len())));
        }
    }
}

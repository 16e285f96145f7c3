//! Tests against the examples of RFC 7541, appendix C, and against `loona-hpack` as an
//! independent implementation.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::Field;
use crate::fields::{filler_fields, section_size, text_size};

const UNLIMITED: u64 = u64::MAX;

/// Field lines as names and values.
type Lines = &'static [(&'static str, &'static str)];

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter_map(|b| char::from(b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

fn fields(lines: Lines) -> Vec<Field> {
    lines
        .iter()
        .map(|(n, v)| Field::from_static(n, v))
        .collect()
}

/// Decodes sections in turn and checks lines and table sizes.
fn check(decoder: &mut Decoder, sections: &[(&str, Lines, u64)]) {
    for (section, lines, table_size) in sections {
        let decoded = decoder.decode(&hex(section), UNLIMITED);
        assert_eq!(decoded, Ok(fields(lines)), "{section}");
        assert_eq!(decoder.table_size(), *table_size, "{section}");
    }
}

const REQUESTS: [(Lines, u64); 3] = [
    (
        &[
            (":method", "GET"),
            (":scheme", "http"),
            (":path", "/"),
            (":authority", "www.example.com"),
        ],
        57,
    ),
    (
        &[
            (":method", "GET"),
            (":scheme", "http"),
            (":path", "/"),
            (":authority", "www.example.com"),
            ("cache-control", "no-cache"),
        ],
        110,
    ),
    (
        &[
            (":method", "GET"),
            (":scheme", "https"),
            (":path", "/index.html"),
            (":authority", "www.example.com"),
            ("custom-key", "custom-value"),
        ],
        164,
    ),
];

/// Appendices C.2.1 to C.2.4.
#[test]
fn single_lines() {
    let mut decoder = Decoder::default();
    check(
        &mut decoder,
        &[(
            "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
            &[("custom-key", "custom-header")],
            55,
        )],
    );
    check(
        &mut Decoder::default(),
        &[
            (
                "040c 2f73 616d 706c 652f 7061 7468",
                &[(":path", "/sample/path")],
                0,
            ),
            (
                "1008 7061 7373 776f 7264 0673 6563 7265 74",
                &[("password", "secret")],
                0,
            ),
            ("82", &[(":method", "GET")], 0),
        ],
    );
}

/// Appendix C.3, and C.4 with Huffman codes.
#[test]
fn requests() {
    let plain = [
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ];
    let huffman = [
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ];
    for sections in [plain, huffman] {
        let mut decoder = Decoder::default();
        for (section, (lines, size)) in sections.iter().zip(REQUESTS) {
            check(&mut decoder, &[(section, lines, size)]);
        }
    }
}

/// Appendix C.5, and C.6 with Huffman codes. A table of 256 bytes makes entries be
/// evicted.
#[test]
fn responses() {
    const FIRST: Lines = &[
        (":status", "302"),
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
        ("location", "https://www.example.com"),
    ];
    const SECOND: Lines = &[
        (":status", "307"),
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
        ("location", "https://www.example.com"),
    ];
    const THIRD: Lines = &[
        (":status", "200"),
        ("cache-control", "private"),
        ("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
        ("location", "https://www.example.com"),
        ("content-encoding", "gzip"),
        (
            "set-cookie",
            "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
        ),
    ];
    let plain = [
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
         2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70
         6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d
         54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049
         5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e
         3d31",
    ];
    let huffman = [
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
         2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab
         77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f
         9587 3160 65c0 03ed 4ee5 b106 3d50 07",
    ];
    for sections in [plain, huffman] {
        let mut decoder = Decoder::default();
        // A table size update to 256.
        assert_eq!(decoder.decode(&[0x3f, 0xe1, 0x01], UNLIMITED), Ok(vec![]));
        for (section, lines) in sections.iter().zip([FIRST, SECOND, THIRD]) {
            let size = if lines.len() == 6 { 215 } else { 222 };
            check(&mut decoder, &[(section, lines, size)]);
        }
    }
}

#[test]
fn what_is_refused() {
    let decode = |section: &str| Decoder::default().decode(&hex(section), UNLIMITED);
    assert_eq!(decode("80"), Err(Error::Index(0)));
    assert_eq!(decode("be"), Err(Error::Index(62)));
    assert_eq!(decode("7e 00"), Err(Error::Index(62)));
    assert_eq!(decode("ff"), Err(Error::Truncated));
    assert_eq!(
        decode("ffffffffffffffffffff7f"),
        Err(Error::Literal(literal::Error::IntegerTooLarge))
    );
    assert_eq!(decode("40 0a 63"), Err(Error::Truncated));
    assert_eq!(decode("40 01 63"), Err(Error::Truncated));
    assert_eq!(
        decode("00 81 00 00"),
        Err(Error::Literal(literal::Error::Huffman))
    );
    let above = Error::Capacity {
        size: 4097,
        max: 4096,
    };
    assert_eq!(decode("3f e2 1f"), Err(above));
    assert_eq!(decode("82 20"), Err(Error::UpdatePlace));
}

/// Section 4.2: a smaller table must be confirmed at the start of the next section.
/// Section 4.4: an entry larger than the table empties it.
#[test]
fn the_table_shrinks() {
    let entry = hex("40 01 61 01 62"); // The line `a: b`, 34 bytes.
    let mut decoder = Decoder::default();
    decoder.decode(&entry, UNLIMITED).unwrap();
    decoder.set_capacity_max(40);
    assert_eq!(
        decoder.decode(&hex("be"), UNLIMITED),
        Err(Error::UpdatePlace)
    );
    // The capacity shrinks to 40, so the entry stays. Later it shrinks to zero, which
    // evicts the entry.
    let stays = [&hex("3f 09")[..], &hex("be")].concat();
    assert_eq!(decoder.decode(&stays, UNLIMITED), Ok(fields(&[("a", "b")])));
    let large = hex("40 01 61 0a 30303030303030303030"); // 43 bytes.
    assert_eq!(
        decoder.decode(&large, UNLIMITED),
        Ok(fields(&[("a", "0000000000")]))
    );
    assert_eq!(decoder.table_size(), 0);
    decoder.decode(&entry, UNLIMITED).unwrap();
    decoder.decode(&[EMPTY_TABLE], UNLIMITED).unwrap();
    assert_eq!(decoder.table_size(), 0);
    // A larger maximum needs no confirmation.
    decoder.set_capacity_max(100);
    decoder.decode(&entry, UNLIMITED).unwrap();
}

/// A section that is too large to be reported still updates the dynamic table.
#[test]
fn a_section_that_is_too_large_keeps_the_table_right() {
    let mut decoder = Decoder::default();
    let section = hex("40 01 61 01 62  40 01 63 01 64");
    assert_eq!(
        decoder.decode(&section, 67),
        Err(Error::SectionTooLarge(67))
    );
    assert_eq!(
        decoder.decode(&hex("bebf"), 68),
        Ok(fields(&[("c", "d"), ("a", "b")]))
    );
}

/// The size limit holds for a section of one-byte lines that stand for four thousand
/// bytes each.
#[test]
fn a_line_with_a_name_of_the_dynamic_table_follows_the_table() {
    let mut decoder = Decoder::default();
    for name in ["61", "64"] {
        let insert = hex(&format!("40 01 {name} 01 62"));
        decoder.decode(&insert, UNLIMITED).unwrap();
        let lines = decoder.decode(&hex("0f 2f 01 63"), UNLIMITED).unwrap();
        assert_eq!(lines[0].name, hex(name));
    }
}

#[test]
fn a_bomb_is_held_to_the_limit() {
    let mut decoder = Decoder::default();
    let mut section = hex("40 01 61");
    crate::literal::string::encode(7, 0, &[0x80; 4000], &mut section);
    section.extend([0xbe; 10_000]);
    assert_eq!(
        decoder.decode(&section, 65_536),
        Err(Error::SectionTooLarge(65_536))
    );
}

/// The ratio that [`filler_fields`] documents for QPACK, 0.65 of the text, holds for
/// HPACK as well.
#[test]
fn filler_shrinks_as_promised() {
    for bytes in [200, 500, 2000] {
        let fields = filler_fields(bytes);
        let mut section = Vec::new();
        encode(&fields, &mut Memory::default(), &mut section);
        let ratio = section.len() as f64 / text_size(&fields) as f64;
        assert!((0.60..0.72).contains(&ratio), "{bytes} bytes: {ratio}");
    }
}

fn line() -> impl Strategy<Value = Field> {
    let name = prop_oneof![
        Just("cookie".to_owned()),
        Just(":status".to_owned()),
        "[a-z-]{1,12}"
    ];
    let value = prop_oneof![
        Just(b"200".to_vec()),
        vec(any::<u8>(), 0..60),
        vec(Just(b'e'), 0..40)
    ];
    (name, value).prop_map(|(name, value)| Field::new(name, value))
}

proptest! {
    /// The library and this module decode our sections.
    #[test]
    fn what_we_write_is_read(fields in vec(line(), 0..20)) {
        let mut section = Vec::new();
        encode(&fields, &mut Memory::default(), &mut section);
        let pairs: Vec<_> = fields.iter().map(|f| (f.name.to_vec(), f.value.to_vec())).collect();
        prop_assert_eq!(loona_hpack::Decoder::new().decode(&section).unwrap(), pairs);
        let mut decoder = Decoder::default();
        let limit = section_size(&fields);
        prop_assert_eq!(decoder.decode(&section, limit), Ok(fields));
        prop_assert_eq!(decoder.table_size(), 0);
    }

    /// This module decodes the library's sections, which use the dynamic table.
    #[test]
    fn what_the_library_writes_is_read(
        sections in vec(vec(line(), 1..12), 1..12),
        capacity in prop_oneof![Just(None), (0_usize..4096).prop_map(Some)],
    ) {
        let mut encoder = loona_hpack::Encoder::new();
        if let Some(capacity) = capacity {
            encoder.set_max_table_size(capacity);
        }
        let mut decoder = Decoder::default();
        for fields in sections {
            let section = encoder.encode(fields.iter().map(|f| (&f.name[..], &f.value[..])));
            prop_assert_eq!(decoder.decode(&section, UNLIMITED), Ok(fields));
        }
    }

    #[test]
    fn rubbish_never_panics(sections in vec(vec(any::<u8>(), 0..60), 1..4), limit in 0_u64..300) {
        let mut decoder = Decoder::default();
        for section in sections {
            if let Ok(fields) = decoder.decode(&section, limit) {
                prop_assert!(section_size(&fields) <= limit);
            }
            prop_assert!(decoder.table_size() <= 4096);
        }
    }

    #[test]
    fn rubbish_never_panics_when_the_table_shrinks(input in vec(any::<u8>(), 0..200)) {
        crate::fuzz::hpack_decoder(&input);
    }
}

use bytes::Bytes;
use proptest::prelude::*;

use super::*;

fn parts(ranges: &[(u64, u64)]) -> Wanted {
    let range = |&(first, last): &(u64, u64)| ByteRange { first, last };
    Wanted::Parts(ranges.iter().map(range).collect())
}

#[test]
fn ranges_are_read_as_the_rfc_writes_them() {
    // Examples of RFC 9110, section 14.1.2, for content of 10,000 bytes.
    let read = |text: &str| parse(text.as_bytes(), 10_000);
    assert_eq!(read("bytes=0-499"), Some(parts(&[(0, 499)])));
    assert_eq!(read("bytes=-500"), Some(parts(&[(9_500, 9_999)])));
    assert_eq!(read("bytes=9500-"), Some(parts(&[(9_500, 9_999)])));
    assert_eq!(read("bytes=0-0,-1"), Some(parts(&[(0, 0), (9_999, 9_999)])));
    assert_eq!(
        read("Bytes= 500-600 , 601-999"),
        Some(parts(&[(500, 600), (601, 999)]))
    );
    assert_eq!(read("bytes=9999-20000"), Some(parts(&[(9_999, 9_999)])));
    assert_eq!(read("bytes=10000-"), Some(Wanted::Unsatisfiable));
    assert_eq!(read("bytes=-0"), Some(Wanted::Unsatisfiable));
    assert_eq!(read("bytes=10000-,5-6"), Some(parts(&[(5, 6)])));
    for ignored in [
        "bytes",
        "bytes=",
        "bytes=5",
        "bytes=6-5",
        "bytes=a-b",
        "items=0-5",
        "bytes=0-5,x",
        "bytes=--5",
        "bytes=0-5,",
    ] {
        assert_eq!(read(ignored), None, "{ignored}");
    }
    let many = format!("bytes={}", vec!["0-0"; RANGES_MAX + 1].join(","));
    assert_eq!(read(&many), None);
    assert_eq!(parse(b"bytes=0-", 0), Some(Wanted::Unsatisfiable));
}

#[test]
fn what_is_asked_for_reads_back() {
    let ranges = [
        ByteRange { first: 0, last: 9 },
        ByteRange {
            first: 100,
            last: 199,
        },
    ];
    let field = field(&ranges);
    assert_eq!(field.value, "bytes=0-9,100-199");
    assert_eq!(
        parse(&field.value, 1_000),
        Some(Wanted::Parts(ranges.to_vec()))
    );
}

fn answer(fields: &[(&'static str, &str)]) -> Vec<Field> {
    let field = |(name, value): &(&'static str, &str)| Field::new(*name, (*value).to_owned());
    fields.iter().map(field).collect()
}

fn read_all(fields: &[Field], content: &[u8], piece: usize) -> Vec<u8> {
    let mut reader = RangeReader::new(fields).expect("it holds ranges");
    let mut image = vec![b'.'; 40];
    for piece in content.chunks(piece) {
        let put = |offset: u64, bytes: Bytes| {
            image[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
        };
        reader
            .read(Bytes::copy_from_slice(piece), put)
            .expect("it is well-formed");
    }
    image
}

const CONTENT: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCD";

#[test]
fn an_answer_is_read_wherever_it_breaks() {
    let ranges = [(3, 5), (10, 10), (30, 39)].map(|(first, last)| ByteRange { first, last });
    let mut content = Vec::new();
    for (i, range) in ranges.iter().enumerate() {
        let ty = (i == 1).then_some("font/woff2");
        content.extend_from_slice(part_head(*range, 40, "xyz", ty, i == 0).as_bytes());
        content.extend_from_slice(&CONTENT[range.first as usize..=range.last as usize]);
    }
    content.extend_from_slice(parts_end("xyz").as_bytes());
    let quoted = "multipart/byteranges; boundary=\"xyz\"";
    for ty in [quoted, "Multipart/ByteRanges;boundary=xyz"] {
        let fields = answer(&[(":status", "206"), ("content-type", ty)]);
        for piece in 1..=content.len() {
            let image = read_all(&fields, &content, piece);
            let text = String::from_utf8(image).expect("text");
            assert_eq!(text, "...345....a...................uvwxyzABCD");
        }
    }
}

#[test]
fn one_range_and_everything_need_no_parts() {
    let fields = answer(&[(":status", "206"), ("content-range", "bytes 3-5/40")]);
    let image = read_all(&fields, b"345 and what is beyond", 2);
    assert_eq!(image, b"...345..................................");
    let fields = answer(&[(":status", "200")]);
    assert_eq!(read_all(&fields, CONTENT, 7), CONTENT);
}

#[test]
fn what_holds_no_ranges_is_refused() {
    for fields in [
        answer(&[]),
        answer(&[(":status", "404")]),
        answer(&[(":status", "206")]),
        answer(&[(":status", "206"), ("content-range", "bytes 5-3/40")]),
        answer(&[(":status", "206"), ("content-range", "bytes 5-40/40")]),
        answer(&[(":status", "206"), ("content-range", "bytes */40")]),
        answer(&[(":status", "206"), ("content-type", "multipart/byteranges")]),
        answer(&[
            (":status", "206"),
            ("content-type", "text/html; boundary=x"),
        ]),
    ] {
        assert!(RangeReader::new(&fields).is_err(), "{fields:?}");
    }
    let fields = answer(&[
        (":status", "206"),
        ("content-type", "multipart/byteranges; boundary=x"),
    ]);
    let mut reader = RangeReader::new(&fields).expect("it says so");
    let endless = Bytes::from(vec![b' '; HEAD_TOO_LONG]);
    assert!(reader.read(endless, |_, _| ()).is_err());
    let mut reader = RangeReader::new(&fields).expect("it says so");
    let unsaid = Bytes::from_static(b"--x\r\ncontent-type: a/b\r\n\r\nabc");
    assert!(reader.read(unsaid, |_, _| ()).is_err());
}

const HEAD_TOO_LONG: usize = 5_000;

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(
        field in proptest::collection::vec(any::<u8>(), 0..60),
        content in proptest::collection::vec(any::<u8>(), 0..300),
        length in any::<u64>(),
    ) {
        if let Some(Wanted::Parts(parts)) = parse(&field, length) {
            for part in parts {
                prop_assert!(part.first <= part.last && part.last < length);
            }
        }
        let fields = answer(&[(":status", "206"), ("content-type", "multipart/byteranges; boundary=-")]);
        let mut reader = RangeReader::new(&fields).expect("it says so");
        let _ = reader.read(content.into(), |_, _| ());
    }
}

use proptest::prelude::*;

use super::*;

fn announcement() -> Announcement {
    Announcement {
        length: 4_711,
        chunk: 1_158,
        parity: 0,
        repair: None,
        deadline: None,
    }
}

fn read(value: &str) -> Option<Announcement> {
    Announcement::of_fields(&[Field::new(FIELD, value.to_owned())])
        .expect("the field is there")
        .ok()
}

#[test]
fn chunks_cover_the_content_exactly() {
    let a = announcement();
    assert_eq!(a.chunks(), 5);
    let sizes: Vec<_> = (0..5).map(|n| a.size(n)).collect();
    assert_eq!(sizes, [1_158, 1_158, 1_158, 1_158, 79]);
    let a = Announcement { parity: 2, ..a };
    assert_eq!(a.total(), 7);
    assert_eq!(a.size(5), 1_158, "parity is as long as a whole chunk");
}

#[test]
fn what_is_announced_is_read() {
    let all = Announcement {
        parity: 3,
        repair: Some(Repair::Later),
        deadline: Some(Duration::from_millis(500)),
        ..announcement()
    };
    for a in [
        announcement(),
        all,
        Announcement {
            repair: Some(Repair::Now),
            ..all
        },
        Announcement {
            repair: Some(Repair::IfUseless),
            ..all
        },
    ] {
        assert_eq!(Announcement::of_fields(&[a.field()]), Some(Ok(a)));
    }
    assert_eq!(
        all.field().value,
        "length=4711, chunk=1158, parity=3, repair=later, deadline=500"
    );
}

#[test]
fn nonsense_is_refused() {
    for value in [
        "",
        "length=4711",
        "length=0, chunk=1000",
        "length=-1, chunk=1000",
        "length=10, chunk=0",
        "length=10, chunk=70000",
        "length=10, chunk=5, parity=-1",
        "length=10, chunk=5, parity=x",
        "length=10, chunk=5, repair=sometime",
        "length=10, chunk=5, repair",
        "length=10, chunk=5, deadline=soon",
        "length=10.5, chunk=5",
        "length=999999999999999, chunk=1",
        "length=10, chunk=5, parity=3",
        "length=10, chunk=5, deadline=999999999999999",
        "(1 2)",
    ] {
        assert_eq!(read(value), None, "{value}");
    }
    assert!(read("length=10, chunk=5, unknown=\"x\"").is_some());
    assert_eq!(Announcement::of_fields(&[]), None);
}

#[test]
fn end_markers_say_how_many_were_sent() {
    for sent in [0, 1, 63, 64, 1 << 20] {
        assert_eq!(decode_end_marker(&end_marker(sent)), Some(sent));
    }
    for wrong in [&b""[..], &[0x40], &[1, 2]] {
        assert_eq!(decode_end_marker(wrong), None);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(value in proptest::collection::vec(any::<u8>(), 0..80)) {
        let field = Field::new(FIELD, value.clone());
        if let Some(Ok(a)) = Announcement::of_fields(&[field]) {
            prop_assert!(a.chunks() >= 1);
            prop_assert!(a.size(a.chunks() - 1) >= 1);
        }
        let _ = decode_chunk(Bytes::from(value));
    }

    #[test]
    fn no_input_of_the_fuzzer_panics(input in proptest::collection::vec(any::<u8>(), 0..400)) {
        crate::fuzz::objects(&input);
    }

    #[test]
    fn chunks_come_as_they_went(number in 0..varint::MAX, data in proptest::collection::vec(any::<u8>(), 0..40)) {
        let mut out = Vec::new();
        encode_number(number, &mut out);
        out.extend_from_slice(&data);
        prop_assert_eq!(decode_chunk(out.into()), Some((number, Bytes::from(data))));
    }
}

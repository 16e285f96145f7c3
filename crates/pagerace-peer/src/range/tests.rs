use bytes::Bytes;
use pagerace_core::{Duration, Priority};

use super::*;
use crate::server::UNKNOWN;

fn request(method: &'static str, fields: &[(&'static str, &'static str)]) -> Request {
    Request {
        method: method.into(),
        authority: "a.example".into(),
        path: "/".into(),
        fields: fields
            .iter()
            .map(|(name, value)| Field::from_static(name, value))
            .collect(),
        body_bytes: 0,
        priority: Priority::default(),
    }
}

fn reply(body: &'static str) -> Reply {
    Reply {
        think_time: Duration::ZERO,
        early: Vec::new(),
        fields: vec![
            Field::from_static(":status", "200"),
            Field::from_static("content-type", "text/plain"),
            Field::from_static("etag", "\"v1\""),
            Field::from_static("last-modified", "Sat, 01 Jan 2022 00:00:00 GMT"),
        ],
        body: Body::Bytes(body.into()),
        facts: UNKNOWN,
        nature: pagerace_delivery::reliability::Nature::ESSENTIAL,
    }
}

/// Returns the status, content range and content of the response to these request fields.
fn answer(fields: &[(&'static str, &'static str)]) -> (String, Option<String>, String) {
    let reply = partial(&request("GET", fields), reply("0123456789"));
    let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(fields::get(&reply.fields, ":status").unwrap()),
        fields::get(&reply.fields, "content-range").map(text),
        text(&reply.body.slice(0, 100)),
    )
}

#[test]
fn parts() {
    for (range, content_range, body) in [
        ("bytes=0-3", "bytes 0-3/10", "0123"),
        ("bytes=4-", "bytes 4-9/10", "456789"),
        ("bytes=9-99", "bytes 9-9/10", "9"),
        ("bytes=-2", "bytes 8-9/10", "89"),
        ("bytes=-99", "bytes 0-9/10", "0123456789"),
        (
            "Bytes=2-99999999999999999999999",
            "bytes 2-9/10",
            "23456789",
        ),
    ] {
        let expected = ("206".into(), Some(content_range.into()), body.into());
        assert_eq!(answer(&[("range", range)]), expected, "{range}");
    }
}

#[test]
fn parts_that_are_not_there() {
    for range in ["bytes=10-", "bytes=10-20", "bytes=-0"] {
        let expected = ("416".into(), Some("bytes */10".into()), String::new());
        assert_eq!(answer(&[("range", range)]), expected, "{range}");
    }
}

#[test]
fn what_is_not_understood_gets_the_whole() {
    for range in [
        "bytes=0-4,4-5",
        "lines=1-2",
        "bytes=5-4",
        "bytes=a-b",
        "bytes=-",
        "x",
        "bytes=+1-2",
    ] {
        let expected = ("200".into(), None, "0123456789".into());
        assert_eq!(answer(&[("range", range)]), expected, "{range}");
    }
    let post = partial(&request("POST", &[("range", "bytes=0-1")]), reply("0123"));
    assert_eq!(post.body.len(), 4);
    let head = partial(&request("HEAD", &[("range", "bytes=0-1")]), reply("0123"));
    assert_eq!(head.body.len(), 4);
}

#[test]
fn a_part_of_something_else_is_not_given() {
    let status = |condition| answer(&[("range", "bytes=0-0"), ("if-range", condition)]).0;
    assert_eq!(status("\"v1\""), "206");
    assert_eq!(status("Sat, 01 Jan 2022 00:00:00 GMT"), "206");
    assert_eq!(status("\"v2\""), "200");
    assert_eq!(status("W/\"v1\""), "200");
}

#[test]
fn filler_has_parts_too() {
    let filler = Reply {
        body: Body::Filler(1_000),
        ..reply("")
    };
    let reply = partial(&request("GET", &[("range", "bytes=100-199")]), filler);
    assert_eq!(reply.body, Body::Filler(100));
    let empty = partial(
        &request("GET", &[("range", "bytes=-5")]),
        super::tests::reply(""),
    );
    assert_eq!(fields::get(&empty.fields, ":status").unwrap(), &b"416"[..]);
}

#[test]
fn several_parts_read_back() {
    let wanted = [("range", "bytes=7-8,0-2,5-5")];
    for body in [
        Body::Bytes("0123456789".into()),
        Body::Joined([Body::Bytes("0123".into()), Body::Bytes("456789".into())].into()),
    ] {
        let whole = Reply { body, ..reply("") };
        let answer = partial(&request("GET", &wanted), whole);
        let mut reader = ranges::RangeReader::new(&answer.fields).expect("it holds ranges");
        let (mut at, mut image) = (0, vec![b'.'; 10]);
        while at < answer.body.len() {
            let piece = answer.body.slice(at, 7);
            at += piece.len() as u64;
            let put = |offset: u64, bytes: Bytes| {
                image[offset as usize..][..bytes.len()].copy_from_slice(&bytes);
            };
            reader.read(piece, put).expect("it is well-formed");
        }
        assert_eq!(image, b"012..5.78.");
        let text: Vec<u8> = (0..answer.body.len())
            .flat_map(|i| answer.body.slice(i, 1))
            .collect();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("content-type: text/plain\r\n"), "{text}");
    }
}

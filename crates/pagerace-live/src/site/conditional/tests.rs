use bytes::Bytes;
use pagerace_core::{Duration, Priority};
use pagerace_http::Field;
use pagerace_peer::server::UNKNOWN;

use super::*;

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

#[test]
fn any_copy_matches_an_asterisk_even_without_a_tag() {
    let mut whole = reply("0123456789");
    whole.fields.retain(|f| f.name.as_ref() != b"etag");
    let any = request("GET", &[("if-none-match", "*")]);
    assert_eq!(conditional(&any, whole.clone()).fields[0].value, "304");
    let tag = request("GET", &[("if-none-match", "\"v1\"")]);
    assert_eq!(conditional(&tag, whole).fields[0].value, "200");
}

/// Returns the status and the content of the answer to these request fields.
fn answer(fields: &[(&'static str, &'static str)]) -> (String, String) {
    let reply = conditional(&request("GET", fields), reply("0123456789"));
    let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
    (
        text(fields::get(&reply.fields, ":status").unwrap()),
        text(&reply.body.slice(0, 100)),
    )
}

#[test]
fn what_the_client_has_is_not_sent() {
    for (name, value) in [
        ("if-none-match", "\"v0\", W/\"v1\""),
        ("if-none-match", "*"),
        ("if-modified-since", "Sat, 01 Jan 2022 00:00:00 GMT"),
    ] {
        assert_eq!(answer(&[(name, value)]), ("304".into(), String::new()));
    }
    assert_eq!(answer(&[("if-none-match", "\"v2\"")]).0, "200");
    // `if-none-match` takes precedence over the date.
    let both = [
        ("if-none-match", "\"v2\""),
        ("if-modified-since", "Sat, 01 Jan 2022 00:00:00 GMT"),
    ];
    assert_eq!(answer(&both).0, "200");
}

#[test]
fn content_that_the_client_did_not_ask_for_is_not_sent() {
    for other in ["\"v0\"", "\"v0\", W/\"v1\""] {
        let fields = [("if-match", other), ("if-none-match", "*")];
        assert_eq!(answer(&fields), ("412".into(), String::new()));
    }
    for same in ["*", "\"v0\", \"v1\""] {
        assert_eq!(answer(&[("if-match", same)]).0, "200");
    }
    let fields = [("if-match", "\"v1\""), ("if-none-match", "\"v1\"")];
    assert_eq!(answer(&fields).0, "304");
}

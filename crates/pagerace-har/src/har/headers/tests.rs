use serde_json::json;
use url::Url;

use super::*;

fn url() -> Url {
    Url::parse("https://example.com/a?b#c").unwrap()
}

#[test]
fn request_bytes_count_pseudo_fields_once() {
    let h1 = Headers::parse(&json!({"headers": [
        {"name": "Host", "value": "example.com"},
        {"name": "Connection", "value": "keep-alive"},
        {"name": "Accept", "value": "*/*"},
    ]}));
    let h2 = Headers::parse(&json!({"headers": [
        {"name": ":method", "value": "GET"}, {"name": ":scheme", "value": "https"},
        {"name": ":authority", "value": "example.com"}, {"name": ":path", "value": "/a?b"},
        {"name": "accept", "value": "*/*"},
    ]}));
    // ":method: GET\r\n" 14, ":scheme: https\r\n" 16, ":authority: example.com\r\n" 25,
    // ":path: /a?b\r\n" 13, "accept: */*\r\n" 13.
    assert_eq!(request_bytes(&h1, 0, None, "GET", &url()), (81, false));
    assert_eq!(request_bytes(&h2, 0, None, "GET", &url()), (81, false));
}

#[test]
fn cookies_of_the_list_count_if_the_field_is_missing() {
    let request = json!({"cookies": [{"name": "a", "value": "12"}, {"name": 5}]});
    assert_eq!(cookie_bytes(&request), 16, "\"cookie: a=12; \\r\\n\"");
    let none = Headers::parse(&json!({"headers": [{"name": "accept", "value": "*/*"}]}));
    assert_eq!(request_bytes(&none, 16, None, "GET", &url()).0, 97);
    let some = Headers::parse(&json!({"headers": [{"name": "Cookie", "value": "a=12"}]}));
    assert_eq!(request_bytes(&some, 16, None, "GET", &url()).0, 68 + 14);
}

#[test]
fn without_a_list_the_recorded_size_and_then_the_default_stand_in() {
    let none = Headers::default();
    assert_eq!(
        request_bytes(&none, 0, Some(700), "GET", &url()),
        (700, false)
    );
    assert_eq!(request_bytes(&none, 0, None, "GET", &url()), (936, true));
    assert_eq!(response_bytes(&none, Some(200)), (200, false));
    assert_eq!(response_bytes(&none, None), (505, true));
    assert_eq!(response_bytes(&none, Some(u64::MAX)), (1 << 20, false));
}

#[test]
fn content_length_must_be_a_number() {
    let parse = |v: &str| {
        Headers::parse(&json!({"headers": [{"name": "Content-Length", "value": v}]}))
            .content_length()
    };
    assert_eq!(parse("960"), Some(960));
    assert_eq!(parse("-1"), None);
    assert_eq!(parse("many"), None);
}

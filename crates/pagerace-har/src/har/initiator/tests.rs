use serde_json::json;

use super::*;

#[test]
fn the_object_of_devtools() {
    let entry = json!({"_initiator": {"type": "parser", "url": "https://a/", "lineNumber": 12}});
    let initiator = Initiator::parse(&entry);
    assert_eq!(initiator.kind, Kind::Parser);
    assert_eq!(
        initiator.places,
        [Place {
            url: "https://a/".into(),
            line: Some(12),
            column: None
        }]
    );
}

#[test]
fn a_stack_and_its_asynchronous_parents_innermost_first() {
    let entry = json!({"_initiator": {"type": "script", "stack": {
        "callFrames": [{"url": "https://a/lib.js", "lineNumber": 1}, {"url": ""}, {"url": "https://a/app.js"}],
        "parent": {"callFrames": [{"url": "https://a/boot.js"}]},
    }}});
    let initiator = Initiator::parse(&entry);
    let urls: Vec<_> = initiator.places.iter().map(|p| p.url.as_str()).collect();
    assert_eq!(
        urls,
        ["https://a/lib.js", "https://a/app.js", "https://a/boot.js"]
    );
}

#[test]
fn chrome_har_keeps_the_object_as_text() {
    let entry = json!({
        "_initiator": "https://a/", "_initiator_line": 1, "_initiator_type": "parser",
        "_initiator_detail": "{\"type\":\"parser\",\"url\":\"https://a/\",\"lineNumber\":0,\"columnNumber\":1209}",
    });
    assert_eq!(Initiator::parse(&entry).places[0].column, Some(1209));
}

#[test]
fn webpagetest_has_loose_fields_some_as_text_or_empty() {
    let entry =
        json!({"_initiator": "http://a/", "_initiator_line": "95", "_initiator_column": ""});
    let initiator = Initiator::parse(&entry);
    assert_eq!(initiator.kind, Kind::Unknown);
    assert_eq!(initiator.places[0].line, Some(94));
    assert_eq!(initiator.places[0].column, None);
}

#[test]
fn damage_gives_an_unknown_initiator() {
    for entry in [
        json!({}),
        json!({"_initiator": 7}),
        json!({"_initiator_detail": "{"}),
        json!({"_initiator": {"stack": [1, {"parent": 3}]}}),
    ] {
        assert_eq!(Initiator::parse(&entry), Initiator::default(), "{entry}");
    }
}

use serde_json::{Value, json};

use super::*;

fn entry(value: &Value) -> EntryFields {
    EntryFields::deserialize(value).expect("any object")
}

#[test]
fn fields_are_written_as_they_are_read_and_odd_ones_are_not_there() {
    let written = json!({
        "initiatorOffset": 120,
        "inlineStyle": true,
        "cpu": {"scriptMs": 12.5, "parseMs": 0.25, "decodeMs": 0.0},
        "scriptMode": "defer",
        "timerSetMs": 7.5,
        "timeoutMs": 4.0,
        "failed": "net::ERR_NAME_NOT_RESOLVED",
        "fontDisplay": "swap",
        "caller": {"url": "https://a.test/a.js", "ms": 0.5},
        "waitsFor": ["7.1"],
        "firstScreen": "p{margin:0}",
        "webpBytes": 900,
        "avifBytes": 700,
    });
    let read = EntryFields {
        initiator_offset: Some(120),
        inline_style: true,
        cpu: Cpu {
            script_ms: Some(Ms(12.5)),
            parse_ms: Some(Ms(0.25)),
            decode_ms: Some(Ms(0.0)),
        },
        script_mode: Some(ScriptMode::Defer),
        font_display: Some(FontDisplay::Swap),
        timer_set_ms: Some(Ms(7.5)),
        timeout_ms: Some(Ms(4.0)),
        caller: Some(Caller {
            url: "https://a.test/a.js".to_owned(),
            ms: Ms(0.5),
        }),
        waits_for: Some(vec!["7.1".to_owned()]),
        first_screen: Some("p{margin:0}".to_owned()),
        webp_bytes: Some(900),
        avif_bytes: Some(700),
        failed: Some("net::ERR_NAME_NOT_RESOLVED".to_owned()),
    };
    assert_eq!(entry(&written), read);
    assert_eq!(serde_json::to_value(&read).expect("plain data"), written);
    let odd = json!({
        "initiatorOffset": -1,
        "cpu": {"scriptMs": -3, "parseMs": "much", "decodeMs": 1e12},
        "scriptMode": "later",
        "timerSetMs": -1,
        "firstScreen": 1,
        "webpBytes": -1,
        "avifBytes": "few",
        "failed": 7,
        "fontDisplay": 3,
        "caller": {"url": "https://a.test/a.js", "ms": -1},
    });
    assert_eq!(entry(&odd), EntryFields::default());
    assert_eq!(entry(&json!({"cpu": 3})), EntryFields::default());
    let nothing = serde_json::to_value(EntryFields::default()).expect("plain data");
    assert_eq!(nothing, json!({}));
}

#[test]
fn broken_tasks_are_left_out() {
    let page = json!({"mainThread": [
        {"ms": 30, "durationMs": 6, "wallMs": 10, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": "soon", "durationMs": 4, "kind": "layout"},
        {"ms": 20, "durationMs": 1, "kind": "gc", "url": 3},
        {"ms": 20, "durationMs": 1, "kind": "nap"},
        7,
    ]});
    let page = PageFields::deserialize(&page).expect("any object");
    let tasks = page.main_thread.iter();
    let tasks: Vec<_> = tasks.map(|t| (t.ms.0, t.kind, t.url.is_some())).collect();
    let expected = [(30.0, TaskKind::Script, true), (20.0, TaskKind::Gc, false)];
    assert_eq!(tasks, expected);
}

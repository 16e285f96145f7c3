use serde_json::json;

use super::*;

#[test]
fn fields_are_read_and_odd_ones_are_not_there() {
    let read = Extension::parse(&json!({"_pagerace": {
        "initiatorOffset": 120,
        "inlineStyle": true,
        "cpu": {"scriptMs": 12.5, "parseMs": 0.25, "decodeMs": 3},
        "scriptMode": "module",
        "timerSetMs": 7.5,
        "timeoutMs": 4,
        "failed": "net::ERR_NAME_NOT_RESOLVED",
        "fontDisplay": "swap",
        "caller": {"url": "https://a.test/a.js", "ms": 0.5},
    }}));
    let expected = Extension {
        initiator_offset: Some(120),
        inline_style: true,
        script_ms: Some(12.5),
        parse_ms: Some(0.25),
        decode_ms: Some(3.0),
        script_mode: Some(ScriptMode::Defer),
        font_display: Some(FontDisplay::Swap),
        timer_set_ms: Some(7.5),
        timeout_ms: Some(4.0),
        caller: Some(("https://a.test/a.js".to_owned(), 0.5)),
        failed: Some("net::ERR_NAME_NOT_RESOLVED".to_owned()),
    };
    assert_eq!(read, expected);
    let odd = json!({"_pagerace": {
        "initiatorOffset": -1,
        "cpu": {"scriptMs": -3, "parseMs": "much", "decodeMs": 1e12},
        "scriptMode": "later",
        "timerSetMs": -1,
        "failed": "",
        "fontDisplay": 3,
        "caller": {"url": "https://a.test/a.js", "ms": -1},
    }});
    assert_eq!(Extension::parse(&odd), Extension::default());
    for other in [json!({}), json!({"_pagerace": 3}), json!(null)] {
        assert_eq!(Extension::parse(&other), Extension::default());
    }
}

#[test]
fn tasks_come_in_order_and_broken_ones_are_left_out() {
    let page = json!({"_pagerace": {"mainThread": [
        {"ms": 30, "durationMs": 6, "wallMs": 10, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 10, "durationMs": 4, "wallMs": 8, "kind": "layout"},
        {"ms": "soon", "durationMs": 4, "kind": "layout"},
        {"ms": 20, "durationMs": 1, "kind": "gc"},
    ]}});
    let tasks = main_thread(Some(&page));
    let kinds: Vec<_> = tasks.iter().map(|t| (t.start, t.end, t.kind)).collect();
    let expected = [
        (10.0, 18.0, TaskKind::Rendering),
        (20.0, 21.0, TaskKind::Other),
        (30.0, 40.0, TaskKind::Script),
    ];
    assert_eq!(kinds, expected);
    let rest = [0.0, 36.0, 50.0].into_iter();
    let parts: Vec<f64> = rest.map(|from| tasks[2].inside(from, 90.0)).collect();
    assert_eq!(parts, [10.0, 4.0, 0.0]);
    assert_eq!(tasks[2].cost.to_string(), "6");
    assert_eq!(tasks[2].url, Some("https://a.test/a.js"));
    assert_eq!(main_thread(None), []);
}

//! An export of WebPageTest: two pages, the first and the repeat view.

use serde_json::{Value, json};

use crate::entries::{body_bytes, date, field, host, list, ms, remove, start, text, url, validate};

/// Milliseconds from the first view to the repeat view.
const REPEAT_MS: f64 = 20_000.0;

pub(crate) fn har(har: &Value) -> Value {
    let entries = list(&har["log"]["entries"]);
    let end = |entry: &Value| start(entry) + ms(entry, "time");
    let ends = |test: &dyn Fn(&Value) -> bool| {
        let of = entries.iter().filter(|entry| test(entry));
        of.map(end).fold(0.0, f64::max).round()
    };
    let first_paint = 60.0 + ends(&|entry| text(entry, "_resourceType") == "stylesheet");
    let largest = entries
        .iter()
        .filter(|entry| text(entry, "_resourceType") == "image" && end(entry) < first_paint + 400.0)
        .max_by_key(|entry| body_bytes(entry))
        .expect("an image");
    let largest_paint = (end(largest).round() + 40.0).max(first_paint);
    let timings = &har["log"]["pages"][0]["pageTimings"];
    let page = |cached: u8, at: f64| {
        json!({
            "id": format!("page_1_{cached}_1"),
            "title": format!("Run 1, {} View for {}",
                ["First", "Repeat"][usize::from(cached)], url(&entries[0])),
            "startedDateTime": date(at, 3, "+00:00"),
            "testID": "260115_AB_1",
            "pageTimings": {"onLoad": ms(timings, "onLoad").round(), "onContentLoad": -1,
                "_startRender": first_paint},
            "_URL": url(&entries[0]),
            "_cached": cached,
            "_domContentLoadedEventStart": ms(timings, "onContentLoad").round(),
            "_firstPaint": first_paint,
            "_firstContentfulPaint": first_paint,
            "_chromeUserTiming.LargestContentfulPaint": largest_paint,
            "_LargestContentfulPaintType": "image",
            // Some fields are numbers as text.
            "_SpeedIndex": (first_paint + 150.0).to_string(),
            "_render": first_paint,
        })
    };
    let mut written: Vec<Value> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let mut first = as_webpagetest(entry, 0, 0.0);
        first["_isLCP"] = json!(u8::from(url(entry) == url(largest)));
        written.push(first);
        // The repeat view takes most files from the cache, and validates some.
        let fresh = number > 0 && !matches!(text(entry, "_resourceType"), "fetch" | "ping");
        if !fresh || number % 5 == 0 {
            let mut again = as_webpagetest(entry, 1, REPEAT_MS);
            if fresh {
                again["response"]["status"] = json!(304);
                again["response"]["bodySize"] = json!(0);
                again["_responseCode"] = json!("304");
                again["_objectSize"] = json!(0);
            }
            written.push(again);
        }
    }
    written.sort_by_key(|entry| entry["_cached"].as_u64());
    json!({"log": {
        "version": "1.1",
        "creator": {"name": "WebPagetest", "version": "21.07"},
        "browser": {"name": "Chrome", "version": "146.0.0.0"},
        "pages": [page(0, 0.0), page(1, REPEAT_MS)],
        "entries": written,
    }})
}

fn as_webpagetest(entry: &Value, cached: u8, later: f64) -> Value {
    let (timings, begin) = (&entry["timings"], start(entry).round());
    let connects = timings["connect"].as_f64().is_some_and(|ms| ms >= 0.0);
    let connect = ms(timings, "connect").round();
    let asked = begin + ms(timings, "blocked").round() + connect;
    let wait = ms(timings, "wait").round();
    let end = asked + wait + ms(timings, "receive").round();
    let opens = if connects { asked - connect } else { -1.0 };
    let secure = asked - ms(timings, "ssl").round();
    let address = url(entry);
    let path = address.splitn(4, '/').nth(3).unwrap_or_default();
    let bytes = body_bytes(entry);
    let mut response = entry["response"].clone();
    response["bodySize"] = json!(bytes);
    remove(&mut response, |key| key == "_transferSize");
    if matches!(text(entry, "_resourceType"), "document" | "fetch") {
        validate(&mut response, "no-cache");
    }
    let kind = match text(entry, "_resourceType") {
        "xhr" => "XHR".to_owned(),
        kind => kind[..1].to_ascii_uppercase() + &kind[1..],
    };
    let mut written = json!({
        "pageref": format!("page_1_{cached}_1"),
        // WebPageTest dates an entry after the handshake, but counts the handshake.
        "startedDateTime": date(asked + later, 3, "+00:00"),
        "time": end - begin,
        "request": entry["request"],
        "response": response,
        "cache": {},
        "timings": {"blocked": -1, "dns": -1, "connect": timings["connect"],
            "ssl": timings["ssl"], "send": 0, "wait": wait,
            "receive": ms(timings, "receive").round()},
        "_cached": cached,
        "_run": 1,
        "_full_url": address,
        "_host": host(address),
        "_url": format!("/{path}"),
        "_method": "GET",
        "_is_secure": 1,
        "_responseCode": entry["response"]["status"].to_string(),
        "_request_type": kind,
        "_request_id": format!("1000.{begin}"),
        "_ip_addr": entry["serverIPAddress"],
        "_socket": entry["connection"].as_str().and_then(|id| id.parse::<u64>().ok()),
        "_protocol": entry["request"]["httpVersion"],
        "_priority": entry["_priority"],
        "_initial_priority": entry["_initialPriority"],
        "_bytesIn": bytes + 120,
        "_objectSize": bytes.to_string(),
        "_objectSizeUncompressed": entry["response"]["content"]["size"],
        "_contentType": field(&entry["response"], "content-type"),
        "_created": begin,
        "_connect_start": opens,
        "_connect_end": if connects { secure } else { -1.0 },
        "_ssl_start": if connects { secure } else { -1.0 },
        "_ssl_end": if connects { asked } else { -1.0 },
        "_load_start": asked,
        "_load_end": end,
        "_ttfb_ms": wait,
        "_all_start": begin,
        "_all_end": end,
        "_server_rtt": null,
    });
    if text(entry, "_resourceType") == "script" {
        let ms = bytes as f64 / 1000.0 * 0.15;
        written["_cpuTime"] = json!(ms.round());
        written["_cpuTimes"] = json!({"EvaluateScript": ms.round(), "v8.compile": 1});
    }
    let initiator = &entry["_initiator"];
    let frame = &initiator["stack"]["callFrames"][0];
    let place = if frame.is_object() { frame } else { initiator };
    written["_initiator"] = json!(text(place, "url"));
    written["_initiator_line"] = json!(ms(place, "lineNumber") + 1.0);
    written["_initiator_column"] = json!(ms(place, "columnNumber"));
    written["_initiator_type"] = initiator["type"].clone();
    // Bodies are in files of their own.
    remove(&mut written["response"]["content"], |key| key == "text");
    written
}

use pagerace_core::Duration;
use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_page::{LargestElement, Page, PaintEvidence, ResourceId, Wait};

fn entry(path: &str, mime: &str, start: u32, time: u32) -> Value {
    json!({
        "startedDateTime": format!("2026-01-01T00:00:{:02}.{:03}Z", start / 1000, start % 1000),
        "time": time,
        "timings": {"wait": time / 2, "receive": time - time / 2},
        "request": {"url": format!("https://a.test{path}")},
        "response": {"status": 200, "content": {"mimeType": mime, "size": 30_000},
            "_transferSize": 30_000},
        "_initialPriority": "High",
    })
}

fn import(timings: &Value, page: &Value) -> Page {
    let mut fields = json!({"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z",
        "pageTimings": timings});
    let (Value::Object(all), Value::Object(more)) = (&mut fields, page.clone()) else {
        panic!("two objects");
    };
    all.extend(more);
    let entries = [
        entry("/", "text/html", 0, 200),
        entry("/a.css", "text/css", 210, 100),
        entry("/late.css", "text/css", 220, 2000),
        entry("/app.js", "text/javascript", 230, 600),
        entry("/hero.jpg", "image/jpeg", 400, 1500),
        entry("/f.woff2", "font/woff2", 500, 1800),
    ];
    let har = json!({"log": {"pages": [fields], "entries": entries}}).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

#[test]
fn paints_of_browsertime_are_fitted() {
    let timings = json!({"onContentLoad": 400, "onLoad": 2500,
        "_firstContentfulPaint": 1000, "_largestContentfulPaint": 1950});
    let page = import(&timings, &json!({"_visualMetrics": {"SpeedIndex": 1500}}));
    assert_eq!(page.paint_evidence(), PaintEvidence::Fitted);
    assert_eq!(page.recorded.first_paint, Some(Duration::from_secs(1)));
    assert_eq!(page.recorded.speed_index, Some(Duration::from_millis(1500)));
    let fit = page.fit().unwrap();
    let (script, image) = (ResourceId(3), ResourceId(4));
    assert_eq!(fit.after, Wait::Resource { id: script });
    assert_eq!(fit.largest, Some(LargestElement::Image { id: image }));
    assert!(page.resources[4].in_viewport);
    assert!(fit.swaps_fonts, "the font came after the first paint");
    assert!(page.resources[1].render_blocking);
    assert!(
        !page.resources[2].render_blocking,
        "it came after the first paint"
    );
}

#[test]
fn paints_of_webpagetest_are_fitted() {
    let fields = json!({"_firstContentfulPaint": 450, "_render": 100, "_SpeedIndex": 700,
        "_chromeUserTiming.LargestContentfulPaint": 1950,
        "_LargestContentfulPaintType": "text"});
    let page = import(&json!({"onContentLoad": 400, "onLoad": 2500}), &fields);
    assert_eq!(page.recorded.first_paint, Some(Duration::from_millis(450)));
    let fit = page.fit().unwrap();
    assert_eq!(fit.after, Wait::ContentLoaded, "nothing else came since");
    assert_eq!(fit.largest, Some(LargestElement::Text));
}

#[test]
fn without_evidence_or_before_the_document_nothing_is_fitted() {
    let timings = json!({"onContentLoad": 400, "onLoad": 2500});
    let page = import(&timings, &json!({}));
    assert_eq!(
        (page.fit(), page.paint_evidence()),
        (None, PaintEvidence::Guessed)
    );
    let page = import(&timings, &json!({"_render": 50}));
    assert_eq!(page.fit(), None, "that was the page before");
}

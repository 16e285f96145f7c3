use pagerace_page::{Hint, ResourceId};
use serde_json::json;

use super::links;
use crate::{ImportOptions, from_bytes};

#[test]
fn link_fields_are_read() {
    let all: Vec<_> = links(
        "<https://a.test/x,y;z>; rel=\"preconnect dns-prefetch\"; crossorigin, </b.css>;rel=preload",
    )
    .collect();
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].url, "https://a.test/x,y;z");
    assert!(all[0].has("preconnect") && all[0].has("dns-prefetch") && all[0].is_anonymous);
    assert!(all[1].has("preload") && !all[1].is_anonymous);
    assert_eq!(links("<no end").count(), 0);
}

#[test]
fn hints_name_the_first_request_that_uses_them() {
    let html = "<link rel=preconnect href=https://cdn.test crossorigin>\
                <link rel=dns-prefetch href=//img.test><link rel=preconnect href=https://none.test>";
    let entry = |url: &str, mode: &str, body: &str| {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 10,
            "request": {"url": url, "headers": [{"name": "Sec-Fetch-Mode", "value": mode}]},
            "response": {"status": 200,
                "headers": [{"name": "Link", "value": "<https://img.test>; rel=preconnect"}],
                "content": {"mimeType": if body.is_empty() { "image/png" } else { "text/html" },
                    "size": html.len(), "text": body}},
        })
    };
    let har = json!({"log": {"entries": [
        entry("https://a.test/", "navigate", html),
        entry("https://cdn.test/plain.png", "no-cors", ""),
        entry("https://img.test/a.png", "no-cors", ""),
        entry("https://cdn.test/font.png", "cors", ""),
    ]}});
    let page = from_bytes(
        "a.har",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    )
    .unwrap();
    page.check().unwrap();
    let told: Vec<_> = page
        .hints
        .iter()
        .map(|hint| (hint.of, hint.connects))
        .collect();
    let (image, font) = (ResourceId(2), ResourceId(3));
    assert_eq!(told, [(image, true), (font, true), (image, false)]);
    let Hint { offset, .. } = page.hints[2];
    assert!(offset > page.hints[1].offset);
}

use serde_json::{Value, json};

use crate::{ImportOptions, from_bytes};
use pagerace_page::{LargestElement, Page, ResourceId};

fn entry(url: &str, mime: &str, bytes: u64) -> Value {
    json!({
        "startedDateTime": "2026-01-01T00:00:00.000Z",
        "time": 10,
        "request": {"url": url},
        "response": {"status": 200, "bodySize": bytes,
            "content": {"mimeType": mime, "size": bytes}},
        "_initiator": {"type": "parser", "url": "https://a.test/", "lineNumber": 1},
    })
}

fn image(path: &str, bytes: u64) -> Value {
    entry(&format!("https://a.test/{path}"), "image/jpeg", bytes)
}

fn read(log: &Value) -> Page {
    let har = json!({ "log": log }).to_string();
    from_bytes("t.har", har.as_bytes(), &ImportOptions::default()).unwrap()
}

/// Imports a page with these entries, which its parser requested, after the document.
fn import(entries: impl IntoIterator<Item = Value>) -> Page {
    let mut document = entry("https://a.test/", "text/html", 10_000);
    document["_initiator"] = json!({"type": "other"});
    let entries: Vec<Value> = std::iter::once(document).chain(entries).collect();
    read(&json!({ "entries": entries }))
}

/// Returns the probability of image `i`, or of text.
fn share(page: &Page, i: Option<u32>) -> f64 {
    let is = |element| match element {
        LargestElement::Text => i.is_none(),
        LargestElement::Image { id } => i == Some(id.0),
    };
    let mut all = page.largest_candidates().iter();
    all.find(|c| is(c.element)).map_or(0.0, |c| c.probability)
}

#[test]
fn a_page_without_images_has_text_alone() {
    let page = import([]);
    assert_eq!(
        (page.largest_candidates().len(), share(&page, None)),
        (1, 1.0)
    );
}

#[test]
fn shares_follow_the_weights() {
    let page = import([image("a.jpg", 20_000), image("b.jpg", 20_000)]);
    // The scores are 0, 0 and -1.65 ln 2.
    let second = 2.0_f64.powf(-1.65);
    let all = 2.0 + second;
    for (i, odds) in [(None, 1.0), (Some(1), 1.0), (Some(2), second)] {
        assert!((share(&page, i) - odds / all).abs() < 1e-3, "{i:?}");
    }
    assert!(share(&import([image("hero.jpg", 200_000)]), Some(1)) > 0.9);
    assert!(share(&import([image("logo.jpg", 20_000)]), Some(1)) < 0.1);
}

#[test]
fn final_priorities_count_where_they_are_recorded() {
    let with = |priority: &str| {
        let mut one = image("a.jpg", 20_000);
        one["_priority"] = json!(priority);
        share(&import([one]), Some(1))
    };
    assert!(with("Low") < with("Medium") && with("Medium") < with("High"));
}

#[test]
fn advertisement_icons_errors_and_beacons_are_no_candidates() {
    let mut error = image("a.jpg", 90_000);
    error["response"]["status"] = json!(404);
    let others = [
        error,
        image("favicon.ico", 90_000),
        image("beacon.jpg", 100),
        entry("https://s0.2mdn.net/simgad/1", "image/jpeg", 90_000),
    ];
    assert_eq!(import(others).largest_candidates().len(), 1);
}

#[test]
fn pictures_to_which_advertisement_leads_are_neither_visible_nor_candidates() {
    let tag = "https://securepubads.g.doubleclick.net/tag.js";
    let picture = |host: &str| {
        let mut one = entry(&format!("https://{host}/one.jpg"), "image/jpeg", 90_000);
        one["_initiator"] = json!({"type": "script", "stack": {"callFrames": [{"url": tag}]}});
        one["_priority"] = json!("High");
        let page = import([entry(tag, "text/javascript", 9_000), one]);
        (
            page.resources[2].in_viewport,
            page.largest_candidates().len(),
        )
    };
    assert_eq!(picture("shoes.example"), (false, 1));
    assert_eq!(picture("a.test"), (true, 2), "the site's own picture");
}

#[test]
fn images_of_scripts_stand_behind_those_requested_before() {
    let by_script = |n: usize| {
        let script = "https://a.test/app.js";
        let mut all = vec![entry(script, "text/javascript", 9_000)];
        all.extend((0..n).map(|i| image(&format!("{i}.jpg"), 20_000)));
        let mut late = image("late.jpg", 20_000);
        late["_initiator"] = json!({"type": "script", "stack": {"callFrames": [{"url": script}]}});
        all.push(late);
        share(&import(all), Some(n as u32 + 2))
    };
    assert!((by_script(0) - 0.5).abs() < 1e-9);
    assert!(by_script(5) < 0.05);
}

#[test]
fn draws_take_the_candidates_in_turn() {
    let page = import([image("a.jpg", 60_000), image("logo.jpg", 200_000)]);
    let drawn = |draw: f64| page.drawn_largest(draw).expect("a candidate");
    let draws = (0..1000).map(|k| drawn((f64::from(k) + 0.5) / 1e3).0);
    let drawn_all: Vec<LargestElement> = draws.collect();
    let mut turns = drawn_all.clone();
    turns.dedup();
    let candidates = page.largest_candidates();
    let all: Vec<LargestElement> = candidates.iter().map(|one| one.element).collect();
    assert_eq!(turns, all);
    for one in candidates {
        let count = drawn_all.iter().filter(|drawn| **drawn == one.element);
        let share = count.count() as f64 / 1e3;
        assert!((share - one.probability).abs() < 2e-3, "{share}");
    }
    let place = |draw| drawn(draw).1;
    let first = candidates[0].probability;
    assert!(place(0.0).abs() < 1e-9);
    assert!((place(first / 2.0) - 0.5).abs() < 1e-9);
}

#[test]
fn a_fitted_largest_element_has_no_candidates() {
    let page = read(&json!({
        "pages": [{"id": "p", "startedDateTime": "2026-01-01T00:00:00.000Z",
            "pageTimings": {"_firstContentfulPaint": 500, "_largestContentfulPaint": 500}}],
        "entries": [entry("https://a.test/", "text/html", 10_000), image("a.jpg", 90_000)],
    }));
    assert!(page.largest_candidates().is_empty() && page.drawn_largest(0.5).is_none());
    assert_eq!(page.largest_in_words(), "text");
}

#[test]
fn the_words_name_the_most_probable_ones() {
    let page = import([image("a.jpg?size=2", 60_000), image("b.jpg", 30_000)]);
    let words = page.largest_in_words();
    assert!(
        words.starts_with("a.jpg ") && words.contains(", text "),
        "{words}"
    );
    let first = page.largest_candidates()[0].element;
    assert_eq!(first, LargestElement::Image { id: ResourceId(1) });
}

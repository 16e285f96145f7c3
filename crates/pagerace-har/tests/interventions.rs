//! Interventions: their syntax, and the requests that they select.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use pagerace_core::{Destination, Duration};
use proptest::prelude::*;
use serde_json::json;

use pagerace_har::{ImportOptions, from_bytes};
use pagerace_page::intervention::{
    Effect, Failure, InterventionError, LONGEST_DELAY, Term, each_host,
};
use pagerace_page::{Intervention, Interventions, Page, ResourceEffect};

/// A document with an image of its own, and four resources from other domains: a font, a
/// style sheet, a script and the script of an advertisement.
fn page() -> Page {
    let entry = |url: &str, mime: &str, kind: &str| {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z", "time": 10, "_resourceType": kind,
            "request": {"method": "GET", "url": url, "httpVersion": "h3", "headers": [],
                "headersSize": -1, "bodySize": 0},
            "response": {"status": 200, "httpVersion": "h3", "headers": [],
                "headersSize": -1, "bodySize": 1000, "content": {"size": 1000, "mimeType": mime}},
            "timings": {"send": 0, "wait": 5, "receive": 5},
        })
    };
    let har = json!({"log": {"version": "1.2", "creator": {"name": "test", "version": "1"},
    "entries": [
        entry("https://www.site.example/", "text/html", "document"),
        entry("https://fonts.cdn.test/a.woff2", "font/woff2", "font"),
        entry("https://Fonts.cdn.test/css/Main.css?v=1", "text/css", "stylesheet"),
        entry("https://js.cdn.test/lib.js", "text/javascript", "script"),
        entry("https://www.googletagmanager.com/gtag/js?id=1", "text/javascript", "script"),
        entry("https://www.site.example/logo.png", "image/png", "image"),
    ]}});
    from_bytes(
        "page.har",
        har.to_string().as_bytes(),
        &ImportOptions::default(),
    )
    .unwrap()
}

fn read(text: &str) -> Interventions {
    text.parse().unwrap()
}

/// Returns the numbers of the resources that `selector` selects.
fn selected(selector: &str) -> Vec<usize> {
    let effects = read(&format!("{selector}=1ms")).of_page(&page());
    let hit = |(i, e): (usize, &ResourceEffect)| (!e.delay.is_zero()).then_some(i);
    effects.iter().enumerate().filter_map(hit).collect()
}

#[test]
fn selectors_select() {
    for (selector, expected) in [
        ("fonts", vec![1]),
        ("font+css", vec![1, 2]),
        ("js", vec![3, 4]),
        ("ads", vec![4]),
        ("html", vec![0]),
        ("images", vec![5]),
        ("json", vec![]),
        ("third-party", vec![1, 2, 3, 4]),
        ("first-party", vec![0, 5]),
        ("third-party-js", vec![3, 4]),
        ("first-party-js", vec![]),
        ("first-party-image", vec![5]),
        ("fonts.cdn.test", vec![1, 2]),
        ("FONTS.cdn.test", vec![1, 2]),
        ("*.cdn.test", vec![1, 2, 3]),
        ("cdn.test", vec![]),
        ("*", vec![0, 1, 2, 3, 4, 5]),
        ("https://js.cdn.test/*", vec![3]),
        ("http://js.cdn.test/*", vec![]),
        ("Js.cdn.test/*", vec![3]),
        ("*/lib.js", vec![3]),
        ("*/Main.css", vec![]),
        ("*/Main.css*", vec![2]),
        ("*/main.css*", vec![]),
    ] {
        assert_eq!(selected(selector), expected, "{selector}");
    }
}

#[test]
fn delays_add_up_and_refusals_come_first() {
    let effects = read("third-party=1s fonts=140ms ads=hang ads=refused js=hang").of_page(&page());
    assert_eq!(effects[1].delay, Duration::from_millis(1_140));
    assert_eq!(effects[3].block, Some(Failure::Hang));
    assert_eq!(effects[4].block, Some(Failure::Refused));
    assert_eq!((effects[0].block, effects[0].delay), (None, Duration::ZERO));
}

#[test]
fn effects_are_exact() {
    for (text, expected) in [
        ("1s", Effect::Delay(Duration::from_secs(1))),
        ("1.5s", Effect::Delay(Duration::from_millis(1_500))),
        ("0.000001ms", Effect::Delay(Duration::from_nanos(1))),
        ("2min", Effect::Delay(Duration::from_secs(120))),
        ("refused", Effect::Block(Failure::Refused)),
        ("hang", Effect::Block(Failure::Hang)),
        ("timeout", Effect::Block(Failure::Hang)),
    ] {
        assert_eq!(text.parse(), Ok(expected), "{text}");
    }
    for text in [
        "",
        "1",
        "s",
        "0s",
        "-1s",
        "1.s",
        ".5s",
        "1e3s",
        "61min",
        "0.5ns",
        "1h",
        "1 s",
        "99999999999999999999s",
        "1.0000000000s",
        "Refused",
        "h3",
    ] {
        assert!(text.parse::<Effect>().is_err(), "{text}");
    }
    assert_eq!(
        read("font=1500ms js=60s").to_string(),
        "fonts=1500ms js=1min"
    );
}

#[test]
fn what_means_nothing_is_refused() {
    let error = |text: &str| text.parse::<Interventions>().unwrap_err();
    assert_eq!(error(" "), InterventionError::Empty);
    assert!(matches!(error("fonts"), InterventionError::NoEffect(_)));
    assert!(matches!(
        error("fonts=soon"),
        InterventionError::Effect { .. }
    ));
    assert!(matches!(
        error("cdn.example=h3"),
        InterventionError::Effect { .. }
    ));
    for text in [
        "=1s",
        "fonts+=1s",
        "a?b=1s",
        "..=1s",
        "third-party-=1s\"",
        "none fonts=1s",
    ] {
        assert!(text.parse::<Interventions>().is_err(), "{text}");
    }
    assert_eq!(read("none"), Interventions::default());
    assert_eq!(read("original"), Interventions::default());
}

#[test]
fn an_effect_may_be_understood() {
    let refused = Effect::Block(Failure::Refused);
    let parse = |text: &str| Intervention::parse_or(text, refused).unwrap().to_string();
    assert_eq!(parse("cdn.example"), "cdn.example=refused");
    assert_eq!(parse("cdn.example=hang"), "cdn.example=hang");
    assert_eq!(parse("*/x?id=1*"), "*/x?id=1*=refused");
    assert_eq!(parse("*/x?id=1*=hang"), "*/x?id=1*=hang");
    assert!(Intervention::parse_or("cdn.example=soon", refused).is_err());
}

#[test]
fn what_selects_nothing_is_found() {
    let pages = [Arc::new(page())];
    let unmatched = |text: &str| -> Vec<String> {
        let unmatched = read(text).unmatched(&pages);
        unmatched.iter().map(|u| u.term.to_string()).collect()
    };
    assert_eq!(unmatched("fnots=1s"), ["fnots"]);
    assert_eq!(
        unmatched("fonts+fnots=1s"),
        ["fnots"],
        "not hidden by the others"
    );
    assert_eq!(unmatched("json=1s fonts=1s"), ["json"]);
    assert!(
        unmatched("fonts+json=1s").is_empty(),
        "it selects something"
    );
    assert_eq!(unmatched("*/nothing.js=hang"), ["*/nothing.js"]);
}

#[test]
fn blocked_documents_are_found() {
    let page = page();
    let blocked = |text: &str| read(text).blocked_document(&page).map(|id| id.0);
    assert_eq!(blocked("html=refused"), Some(0));
    assert_eq!(blocked("*.site.example=hang"), Some(0));
    assert_eq!(blocked("html=1s"), None);
    assert_eq!(blocked("third-party=hang"), None);
}

#[test]
fn each_third_party_host_is_blocked_once() {
    let hosts = each_host(&[Arc::new(page())], Failure::Hang);
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    assert_eq!(
        hosts,
        [
            "fonts.cdn.test=hang",
            "js.cdn.test=hang",
            "www.googletagmanager.com=hang"
        ]
    );
}

#[test]
fn names_of_categories_read_back() {
    for name in Term::names() {
        let term: Term = name.parse().unwrap();
        assert!(matches!(term, Term::Kind(..)), "{name}");
        assert_eq!(term.to_string(), name);
    }
    assert_eq!(Term::names().len(), 8 + 2 + 16);
    let documents = page()
        .resources
        .iter()
        .filter(|r| r.destination == Destination::Document)
        .count();
    assert_eq!(documents, 1);
}

/// Generates terms that a user may write.
fn term() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(Term::names()),
        "[a-zA-Z0-9*][a-z0-9.*-]{0,20}",
        "(https://)?[a-zA-Z0-9*.]{0,12}/[a-zA-Z0-9*./?=&%-]{0,20}",
    ]
}

fn effect() -> impl Strategy<Value = Effect> {
    prop_oneof![
        Just(Effect::Block(Failure::Refused)),
        Just(Effect::Block(Failure::Hang)),
        (1..=LONGEST_DELAY.as_nanos()).prop_map(|nanos| Effect::Delay(Duration::from_nanos(nanos))),
        (1..=3_600_000_u64).prop_map(|ms| Effect::Delay(Duration::from_millis(ms))),
    ]
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        parts in proptest::collection::vec((proptest::collection::vec(term(), 1..4), effect()), 1..4)
    ) {
        let words: Vec<String> =
            parts.iter().map(|(terms, effect)| format!("{}={effect}", terms.join("+"))).collect();
        let first: Interventions = words.join(" ").parse().unwrap();
        prop_assert_eq!(first.all().len(), parts.len());
        let again: Interventions = first.to_string().parse().unwrap();
        prop_assert_eq!(&again, &first);
        let json = serde_json::to_string(&first).unwrap();
        prop_assert_eq!(serde_json::from_str::<Interventions>(&json).unwrap(), first);
    }

    #[test]
    fn no_text_panics(text in ".{0,60}") {
        if let Ok(read) = text.parse::<Interventions>() {
            prop_assert_eq!(read.to_string().parse::<Interventions>().unwrap(), read);
        }
    }
}

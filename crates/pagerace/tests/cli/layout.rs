//! Layouts of HARs that have content but no layout. The tests with a real browser need Chromium;
//! without it they print a note and pass.

#![cfg(feature = "live")]
#![allow(
    clippy::unwrap_used,
    reason = "this is test code, though not every function here is a test"
)]

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Run, Sandbox, small_har};

const GUESSED: &str = "Paints without a recorded layout are guesses";
const MEASURES: &str = "has content but no layout";

/// Returns a HAR of a page with a style sheet and a picture, with their bodies.
fn har_with_bodies() -> String {
    let page = "<!doctype html><title>t</title><link rel=stylesheet href=style.css>\
                <h1>Words that are the largest thing here</h1><img src=dot.svg width=40 height=40>";
    let dot = "<svg xmlns='http://www.w3.org/2000/svg'><circle r='9' fill='red'/></svg>";
    let entries = [
        ("", "text/html", page),
        ("style.css", "text/css", "h1 { color: teal }"),
        ("dot.svg", "image/svg+xml", dot),
    ];
    let entries = entries.map(|(path, mime, text)| -> Value {
        json!({
            "startedDateTime": "2026-01-01T00:00:00.000Z",
            "time": 30,
            "request": {"method": "GET", "url": format!("http://site.example/{path}")},
            "response": {"status": 200, "httpVersion": "http/1.1", "bodySize": text.len(),
                "headers": [{"name": "content-type", "value": mime}],
                "content": {"size": text.len(), "mimeType": mime, "text": text}},
            "timings": {"send": 0, "wait": 20, "receive": 10},
        })
    });
    json!({"log": {"version": "1.2", "entries": entries}}).to_string()
}

/// Runs a command with a cache in the sandbox.
fn run(sandbox: &Sandbox, words: &[&str], chromium: Option<&str>) -> Run {
    let scratch = sandbox.path("scratch");
    fs::create_dir_all(&scratch).unwrap();
    let cache = sandbox.path("cache");
    let mut environment = vec![
        ("TMPDIR", scratch.to_str().unwrap()),
        ("XDG_CACHE_HOME", cache.to_str().unwrap()),
    ];
    environment.extend(chromium.map(|path| ("PAGERACE_CHROMIUM", path)));
    let run = sandbox.run_with(words, &environment);
    let left = fs::read_dir(&scratch).unwrap().count();
    assert_eq!(left, 0, "scratch files are left behind");
    run
}

const RACE: [&str; 7] = ["race", "site.har", "-P", "h2,h3", "-n", "cable", "--runs=2"];

#[test]
fn what_cannot_be_shown_is_not_measured() {
    let sandbox = Sandbox::new("layout-none");
    sandbox.write("browser", "this is no program");
    let browser = sandbox.path("browser");
    let race = |words: &[&str]| run(&sandbox, words, browser.to_str());
    sandbox.write("site.har", &small_har());
    let bare = race(&RACE);
    assert_eq!((bare.code, bare.err.as_str()), (0, ""), "no bodies");
    assert!(bare.out.contains(GUESSED), "{}", bare.out);

    // The document has a body, and most of the rest has none.
    let mut half: Value = serde_json::from_str(&small_har()).unwrap();
    half["log"]["entries"][0]["response"]["content"]["text"] = "<p>Hello".into();
    sandbox.write("site.har", &half.to_string());
    let half = race(&RACE);
    assert_eq!((half.code, half.err.as_str()), (0, ""), "few bodies");

    sandbox.write("site.har", &har_with_bodies());
    let unwanted = race(&[&RACE[..], &["--no-layout"]].concat());
    assert_eq!((unwanted.code, unwanted.err.as_str()), (0, ""));
    assert!(unwanted.out.contains("paints guessed"), "{}", unwanted.out);
    let failed = race(&RACE);
    assert_eq!(failed.code, 0, "{}", failed.err);
    let warning = "warning: site.har races without a measured layout: cannot start";
    assert!(failed.err.starts_with(warning), "{}", failed.err);
    assert_eq!(failed.out, unwanted.out);
    assert!(!sandbox.path("cache").exists(), "nothing was measured");
}

#[test]
fn chromium_measures_a_layout_once() {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    if !browsers.iter().any(works) {
        eprintln!("skipped: layouts are measured in Chromium");
        return;
    }
    let sandbox = Sandbox::new("layout-measured");
    sandbox.write("site.har", &har_with_bodies());
    let first = run(&sandbox, &RACE, None);
    assert_eq!(first.code, 0, "{}", first.err);
    for text in [MEASURES, "kept for later races"] {
        assert!(first.err.contains(text), "{text}: {}", first.err);
    }
    for text in ["layout measured in Chromium", "paints recorded"] {
        assert!(first.out.contains(text), "{text}: {}", first.out);
    }
    assert!(!first.out.contains(GUESSED), "{}", first.out);
    let kept = sandbox.names_in("cache/pagerace/layouts");
    assert_eq!(kept.len(), 1, "{kept:?}");

    let second = run(&sandbox, &RACE, None);
    assert_eq!((second.code, second.err.as_str()), (0, ""));
    assert_eq!(second.out, first.out);
    let explained = run(&sandbox, &["explain", "site.har", "h1", "h2"], None);
    assert_eq!((explained.code, explained.err.as_str()), (0, ""));
    let measured = "layout measured in Chromium";
    assert!(explained.out.contains(measured), "{}", explained.out);
    run(&sandbox, &[&RACE[..], &["--json=a.json"]].concat(), None);
    let again = run(&sandbox, &["race", "--scenario", "a.json"], None);
    assert!(again.out.contains(measured), "{}", again.out);

    fs::write(
        sandbox.path("cache/pagerace/layouts").join(&kept[0]),
        "damaged",
    )
    .unwrap();
    // A damaged file is measured again, for which this browser does not do.
    sandbox.write("browser", "this is no program");
    let anew = run(&sandbox, &RACE, sandbox.path("browser").to_str());
    let warning = "warning: site.har races without a measured layout: cannot start";
    assert!(anew.err.contains(warning), "{}", anew.err);
}

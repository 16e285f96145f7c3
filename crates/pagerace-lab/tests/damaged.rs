//! Tests with damaged results files: reading and racing them must end in an error or a
//! result.

use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_core::{Duration, Rng};
use pagerace_har::ImportOptions;
use pagerace_lab::export::json::{read_plan, scenario_text};
use pagerace_lab::{Contender, Plan, run_race};
use pagerace_net::Network;
use serde_json::{Value, json};

const FILES: u64 = 10_000;
/// One in this many of the files that are still plans is raced, which limits the duration
/// of the test.
const RACED: u64 = 20;

fn plan() -> Plan {
    let entry = |path: &str, mime: &str, initiator: Value| {
        json!({"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 50,
            "request": {"method": "GET", "url": format!("https://a.test/{path}")},
            "response": {"status": 200, "bodySize": 3_000,
                "content": {"mimeType": mime, "size": 9_000}},
            "timings": {"wait": 20, "receive": 30}, "_initiator": initiator})
    };
    let markup = json!({"type": "parser", "url": "https://a.test/", "lineNumber": 3});
    let script =
        json!({"type": "script", "stack": {"callFrames": [{"url": "https://a.test/a.js"}]}});
    let own = json!({"layout": {"viewport": [400, 300], "elements": [
            {"kind": "text", "rect": [0, 0, 100, 10], "fonts": ["https://a.test/a.woff2"]},
            {"kind": "image", "rect": [0, 50, 90, 90], "url": "https://a.test/a.png"}]},
        "paints": {"fcpMs": 50, "lcpMs": 80, "lcpSize": 900, "lcpKind": "text"}});
    let har = json!({"log": {
    "pages": [{"startedDateTime": "2026-01-01T00:00:00.000Z", "_pagerace": own,
        "pageTimings": {"onContentLoad": 100, "onLoad": 200}}],
    "entries": [
        entry("", "text/html", json!({"type": "other"})),
        entry("a.css", "text/css", markup.clone()),
        entry("a.js", "text/javascript", markup.clone()),
        entry("a.png", "image/png", markup),
        entry("a.woff2", "font/woff2", json!({"type": "parser", "url": "https://a.test/a.css"})),
        entry("data.json", "application/json", script),
    ]}});
    let bytes = har.to_string();
    let page = pagerace_har::from_bytes("a.har", bytes.as_bytes(), &ImportOptions::default());
    let contender = |text: &str| {
        let read: pagerace_lab::contender::ContenderText = text.parse().expect("known");
        read.or(&Contender::default())
    };
    let networks = vec![Network::parse("fast-4g loss 1%").expect("known")];
    let contenders = ["h1", "h2", "h3"].map(contender).to_vec();
    let mut plan = Plan {
        runs: 1,
        ..Plan::new(vec![Arc::new(page.expect("a page"))], networks, contenders)
    };
    plan.settings.deadline = Duration::from_secs(60);
    plan
}

/// Descends to a random place and damages it.
fn damage(value: &mut Value, rng: &mut Rng) {
    let stop = rng.chance(0.05);
    let choice = rng.below(3);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let at = rng.below(map.len() as u64) as usize;
            let key = map.keys().nth(at).expect("it has so many").clone();
            match (stop, choice) {
                (true, 0) => drop(map.remove(&key)),
                (true, 1) => drop(map.insert(key, foreign(rng))),
                _ => damage(&mut map[&key], rng),
            }
        }
        Value::Array(list) if !list.is_empty() => {
            let at = rng.below(list.len() as u64) as usize;
            match (stop, choice) {
                (true, 0) => drop(list.remove(at)),
                (true, 1) => list.push(list[at].clone()),
                (true, 2) => list.swap(0, at),
                _ => damage(&mut list[at], rng),
            }
        }
        // Another number is the replacement most likely to keep the plan valid.
        leaf if leaf.is_u64() && rng.chance(0.8) => {
            let most = [10, 1_000, 1_000_000, 1 << 33][rng.below(4) as usize];
            *leaf = json!(rng.below(most));
        }
        leaf => *leaf = foreign(rng),
    }
}

fn foreign(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => Value::Null,
        1 => json!(-1),
        2 => json!(1e300),
        3 => json!(u64::MAX),
        4 => json!(1_u64 << 63),
        5 => json!(u32::MAX),
        6 => json!([]),
        7 => json!(""),
        8 => json!(true),
        9 => json!(0.5),
        10 => json!(rng.below(10)),
        _ => json!(rng.below(100_000)),
    }
}

#[test]
fn damaged_results_files_are_refused_or_raced() {
    let text = scenario_text(&plan());
    let intact: Value = serde_json::from_str(&text).expect("JSON");
    let mut rng = Rng::new(1, "damaged results");
    let go_on = |_| ControlFlow::Continue(());
    let run = |scenario: &_, seed, record| {
        pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())
    };
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..FILES {
        let mut value = intact.clone();
        for _ in 0..=rng.below(2) {
            let place = ["", "/plan", "/plan/pages/0"][rng.below(3) as usize];
            if let Some(place) = value.pointer_mut(place) {
                damage(place, &mut rng);
            }
        }
        match read_plan("damaged.json", value.to_string().as_bytes()) {
            Ok(read) => {
                accepted += 1;
                if accepted % RACED == 0 && read.plan.loads() < 30 {
                    // A race that ends in an error is acceptable.
                    let _ = run_race(&read.plan, 1, &run, &go_on);
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().starts_with("damaged.json"), "{error}");
            }
        }
    }
    assert!(
        refused > FILES / 3 && accepted > FILES / 20,
        "{refused} {accepted}"
    );
}

//! The same scenario and seed give the same outcome, bit for bit.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{hundred, scenario};
use pagerace_sim::{Outcome, run, run_logged};

fn text(outcome: &Outcome) -> String {
    serde_json::to_string(outcome).unwrap()
}

const LOSSY: &str = "rate 10mbit rtt 60ms loss 1% queue 1bdp";

#[test]
fn a_load_repeats_and_a_seed_changes_it() {
    let s = scenario(&hundred(), LOSSY, "round-robin");
    let a = text(&run(&s, 1, true).unwrap());
    assert_eq!(a, text(&run(&s, 1, true).unwrap()));
    assert_ne!(a, text(&run(&s, 2, true).unwrap()));
}

#[test]
fn watching_changes_nothing() {
    let s = scenario(&hundred(), LOSSY, "eps");
    let plain = run(&s, 1, false).unwrap();
    let mut watched = run(&s, 1, true).unwrap();
    let (mut logged, packets) = run_logged(&s, 1).unwrap();
    assert_eq!(text(&watched), text(&logged));
    (watched.trace, logged.trace) = (None, None);
    assert_eq!(text(&plain), text(&watched));
    assert!(packets.len() as u64 > 2 * plain.transport.packets_sent);
}

#[test]
fn real_tls_gives_the_same_load_as_null_keys() {
    let mut s = scenario(&hundred(), LOSSY, "sequential");
    let null = text(&run(&s, 4, true).unwrap());
    s.settings.real_tls = true;
    assert_eq!(null, text(&run(&s, 4, true).unwrap()));
}

#[test]
fn every_protocol_repeats_and_watching_changes_nothing() {
    for protocols in ["h1", "h2", "h3"] {
        for congestion in ["cubic", "bbr"] {
            let mut s = scenario(&hundred(), LOSSY, "eps");
            s.protocols = protocols.parse().unwrap();
            s.congestion = congestion.to_owned();
            let plain = run(&s, 1, false).unwrap();
            assert_eq!(plain.failure, None, "{protocols} {congestion}");
            let mut watched = run(&s, 1, true).unwrap();
            assert_eq!(text(&watched), text(&run(&s, 1, true).unwrap()));
            watched.trace = None;
            assert_eq!(text(&plain), text(&watched), "{protocols} {congestion}");
        }
    }
}

#[test]
fn an_unknown_controller_is_refused() {
    let mut s = scenario(&hundred(), LOSSY, "sequential");
    s.congestion = "westwood".to_owned();
    let error = run(&s, 1, false).unwrap_err().to_string();
    assert!(error.contains("westwood"), "{error}");
}

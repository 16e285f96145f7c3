use std::ops::ControlFlow;

use pagerace_browser::LoadMetrics;
use pagerace_core::Duration;
use pagerace_sim::{Outcome, Scenario};

use super::{Assumption, across, check_robustness, of};
use crate::fake;
use crate::results::Results;
use crate::runner::run_race;

fn go_on(_: crate::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// HTTP/3 leads unless its packets are small.
fn load(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, String> {
    let mut outcome = fake::load(scenario, seed, record)?;
    let quic = scenario.protocols.to_string() == "h3";
    let small = scenario.settings.quic_mtu < 1_300;
    let ms = match (quic, small) {
        (true, false) => 800.0,
        (true, true) => 1200.0,
        _ => 1000.0,
    };
    outcome.load = LoadMetrics {
        lcp: Some(Duration::from_millis_f64(ms + (seed % 7) as f64)),
        ..LoadMetrics::default()
    };
    Ok(outcome)
}

fn raced(contenders: &[&str], runs: u32) -> Results {
    let mut plan = fake::plan(contenders, runs);
    plan.networks.truncate(1);
    let mut results = run_race(&plan, 1, &load, &go_on).unwrap();
    results.model_errors = crate::model_error::ModelErrors::default();
    check_robustness(&mut results, 2, &load, &|_| (), &go_on).unwrap();
    results
}

#[test]
fn a_verdict_that_flips_says_under_what() {
    let results = raced(&["h2", "h3"], 10);
    let found = of(&results, 0, 0).unwrap();
    assert_eq!(found.checks.len(), 4);
    assert_eq!(
        found.sentence(&results.plan),
        "Robustness (7 runs each): the verdict flips with QUIC packets of 1200 bytes (h2 leads); \
         holds with QUIC packets of 1452 bytes, with a queue of 100 packets, without HyStart."
    );
    assert_eq!(
        across(&results, 0).unwrap(),
        "Robustness: 0 of 1 verdicts hold; 1 flip with QUIC packets of 1200 bytes."
    );
}

#[test]
fn what_cannot_matter_is_not_assumed() {
    let results = raced(&["h1", "h2"], 10);
    let checks = &of(&results, 0, 0).unwrap().checks;
    let assumed: Vec<Assumption> = checks.iter().map(|check| check.assumption).collect();
    assert_eq!(assumed, [Assumption::Queue(100), Assumption::NoHystart]);
    let results = raced(&["h1 reno", "h2 reno"], 10);
    assert_eq!(of(&results, 0, 0).unwrap().checks.len(), 1);
}

#[test]
fn where_nothing_is_said_nothing_is_checked() {
    assert_eq!(of(&raced(&["h2", "h3"], 3), 0, 0), None);
    assert_eq!(across(&raced(&["h3"], 10), 0), None);
}

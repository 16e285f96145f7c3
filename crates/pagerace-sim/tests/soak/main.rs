//! The whole system under one seed, in the manner of the simulators of `FoundationDB` and
//! `TigerBeetle`: a seed makes a random scenario, which is loaded and held against laws.
//!
//! `PAGERACE_SEED=n` loads one seed. `cargo run --release --example soak` loads fresh
//! seeds for as long as you like.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod flows;
mod inputs;
mod laws;
mod shrink;
mod sockets;

/// Seeds that every test run loads.
const SEEDS: u64 = 150;

/// Loads one seed.
///
/// # Panics
/// If a law is broken: with the seed, the law, and a smaller scenario that breaks it.
fn load(seed: u64) {
    let case = inputs::case(seed);
    if let Err(broken) = laws::check(&case) {
        let (small, reason) = shrink::shrink(case, broken.clone());
        let scenario = serde_json::to_string(&small.scenario).unwrap();
        panic!(
            "PAGERACE_SEED={seed} breaks a law: {broken}\nas does this smaller scenario, with \
             seed {}: {reason}\n{scenario}",
            small.seed
        );
    }
}

#[test]
fn every_seed_keeps_the_laws() {
    if let Ok(seed) = std::env::var("PAGERACE_SEED") {
        return load(seed.parse().expect("PAGERACE_SEED is a whole number"));
    }
    (0..SEEDS).for_each(load);
}

#[test]
fn the_laws_can_be_broken() {
    use pagerace_core::{Duration, Instant};
    use pagerace_sim::{Outcome, run};

    let case = |seed| {
        let case = inputs::case(seed);
        let outcome = run(&case.scenario, seed, true).unwrap();
        let frames = outcome.trace.as_ref().map_or(0, |t| t.frames.len());
        let rich = frames > 100 && outcome.visual_progress.len() > 2 && outcome.failure.is_none();
        (rich && case.scenario.reliability.is_full()).then_some((case, outcome))
    };
    let (case, good) = (0..SEEDS).find_map(case).unwrap();
    let broken = |change: fn(&mut Outcome)| {
        let mut outcome = good.clone();
        change(&mut outcome);
        laws::hold(&case, &outcome).unwrap_err()
    };
    laws::hold(&case, &good).unwrap();
    assert!(broken(|o| o.finished_at = Instant::ZERO).contains("ends at"));
    assert!(broken(|o| o.load.ttfb = Some(Duration::from_secs(99_999))).contains("comes before"));
    assert!(broken(|o| o.failure = Some("stuck".to_owned())).contains("stalled"));
    assert!(broken(|o| o.transport.queue_drops += 1).contains("did not arrive"));
    assert!(broken(|o| o.transport.data_lost_bytes += 1).contains("are missing"));
    let hole = |o: &mut Outcome| o.trace.as_mut().unwrap().frames[0].offset += 1;
    assert!(broken(hole).contains("never sent"));
    assert!(broken(|o| o.visual_progress.reverse()).contains("visual progress"));
}

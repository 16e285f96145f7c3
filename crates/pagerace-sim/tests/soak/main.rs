//! The whole system under one seed, in the manner of the simulators of `FoundationDB` and
//! `TigerBeetle`: a seed makes a random scenario, which is loaded and held against laws.
//!
//! `PAGERACE_SEED=n` loads one seed. `cargo run --release -p pagerace-tools --bin soak` loads fresh
//! seeds for as long as you like.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod changes;
mod flows;
mod inputs;
mod laws;
mod limits;
mod networks;
mod pages;
mod shrink;
mod sockets;
mod wire;

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
    use pagerace_net::{LinkConfig, Rate};
    use pagerace_sim::ledger::{Fate, WirePacket};
    use pagerace_sim::{Ledger, Outcome, run_with_ledger};

    let lossless = |ledger: &Ledger| {
        let packets = || ledger.down.iter().chain(&ledger.up);
        ledger.look_ups_lost == 0 && !packets().any(WirePacket::is_gone)
    };
    let case = |seed| {
        let case = inputs::case(seed);
        let (outcome, ledger) = run_with_ledger(&case.scenario, seed).unwrap();
        let frames = outcome.trace.as_ref().map_or(0, |t| t.frames.len());
        let rich = frames > 100 && outcome.visual_progress.len() > 2 && outcome.failure.is_none();
        // A bucket would let some packets cross at once.
        let network = &case.scenario.network;
        let constant = |link: &LinkConfig| matches!(link.rate, Rate::Constant(_));
        let steady = constant(&network.down) && constant(&network.up);
        let plain = steady && case.scenario.reliability.is_full() && lossless(&ledger);
        (rich && plain).then_some((case, outcome, ledger))
    };
    let (case, good, ledger) = (0..).find_map(case).unwrap();
    let broken = |change: fn(&mut Outcome)| {
        let mut outcome = good.clone();
        change(&mut outcome);
        laws::hold(&case, &outcome, &ledger).unwrap_err()
    };
    laws::hold(&case, &good, &ledger).unwrap();
    assert!(broken(|o| o.finished_at = Instant::ZERO).contains("ends at"));
    assert!(broken(|o| o.load.ttfb = Some(Duration::from_secs(99_999))).contains("comes before"));
    assert!(broken(|o| o.failure = Some("stuck".to_owned())).contains("stalled"));
    assert!(broken(|o| o.transport.queue_drops += 1).contains("did not arrive"));
    assert!(broken(|o| o.transport.data_lost_bytes += 1).contains("are missing"));
    let hole = |o: &mut Outcome| o.trace.as_mut().unwrap().frames[0].offset += 1;
    assert!(broken(hole).contains("never sent"));
    assert!(broken(|o| o.visual_progress.reverse()).contains("visual progress"));

    let cooked = |change: &dyn Fn(&mut Ledger)| {
        let mut ledger = ledger.clone();
        change(&mut ledger);
        laws::hold(&case, &good, &ledger).unwrap_err()
    };
    assert!(cooked(&|l| l.ends[0][1].sent += 1).contains("from the server"));
    assert!(cooked(&|l| l.ends[0][1].received += 1).contains("from the client"));
    assert!(cooked(&|l| l.down[9].crossed_at = Some(l.down[9].sent_at)).contains("downlink"));
    assert!(cooked(&|l| l.up[3].fate = Fate::Arrived(l.up[3].sent_at)).contains("uplink"));
    let crowd = |l: &mut Ledger| {
        // As many packets at once as the link carries in the whole load.
        let at = l.down.iter().filter_map(|p| p.crossed_at).max();
        for p in &mut l.down {
            p.crossed_at = at;
            p.fate = Fate::Lost;
        }
        for ends in &mut l.ends {
            ends[0].received = 0;
        }
    };
    assert!(cooked(&crowd).contains("bits too many"));
    let silent = |l: &mut Ledger, time| {
        // Packets that are under way at the end would be so for ever.
        for p in l.up.iter_mut().chain(&mut l.down) {
            if p.fate == Fate::InFlight {
                p.fate = Fate::Arrived(p.sent_at + Duration::from_secs(10));
            }
        }
        for answer in l.answers.iter_mut().flatten() {
            answer.ended = answer.ended.map(|at| at + time);
        }
    };
    let late = |l: &mut Ledger| silent(l, Duration::from_secs(99));
    assert!(cooked(&late).contains("no packet was under way"));
    let late_after_loss = |l: &mut Ledger| {
        l.look_ups_lost = 1;
        silent(l, Duration::from_secs(9_999));
    };
    assert!(cooked(&late_after_loss).contains("no packet was under way"));
    let twice = |l: &mut Ledger| {
        let mut complete = l.answers.iter_mut().flatten().filter(|a| a.ended.is_some());
        complete.next().unwrap().body += 1;
    };
    assert!(cooked(&twice).contains("it ended with"));
}

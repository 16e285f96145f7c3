//! The whole system under one seed, in the manner of FoundationDB's and TigerBeetle's
//! simulators: a seed makes a random scenario, which is loaded and held against laws.
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

//! Tests of each strategy's defining law on the wire: first transmissions in the order in
//! which a simulated server's packets left, with and without loss.
//!
//! The laws concern competing responses. Therefore each page requests everything at once,
//! and measurement begins when the server has all requests. Only deviations that follow
//! from the mechanism are tolerated:
//!
//! - While the congestion window is closed, one packet is bound to a response. The first
//!   packet after the start may thus be an earlier decision, and is left out.
//! - Shares are exact to one packet at any moment, and therefore to two between any two
//!   moments: one packet of arrears at either end.
//! - The bytes of a lost packet leave together with bytes of the same response that are
//!   already bound. These may overtake the rest of one packet.
//! - An acknowledgement takes a few bytes of a packet, which spill over to the next.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../common/mod.rs"]
mod common;
mod order;
mod repair;
mod shares;
mod turns;
mod wire;

use pagerace_core::RequestPriority;

use shares::{share, share_bound};
use turns::{alternate, turns};
use wire::{CLEAN, LOSSY, fetch, load};

#[test]
fn the_laws_can_be_broken() {
    let items = [
        RequestPriority::High,
        RequestPriority::Low,
        RequestPriority::Low,
    ]
    .map(|c| fetch(c, 100_000));
    let turns_of_two = load(&items, CLEAN, "batched-round-robin:n=2", 1);
    let all = turns_of_two.all();
    assert!(
        turns_of_two
            .strict(|who| turns_of_two.facts(who).class)
            .is_err()
    );
    assert!(
        turns_of_two
            .one_by_one(|who| Some(turns_of_two.facts(who).class))
            .is_err()
    );
    let equal = all.iter().map(|who| (*who, 1.0)).collect();
    let contest = load(&items, CLEAN, "weighted-incremental:alpha=0.25", 1).contest(&all);
    assert!(share(&contest, &equal, share_bound(LOSSY)).is_err());
    assert!(alternate(&turns(&contest), all.len()).is_err());
}

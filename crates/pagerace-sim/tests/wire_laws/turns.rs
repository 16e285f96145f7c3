//! Strategies whose responses take turns.

use std::collections::BTreeSet;

use pagerace_core::RequestPriority;
use pagerace_delivery::strategies::firefox_eps;
use proptest::prelude::*;

use crate::common::Item;
use crate::shares::{share, share_bound};
use crate::wire::{PACKET, Sent, fetch, items, load, network};

/// Groups consecutive frames of one response into turns. A turn is the response, its new
/// bytes, and whether a retransmission left within or next to it.
pub(crate) fn turns(sent: &[Sent]) -> Vec<(usize, u64, bool)> {
    let mut turns: Vec<(usize, u64, bool)> = Vec::new();
    let mut disturbed = false;
    for s in sent {
        if s.retransmission || s.new == 0 {
            disturbed = true;
            if let Some(last) = turns.last_mut() {
                last.2 = true;
            }
        }
        match turns.last_mut() {
            _ if s.new == 0 => {}
            Some(last) if last.0 == s.who => {
                last.1 += s.new;
                last.2 |= disturbed;
                disturbed = false;
            }
            _ => turns.push((s.who, s.new, std::mem::take(&mut disturbed))),
        }
    }
    turns
}

/// Number of turns that one packet's worth of bound bytes may contain: the rest of one
/// packet, and the response that begins in the space left in the next.
const BOUND_TURNS: usize = 2;

/// Checks that between two turns of a response, each other response has exactly one turn.
/// Skips rounds if a retransmission left during them or when their preceding bytes were
/// bound. Returns the number of rounds checked.
pub(crate) fn alternate(
    turns: &[(usize, u64, bool)],
    count: usize,
) -> Result<usize, TestCaseError> {
    let mut rounds = 0;
    for window in turns.windows(BOUND_TURNS + count + 1) {
        if window.iter().any(|t| t.2) {
            continue;
        }
        let round = &window[BOUND_TURNS..];
        let distinct: BTreeSet<usize> = round[..count].iter().map(|t| t.0).collect();
        prop_assert_eq!(distinct.len(), count, "not one turn each: {:?}", round);
        prop_assert_eq!(round[0].0, round[count].0, "another order: {:?}", round);
        rounds += 1;
    }
    Ok(rounds)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn eps_lets_incremental_ones_take_turns(
        bodies in prop::collection::vec(60_000_u64..160_000, 2..7),
        network in network(), seed in 0_u64..1_000,
    ) {
        let items: Vec<Item> = bodies.iter().map(|b| fetch(RequestPriority::High, *b)).collect();
        let wire = load(&items, network, "eps", seed);
        let turns = turns(&wire.contest(&wire.all()));
        prop_assert!(alternate(&turns, items.len())? > 0);
    }

    #[test]
    fn firefox_eps_sends_group_by_group_in_turns(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "firefox-eps", seed);
        let urgency = |who: usize| firefox_eps::urgency(&wire.facts(who));
        wire.strict(urgency)?;
        let first = wire.all().into_iter().map(urgency).min().unwrap();
        let group: BTreeSet<usize> = wire.all().into_iter().filter(|w| urgency(*w) == first).collect();
        let contest = wire.contest_beside(&group, |who| urgency(who) != first);
        if group.len() > 1 {
            prop_assert!(alternate(&turns(&contest), group.len())? > 0);
        }
    }

    #[test]
    fn round_robin_alternates(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "round-robin", seed);
        let all = wire.all();
        prop_assert!(alternate(&turns(&wire.contest(&all)), all.len())? > 0);
        let equal = all.iter().map(|who| (*who, 1.0)).collect();
        share(&wire.contest(&all), &equal, share_bound(network))?;
    }

    #[test]
    fn batches_have_n_packets(
        items in items(2..7), network in network(), seed in 0_u64..1_000, n in 2_u64..9,
    ) {
        let wire = load(&items, network, &format!("batched-round-robin:n={n}"), seed);
        let turns = turns(&wire.contest(&wire.all()));
        alternate(&turns, items.len())?;
        let inner = turns.iter().take(turns.len().saturating_sub(1)).skip(1);
        for turn in inner.filter(|t| !t.2) {
            // A turn has at most n packets, and acknowledgements take less than one of
            // them.
            prop_assert!(turn.1 <= n * PACKET, "{turn:?}");
            prop_assert!(turn.1 > (n - 1) * PACKET, "{turn:?}");
        }
    }
}

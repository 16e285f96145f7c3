//! Strategies that share the link.

use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::{Duration, Instant};
use pagerace_delivery::registry;
use pagerace_delivery::strategies::firefox_group::{self, Group};
use pagerace_delivery::strategies::weighted_incremental::{shares, urgency_of_class};
use pagerace_delivery::strategies::{firefox_tree, weighted_round_robin};
use pagerace_sim::ResourceTiming;
use proptest::prelude::*;
use proptest::sample::select;

use crate::wire::{CLEAN, PACKET, Sent, Wire, items, load, network};

/// Checks that at every moment each response has its share of the bytes in `sent`, with a
/// tolerance of `packets` packets.
pub(crate) fn share(
    sent: &[Sent],
    weights: &BTreeMap<usize, f64>,
    packets: u64,
) -> Result<(), TestCaseError> {
    let sum: f64 = weights.values().sum();
    let mut got: BTreeMap<usize, u64> = weights.keys().map(|who| (*who, 0)).collect();
    let mut total = 0;
    for s in sent.iter().filter(|s| s.new > 0) {
        *got.get_mut(&s.who).expect("it has a weight") += s.new;
        total += s.new;
        for (who, weight) in weights {
            let off = got[who] as f64 - total as f64 * weight / sum;
            let bound = (packets * PACKET) as f64;
            prop_assert!(off.abs() <= bound, "{off} bytes off: {who} of {weights:?}");
        }
    }
    Ok(())
}

/// Returns the tolerance of shares in packets, as explained in the crate documentation.
pub(crate) fn share_bound(network: &str) -> u64 {
    if network == CLEAN { 2 } else { 3 }
}

/// Returns the shares among `these` by equations 1 and 2 of Gupta 2024.
fn gupta(wire: &Wire, these: &BTreeSet<usize>, alpha: f64) -> BTreeMap<usize, f64> {
    let urgency = |who: &usize| usize::from(urgency_of_class(wire.facts(*who).class));
    let mut counts = [0; 8];
    for who in these {
        counts[urgency(who)] += 1;
    }
    let shares = shares(alpha, counts);
    these
        .iter()
        .map(|who| (*who, shares[urgency(who)]))
        .collect()
}

/// Checks the shares of the children of a node of the tree; `None` is the root. A child
/// group stands for all responses below it and has the identifier 1000 plus its own
/// number.
fn share_below(
    wire: &Wire,
    contest: &[Sent],
    node: Option<Group>,
    packets: u64,
) -> Result<(), TestCaseError> {
    let group = |who: usize| Group::of(&wire.facts(who));
    let mut weights = BTreeMap::new();
    // Returns the child of `node` that a response belongs to, and the child's weight.
    let child = |who: usize| {
        let mut at = group(who);
        if node == Some(at) {
            return Some((who, firefox_group::weight(&wire.facts(who))));
        }
        while firefox_tree::parent(at) != node {
            at = firefox_tree::parent(at)?;
        }
        Some((1_000 + at as usize, firefox_tree::group_weight(at)))
    };
    for (id, weight) in wire.left.keys().filter_map(|who| child(*who)) {
        weights.insert(id, f64::from(weight));
    }
    let below = contest.iter().filter_map(|s| {
        Some(Sent {
            who: child(s.who)?.0,
            ..*s
        })
    });
    share(&below.collect::<Vec<_>>(), &weights, packets)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn weighted_round_robin_shares_by_kind(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "weighted-round-robin", seed);
        let all = wire.all();
        let weight = |who: usize| f64::from(weighted_round_robin::weight(&wire.facts(who)));
        let weights = all.iter().map(|who| (*who, weight(*who))).collect();
        share(&wire.contest(&all), &weights, share_bound(network))?;
    }

    #[test]
    fn weighted_incremental_shares_by_the_formula(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.25, 0.5, 0.75, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("weighted-incremental:alpha={alpha}"), seed);
        let all = wire.all();
        share(&wire.contest(&all), &gupta(&wire, &all, alpha), share_bound(network))?;
    }

    #[test]
    fn alpha_0_sends_what_round_robin_sends(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let ours = load(&items, network, "weighted-incremental:alpha=0", seed);
        let theirs = load(&items, network, "round-robin", seed);
        let equal = |wire: &Wire| wire.all().iter().map(|who| (*who, 1.0)).collect();
        for wire in [&ours, &theirs] {
            share(&wire.contest(&wire.all()), &equal(wire), share_bound(network))?;
        }
    }

    #[test]
    fn hybrid_sends_what_blocks_rendering_first_and_shares_the_rest(
        items in items(3..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.5, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("hybrid:alpha={alpha}"), seed);
        let blocks = |who: usize| wire.facts(who).render_blocking;
        let class = |who: usize| blocks(who).then_some(wire.facts(who).class);
        // `None` sorts first.
        wire.strict(|who| (class(who).is_none(), class(who)))?;
        wire.one_by_one(class)?;
        let rest: BTreeSet<usize> = wire.all().into_iter().filter(|who| !blocks(*who)).collect();
        share(&wire.contest(&rest), &gupta(&wire, &rest, alpha), share_bound(network))?;
    }

    #[test]
    fn the_tree_shares_at_every_node(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
    ) {
        let wire = load(&items, network, "firefox-tree", seed);
        let all = wire.all();
        let contest = wire.contest(&all);
        for node in std::iter::once(None).chain(Group::ALL.map(Some)) {
            share_below(&wire, &contest, node, share_bound(network))?;
        }
    }

    /// While a response has bytes left, the bytes of others between two of its own frames
    /// are bounded by its greatest arrears. This is the law of shares from the view of a
    /// waiting response.
    #[test]
    fn whoever_shares_never_starves(
        items in items(2..9), network in network(), seed in 0_u64..1_000,
        alpha in select(&[0.0, 0.5, 1.0][..]),
    ) {
        let wire = load(&items, network, &format!("weighted-incremental:alpha={alpha}"), seed);
        let all = wire.all();
        for (who, share) in gupta(&wire, &all, alpha) {
            let longest = wire
                .contest(&all)
                .split(|s| s.who == who && s.new > 0)
                .map(|gap| gap.iter().map(|s| s.new).sum::<u64>())
                .max();
            let bound = (share_bound(network) * PACKET) as f64 / share;
            prop_assert!(longest.unwrap_or(0) as f64 <= bound, "{who} waits for {longest:?}");
        }
    }

    /// The same bytes take the same time in any order: no strategy leaves the link idle,
    /// and packets are full. The space left in a packet at the end of a response may be
    /// too small for another frame.
    #[test]
    fn no_strategy_wastes_the_link(items in items(2..9)) {
        let loads = registry().iter().map(|info| load(&items, CLEAN, info.name, 1).outcome);
        let spans = loads.map(|outcome| {
            let ends = outcome.resources.iter().flatten().map(ResourceTiming::response_end);
            (ends.max().unwrap(), outcome.transport.packets_sent)
        });
        let spans: Vec<(Instant, u64)> = spans.collect();
        let (first, last) = (spans.iter().min().unwrap(), spans.iter().max().unwrap());
        // The rate is 20 Mbit/s. IP and UDP headers are not part of the packet size.
        let packet = Duration::from_nanos((PACKET + 28) * 8 * 50);
        let slack = packet.mul_f64(items.len() as f64);
        prop_assert!(last.0.since(first.0) <= slack, "{spans:?}");
        let packets = spans.iter().map(|s| s.1);
        let (fewest, most) = (packets.clone().min().unwrap(), packets.max().unwrap());
        prop_assert!(most - fewest <= items.len() as u64, "{spans:?}");
    }
}

//! Shares: bytes follow the weights, exact to one packet.

use std::collections::BTreeMap;

use pagerace_delivery::Response;
use pagerace_delivery::strategies::firefox_group::{self, Group};
use pagerace_delivery::strategies::weighted_incremental::{shares, urgency_of_class};
use pagerace_delivery::strategies::{firefox_tree, weighted_round_robin};
use proptest::prelude::*;

use crate::bench::{Bench, PACKET_BYTES, response};
use crate::order::class;
use crate::pages;
use crate::watch::{Choice, run};

/// Returns the choices made while all `count` responses are ready, which end when the first
/// response is complete.
fn contested(choices: &[Choice], count: usize) -> impl Iterator<Item = &Choice> {
    choices.iter().filter(move |c| c.ready.len() == count)
}

/// Checks that after every packet each stream of `weights` has its share of the bytes,
/// within one packet.
fn share<'a>(
    choices: impl Iterator<Item = &'a Choice>,
    weights: &BTreeMap<u64, f64>,
) -> Result<(), TestCaseError> {
    let sum: f64 = weights.values().sum();
    let mut bytes: BTreeMap<u64, u64> = weights.keys().map(|s| (*s, 0)).collect();
    let mut total = 0;
    for choice in choices {
        *bytes.get_mut(&choice.stream()).expect("it has a weight") += choice.bytes;
        total += choice.bytes;
        for (stream, weight) in weights {
            let off = bytes[stream] as f64 - total as f64 * weight / sum;
            // Fixed-point weights may cost a byte over a run.
            let bound = (PACKET_BYTES + 1) as f64;
            prop_assert!(
                off.abs() <= bound,
                "{off} bytes off: {stream} of {weights:?}"
            );
        }
    }
    Ok(())
}

fn by_stream(responses: &[Response], weight: impl Fn(&Response) -> f64) -> BTreeMap<u64, f64> {
    responses.iter().map(|r| (r.stream, weight(r))).collect()
}

/// Returns the weights of equation 1 as the paper writes it, before equation 2.
fn gupta(
    alpha: f64,
    responses: &[Response],
    urgency: impl Fn(&Response) -> u8,
) -> BTreeMap<u64, f64> {
    let n = responses.len() as f64;
    by_stream(responses, |r| {
        let alike = responses
            .iter()
            .filter(|o| urgency(o) == urgency(r))
            .count();
        alpha / (f64::from(urgency(r)) + alike as f64 / n) + (1.0 - alpha) / n
    })
}

proptest! {
    #[test]
    fn weighted_round_robin_shares_by_kind((responses, bench) in pages::together()) {
        let weight = |r: &Response| f64::from(weighted_round_robin::weight(&r.facts));
        let choices = run("weighted-round-robin", &bench).choices;
        share(contested(&choices, responses.len()), &by_stream(&responses, weight))?;
    }

    /// Two responses that compete without a break drift apart by at most two packets at the
    /// lightest weight, whichever others arrive and leave.
    #[test]
    fn weighted_round_robin_shares_as_others_come_and_go(page in pages::arrivals()) {
        let choices = run("weighted-round-robin", &page.bench).choices;
        let weight = |r: &Response| f64::from(weighted_round_robin::weight(&r.facts));
        let all = || choices.iter().flat_map(|c| &c.ready);
        let lightest = all().map(weight).fold(f64::INFINITY, f64::min);
        let streams: Vec<_> = page.lengths.keys().collect();
        let pairs = streams.iter().flat_map(|a| streams.iter().map(move |b| (*a, *b)));
        for (one, other) in pairs.filter(|(a, b)| a < b) {
            let (mut apart, mut least, mut most) = (0.0_f64, 0.0_f64, 0.0_f64);
            for choice in choices.iter().filter(|c| c.has(*one) && c.has(*other)) {
                let gain = choice.bytes as f64 / weight(choice.chosen());
                if choice.stream() == *one {
                    apart += gain;
                } else if choice.stream() == *other {
                    apart -= gain;
                }
                (least, most) = (least.min(apart), most.max(apart));
            }
            let bound = 2.0 * PACKET_BYTES as f64 / lightest;
            prop_assert!(most - least <= bound + 1.0, "{one} and {other}: {least} to {most}");
        }
    }

    #[test]
    fn weighted_incremental_shares_by_the_formula(
        (responses, bench) in pages::together(),
        alpha in 0_u32..=20,
        signalled in any::<bool>(),
    ) {
        let alpha = f64::from(alpha) / 20.0;
        let source = if signalled { "signalled" } else { "class" };
        let spec = format!("weighted-incremental:alpha={alpha}:urgency={source}");
        let weights = gupta(alpha, &responses, |r| {
            if signalled { r.signal.urgency } else { urgency_of_class(class(r)) }
        });
        let choices = run(&spec, &bench).choices;
        share(contested(&choices, responses.len()), &weights)?;
    }

    #[test]
    fn alpha_0_keeps_within_a_packet_of_round_robin((responses, _) in pages::together()) {
        let bench = Bench::of(responses.clone());
        let weights = by_stream(&responses, |_| 1.0);
        let choices = run("weighted-incremental:alpha=0", &bench).choices;
        share(contested(&choices, responses.len()), &weights)?;
        let other = run("round-robin", &bench).choices;
        let both = contested(&choices, responses.len()).zip(contested(&other, responses.len()));
        let mut lead: BTreeMap<u64, i64> = BTreeMap::new();
        for (ours, theirs) in both {
            *lead.entry(ours.stream()).or_default() += ours.bytes as i64;
            *lead.entry(theirs.stream()).or_default() -= theirs.bytes as i64;
            prop_assert!(lead.values().all(|l| l.unsigned_abs() <= PACKET_BYTES), "{lead:?}");
        }
    }

    #[test]
    fn hybrid_shares_among_the_rest((responses, bench) in pages::together()) {
        let rest: Vec<_> =
            responses.iter().filter(|r| !r.facts.render_blocking).cloned().collect();
        let weights = gupta(0.5, &rest, |r| urgency_of_class(class(r)));
        let choices = run("hybrid", &bench).choices;
        let unblocked = choices.iter().filter(|c| c.ready.iter().all(|r| !r.facts.render_blocking));
        let contested = unblocked.filter(|c| c.ready.len() == rest.len());
        share(contested, &weights)?;
    }

    #[test]
    fn shares_add_up_and_favour_the_urgent(
        counts in prop::array::uniform8(0_u32..30),
        alpha in 0.0_f64..=1.0,
    ) {
        prop_assume!(counts.iter().sum::<u32>() > 0);
        let shares = shares(alpha, counts);
        let present = || (0..8).filter(|u| counts[*u] > 0);
        let sum: f64 = present().map(|u| f64::from(counts[u]) * shares[u]).sum();
        prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        // `u + r_u` is at most `u + 1` and `r_u` is positive, so a more urgent response
        // never gets a smaller share.
        prop_assert!(present().map(|u| shares[u]).is_sorted_by(|a, b| a >= b), "{shares:?}");
    }

    #[test]
    fn the_tree_shares_at_every_node((responses, bench) in pages::together()) {
        let choices = run("firefox-tree", &bench).choices;
        let tree = Tree::of(&responses);
        let mut bytes: BTreeMap<Node, u64> = BTreeMap::new();
        for choice in contested(&choices, responses.len()) {
            let mut node = Some(Node::Stream(choice.stream()));
            while let Some(at) = node {
                *bytes.entry(at).or_default() += choice.bytes;
                node = tree.parents.get(&at).copied();
            }
            for (node, parent) in &tree.parents {
                let ours = |n: &Node| bytes.get(n).copied().unwrap_or(0) as f64;
                let ideal = ours(parent) * tree.weights[node] / tree.sum_below(*parent);
                let off = ours(node) - ideal;
                prop_assert!(off.abs() <= PACKET_BYTES as f64, "{node:?} is {off} bytes off");
            }
        }
    }
}

/// The dependency tree, for the test's own calculation.
#[derive(Default)]
struct Tree {
    parents: BTreeMap<Node, Node>,
    weights: BTreeMap<Node, f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Root,
    Group(Group),
    Stream(u64),
}

impl Tree {
    fn of(responses: &[Response]) -> Self {
        let mut tree = Self::default();
        for r in responses {
            let mut group = Group::of(&r.facts);
            let weight = firefox_group::weight(&r.facts);
            tree.hang(Node::Stream(r.stream), Node::Group(group), weight);
            while let Some(above) = firefox_tree::parent(group) {
                tree.hang(
                    Node::Group(group),
                    Node::Group(above),
                    firefox_tree::group_weight(group),
                );
                group = above;
            }
            tree.hang(
                Node::Group(group),
                Node::Root,
                firefox_tree::group_weight(group),
            );
        }
        tree
    }

    fn hang(&mut self, node: Node, parent: Node, weight: u32) {
        self.parents.insert(node, parent);
        self.weights.insert(node, f64::from(weight));
    }

    fn sum_below(&self, parent: Node) -> f64 {
        let children = self.parents.iter().filter(|(_, p)| **p == parent);
        children.map(|(child, _)| self.weights[child]).sum()
    }
}

#[test]
#[should_panic(expected = "bytes off")]
fn the_law_of_shares_can_be_broken() {
    let responses = [
        response(0, 100 * PACKET_BYTES),
        response(4, 100 * PACKET_BYTES),
    ];
    let choices = run("batched-round-robin:n=4", &Bench::of(responses.clone())).choices;
    share(contested(&choices, 2), &by_stream(&responses, |_| 1.0)).unwrap();
}

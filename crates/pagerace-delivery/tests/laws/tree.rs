//! The HTTP/2 dependency tree: parents go first, and siblings share by weight.

use std::collections::BTreeMap;

use pagerace_core::Dependency;
use pagerace_delivery::Strategy as _;
use pagerace_delivery::strategies::h2_tree::{H2Tree, RETAINED_MAX};
use proptest::prelude::*;

use crate::bench::{Bench, Event, PACKET_BYTES, response};
use crate::pages;
use crate::watch::run;

const fn under(parent: u64, weight: u16) -> Dependency {
    Dependency {
        parent,
        weight,
        exclusive: false,
    }
}

const fn exclusive(parent: u64, weight: u16) -> Dependency {
    Dependency {
        parent,
        weight,
        exclusive: true,
    }
}

/// Responses with these numbers of packets, on streams 1, 3, 5, ...
fn responses(packets: impl IntoIterator<Item = u64>) -> Bench {
    let streams = (1..).step_by(2);
    Bench::of(
        streams
            .zip(packets)
            .map(|(s, n)| response(s, n * PACKET_BYTES)),
    )
}

fn streams(bench: &Bench) -> Vec<u64> {
    run("h2-tree", bench)
        .sent
        .iter()
        .map(|s| s.stream)
        .collect()
}

/// Returns the number of packets of each stream among the first `count` packets.
fn counts(bench: &Bench, count: usize) -> BTreeMap<u64, usize> {
    let mut counts = BTreeMap::new();
    for stream in streams(bench).into_iter().take(count) {
        *counts.entry(stream).or_default() += 1;
    }
    counts
}

#[test]
fn without_signals_all_share_equally() {
    assert_eq!(streams(&responses([2, 2, 2])), [1, 3, 5, 1, 3, 5]);
}

#[test]
fn siblings_share_by_weight() {
    let mut bench = responses([10_000, 10_000, 10_000]);
    for (stream, weight) in [(1, 256), (3, 128), (5, 16)] {
        bench.at(0, Event::Depend(stream, under(0, weight)));
    }
    assert_eq!(counts(&bench, 400), [(1, 256), (3, 128), (5, 16)].into());
}

#[test]
fn a_parent_goes_first_and_its_children_take_over_when_it_is_blocked() {
    let mut bench = responses([4, 2, 2]);
    bench
        .at(0, Event::Depend(3, under(1, 16)))
        .at(0, Event::Depend(5, under(3, 16)))
        .at(1, Event::Block(1))
        .at(4, Event::Unblock(1));
    assert_eq!(streams(&bench), [1, 3, 3, 5, 1, 1, 1, 5]);
}

/// Chromium's usage: each stream depends exclusively on the one that it should follow.
#[test]
fn exclusive_insertion_makes_a_chain() {
    let mut bench = responses([1, 2, 2, 1]);
    bench
        .at(0, Event::Depend(1, exclusive(0, 256)))
        .at(0, Event::Depend(3, exclusive(1, 147)))
        .at(0, Event::Depend(5, exclusive(1, 220)))
        .at(0, Event::Depend(7, exclusive(3, 147)));
    assert_eq!(streams(&bench), [1, 5, 5, 3, 3, 7]);
}

/// The example of RFC 7540, section 5.3.3: A moves below its descendant D.
#[test]
fn a_stream_that_moves_below_its_descendant() {
    const A: u64 = 1;
    const B: u64 = 3;
    const C: u64 = 5;
    const D: u64 = 7;
    const E: u64 = 9;
    const F: u64 = 11;
    let tree = |move_to: Dependency| {
        // A has the children B and C, C has D and E, and D has F.
        let mut bench = responses([1; 6]);
        for (stream, parent) in [(A, 0), (B, A), (C, A), (D, C), (E, C), (F, D)] {
            bench.at(0, Event::Depend(stream, under(parent, 16)));
        }
        bench.at(0, Event::Depend(A, move_to));
        streams(&bench)
    };
    // D goes first, then F and A share. A has the children B and C, and C has E.
    assert_eq!(tree(under(D, 16)), [D, A, F, B, C, E]);
    // D goes first, then A. A has the children B, C and F.
    assert_eq!(tree(exclusive(D, 16)), [D, A, B, C, F, E]);
}

/// A group of weight 32, with members of weight 7 and 21, against a stream of weight 32.
/// The shares stay the same after the group's own stream is removed from the tree.
#[test]
fn groups_share_as_one_and_members_inherit_when_it_is_forgotten() {
    let mut bench = responses([10_000, 10_000, 10_000]);
    bench
        .at(0, Event::Depend(101, under(0, 32)))
        .at(0, Event::Depend(1, under(101, 7)))
        .at(0, Event::Depend(3, under(101, 21)))
        .at(0, Event::Depend(5, under(0, 32)));
    assert_eq!(counts(&bench, 400), [(1, 50), (3, 150), (5, 200)].into());
    // Enough idle streams to have the group removed.
    for idle in 0..RETAINED_MAX as u64 {
        bench.at(0, Event::Depend(1_001 + 2 * idle, under(0, 16)));
    }
    assert_eq!(counts(&bench, 400), [(1, 50), (3, 150), (5, 200)].into());
    // A stream that names a removed group gets the default weight, 16, at the root. Stream
    // 3 is beside it with an inherited weight of 24.
    bench.at(0, Event::Depend(1, under(101, 7)));
    assert_eq!(counts(&bench, 720), [(1, 160), (3, 240), (5, 320)].into());
}

#[test]
fn a_stream_that_has_ended_still_holds_its_children() {
    let mut bench = responses([1, 100, 100, 100]);
    bench
        .at(0, Event::Depend(3, under(1, 16)))
        .at(0, Event::Depend(5, under(1, 16)))
        // Stream 1 has ended by then.
        .at(10, Event::Depend(7, under(1, 16)));
    let sent = streams(&bench);
    assert!(!sent[2..10].contains(&1));
    // From then on, streams 3, 5 and 7 share the whole link, which stream 1 had.
    let late: Vec<_> = sent[20..50].iter().filter(|s| **s == 7).collect();
    assert_eq!(late.len(), 10);
}

/// A direct implementation of the RFC's tree: the parent of each stream.
#[derive(Default)]
struct Plain(BTreeMap<u64, u64>);

impl Plain {
    fn is_below(&self, mut stream: u64, ancestor: u64) -> bool {
        while stream != 0 {
            if stream == ancestor {
                return true;
            }
            stream = self.0[&stream];
        }
        false
    }

    fn place(&mut self, stream: u64, dependency: Dependency) {
        if dependency.parent == stream {
            return;
        }
        self.0.entry(stream).or_insert(0);
        let known = dependency.parent == 0 || self.0.contains_key(&dependency.parent);
        let (parent, exclusive) = if known {
            (dependency.parent, dependency.exclusive)
        } else {
            (0, false)
        };
        if self.is_below(parent, stream) {
            self.0.insert(parent, self.0[&stream]);
        }
        if exclusive {
            for (_, above) in self
                .0
                .iter_mut()
                .filter(|(s, p)| **s != stream && **p == parent)
            {
                *above = stream;
            }
        }
        self.0.insert(stream, parent);
    }
}

proptest! {
    /// For any signals, no stream goes before an ancestor that could send.
    #[test]
    fn no_ancestor_of_the_chosen_could_send(
        signals in prop::collection::vec((1_u64..12, pages::dependency()), 0..40),
    ) {
        let mut strategy = H2Tree::default();
        let mut plain = Plain::default();
        let all: Vec<_> = (1..12).map(|i| response(i * 4, 9 * PACKET_BYTES)).collect();
        for response in &all {
            strategy.handle_arrival(response);
            plain.0.insert(response.stream, 0);
        }
        for (stream, dependency) in signals {
            strategy.dependency(stream * 4, dependency);
            plain.place(stream * 4, dependency);
            for start in 0..3 {
                let ready: Vec<_> = all.iter().skip(start).step_by(start + 1).cloned().collect();
                let chosen = ready[strategy.pick(&ready)].stream;
                for other in ready.iter().filter(|r| r.stream != chosen) {
                    prop_assert!(
                        !plain.is_below(chosen, other.stream),
                        "{chosen} went before its ancestor {}", other.stream
                    );
                }
            }
        }
    }
}

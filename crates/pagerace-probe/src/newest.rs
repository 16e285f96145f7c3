//! RFC 7540's tree as Go implemented it before its servers took turns: the newest sibling first.
//!
//! Follows `golang.org/x/net/http2`, `writesched_priority.go`, of 2022, which Caddy 2.6 has:
//!
//! - A stream goes before its children, whoever of them is ready.
//! - Siblings of one weight go in the order of their places, which a stream that opens or moves
//!   takes first of all. So the newest request goes first.
//! - Siblings of several weights go by the bytes that their subtrees have sent, as a multiple of
//!   the weight. The weight 256 does not fit into its byte and counts as none.
//! - A response is copied in writes of 32 KiB (`io.Copy`). The copy is not ready between two of
//!   them, so another response gets one turn.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use pagerace_core::Dependency;
use pagerace_delivery::{Response, Strategy};

/// Bytes of a write.
const WRITE: u64 = 32 * 1024;

/// The parent of streams that depend on none.
const ROOT: u64 = 0;

/// The strategy.
#[derive(Default)]
pub(crate) struct Newest {
    nodes: BTreeMap<u64, Node>,
    /// The children of each stream in their order.
    children: BTreeMap<u64, Vec<u64>>,
    /// The response between two writes.
    resting: Option<u64>,
}

struct Node {
    parent: u64,
    weight: u16,
    /// Bytes that the stream and those below it have sent.
    bytes: u64,
}

impl Newest {
    /// Adds a stream that is not known.
    fn open(&mut self, stream: u64) {
        if let Entry::Vacant(place) = self.nodes.entry(stream) {
            let Dependency { weight, .. } = Dependency::default();
            place.insert(Node {
                parent: ROOT,
                weight,
                bytes: 0,
            });
            self.children.entry(ROOT).or_default().insert(0, stream);
        }
    }

    /// Gives a stream another parent, whose first child it becomes.
    fn place(&mut self, stream: u64, parent: u64) {
        let Some(node) = self.nodes.get_mut(&stream) else {
            return;
        };
        let before = std::mem::replace(&mut node.parent, parent);
        if before != parent {
            let siblings = self.children.entry(before).or_default();
            siblings.retain(|other| *other != stream);
            self.children.entry(parent).or_default().insert(0, stream);
        }
    }

    /// Returns the stream and those above it.
    fn line(&self, stream: u64) -> Vec<u64> {
        let above = |at: &u64| self.nodes.get(at).map(|node| node.parent);
        std::iter::successors(Some(stream), above).collect()
    }

    /// Returns the first ready stream at or below this one.
    fn first(&mut self, at: u64, ready: &BTreeSet<u64>) -> Option<u64> {
        if ready.contains(&at) {
            return Some(at);
        }
        let mut children = self.children.remove(&at)?;
        self.sort(&mut children);
        let found = children.iter().find_map(|child| self.first(*child, ready));
        self.children.insert(at, children);
        found
    }

    fn sort(&self, siblings: &mut [u64]) {
        let key = |stream: &u64| {
            let node = &self.nodes[stream];
            let weight = node.weight % 256;
            (node.bytes as f64 / f64::from(weight), weight, node.bytes)
        };
        let first = siblings.first().map(|stream| key(stream).1);
        if siblings.iter().all(|stream| Some(key(stream).1) == first) {
            return;
        }
        // Go's comparison puts the later one of equals first.
        siblings.reverse();
        siblings.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            match (a.2, b.2) {
                (0, 0) => b.1.cmp(&a.1),
                (0, _) => std::cmp::Ordering::Less,
                (_, 0) => std::cmp::Ordering::Greater,
                _ => a.0.total_cmp(&b.0),
            }
        });
    }
}

impl Strategy for Newest {
    fn handle_arrival(&mut self, response: &Response) {
        self.open(response.stream);
    }

    fn dependency(&mut self, stream: u64, dependency: Dependency) {
        let Dependency {
            parent,
            weight,
            exclusive,
        } = dependency;
        self.open(stream);
        let known = parent == ROOT || self.nodes.contains_key(&parent);
        let parent = if known { parent } else { ROOT };
        if parent == stream {
            return;
        }
        // A stream cannot depend on one below it, which takes its place first.
        if self.line(parent).contains(&stream) {
            let above = self.nodes[&stream].parent;
            self.place(parent, above);
        }
        if exclusive {
            for other in self.children.get(&parent).cloned().unwrap_or_default() {
                if other != stream {
                    self.place(other, stream);
                }
            }
        }
        self.place(stream, parent);
        if let Some(node) = self.nodes.get_mut(&stream) {
            node.weight = weight;
        }
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let resting = self.resting.take().filter(|_| ready.len() > 1);
        let streams = ready.iter().map(|response| response.stream);
        let awake = streams.filter(|stream| Some(*stream) != resting).collect();
        let first = self.first(ROOT, &awake);
        let place = ready.iter().position(|r| Some(r.stream) == first);
        place.expect("every response has arrived")
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        for stream in self.line(response.stream) {
            if let Some(node) = self.nodes.get_mut(&stream) {
                node.bytes += bytes;
            }
        }
        let before = response.sent - bytes;
        if before / WRITE < response.sent / WRITE {
            self.resting = Some(response.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use pagerace_core::Priority;
    use pagerace_peer::server::UNKNOWN;

    use super::*;

    const LENGTH: u64 = 54_000;
    const PIECE: u64 = 1_200;

    /// Sends all responses and returns the streams in runs, with their bytes.
    fn runs(strategy: &mut Newest, streams: &[u64]) -> Vec<(u64, u64)> {
        let mut ready: Vec<Response> = streams
            .iter()
            .map(|stream| Response {
                stream: *stream,
                signal: Priority::default(),
                facts: UNKNOWN,
                length: LENGTH,
                sent: 0,
            })
            .collect();
        for response in &ready {
            strategy.handle_arrival(response);
        }
        let mut runs: Vec<(u64, u64)> = Vec::new();
        while !ready.is_empty() {
            let i = strategy.pick(&ready);
            ready[i].sent += PIECE;
            strategy.handle_sent(&ready[i], PIECE);
            let stream = ready[i].stream;
            match runs.last_mut() {
                Some((last, bytes)) if *last == stream => *bytes += PIECE,
                _ => runs.push((stream, PIECE)),
            }
            ready.retain(|response| response.remaining() > 0);
        }
        runs
    }

    #[test]
    fn the_newest_goes_first_and_rests_between_writes() {
        let runs = runs(&mut Newest::default(), &[1, 3, 5]);
        let expected = [
            (5, 33_600),
            (3, 1_200),
            (5, 20_400),
            (3, 32_400),
            (1, 1_200),
            (3, 20_400),
            (1, 52_800),
        ];
        assert_eq!(runs, expected);
    }

    #[test]
    fn parents_go_before_children() {
        let mut strategy = Newest::default();
        let below = |parent| Dependency {
            parent,
            exclusive: true,
            ..Dependency::default()
        };
        // A chain of 1, 5 and 3.
        for (stream, parent) in [(1, 0), (3, 1), (5, 1)] {
            strategy.dependency(stream, below(parent));
        }
        let mut order: Vec<u64> = runs(&mut strategy, &[1, 3, 5])
            .into_iter()
            .filter(|(_, bytes)| *bytes > PIECE)
            .map(|(stream, _)| stream)
            .collect();
        order.dedup();
        assert_eq!(order, [1, 5, 3]);
    }

    #[test]
    fn weights_are_shares_and_the_largest_is_none() {
        let mut strategy = Newest::default();
        for (stream, weight) in [(1, 32), (3, 16), (5, 256)] {
            strategy.dependency(
                stream,
                Dependency {
                    weight,
                    ..Dependency::default()
                },
            );
        }
        let runs = runs(&mut strategy, &[1, 3, 5]);
        let first: Vec<u64> = runs.iter().take(3).map(|(stream, _)| *stream).collect();
        assert_eq!(
            first,
            [1, 3, 5],
            "each has one turn, the largest weight last"
        );
        let of = |stream: u64, first: &[(u64, u64)]| {
            let own = first.iter().filter(|(other, _)| *other == stream);
            own.map(|(_, bytes)| bytes).sum::<u64>()
        };
        let half = &runs[..runs.len() / 2];
        let ratio = of(1, half) as f64 / of(3, half) as f64;
        assert!((1.5..2.5).contains(&ratio), "{ratio}: {runs:?}");
        assert_eq!(runs.last().map(|(stream, _)| *stream), Some(5));
    }
}

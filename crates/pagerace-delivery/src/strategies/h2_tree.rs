//! The HTTP/2 dependency tree, as the client signals it.
//!
//! Follows RFC 7540, section 5.3, <https://www.rfc-editor.org/rfc/rfc7540#section-5.3>. A
//! stream's children get nothing while the stream itself can send (5.3.1), and siblings
//! share by weight (5.3.2). A stream without a signalled parent depends on the root with
//! weight 16 (5.3.5). All streams therefore share equally over HTTP/3, or if the client
//! signals no dependencies.
//!
//! Ended streams stay in the tree, as late signals may still name them. At most
//! [`RETAINED_MAX`] of them are kept. Beyond that the oldest are removed, and their
//! children inherit their weight in proportion (5.3.4). The same applies to streams that
//! were named but never sent anything.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pagerace_core::Dependency;

use crate::share::{Contest, Lane, Weight};
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "h2-tree",
    summary: "HTTP/2's dependency tree as the client signals it: parents first, siblings share by weight",
    source: "RFC 7540, section 5.3",
    parameters: &[],
    build: |_: &Values| Box::new(H2Tree::default()),
};

/// The maximum number of streams kept in the tree that have nothing to send.
pub const RETAINED_MAX: usize = 256;

/// Fractional bits of a weight, so that inherited shares are not rounded away.
const WEIGHT_BITS: u32 = 16;

/// Key of the root. On the wire the root is stream 0, which is a request stream in HTTP/3.
const ROOT: u64 = u64::MAX;

#[derive(Clone, Debug)]
struct Node {
    parent: u64,
    /// In ascending order, as ties go to the earlier request.
    children: Vec<u64>,
    /// Weight in fixed-point representation.
    weight: u32,
    lane: Lane,
    contest: Contest<u64>,
    /// True if the stream's response has arrived and has not left.
    active: bool,
    /// Number of the event that last named, started or ended the stream.
    touched: u64,
    /// The last pick in which a response in the node's subtree was ready.
    live: u64,
    /// The last pick in which the stream's own response was ready.
    ready: u64,
    /// Index and remaining bytes of the response in that pick.
    offer: (usize, u64),
}

impl Node {
    fn new(parent: u64, weight: u32) -> Self {
        Self {
            parent,
            children: Vec::new(),
            weight,
            lane: Lane::new(lane_weight(weight)),
            contest: Contest::default(),
            active: false,
            touched: 0,
            live: 0,
            ready: 0,
            offer: (0, 0),
        }
    }
}

fn lane_weight(weight: u32) -> Weight {
    Weight::real(f64::from(weight) / f64::from(1_u32 << WEIGHT_BITS))
}

const fn fixed(weight: u16) -> u32 {
    (weight as u32) << WEIGHT_BITS
}

/// The HTTP/2 dependency tree strategy.
#[derive(Clone, Debug)]
pub struct H2Tree {
    nodes: BTreeMap<u64, Node>,
    picks: u64,
    events: u64,
    /// Number of nodes, excluding the root, that have nothing to send.
    retained: usize,
}

impl Default for H2Tree {
    fn default() -> Self {
        Self {
            nodes: BTreeMap::from([(ROOT, Node::new(ROOT, fixed(1)))]),
            picks: 0,
            events: 0,
            retained: 0,
        }
    }
}

impl H2Tree {
    fn node(&mut self, stream: u64) -> &mut Node {
        self.nodes.get_mut(&stream).expect("it is in the tree")
    }

    /// Makes a detached stream a child of `parent`.
    fn attach(&mut self, stream: u64, parent: u64) {
        let siblings = &mut self.node(parent).children;
        let at = siblings.partition_point(|s| *s < stream);
        siblings.insert(at, stream);
        let node = self.node(stream);
        node.parent = parent;
        // A lead or lag among the previous siblings means nothing here.
        node.lane = Lane::new(lane_weight(node.weight));
    }

    fn detach(&mut self, stream: u64) {
        let parent = self.node(stream).parent;
        self.node(parent).children.retain(|c| *c != stream);
    }

    /// Adds a stream with the default priority if it is not in the tree.
    fn ensure(&mut self, stream: u64) {
        if let Entry::Vacant(entry) = self.nodes.entry(stream) {
            entry.insert(Node::new(ROOT, fixed(Dependency::default().weight)));
            self.attach(stream, ROOT);
            self.retained += 1;
        }
        self.touch(stream);
    }

    fn touch(&mut self, stream: u64) {
        self.events += 1;
        self.node(stream).touched = self.events;
    }

    fn is_below(&self, mut stream: u64, ancestor: u64) -> bool {
        while stream != ROOT {
            if stream == ancestor {
                return true;
            }
            stream = self.nodes[&stream].parent;
        }
        false
    }

    /// Moves a stream to its signalled position (RFC 7540, section 5.3.3).
    fn place(&mut self, stream: u64, dependency: Dependency) {
        // A parent that is not in the tree results in the default priority (5.3.1).
        let at_root = dependency.parent == 0;
        let known = at_root || self.nodes.contains_key(&dependency.parent);
        let Dependency {
            parent,
            weight,
            exclusive,
        } = if known {
            dependency
        } else {
            Dependency::default()
        };
        let parent = if at_root || !known { ROOT } else { parent };
        if self.is_below(parent, stream) {
            // The new parent is a descendant, so it first moves to the stream's position.
            let above = self.node(stream).parent;
            self.detach(parent);
            self.attach(parent, above);
        }
        self.detach(stream);
        self.node(stream).weight = fixed(weight.clamp(1, 256));
        if exclusive {
            let adopted = std::mem::take(&mut self.node(parent).children);
            for child in adopted {
                self.attach(child, stream);
            }
        }
        self.attach(stream, parent);
    }

    /// Removes the oldest streams that have nothing to send, beyond [`RETAINED_MAX`].
    fn evict(&mut self) {
        while self.retained > RETAINED_MAX {
            let idle = self.nodes.iter().filter(|(s, n)| **s != ROOT && !n.active);
            let Some((&stream, _)) = idle.min_by_key(|(_, n)| n.touched) else {
                return;
            };
            self.remove(stream);
        }
    }

    /// Removes a stream. Its children share its weight (RFC 7540, section 5.3.4).
    fn remove(&mut self, stream: u64) {
        self.detach(stream);
        let Some(gone) = self.nodes.remove(&stream) else {
            return;
        };
        self.retained -= 1;
        let sum: u64 = gone
            .children
            .iter()
            .map(|c| u64::from(self.nodes[c].weight))
            .sum();
        for child in gone.children {
            let node = self.node(child);
            let share = u64::from(gone.weight) * u64::from(node.weight) / sum;
            node.weight = u32::try_from(share).map_or(u32::MAX, |w| w.max(1));
            self.attach(child, gone.parent);
        }
    }
}

impl Strategy for H2Tree {
    fn dependency(&mut self, stream: u64, dependency: Dependency) {
        if dependency.parent == stream {
            return;
        }
        self.ensure(stream);
        self.place(stream, dependency);
        self.evict();
    }

    fn handle_arrival(&mut self, response: &Response) {
        self.ensure(response.stream);
        let node = self.node(response.stream);
        if !std::mem::replace(&mut node.active, true) {
            self.retained -= 1;
        }
        self.evict();
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        self.picks += 1;
        let pick = self.picks;
        for (index, response) in ready.iter().enumerate() {
            let node = self.node(response.stream);
            node.ready = pick;
            node.offer = (index, response.remaining());
            let mut at = response.stream;
            loop {
                let node = self.node(at);
                if std::mem::replace(&mut node.live, pick) == pick || at == ROOT {
                    break;
                }
                at = node.parent;
            }
        }
        let mut at = ROOT;
        loop {
            let node = self.node(at);
            if node.ready == pick {
                return node.offer.0;
            }
            let children = std::mem::take(&mut node.children);
            let mut contest = std::mem::take(&mut node.contest);
            contest.open();
            for child in &children {
                let node = self.node(*child);
                if node.live == pick {
                    // A subtree whose top stream is not ready counts as having a full
                    // packet to send.
                    let own = node.ready == pick;
                    let remaining = if own { node.offer.1 } else { u64::MAX };
                    contest.enter(&mut node.lane, *child, remaining);
                }
            }
            let winner = contest.close().expect("something below is ready");
            let node = self.node(at);
            node.children = children;
            node.contest = contest;
            at = winner;
        }
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        let mut stream = response.stream;
        while stream != ROOT && self.nodes.contains_key(&stream) {
            let node = self.node(stream);
            let (parent, mut lane) = (node.parent, node.lane);
            self.node(parent).contest.charge(&mut lane, bytes);
            self.node(stream).lane = lane;
            stream = parent;
        }
    }

    fn handle_end(&mut self, stream: u64) {
        if self.nodes.get(&stream).is_some_and(|node| node.active) {
            self.node(stream).active = false;
            self.retained += 1;
            self.touch(stream);
            self.evict();
        }
    }
}

//! Firefox's HTTP/2 dependency tree.
//!
//! Follows Sander 2022, section IV-B1, "Firefox", and Firefox's own source
//! (`Http2Session`) for the groups and their weights:
//!
//! ```text
//! root ─┬─ urgent start 241
//!       ├─ leaders 201 ─── followers 1
//!       ├─ unblocked 101
//!       └─ background 1 ── speculative 1
//! ```
//!
//! Requests are children of their group. Siblings share by weight (RFC 7540, section 5.3.2,
//! <https://www.rfc-editor.org/rfc/rfc7540#section-5.3.2>). A group node stands for a
//! stream that is never opened. It never has anything to send itself, so it never blocks
//! its children. The followers are therefore siblings of the leaders' requests and have
//! weight 1.
//!
//! [`firefox_group`](super::firefox_group) defines the weights of requests. Sander took
//! them from traces, which are not published in the paper.

use super::firefox_group::{Group, weight};
use crate::share::{Contest, Lane, Weight};
use crate::streams::Streams;
use crate::{Response, Strategy, StrategyInfo, Values};

/// The registry entry of this strategy.
pub(crate) const INFO: StrategyInfo = StrategyInfo {
    name: "firefox-tree",
    summary: "Firefox's HTTP/2 dependency tree: groups share by weight, and responses share inside groups",
    source: "Sander 2022, section IV-B1, \"Firefox\"; RFC 7540, section 5.3; Firefox's source",
    parameters: &[],
    build: |_: &Values| Box::new(FirefoxTree::default()),
};

/// Returns the weight of a group among its siblings: the byte on the wire plus one.
pub const fn group_weight(group: Group) -> u32 {
    match group {
        Group::UrgentStart => 241,
        Group::Leader => 201,
        Group::Unblocked => 101,
        Group::Follower | Group::Background | Group::Speculative => 1,
    }
}

/// Returns the parent of a group, or `None` for groups at the root.
pub const fn parent(group: Group) -> Option<Group> {
    match group {
        Group::Follower => Some(Group::Leader),
        Group::Speculative => Some(Group::Background),
        _ => None,
    }
}

/// All groups, with children before their parents.
const UPWARDS: [Group; 6] = [
    Group::Follower,
    Group::Speculative,
    Group::UrgentStart,
    Group::Leader,
    Group::Unblocked,
    Group::Background,
];

/// A child of a group: a ready response, by its index, or another group.
#[derive(Clone, Copy, Debug)]
enum Child {
    Response(usize),
    Group(Group),
}

/// A group node, with its lane among its siblings and the contest of its children.
#[derive(Clone, Debug)]
struct Node {
    lane: Lane,
    children: Contest<Child>,
    /// Remaining bytes of the ready responses in the subtree.
    remaining: u64,
}

/// The Firefox dependency tree strategy.
#[derive(Clone, Debug)]
pub(crate) struct FirefoxTree {
    root: Contest<Group>,
    nodes: [Node; 6],
    streams: Streams<(Group, Lane)>,
}

impl Default for FirefoxTree {
    fn default() -> Self {
        let nodes = Group::ALL.map(|group| Node {
            lane: Lane::new(Weight::whole(group_weight(group))),
            children: Contest::default(),
            remaining: 0,
        });
        Self {
            root: Contest::default(),
            nodes,
            streams: Streams::default(),
        }
    }
}

impl Strategy for FirefoxTree {
    fn handle_arrival(&mut self, response: &Response) {
        let lane = Lane::new(Weight::whole(weight(&response.facts)));
        self.streams
            .insert(response.stream, (Group::of(&response.facts), lane));
    }

    fn pick(&mut self, ready: &[Response]) -> usize {
        let Self {
            root,
            nodes,
            streams,
        } = self;
        root.open();
        for node in nodes.iter_mut() {
            node.children.open();
            node.remaining = 0;
        }
        streams.each_ready(ready, |index, response, (group, lane)| {
            let node = &mut nodes[*group as usize];
            node.remaining = node.remaining.saturating_add(response.remaining());
            node.children
                .enter(lane, Child::Response(index), response.remaining());
        });
        for group in UPWARDS {
            let Node {
                mut lane,
                remaining,
                ..
            } = nodes[group as usize];
            if remaining == 0 {
                continue;
            }
            match parent(group) {
                Some(parent) => {
                    let parent = &mut nodes[parent as usize];
                    parent.remaining = parent.remaining.saturating_add(remaining);
                    parent
                        .children
                        .enter(&mut lane, Child::Group(group), remaining);
                }
                None => root.enter(&mut lane, group, remaining),
            }
            nodes[group as usize].lane = lane;
        }
        let mut group = root.close().expect("something is ready");
        loop {
            match nodes[group as usize]
                .children
                .close()
                .expect("the group has something ready")
            {
                Child::Response(index) => return index,
                Child::Group(child) => group = child,
            }
        }
    }

    fn handle_sent(&mut self, response: &Response, bytes: u64) {
        let Self {
            root,
            nodes,
            streams,
        } = self;
        let Some((group, lane)) = streams.get_mut(response.stream) else {
            return;
        };
        nodes[*group as usize].children.charge(lane, bytes);
        let mut group = *group;
        while let Some(above) = parent(group) {
            let mut lane = nodes[group as usize].lane;
            nodes[above as usize].children.charge(&mut lane, bytes);
            nodes[group as usize].lane = lane;
            group = above;
        }
        root.charge(&mut nodes[group as usize].lane, bytes);
    }

    fn handle_end(&mut self, stream: u64) {
        self.streams.remove(stream);
    }
}

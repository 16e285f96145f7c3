//! The dependency tree that Chromium signals over HTTP/2.
//!
//! Every stream depends, exclusively, on the last one of the same or a more
//! urgent priority: the tree is a chain. Source: Chromium,
//! `net/spdy/http2_priority_dependencies.cc`.

use pagerace_core::{Dependency, Priority};

/// Weights by urgency, from 4 on the last: measured, Chromium 156.
const WEIGHTS: [u16; 5] = [256, 220, 183, 147, 110];

/// Open requests by urgency, each ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    levels: [Vec<u64>; 8],
}

fn weight(level: usize) -> u16 {
    WEIGHTS[level.min(WEIGHTS.len() - 1)]
}

fn level(priority: Priority) -> usize {
    usize::from(priority.urgency.min(7))
}

impl Tree {
    /// Where a request that is about to be opened belongs.
    pub(super) fn place(&self, priority: Priority) -> Dependency {
        let level = level(priority);
        below(self.last(level), level)
    }

    /// It was opened.
    pub(super) fn open(&mut self, stream: u64, priority: Priority) {
        self.levels[level(priority)].push(stream);
    }

    /// It is over.
    pub(super) fn close(&mut self, stream: u64) {
        for level in &mut self.levels {
            level.retain(|s| *s != stream);
        }
    }

    /// Moves an open request. What to signal, in this order: first who takes the
    /// place that it leaves, then its own new place.
    pub(super) fn update(&mut self, stream: u64, priority: Priority) -> Vec<(u64, Dependency)> {
        let chain: Vec<(usize, u64)> = (0..)
            .zip(&self.levels)
            .flat_map(|(level, streams)| streams.iter().map(move |s| (level, *s)))
            .collect();
        let Some(at) = chain.iter().position(|(_, s)| *s == stream) else {
            return Vec::new();
        };
        let new = level(priority);
        if chain[at].0 == new {
            return Vec::new();
        }
        let old_parent = at.checked_sub(1).map(|above| chain[above].1);
        self.close(stream);
        let parent = self.last(new);
        self.open(stream, priority);
        let mut signals = Vec::new();
        if parent != old_parent
            && let Some((level, child)) = chain.get(at + 1)
        {
            signals.push((*child, below(old_parent, *level)));
        }
        signals.push((stream, below(parent, new)));
        signals
    }

    /// The last request of this level or a more urgent one.
    fn last(&self, level: usize) -> Option<u64> {
        let mut levels = self.levels[..=level].iter().rev();
        levels.find_map(|streams| streams.last()).copied()
    }
}

fn below(parent: Option<u64>, level: usize) -> Dependency {
    Dependency {
        parent: parent.unwrap_or(0),
        weight: weight(level),
        exclusive: true,
    }
}

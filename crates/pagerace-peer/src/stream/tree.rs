//! Dependency tree that Chromium signals over HTTP/2.
//!
//! Every stream depends exclusively on the last stream of the same or a higher priority,
//! so the tree is a chain. Source: Chromium, `net/spdy/http2_priority_dependencies.cc`.

use pagerace_core::{Dependency, Priority};

/// Weights by urgency, as measured in Chromium 156. Urgencies from 4 on have the last
/// one.
const WEIGHTS: [u16; 5] = [256, 220, 183, 147, 110];

/// Open requests by urgency, each list ascending.
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
    /// Returns the dependency of a request that is about to be opened.
    pub(super) fn place(&self, priority: Priority) -> Dependency {
        let level = level(priority);
        below(self.last(level), level)
    }

    /// Adds an opened request.
    pub(super) fn open(&mut self, stream: u64, priority: Priority) {
        self.levels[level(priority)].push(stream);
    }

    /// Removes a request that has ended.
    pub(super) fn close(&mut self, stream: u64) {
        for level in &mut self.levels {
            level.retain(|s| *s != stream);
        }
    }

    /// Moves an open request. Returns the dependencies to signal, in order: first that of
    /// the request's former child, then that of the request itself.
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

    /// Returns the last request of this level or a more urgent one.
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

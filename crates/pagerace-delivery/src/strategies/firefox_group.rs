//! Firefox's request groups.
//!
//! Follows Firefox's documentation, "Network Scheduling and Prioritization",
//! <https://firefox-source-docs.mozilla.org/networking/http/prioritization.html>,
//! for the class of service and the priority of each kind of resource. `Http2Session` and
//! `Http2Stream` of Firefox's source define the groups of the classes (requests without a
//! class are followers) and the weights of the priorities.
//!
//! **Modelled**, as the documentation does not cover these cases: nested documents, media
//! and fetches have no class. Requests that Chromium ranks `VeryLow` (prefetches) are
//! speculative. [`Destination::Other`] is background. Preloads, which Firefox weighs
//! differently, cannot be distinguished.

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use crate::Facts;

/// A group of requests, in Firefox's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Content that the user waits for: the page itself.
    UrgentStart,
    /// Resources that block all others: style sheets, blocking scripts, fonts.
    Leader,
    /// Resources that leaders block: images and all requests without a class.
    Follower,
    /// Resources that nothing blocks: async and deferred scripts.
    Unblocked,
    /// Resources that are not visible to the user.
    Background,
    /// Resources that may be needed later.
    Speculative,
}

impl Group {
    /// All groups, in declaration order.
    pub const ALL: [Self; 6] = [
        Self::UrgentStart,
        Self::Leader,
        Self::Follower,
        Self::Unblocked,
        Self::Background,
        Self::Speculative,
    ];

    /// Returns the group of a resource.
    pub fn of(facts: &Facts) -> Self {
        match facts.destination {
            Destination::Document => Self::UrgentStart,
            _ if facts.class == RequestPriority::VeryLow => Self::Speculative,
            Destination::Style | Destination::Font => Self::Leader,
            Destination::Script if facts.script_mode == ScriptMode::Blocking => Self::Leader,
            Destination::Script => Self::Unblocked,
            Destination::Iframe | Destination::Image | Destination::Media | Destination::Fetch => {
                Self::Follower
            }
            Destination::Other => Self::Background,
        }
    }
}

/// Returns the weight of a resource inside its group, 1 to 256.
///
/// Firefox's priorities run from -20 (highest) to 20, and a request of priority `p` gets
/// weight `22 - p`. The page has priority -20, images 10, background requests 20 and all
/// others 0.
pub fn weight(facts: &Facts) -> u32 {
    match facts.destination {
        Destination::Document => 42,
        Destination::Image => 12,
        Destination::Other => 2,
        _ => 22,
    }
}

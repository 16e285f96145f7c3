//! The groups into which Firefox sorts what it asks for.
//!
//! Follows Firefox's documentation, "Network Scheduling and Prioritization",
//! <https://firefox-source-docs.mozilla.org/networking/http/prioritization.html>,
//! for the class of service and the priority of each kind of resource, and
//! `Http2Session`/`Http2Stream` of its source for how classes become groups
//! (requests without a class are followers) and priorities become weights.
//!
//! **Modelled**, as the documentation does not say: nested documents, media and
//! fetches are taken as requests without a class; what Chromium ranks `VeryLow`
//! (prefetches) as speculative; [`Destination::Other`] as background.
//! Preloads, which Firefox gives other weights, cannot be told apart.

use pagerace_core::{Destination, RequestPriority, ScriptMode};

use crate::Facts;

/// A group of requests, in Firefox's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// What the user waits for: the page itself.
    UrgentStart,
    /// What holds back everything else: styles, blocking scripts, fonts.
    Leader,
    /// What leaders hold back: images and all unmarked.
    Follower,
    /// What nothing holds back: async and deferred scripts.
    Unblocked,
    /// What nobody looks at.
    Background,
    /// What may be needed later.
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

    /// The group of a resource.
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

/// The weight of a resource inside its group, 1 to 256.
///
/// Firefox's priorities run from -20 (highest) to 20; a request of priority
/// `p` gets weight `22 - p`. The page has -20, images 10, background requests
/// 20, all others 0.
pub fn weight(facts: &Facts) -> u32 {
    match facts.destination {
        Destination::Document => 42,
        Destination::Image => 12,
        Destination::Other => 2,
        _ => 22,
    }
}

//! What an event of the load waited for last.
//!
//! The model follows one rule: while something that arrived is handled, that
//! arrival is the cause of all that happens. A task, a timer and a paint that
//! is put off keep the cause under which they were put off; where two things
//! are needed, the one that came last counts. Waiting for a busy thread is work
//! of the browser and changes no cause. So the time from a cause to its effect
//! is the browser's own, and the time before it lies with the network.
//!
//! Only what comes over the network is a cause. What comes from the cache
//! hands on the cause of whatever asked for it.

use std::fmt;

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::LoadMetrics;

/// What an event waited for last: bytes of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Whose.
    pub resource: ResourceId,
    /// Encoded body bytes that had arrived in order; 0: the head was enough
    /// (or the server said that the cached body is still good).
    pub received: u64,
    /// Whether it was the end of the response, or its failure.
    pub ended: bool,
    /// When they arrived.
    pub at: Instant,
}

/// A moment of a load that can be explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// First byte of the document.
    Ttfb,
    /// First contentful paint.
    Fcp,
    /// Largest contentful paint.
    Lcp,
    /// `DOMContentLoaded`.
    DomContentLoaded,
    /// The load event.
    Onload,
    /// Time to interactive.
    Tti,
}

impl Moment {
    /// All of them, roughly in the order in which they come.
    pub const ALL: [Self; 6] = [
        Self::Ttfb,
        Self::Fcp,
        Self::Lcp,
        Self::DomContentLoaded,
        Self::Onload,
        Self::Tti,
    ];

    /// Its name as in serialised form.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ttfb => "ttfb",
            Self::Fcp => "fcp",
            Self::Lcp => "lcp",
            Self::DomContentLoaded => "dom-content-loaded",
            Self::Onload => "onload",
            Self::Tti => "tti",
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl LoadMetrics {
    /// When the moment came, since the start of the navigation.
    pub const fn at(&self, moment: Moment) -> Option<Duration> {
        match moment {
            Moment::Ttfb => self.ttfb,
            Moment::Fcp => self.fcp,
            Moment::Lcp => self.lcp,
            Moment::DomContentLoaded => self.dom_content_loaded,
            Moment::Onload => self.onload,
            Moment::Tti => self.tti,
        }
    }
}

/// When something became possible, and what it waited for last; without a
/// cause, that is the navigation itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) at: Instant,
    pub(crate) cause: Option<Cause>,
}

impl Ready {
    pub(crate) const fn new(at: Instant, cause: Option<Cause>) -> Self {
        Self { at, cause }
    }

    /// What needs both waited for the later one (for the other, if they came
    /// together).
    pub(crate) fn and(self, other: Self) -> Self {
        if other.at >= self.at { other } else { self }
    }
}

#[cfg(test)]
mod tests;

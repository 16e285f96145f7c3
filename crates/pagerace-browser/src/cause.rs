//! The network event that an event of the load waited for last.
//!
//! An arrival is the cause of everything that happens while it is handled. A task, a
//! timer and a deferred paint keep the cause under which they were deferred. If an event
//! needs two things, the later one is its cause. Waiting for a busy thread is work of the
//! browser and does not change the cause. The time from a cause to its effect therefore
//! belongs to the browser, and the time before the cause to the network.
//!
//! Only arrivals over the network are causes. A response from the cache passes on the
//! cause of its request.

use std::fmt;

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::LoadMetrics;

/// An arrival of bytes that an event waited for last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The resource whose bytes arrived.
    pub resource: ResourceId,
    /// The encoded body bytes that had arrived in order. Zero means that the response
    /// head (or a 304) was sufficient.
    pub received: u64,
    /// True if the arrival ended the response, or was its failure.
    pub ended: bool,
    /// The time of the arrival.
    pub at: Instant,
}

/// A milestone of a load whose cause can be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// The first byte of the document.
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
    /// All moments, roughly in order of time.
    pub const ALL: [Self; 6] = [
        Self::Ttfb,
        Self::Fcp,
        Self::Lcp,
        Self::DomContentLoaded,
        Self::Onload,
        Self::Tti,
    ];

    /// Returns the name of the moment in its serialised form.
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
    /// Returns the time of the moment since the start of the navigation.
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

/// The time at which something became possible, and its cause. The cause of the
/// navigation itself is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) at: Instant,
    pub(crate) cause: Option<Cause>,
}

impl Ready {
    pub(crate) const fn new(at: Instant, cause: Option<Cause>) -> Self {
        Self { at, cause }
    }

    /// Combines two conditions that are both needed: the later one counts, and `other` if
    /// both came at the same time.
    pub(crate) fn and(self, other: Self) -> Self {
        if other.at >= self.at { other } else { self }
    }
}

#[cfg(test)]
mod tests;

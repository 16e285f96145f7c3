//! The network event that an event of the load waited for last.
//!
//! An arrival is the cause of everything that happens while it is handled. A task, a
//! timer and a deferred paint keep the cause under which they were deferred. If an event
//! needs two things, the later one is its cause. Waiting for a busy thread is work of the
//! browser and does not change the cause. The time from a cause to its effect therefore
//! belongs to the browser, and the time before the cause to the network.
//!
//! Only arrivals over the network are causes, with one exception: if text waits for a font until
//! its block period ends, that end counts as an arrival of the font. A response from the cache
//! passes on the cause of its request.

use pagerace_core::{Duration, Instant, names};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::LoadMetrics;

/// An arrival of bytes that an event waited for last, or the end of its wait for a font.
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

names! {
    /// A milestone of a load whose cause can be reported.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Moment {
        /// The first byte of the document.
        Ttfb = "ttfb",
        /// First contentful paint.
        Fcp = "fcp",
        /// Largest contentful paint.
        Lcp = "lcp",
        /// `DOMContentLoaded`.
        DomContentLoaded = "dom-content-loaded",
        /// The load event.
        Onload = "onload",
        /// Time to interactive.
        Tti = "tti",
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

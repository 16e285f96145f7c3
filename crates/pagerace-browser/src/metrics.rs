//! What a person sees of a load.

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// Metrics of one load, since the start of the navigation; `None` where the
/// load ended before the metric was defined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadMetrics {
    /// First byte of the document (after redirects).
    pub ttfb: Option<Duration>,
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint.
    pub lcp: Option<Duration>,
    /// Speed Index of the model's visual progress.
    pub speed_index: Option<Duration>,
    /// Byte index: the area above the curve of body bytes that arrived over the
    /// network; what the cache has does not count.
    pub byte_index: Option<Duration>,
    /// Time to interactive.
    pub tti: Option<Duration>,
    /// Total blocking time between FCP and TTI.
    pub tbt: Option<Duration>,
    /// `DOMContentLoaded`.
    pub dom_content_loaded: Option<Duration>,
    /// The load event (page load time).
    pub onload: Option<Duration>,
}

//! The user-perceived metrics of a load.

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

/// Metrics of one load, relative to the start of the navigation; `None` if the load ended
/// before the metric was defined. The content of a broken response (see
/// [`crate::Browser::handle_broken`]) is never shown. Such a load has no Speed Index, no
/// largest paint if the content would have been it, and no paint at all if the content
/// blocked rendering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadMetrics {
    /// The first byte of the document (after redirects).
    pub ttfb: Option<Duration>,
    /// The first byte of a 103 (Early Hints) response before the document, which some tools take
    /// for the first byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early_hints: Option<Duration>,
    /// First contentful paint.
    pub fcp: Option<Duration>,
    /// Largest contentful paint.
    pub lcp: Option<Duration>,
    /// Speed Index of the model's visual progress.
    pub speed_index: Option<Duration>,
    /// Byte index: the area above the curve of body bytes that arrived over the network.
    /// Bytes from the cache do not count.
    pub byte_index: Option<Duration>,
    /// Time to interactive.
    pub tti: Option<Duration>,
    /// Total blocking time between FCP and TTI.
    pub tbt: Option<Duration>,
    /// `DOMContentLoaded`.
    pub dom_content_loaded: Option<Duration>,
    /// The load event (page load time).
    pub onload: Option<Duration>,
    /// Cumulative Layout Shift. Only real browsers report it, because the model has no layout.
    #[serde(default)]
    pub cls: Option<LayoutShift>,
}

impl LoadMetrics {
    /// Returns the metrics of a load that only transfers resources, the last of which was complete
    /// at `end`. It has none of those of a document.
    #[must_use]
    pub fn of_transfers(self, end: Option<Duration>) -> Self {
        Self {
            byte_index: self.byte_index,
            onload: end,
            ..Self::default()
        }
    }
}

/// A layout shift score without unit, stored in whole millionths so that scores compare exactly.
///
/// # Source
/// Layout Instability, <https://wicg.github.io/layout-instability/#layout-shift-score>.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LayoutShift(u64);

impl LayoutShift {
    /// Rounds a score to the nearest millionth. Returns `None` if it is negative or not finite.
    pub fn from_score(score: f64) -> Option<Self> {
        let valid = score >= 0.0 && score.is_finite();
        valid.then(|| Self((score * 1e6).round() as u64))
    }

    /// Returns the score.
    pub fn score(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::LayoutShift;

    #[test]
    fn scores_are_kept_to_a_millionth() {
        let kept = |score| LayoutShift::from_score(score).map(LayoutShift::score);
        assert_eq!(kept(0.0), Some(0.0));
        assert_eq!(kept(0.012_345_6), Some(0.012_346));
        assert_eq!(kept(1.5), Some(1.5));
        for none in [-0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(kept(none), None);
        }
    }
}

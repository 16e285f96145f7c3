//! Evidence for the times at which content appears.

use pagerace_core::{Duration, names};
use serde::{Deserialize, Serialize};

use super::{Page, ResourceId, Wait};

names! {
    /// Source of the knowledge about a page's visible content and its paint times.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum PaintEvidence {
        /// `pagerace record` wrote down the position of each element and the time at which it
        /// appeared.
        Recorded = "recorded",
        /// The recording has paint times but no positions. The visible elements are guessed;
        /// the times at which they can appear are fitted to the recorded paints.
        Fitted = "fitted",
        /// The recording has neither paints nor layout.
        Guessed = "guessed",
    }
}

/// Constraints on the paint times of a page without a recorded layout, derived from its
/// recorded paints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintFit {
    /// Last event before the recording's first paint that may have allowed it.
    pub after: Wait,
    /// Time after that event during which nothing appears; `None` if only render-blocking
    /// resources hold the first paint. A simulated load over the recording's own network
    /// determines the delay.
    pub delay: Option<Duration>,
    /// True if text does not wait for fonts, because some arrived after the first paint.
    pub swaps_fonts: bool,
    /// Element of the largest paint, if the recording tells.
    pub largest: Option<FittedLargest>,
}

/// The largest element of a page without a recorded layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "is")]
pub enum FittedLargest {
    /// A block of text.
    Text,
    /// An image.
    Image {
        /// The resource that holds the image's bytes.
        id: ResourceId,
    },
}

impl Page {
    /// Returns the evidence for the page's paints.
    pub const fn paint_evidence(&self) -> PaintEvidence {
        if self.layout.is_some() {
            PaintEvidence::Recorded
        } else if self.fit.is_some() {
            PaintEvidence::Fitted
        } else {
            PaintEvidence::Guessed
        }
    }

    /// Describes the processor of the recording in words, if its speed was estimated.
    pub fn processor_in_words(&self) -> Option<String> {
        let slowdown = self.recorded.slowdown.filter(|_| self.layout.is_none())?;
        Some(format!(
            "takes {slowdown:.1} times as long as the modelled desktop, estimated from DOMContentLoaded"
        ))
    }

    /// Describes the largest paint in words: an image's URL, `text`, or a statement that
    /// it is not recorded or not known before a load.
    pub fn largest_in_words(&self) -> &str {
        let image = |id: ResourceId| self.resource(id).url.as_str();
        match (&self.layout, self.fit.and_then(|fit| fit.largest)) {
            (Some(layout), _) => match layout.largest {
                Some(largest) => largest.image.map_or("text", image),
                None => "not recorded",
            },
            (None, Some(FittedLargest::Text)) => "text",
            (None, Some(FittedLargest::Image { id })) => image(id),
            (None, None) => "guessed in each load, by bytes",
        }
    }
}

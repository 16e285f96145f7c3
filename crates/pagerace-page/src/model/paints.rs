//! How the times at which things appear are founded.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

use super::{Page, ResourceId, Wait};

/// How it is known what people see of a page, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PaintEvidence {
    /// `pagerace record` wrote down where each element is and when it appeared.
    Recorded,
    /// The recording tells when something was painted, but not where: what can
    /// appear is guessed, and when it can is fitted to the recording's paints.
    Fitted,
    /// The recording tells nothing of what was painted.
    Guessed,
}

impl fmt::Display for PaintEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Recorded => "recorded",
            Self::Fitted => "fitted",
            Self::Guessed => "guessed",
        })
    }
}

/// When things can appear on a page without a recorded layout, as its recorded
/// paints tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaintFit {
    /// What had happened last before the recording's first paint, and may have
    /// allowed it.
    pub after: Wait,
    /// Nothing appears until so long after it; `None` if no more than what blocks
    /// rendering holds the first paint. A load over the recording's own network
    /// tells it.
    pub delay: Option<Duration>,
    /// Text does not wait for fonts: some came after the first paint.
    pub swaps_fonts: bool,
    /// What was the largest paint, if the recording tells.
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
        /// Its bytes.
        id: ResourceId,
    },
}

impl Page {
    /// How the page's paints are founded.
    pub const fn paint_evidence(&self) -> PaintEvidence {
        if self.layout.is_some() {
            PaintEvidence::Recorded
        } else if self.fit.is_some() {
            PaintEvidence::Fitted
        } else {
            PaintEvidence::Guessed
        }
    }
    /// The largest paint, in words: an image's URL, `text`, or that it is not known
    /// before a load.
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

//! How the times at which things appear are founded.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Page;

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

impl Page {
    /// How the page's paints are founded.
    pub const fn paint_evidence(&self) -> PaintEvidence {
        if self.layout.is_some() {
            PaintEvidence::Recorded
        } else {
            PaintEvidence::Guessed
        }
    }
}

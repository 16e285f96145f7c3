//! The objects that a policy applies to.

use std::fmt;
use std::str::FromStr;

use pagerace_page::intervention::Selector;
use pagerace_page::intervention::{InterventionError, Target};

/// A selection of a page's objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// Objects that the page can do without. Written `non-essential`.
    #[default]
    NonEssential,
    /// All objects except the document. Written `all`.
    All,
    /// Objects of the given kinds, hosts or URLs, whether essential or not.
    These(Selector),
}

impl Selection {
    /// Returns true if the object that `target` describes is selected.
    ///
    /// Callers never pass the document, without which there is no page.
    pub fn selects(&self, target: &Target<'_>, essential: bool) -> bool {
        match self {
            Self::NonEssential => !essential,
            Self::All => true,
            Self::These(selector) => selector.selects(target),
        }
    }
}

impl FromStr for Selection {
    type Err = InterventionError;

    /// Parses `non-essential`, `all` or selector terms separated by `+`.
    fn from_str(text: &str) -> Result<Self, InterventionError> {
        match text.trim().to_ascii_lowercase().as_str() {
            "non-essential" => Ok(Self::NonEssential),
            "all" => Ok(Self::All),
            _ => text.trim().parse().map(Self::These),
        }
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NonEssential => f.write_str("non-essential"),
            Self::All => f.write_str("all"),
            Self::These(selector) => write!(f, "{selector}"),
        }
    }
}

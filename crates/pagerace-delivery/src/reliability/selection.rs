//! To which objects a policy applies.

use std::fmt;
use std::str::FromStr;

use pagerace_page::intervention::Selector;
use pagerace_page::intervention::{InterventionError, Target};

/// Objects of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selection {
    /// Those that the page can do without; written `non-essential`.
    #[default]
    NonEssential,
    /// All but the document; written `all`.
    All,
    /// Those of these kinds, hosts or URLs, whatever the page makes of them.
    These(Selector),
}

impl Selection {
    /// Whether it selects an object; `target` is how the page tells of it. The
    /// caller never asks for the document, without which there is no page.
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

    /// Terms are separated by `+`.
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

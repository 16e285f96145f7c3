//! State that an earlier visit left in the browser.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// State that the browser has kept from an earlier visit to the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visit {
    /// No state.
    #[default]
    Cold,
    /// TLS tickets only. Names, connections and responses are forgotten, as in Zhou 2024.
    Resumed,
    /// TLS tickets, names, open connections, and responses that may be stored.
    Warm,
}

impl Visit {
    /// All kinds of visit.
    pub const ALL: [Self; 3] = [Self::Cold, Self::Resumed, Self::Warm];

    /// Returns the name as users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Resumed => "resumed",
            Self::Warm => "warm",
        }
    }
}

impl fmt::Display for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error of parsing an unknown kind of visit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown visit `{0}`; choose cold, resumed or warm")]
pub struct UnknownVisit(
    /// The text that was parsed.
    pub String,
);

impl FromStr for Visit {
    type Err = UnknownVisit;

    fn from_str(name: &str) -> Result<Self, UnknownVisit> {
        let known = Self::ALL.into_iter().find(|v| v.name() == name);
        known.ok_or_else(|| UnknownVisit(name.to_owned()))
    }
}

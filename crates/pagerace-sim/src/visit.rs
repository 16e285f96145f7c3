//! What an earlier visit left behind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the browser has kept of an earlier visit to the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Visit {
    /// Nothing.
    #[default]
    Cold,
    /// TLS tickets; names, connections and responses are forgotten, as in
    /// Zhou 2024.
    Resumed,
    /// Everything: tickets, names, open connections, responses that may be
    /// stored.
    Warm,
}

impl Visit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Cold, Self::Resumed, Self::Warm];

    /// As users write it.
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

/// No visit has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no kind of visit; there are cold, resumed and warm")]
pub struct UnknownVisit(
    /// What was written.
    pub String,
);

impl FromStr for Visit {
    type Err = UnknownVisit;

    fn from_str(name: &str) -> Result<Self, UnknownVisit> {
        let known = Self::ALL.into_iter().find(|v| v.name() == name);
        known.ok_or_else(|| UnknownVisit(name.to_owned()))
    }
}

/// Whether requests may leave with the first flight of a resumed connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EarlyData {
    /// On QUIC, not on TCP, as Chromium does.
    #[default]
    Auto,
    /// On both.
    On,
    /// Never.
    Off,
}

impl EarlyData {
    /// Whether connections of a protocol use it.
    pub const fn is_used(self, tcp: bool) -> bool {
        match self {
            Self::Auto => !tcp,
            Self::On => true,
            Self::Off => false,
        }
    }
}

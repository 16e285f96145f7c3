//! The origin of results, simulated in virtual time or measured in a real
//! browser, and the circumstances of measurements.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The world in which loads took place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// The simulator, in virtual time, with a browser model and Pagerace's own transports.
    #[default]
    Simulated,
    /// A real browser, in real time, with real sockets and an emulated link.
    Live,
}

impl World {
    /// The name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Live => "live",
        }
    }

    /// The heading of the facts that all contenders share.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Simulated => "Modelled",
            Self::Live => "Measured live",
        }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A circumstance of live loads, such as `browser` and `Chromium 156.0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The subject: `browser`, `kernel`, `lateness p99`, `rejected runs`.
    pub name: String,
    /// The value with its unit.
    pub value: String,
}

impl Fact {
    /// Creates a fact from a name and a value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Formats all facts on one line: `browser: Chromium 156.0; kernel: 6.18`.
pub fn facts_line(environment: &[Fact]) -> String {
    let one = |fact: &Fact| format!("{}: {}", fact.name, fact.value);
    environment.iter().map(one).collect::<Vec<_>>().join("; ")
}

//! Where results come from: simulated in virtual time, or measured in a real
//! browser; and under which circumstances.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where loads took place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// In the simulator, in virtual time: a browser model, our own transports.
    #[default]
    Simulated,
    /// In a real browser, over real sockets and an emulated link, in real time.
    Live,
}

impl World {
    /// As files and tables write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simulated => "simulated",
            Self::Live => "live",
        }
    }

    /// What stands before the facts that all contenders share.
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
    /// What it is about: `browser`, `kernel`, `lateness p99`, `rejected runs`.
    pub name: String,
    /// The value with its unit.
    pub value: String,
}

impl Fact {
    /// A fact of this name and value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// All facts in one line: `browser: Chromium 156.0; kernel: 6.18`.
pub fn facts_line(environment: &[Fact]) -> String {
    let one = |fact: &Fact| format!("{}: {}", fact.name, fact.value);
    environment.iter().map(one).collect::<Vec<_>>().join("; ")
}

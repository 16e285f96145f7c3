//! Which policies there are. A new one is a file in `policies/` and a line here.

use std::fmt;

use pagerace_core::Duration;

use super::policies as p;
use super::{Policy, Selection};

/// What a policy is, and how it is made.
#[derive(Clone, Copy)]
pub struct PolicyInfo {
    /// Its name, without hyphens.
    pub name: &'static str,
    /// How it is written, with everything that it takes.
    pub usage: &'static str,
    /// What it does, one sentence.
    pub summary: &'static str,
    /// The document that it follows, or `own`.
    pub source: &'static str,
    /// What it takes first.
    pub takes: Takes,
    /// Whether it takes the word `repair`.
    pub repairs: bool,
    /// Whether it sends anything in datagrams.
    pub datagrams: bool,
    /// Whether it has responses go after others, which needs no datagrams.
    pub late: bool,
    /// Makes one, for one connection.
    pub build: fn(&Arguments) -> Box<dyn Policy>,
}

/// What a policy takes before its selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing at all.
    Nothing,
    /// Nothing but a selection; `true` if it has to be there.
    Selection(bool),
    /// A time.
    Time,
    /// A time, if one wants.
    MaybeTime,
    /// A share above zero, at most one.
    Ratio,
}

/// What a policy was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// A time from the request.
    pub time: Option<Duration>,
    /// A share.
    pub ratio: Option<f64>,
    /// Whether what is missing is fetched again.
    pub repair: bool,
    /// To which objects it applies.
    pub selection: Selection,
}

const REGISTRY: &[PolicyInfo] = &[
    p::full::INFO,
    p::datagram::INFO,
    p::deadline::INFO,
    p::fec::INFO,
    p::late::INFO,
    p::adaptive::INFO,
];

/// All policies, in the order in which they are listed to people.
pub const fn policies() -> &'static [PolicyInfo] {
    REGISTRY
}

/// The policy with this name.
pub fn policy(name: &str) -> Option<&'static PolicyInfo> {
    REGISTRY.iter().find(|info| info.name == name)
}

impl fmt::Debug for PolicyInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyInfo")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

//! The list of policies. A new policy is a file in `policies/` and a line here.

use pagerace_core::Duration;

use super::policies as p;
use super::{Policy, Selection};

/// Description and constructor of a policy.
#[derive(Clone, Copy, Debug)]
pub struct PolicyInfo {
    /// Name of the policy, without hyphens.
    pub name: &'static str,
    /// Syntax of the policy, including all its arguments.
    pub usage: &'static str,
    /// Effect of the policy, in one sentence.
    pub summary: &'static str,
    /// The document that the policy follows, or `own`.
    pub source: &'static str,
    /// The argument that the policy takes first.
    pub takes: Takes,
    /// True if the policy takes the word `repair`.
    pub repairs: bool,
    /// True if the policy sends anything in datagrams.
    pub datagrams: bool,
    /// True if the policy delivers some responses after others. This needs no datagrams.
    pub late: bool,
    /// Builds the policy for one connection.
    pub build: fn(&Arguments) -> Box<dyn Policy>,
}

/// The argument that a policy takes before its selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// No arguments at all.
    Nothing,
    /// Only a selection, required if `true`.
    Selection(bool),
    /// A time.
    Time,
    /// An optional time.
    MaybeTime,
    /// A share above zero and at most one.
    Ratio,
}

/// The arguments given to a policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// Time since the request.
    pub time: Option<Duration>,
    /// Share of parity.
    pub ratio: Option<f64>,
    /// True if missing parts are fetched again.
    pub repair: bool,
    /// The objects that the policy applies to.
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

/// Returns all policies, in the order in which they are listed to users.
pub const fn policies() -> &'static [PolicyInfo] {
    REGISTRY
}

/// Returns the policy with this name; `None` if there is none.
pub fn policy(name: &str) -> Option<&'static PolicyInfo> {
    REGISTRY
        .iter()
        .find(|info| info.name.eq_ignore_ascii_case(name))
}

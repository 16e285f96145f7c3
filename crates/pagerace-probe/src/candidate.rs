//! Candidates: strategies with their parameters, and which signals a server heeds.
//!
//! A server that ignores a signal behaves as if it had never been sent, so a candidate that
//! ignores one is simulated with a client that does not send it.

use std::fmt;

use pagerace_core::{Priority, Protocol};
use pagerace_delivery::StrategySpec;

use crate::mixed::MIXED;
use crate::ranks::RANKS;
use crate::script::{Moment, Script};

/// Treatment of the incremental parameter by a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Incremental {
    /// As signalled.
    Heeded,
    /// As if no response were incremental.
    Never,
    /// As if all responses were incremental.
    Always,
    /// As signalled, and responses without a signal are incremental until the connection's
    /// first signal.
    UntilTold,
}

/// The signals that a server heeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ear {
    /// The incremental parameter.
    pub incremental: Incremental,
    /// `PRIORITY_UPDATE` before the request.
    pub before: bool,
    /// `PRIORITY_UPDATE` after the request.
    pub after: bool,
}

impl Ear {
    /// A server that heeds everything.
    pub const ALL: Self = Self {
        incremental: Incremental::Heeded,
        before: true,
        after: true,
    };

    /// Returns the script as such a server understands it.
    fn hear(self, script: &Script) -> Script {
        let understood = |priority: Priority| match self.incremental {
            Incremental::Heeded | Incremental::UntilTold => priority,
            Incremental::Never => Priority::new(priority.urgency, false),
            Incremental::Always => Priority::new(priority.urgency, true),
        };
        let mut heard = script.clone();
        let fields = script.asks.iter().filter(|ask| ask.field.is_some());
        let updates = script.asks.iter().flat_map(|ask| &ask.updates);
        let told = fields.map(|ask| ask.at).chain(updates.map(|(at, _)| *at));
        let told = told.map(order).fold(f64::INFINITY, f64::min);
        for ask in &mut heard.asks {
            let at = ask.at;
            ask.updates.retain(|(moment, _)| match (moment, at) {
                (Moment::Rtts(update), Moment::Rtts(request)) if *update < request => self.before,
                _ => self.after,
            });
            for (_, priority) in &mut ask.updates {
                *priority = understood(*priority);
            }
            let shares = match self.incremental {
                Incremental::Heeded | Incremental::Never => false,
                Incremental::Always => true,
                Incremental::UntilTold => ask.field.is_none() && order(at) < told,
            };
            let unsaid = shares.then(|| Priority::new(Priority::default().urgency, true));
            ask.field = ask.field.map(understood).or(unsaid);
        }
        heard
    }
}

/// Returns a number that orders moments.
fn order(moment: Moment) -> f64 {
    match moment {
        Moment::Open => -1.0,
        Moment::Rtts(n) => n,
        Moment::Share(share) => 1e6 + share,
    }
}

/// A strategy, and the signals that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The strategy with its parameters.
    pub strategy: StrategySpec,
    /// The signals.
    pub ear: Ear,
}

impl Candidate {
    /// Returns the servers that are known to do this over HTTP/2 or HTTP/3; see docs/probe.md.
    pub fn known_as(&self, protocol: Protocol) -> Option<&'static str> {
        let text = self.to_string();
        let known = KNOWN
            .iter()
            .find(|(over, candidate, _)| *over == protocol && *candidate == text);
        known.map(|(.., servers)| *servers)
    }

    /// Returns the script as this candidate understands it.
    pub fn hear(&self, script: &Script) -> Script {
        self.ear.hear(script)
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.strategy.label())?;
        let Ear {
            incremental,
            before,
            after,
        } = self.ear;
        let incremental = match incremental {
            Incremental::Heeded => None,
            Incremental::Never => Some("never incremental"),
            Incremental::Always => Some("always incremental"),
            Incremental::UntilTold => Some("incremental until told"),
        };
        let updates = match (before, after) {
            (true, true) => None,
            (true, false) => Some("no late PRIORITY_UPDATE"),
            (false, true) => Some("no early PRIORITY_UPDATE"),
            (false, false) => Some("no PRIORITY_UPDATE"),
        };
        let parts: Vec<&str> = incremental.into_iter().chain(updates).collect();
        if parts.is_empty() {
            return Ok(());
        }
        write!(f, " ({})", parts.join(", "))
    }
}

/// Servers by protocol and the candidate that describes them.
const KNOWN: &[(Protocol, &str, &str)] = &[
    (
        Protocol::H3,
        "eps-halves (incremental until told, no early PRIORITY_UPDATE)",
        "quic-go 0.65",
    ),
    (Protocol::H3, "eps-first", "h2o, nghttp3 or quiche"),
    (Protocol::H3, "round-robin", "aioquic 1.7"),
    (Protocol::H2, "round-robin", "Go 1.26's net/http"),
    (Protocol::H2, "h2-tree", "Node.js 20"),
    (Protocol::H2, "h2-ranks", "nginx 1.31"),
    (Protocol::H2, "h2-newest", "Caddy 2.6"),
];

/// Strategies that follow signals, and how they may treat the incremental parameter. Those
/// that differ only where both kinds meet need no candidates of one kind.
const SIGNALLED: &[(&str, &[Incremental])] = &[
    (
        "eps",
        &[
            Incremental::Heeded,
            Incremental::Never,
            Incremental::Always,
            Incremental::UntilTold,
        ],
    ),
    ("eps-halves", &[Incremental::Heeded, Incremental::UntilTold]),
    ("eps-first", &[Incremental::Heeded, Incremental::UntilTold]),
];

/// The other strategies of the registry, with values of their parameters.
const OTHERS: &[&str] = &[
    "fifo",
    "sequential",
    "round-robin",
    "batched-round-robin:n=2",
    "batched-round-robin:n=5",
    "batched-round-robin:n=10",
    "batched-round-robin:n=20",
    "weighted-round-robin",
    "firefox-tree",
    "firefox-eps",
    "h2-tree",
    "weighted-incremental:alpha=0.25",
    "weighted-incremental:alpha=0.5",
    "weighted-incremental:alpha=0.75",
    "weighted-incremental:alpha=1",
    "weighted-incremental:alpha=0.25:urgency=signalled",
    "weighted-incremental:alpha=0.5:urgency=signalled",
    "weighted-incremental:alpha=0.75:urgency=signalled",
    "weighted-incremental:alpha=1:urgency=signalled",
    "hybrid:alpha=0.25",
    "hybrid:alpha=0.5",
    "hybrid:alpha=0.75",
    "hybrid:alpha=1",
    "hybrid:alpha=0.5:urgency=signalled",
    "hybrid:alpha=1:urgency=signalled",
];

/// Returns all candidates over HTTP/2 or HTTP/3.
pub fn candidates(protocol: Protocol) -> Vec<Candidate> {
    let spec = |text: &&str| -> StrategySpec { text.parse().expect("candidates are registered") };
    let mut all = Vec::new();
    for (name, ears) in SIGNALLED {
        let strategy = StrategySpec::parse_with(name, MIXED).expect("it is registered");
        for incremental in *ears {
            for (before, after) in [(true, true), (true, false), (false, true), (false, false)] {
                all.push(Candidate {
                    strategy: strategy.clone(),
                    ear: Ear {
                        incremental: *incremental,
                        before,
                        after,
                    },
                });
            }
        }
    }
    let others = OTHERS.iter().map(spec);
    // Over HTTP/3, nobody signals a tree.
    let ranks = RANKS.iter().filter(|_| protocol == Protocol::H2);
    let ranks =
        ranks.map(|info| StrategySpec::parse_with(info.name, RANKS).expect("it is registered"));
    all.extend(others.chain(ranks).map(|strategy| Candidate {
        strategy,
        ear: Ear::ALL,
    }));
    all
}

#[cfg(test)]
mod tests {
    use pagerace_core::Protocol;

    use super::{KNOWN, candidates};

    #[test]
    fn known_servers_are_candidates() {
        let known = [Protocol::H2, Protocol::H3].map(|protocol| {
            let all = candidates(protocol);
            let known = all.iter().filter_map(|c| c.known_as(protocol));
            known.count()
        });
        assert_eq!(known.iter().sum::<usize>(), KNOWN.len());
    }
}

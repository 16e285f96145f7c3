//! A contender, which is one way to deliver pages, and its text form.

use std::fmt;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_page::{Interventions, Page};
use pagerace_sim::{ProtocolMap, Visit};
use serde::{Deserialize, Serialize};

mod choose;
mod text;

pub use choose::choose;
pub use text::{ContenderError, ContenderText};

/// One way to deliver pages. Settings that all contenders share are part of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// The version of HTTP for each origin.
    pub protocols: ProtocolMap,
    /// The servers' congestion controller, by its name in `pagerace_cc`'s registry.
    pub congestion: String,
    /// The state that an earlier visit left behind.
    pub visit: Visit,
    /// The order in which servers send responses.
    pub strategy: StrategySpec,
    /// The responses that may arrive late, in part, or not at all.
    #[serde(default)]
    pub reliability: ReliabilitySpec,
    /// The requests that are blocked or answered late, in addition to the plan's.
    #[serde(default)]
    pub interventions: Interventions,
}

/// The label of a contender without interventions, if others have some.
const ORIGINAL: &str = "original";

/// The properties in which the contenders of a race differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varying {
    /// True if [`Contender::protocols`] differ.
    pub protocols: bool,
    /// True if [`Contender::congestion`] differs.
    pub congestion: bool,
    /// True if [`Contender::visit`] differs.
    pub visit: bool,
    /// True if [`Contender::strategy`] differs among contenders for which it matters.
    pub strategy: bool,
    /// True if [`Contender::reliability`] differs where it matters.
    pub reliability: bool,
    /// True if [`Contender::interventions`] differ.
    pub interventions: bool,
}

/// The noun for the contenders of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// The contenders differ only in the strategy.
    Strategy,
    /// The contenders differ in other properties.
    Variant,
}

impl Contender {
    /// Returns true if the strategy can make a difference. HTTP/1.1 sends one response at
    /// a time on a connection, which leaves no choice.
    pub fn has_choice(&self) -> bool {
        self.protocols.is_uniform() != Some(Protocol::H1)
    }

    /// The reliability policy, if it can make a difference; the default otherwise.
    /// HTTP/1.1 and HTTP/2 have no datagrams. HTTP/1.1 sends one response at a time, so
    /// none can be deferred.
    pub fn effective_reliability(&self) -> ReliabilitySpec {
        let matters = match self.protocols.is_uniform() {
            Some(Protocol::H1) => false,
            Some(Protocol::H2) => self.reliability.info().late,
            Some(Protocol::H3) | None => true,
        };
        if matters {
            self.reliability.clone()
        } else {
            ReliabilitySpec::default()
        }
    }

    /// Returns the controllers over TCP and over QUIC, each only if `spoken` includes
    /// such a protocol. The name `cubic` stands for different controllers over the two.
    pub(crate) fn controllers_over(&self, spoken: &[Protocol]) -> (Option<&str>, Option<&str>) {
        let tcp = spoken.iter().any(|protocol| protocol.is_tcp());
        let quic = spoken.iter().any(|protocol| !protocol.is_tcp());
        (
            tcp.then(|| pagerace_cc::over_tcp(&self.congestion)),
            quic.then(|| pagerace_cc::over_quic(&self.congestion)),
        )
    }

    /// Returns true if both contenders load every page in the same way.
    pub fn loads_as(&self, other: &Self) -> bool {
        let strategy = self.strategy == other.strategy || !self.has_choice();
        strategy
            && self.effective_reliability() == other.effective_reliability()
            && self.protocols == other.protocols
            && self.congestion == other.congestion
            && self.visit == other.visit
            && self.interventions == other.interventions
    }

    /// Returns the protocols that the page's origins use, without duplicates.
    pub fn protocols_of(&self, page: &Page) -> Vec<Protocol> {
        let spoken = |protocol: &Protocol| {
            let mut origins = page.origins.iter();
            origins.any(|origin| self.protocols.of(origin) == *protocol)
        };
        Protocol::ALL.into_iter().filter(spoken).collect()
    }

    /// Returns the texts of protocols, congestion controller, visit, strategy, reliability and
    /// interventions.
    pub fn texts(&self) -> [String; 6] {
        [
            self.protocols.to_string(),
            self.congestion.clone(),
            self.visit.to_string(),
            self.strategy.to_string(),
            self.effective_reliability().to_string(),
            self.interventions.to_string(),
        ]
    }

    /// Returns a name made of the properties that differ according to `varying`.
    pub fn label(&self, varying: Varying) -> String {
        let mut words = Vec::new();
        if varying.protocols {
            words.push(self.protocols.to_string());
        }
        if varying.congestion {
            words.push(self.congestion.clone());
        }
        if varying.visit {
            words.push(self.visit.to_string());
        }
        if varying.strategy && self.has_choice() {
            words.push(self.strategy.label());
        }
        if varying.reliability {
            words.push(self.effective_reliability().to_string());
        }
        if varying.interventions && self.interventions.is_empty() {
            words.push(ORIGINAL.to_owned());
        } else if varying.interventions {
            words.push(self.interventions.to_string());
        }
        if !words.is_empty() {
            words.join(" ")
        } else if self.has_choice() {
            self.strategy.label()
        } else {
            self.protocols.to_string()
        }
    }
}

impl Default for Contender {
    /// HTTP/3 with CUBIC, a first visit, and delivery in order of priority.
    fn default() -> Self {
        Self {
            protocols: ProtocolMap::default(),
            congestion: "cubic".to_owned(),
            visit: Visit::default(),
            strategy: "sequential".parse().expect("it is in the registry"),
            reliability: ReliabilitySpec::default(),
            interventions: Interventions::default(),
        }
    }
}

impl fmt::Display for Contender {
    /// Writes all properties, in the form that [`ContenderText`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            protocols,
            congestion,
            visit,
            strategy,
            reliability,
            interventions,
        } = self;
        write!(f, "{protocols} {congestion} {visit} {strategy}")?;
        if !reliability.is_full() {
            write!(f, " {reliability}")?;
        }
        if !interventions.is_empty() {
            write!(f, " {interventions}")?;
        }
        Ok(())
    }
}

impl Varying {
    /// Determines the properties that differ among `contenders`.
    pub fn among(contenders: &[Contender]) -> Self {
        let Some(first) = contenders.first() else {
            return Self::default();
        };
        let any = |differs: &dyn Fn(&Contender) -> bool| contenders.iter().any(differs);
        let mut choosing = contenders.iter().filter(|c| c.has_choice());
        let strategy = choosing.next().map(|c| &c.strategy);
        Self {
            protocols: any(&|c| c.protocols != first.protocols),
            congestion: any(&|c| c.congestion != first.congestion),
            visit: any(&|c| c.visit != first.visit),
            strategy: choosing.any(|c| Some(&c.strategy) != strategy),
            reliability: any(&|c| c.effective_reliability() != first.effective_reliability()),
            interventions: any(&|c| c.interventions != first.interventions),
        }
    }

    /// Returns true if contenders differ in properties other than the strategy.
    pub const fn beyond_strategy(self) -> bool {
        self.protocols || self.congestion || self.visit || self.reliability || self.interventions
    }

    /// Returns the noun for such contenders.
    pub const fn noun(self) -> Noun {
        if self.beyond_strategy() {
            Noun::Variant
        } else {
            Noun::Strategy
        }
    }
}

impl Noun {
    /// The singular.
    pub const fn one(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Variant => "variant",
        }
    }

    /// The plural.
    pub const fn many(self) -> &'static str {
        match self {
            Self::Strategy => "strategies",
            Self::Variant => "variants",
        }
    }

    /// Formats a count: "1 strategy", "3 variants".
    pub fn count(self, n: usize) -> String {
        let word = if n == 1 { self.one() } else { self.many() };
        format!("{n} {word}")
    }
}

/// Returns every combination, with the last dimension varying fastest. Of combinations that
/// differ only in a strategy or reliability policy without effect, only the first is kept.
pub fn product(
    protocols: &[ProtocolMap],
    congestion: &[String],
    visits: &[Visit],
    strategies: &[StrategySpec],
    policies: &[ReliabilitySpec],
    interventions: &[Interventions],
) -> Vec<Contender> {
    let mut contenders: Vec<Contender> = Vec::new();
    for map in protocols {
        for controller in congestion {
            for visit in visits {
                let with = |reliability| interventions.iter().map(move |what| (reliability, what));
                let all = strategies.iter().flat_map(|strategy| {
                    let rest = policies.iter().flat_map(with);
                    rest.map(move |(reliability, what)| (strategy, reliability, what))
                });
                for (strategy, reliability, interventions) in all {
                    let contender = Contender {
                        protocols: map.clone(),
                        congestion: controller.clone(),
                        visit: *visit,
                        strategy: strategy.clone(),
                        reliability: reliability.clone(),
                        interventions: interventions.clone(),
                    };
                    let same = |c: &Contender| {
                        let known = c.has_choice() && c.strategy == contender.strategy;
                        let idle = c.effective_reliability() != c.reliability
                            || contender.effective_reliability() != contender.reliability;
                        (!c.has_choice() || (known && idle)) && c.loads_as(&contender)
                    };
                    if !contenders.iter().any(same) {
                        contenders.push(contender);
                    }
                }
            }
        }
    }
    contenders
}

#[cfg(test)]
mod tests;

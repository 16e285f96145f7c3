//! Who races: a way to deliver pages, and how people write and read it.

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

/// One way to deliver pages; what contenders share stands in the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// In which version of HTTP each origin is spoken to.
    pub protocols: ProtocolMap,
    /// The servers' congestion controller, a name of `pagerace_cc`'s registry.
    pub congestion: String,
    /// What an earlier visit left behind.
    pub visit: Visit,
    /// In which order servers send.
    pub strategy: StrategySpec,
    /// Which responses may be late, in part, or not arrive at all.
    #[serde(default)]
    pub reliability: ReliabilitySpec,
    /// Which requests are blocked or answered late, beyond those of the plan.
    #[serde(default)]
    pub interventions: Interventions,
}

/// What a contender without interventions is called beside others.
const ORIGINAL: &str = "original";

/// What differs among the contenders of a race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Varying {
    /// [`Contender::protocols`].
    pub protocols: bool,
    /// [`Contender::congestion`].
    pub congestion: bool,
    /// [`Contender::visit`].
    pub visit: bool,
    /// [`Contender::strategy`], where it matters.
    pub strategy: bool,
    /// [`Contender::reliability`], where it matters.
    pub reliability: bool,
    /// [`Contender::interventions`].
    pub interventions: bool,
}

/// What the contenders of a race are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// They differ in nothing but the strategy.
    Strategy,
    /// They differ in more.
    Variant,
}

impl Contender {
    /// Whether the strategy can make a difference. HTTP/1.1 sends one response
    /// at a time, so that there is nothing to choose from.
    pub fn has_choice(&self) -> bool {
        self.protocols.is_uniform() != Some(Protocol::H1)
    }

    /// The reliability policy, as far as it can make a difference: HTTP/1.1 and HTTP/2
    /// have no datagrams, and HTTP/1.1 has nothing to put behind anything else.
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

    /// The controllers of TCP and QUIC, of each as far as it is among `spoken`: `cubic` is
    /// not the same over both.
    pub(crate) fn controllers_over(&self, spoken: &[Protocol]) -> (Option<&str>, Option<&str>) {
        let tcp = spoken.iter().any(|protocol| protocol.is_tcp());
        let quic = spoken.iter().any(|protocol| !protocol.is_tcp());
        (
            tcp.then(|| pagerace_cc::over_tcp(&self.congestion)),
            quic.then(|| pagerace_cc::over_quic(&self.congestion)),
        )
    }

    /// Whether both load every page alike.
    pub fn loads_as(&self, other: &Self) -> bool {
        let strategy = self.strategy == other.strategy || !self.has_choice();
        strategy
            && self.effective_reliability() == other.effective_reliability()
            && self.protocols == other.protocols
            && self.congestion == other.congestion
            && self.visit == other.visit
            && self.interventions == other.interventions
    }

    /// The protocols that the page's origins speak, without repetition.
    pub fn protocols_of(&self, page: &Page) -> Vec<Protocol> {
        let spoken = |protocol: &Protocol| {
            let mut origins = page.origins.iter();
            origins.any(|origin| self.protocols.of(&origin.host) == *protocol)
        };
        Protocol::ALL.into_iter().filter(spoken).collect()
    }

    /// Its name where `varying` tells contenders apart: what they share is
    /// left out.
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
    /// HTTP/3 with CUBIC, a first visit, delivered in order of priority.
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
    /// Everything that it is, as [`ContenderText`] reads it.
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
    /// What differs among `contenders`.
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

    /// Whether contenders differ in more than the strategy.
    pub const fn beyond_strategy(self) -> bool {
        self.protocols || self.congestion || self.visit || self.reliability || self.interventions
    }

    /// What such contenders are called.
    pub const fn noun(self) -> Noun {
        if self.beyond_strategy() {
            Noun::Variant
        } else {
            Noun::Strategy
        }
    }
}

impl Noun {
    /// One of them.
    pub const fn one(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Variant => "variant",
        }
    }

    /// Several of them.
    pub const fn many(self) -> &'static str {
        match self {
            Self::Strategy => "strategies",
            Self::Variant => "variants",
        }
    }

    /// "1 strategy", "3 variants".
    pub fn count(self, n: usize) -> String {
        let word = if n == 1 { self.one() } else { self.many() };
        format!("{n} {word}")
    }
}

/// Every combination once, the last dimension fastest; of those that differ
/// only in a strategy or a reliability policy that makes no difference, the first.
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

//! The text form of a contender: words in any order, each property optional.

use std::fmt::Display;
use std::str::FromStr;

use pagerace_core::Protocol;
use pagerace_core::suggest::did_you_mean;
use pagerace_delivery::reliability::{self, ReliabilitySpec};
use pagerace_delivery::{StrategySpec, registry};
use pagerace_page::intervention::Effect;
use pagerace_page::{Intervention, Interventions};
use pagerace_sim::{ProtocolMap, Visit};
use thiserror::Error;

use super::Contender;

/// The properties named by a text such as `h2 bbr` or
/// `static.example=h3 *=h2 cubic`; `None` for properties that it leaves open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContenderText {
    /// `h1`, `h2`, `h3`, or rules such as `static.example=h3 *=h2`.
    pub protocols: Option<ProtocolMap>,
    /// The name of a congestion controller.
    pub congestion: Option<String>,
    /// `cold`, `resumed` or `warm`.
    pub visit: Option<Visit>,
    /// A strategy with optional parameters.
    pub strategy: Option<StrategySpec>,
    /// A reliability policy with its parameters.
    pub reliability: Option<ReliabilitySpec>,
    /// Interventions such as `fonts=1s`, or `original` for none.
    pub interventions: Option<Interventions>,
}

/// The reason why a text does not select a contender.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ContenderError(pub(super) String);

impl ContenderText {
    /// Returns true if `contender` matches the text.
    pub fn matches(&self, contender: &Contender) -> bool {
        let strategy = |s: &StrategySpec| !contender.has_choice() || *s == contender.strategy;
        let policy = contender.effective_reliability();
        (self.protocols.as_ref()).is_none_or(|p| *p == contender.protocols)
            && (self.congestion.as_ref()).is_none_or(|c| *c == contender.congestion)
            && self.visit.is_none_or(|v| v == contender.visit)
            && self.strategy.as_ref().is_none_or(strategy)
            && self.reliability.as_ref().is_none_or(|r| *r == policy)
            && (self.interventions.as_ref()).is_none_or(|i| *i == contender.interventions)
    }

    /// Returns the contender, with open properties taken from `defaults`.
    pub fn or(self, defaults: &Contender) -> Contender {
        let defaults = defaults.clone();
        Contender {
            protocols: self.protocols.unwrap_or(defaults.protocols),
            congestion: self.congestion.unwrap_or(defaults.congestion),
            visit: self.visit.unwrap_or(defaults.visit),
            strategy: self.strategy.unwrap_or(defaults.strategy),
            reliability: self.reliability.unwrap_or(defaults.reliability),
            interventions: self.interventions.unwrap_or(defaults.interventions),
        }
    }
}

impl FromStr for ContenderText {
    type Err = ContenderError;

    fn from_str(text: &str) -> Result<Self, ContenderError> {
        let mut read = Self::default();
        let mut protocols: Vec<&str> = Vec::new();
        let mut interventions: Vec<Intervention> = Vec::new();
        let mut original = false;
        let twice =
            |what: &str| ContenderError(format!("`{text}` names two {what}; one is enough"));
        for word in text.split_whitespace() {
            let name = word.split(':').next().unwrap_or(word);
            if registry()
                .iter()
                .any(|info| info.name.eq_ignore_ascii_case(name))
            {
                if read.strategy.replace(parse(word)?).is_some() {
                    return Err(twice("strategies"));
                }
            } else if reliability::policy(name).is_some() {
                if read.reliability.replace(parse(word)?).is_some() {
                    return Err(twice("reliability policies"));
                }
            } else if has_effect(word) {
                interventions.push(parse(word)?);
            } else if matches!(word, "original" | "none") {
                original = true;
            } else if word.contains('=') && !word.contains(':') {
                protocols.push(word);
            } else if word.parse::<Protocol>().is_ok() {
                if !protocols.is_empty() {
                    return Err(twice("protocols"));
                }
                protocols.push(word);
            } else if let Ok(visit) = word.parse() {
                if read.visit.replace(visit).is_some() {
                    return Err(twice("visits"));
                }
            } else if let Some(info) = pagerace_cc::find(word) {
                if read.congestion.replace(info.name.to_owned()).is_some() {
                    return Err(twice("congestion controllers"));
                }
            } else {
                return Err(unknown(word));
            }
        }
        if !protocols.is_empty() {
            read.protocols = Some(parse(&protocols.join(" "))?);
        }
        if original && !interventions.is_empty() {
            return Err(twice("sets of interventions"));
        }
        if original || !interventions.is_empty() {
            read.interventions = Some(Interventions::new(interventions));
        }
        if read == Self::default() {
            let reason = "is empty; write a protocol, congestion controller, visit or strategy, such \
                          as `h2 bbr`";
            return Err(ContenderError(reason.to_owned()));
        }
        Ok(read)
    }
}

fn parse<T: FromStr<Err: Display>>(word: &str) -> Result<T, ContenderError> {
    word.parse()
        .map_err(|error: T::Err| ContenderError(error.to_string()))
}

/// Returns true if a word ends in the effect of an intervention rather than in a protocol.
fn has_effect(word: &str) -> bool {
    let effect = word.rsplit_once('=').map(|(_, effect)| effect);
    effect.is_some_and(|effect| effect.parse::<Effect>().is_ok())
}

fn unknown(word: &str) -> ContenderError {
    let strategies = registry().iter().map(|info| info.name);
    let controllers = pagerace_cc::registry().iter().map(|cc| cc.name);
    let visits = Visit::ALL.iter().map(|visit| visit.name());
    let protocols = Protocol::ALL.iter().map(|protocol| protocol.name());
    let policies = reliability::policies().iter().map(|info| info.name);
    let known = protocols.chain(controllers).chain(visits);
    let known = known.chain(strategies).chain(policies);
    ContenderError(format!(
        "`{word}` is not a protocol (h1, h2, h3), congestion controller (pagerace list \
         controllers), visit (cold, resumed, warm), strategy (pagerace list strategies), \
         reliability policy (pagerace list policies) or intervention (such as \
         fonts=1s){}",
        did_you_mean(word, known)
    ))
}

//! The text form of a contender: words in any order, each property optional.

use std::str::FromStr;

use pagerace_core::Protocol;
use pagerace_core::suggest::did_you_mean;
use pagerace_delivery::reliability::{self, ReliabilityError, ReliabilitySpec};
use pagerace_delivery::{StrategyError, StrategySpec, registry};
use pagerace_page::intervention::{Effect, InterventionError};
use pagerace_page::{Intervention, Interventions};
use pagerace_sim::{ProtocolMap, ProtocolMapError, Visit};
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
pub enum ContenderError {
    /// The text is empty.
    #[error(
        "is empty; write a protocol, congestion controller, visit or strategy, such as `h2 bbr`"
    )]
    Empty,
    /// A word is unknown.
    #[error(
        "`{word}` is not a protocol (h1, h2, h3), congestion controller (pagerace list \
         controllers), visit (cold, resumed, warm), strategy (pagerace list strategies), \
         reliability policy (pagerace list policies) or intervention (such as \
         fonts=1s){suggestion}"
    )]
    Unknown {
        /// The unknown word.
        word: String,
        /// A suggestion that continues the sentence; may be empty.
        suggestion: String,
    },
    /// A property is given twice.
    #[error("`{text}` names two {what}; one is enough")]
    Twice {
        /// The text.
        text: String,
        /// The property, in the plural.
        what: &'static str,
    },
    /// The protocols are invalid.
    #[error(transparent)]
    Protocols(#[from] ProtocolMapError),
    /// The parameters of the reliability policy are invalid.
    #[error(transparent)]
    Reliability(#[from] ReliabilityError),
    /// The parameters of the strategy are invalid.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The selector of an intervention is invalid.
    #[error(transparent)]
    Intervention(#[from] InterventionError),
    /// No contender matches.
    #[error("`{text}` matches none of the contenders: {known}{suggestion}")]
    NotThere {
        /// The text.
        text: String,
        /// Labels of all contenders.
        known: String,
        /// A suggestion that continues the sentence; may be empty.
        suggestion: String,
    },
    /// Several contenders match.
    #[error("`{text}` matches {matching}; name one of them in full")]
    Ambiguous {
        /// The text.
        text: String,
        /// Labels of the contenders that match.
        matching: String,
    },
}

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
        let twice = |what| ContenderError::Twice {
            text: text.to_owned(),
            what,
        };
        for word in text.split_whitespace() {
            let name = word.split(':').next().unwrap_or(word);
            if registry().iter().any(|info| info.name == name) {
                if read.strategy.replace(word.parse()?).is_some() {
                    return Err(twice("strategies"));
                }
            } else if reliability::policy(name).is_some() {
                if read.reliability.replace(word.parse()?).is_some() {
                    return Err(twice("reliability policies"));
                }
            } else if has_effect(word) {
                interventions.push(word.parse()?);
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
            } else if pagerace_cc::registry().iter().any(|cc| cc.name == word) {
                if read.congestion.replace(word.to_owned()).is_some() {
                    return Err(twice("congestion controllers"));
                }
            } else {
                return Err(unknown(word));
            }
        }
        if !protocols.is_empty() {
            read.protocols = Some(protocols.join(" ").parse()?);
        }
        if original && !interventions.is_empty() {
            return Err(twice("sets of interventions"));
        }
        if original || !interventions.is_empty() {
            read.interventions = Some(Interventions::new(interventions));
        }
        if read == Self::default() {
            return Err(ContenderError::Empty);
        }
        Ok(read)
    }
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
    ContenderError::Unknown {
        word: word.to_owned(),
        suggestion: did_you_mean(word, known),
    }
}

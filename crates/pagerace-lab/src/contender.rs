//! A contender, which is one way to deliver pages, and its text form.

use std::fmt;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_delivery::reliability::ReliabilitySpec;
use pagerace_page::{Changes, Interventions, Page};
use pagerace_sim::{ProtocolMap, Visit};
use serde::{Deserialize, Serialize, Serializer};

mod choose;
mod dimension;
mod text;

pub use choose::choose;
pub use dimension::{COUNT, DIMENSIONS, Dimension, Dimensions};
pub use text::{ContenderError, ContenderText};

/// One way to deliver pages. Settings that all contenders share are part of the plan.
/// [`DIMENSIONS`] has one entry for each field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    /// The version of HTTP for each request.
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
    /// The changes of the pages that it delivers.
    #[serde(default, skip_serializing_if = "Changes::is_empty")]
    pub changes: Changes,
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
    pub(crate) fn effective_reliability(&self) -> ReliabilitySpec {
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
        DIMENSIONS.iter().all(|one| one.is_same(self, other))
    }

    /// Returns the protocols that the page's requests use, without duplicates.
    pub(crate) fn protocols_of(&self, page: &Page) -> Vec<Protocol> {
        let used = self.protocols.of_page(page);
        let all = Protocol::ALL.into_iter();
        all.filter(|protocol| used.contains(protocol)).collect()
    }

    /// Returns the values of all dimensions as text.
    pub fn texts(&self) -> [String; COUNT] {
        std::array::from_fn(|i| (DIMENSIONS[i].text)(self))
    }

    /// Returns an object with the values of all dimensions as text.
    pub fn properties(&self) -> impl Serialize + use<> {
        struct Properties([String; COUNT]);
        impl Serialize for Properties {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_map(DIMENSIONS.iter().map(|one| one.name).zip(&self.0))
            }
        }
        Properties(self.texts())
    }

    /// Returns a name made of the properties in `varying`.
    pub fn label(&self, varying: Dimensions) -> String {
        let telling = varying.iter().filter(|one| (one.matters)(self));
        let words: Vec<String> = telling.map(|one| (one.label)(self)).collect();
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
            changes: Changes::default(),
        }
    }
}

impl fmt::Display for Contender {
    /// Writes all properties, in the form that [`ContenderText`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Self::default();
        let written = DIMENSIONS
            .iter()
            .filter(|one| !one.is_optional || !one.is_same(self, &plain));
        let words: Vec<String> = written.map(|one| (one.text)(self)).collect();
        f.write_str(&words.join(" "))
    }
}

impl Dimensions {
    /// Returns the dimensions in which `contenders` differ, as far as those matter.
    pub fn varying(contenders: &[Contender]) -> Self {
        Self::that(|one| {
            let mut telling = contenders.iter().filter(|c| (one.matters)(c));
            let first = telling.next();
            first.is_some_and(|first| telling.any(|other| !one.is_same(first, other)))
        })
    }

    /// Returns true if there is any besides the strategy.
    pub fn beyond_strategy(self) -> bool {
        self.iter().any(|one| one.name != "strategy")
    }

    /// Returns the noun for contenders that differ in these.
    pub fn noun(self) -> Noun {
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

/// The values of one dimension that contenders may have: its name, and contenders with them.
pub type Choices = (&'static str, Vec<Contender>);

/// Returns contenders that have these values, and the defaults for all else.
pub fn choices<T: Clone>(
    name: &'static str,
    values: &[T],
    set: impl Fn(&mut Contender, T),
) -> Choices {
    let with = |value: &T| {
        let mut contender = Contender::default();
        set(&mut contender, value.clone());
        contender
    };
    (name, values.iter().map(with).collect())
}

/// Returns every combination, with the last dimension varying fastest. Of combinations that
/// differ only in values without effect, only the first is kept.
pub fn product(choices: &[Choices]) -> Vec<Contender> {
    let mut all = vec![Contender::default()];
    for dimension in &DIMENSIONS {
        let Some((_, values)) = choices.iter().find(|(name, _)| *name == dimension.name) else {
            continue;
        };
        let combine = |base: Contender| {
            values.iter().map(move |value| {
                let mut one = base.clone();
                (dimension.copy)(&mut one, value);
                one
            })
        };
        all = all.into_iter().flat_map(combine).collect();
    }
    let mut contenders: Vec<Contender> = Vec::new();
    for one in all {
        let twin = |known: &Contender| *known != one && known.loads_as(&one);
        if !contenders.iter().any(twin) {
            contenders.push(one);
        }
    }
    contenders
}

#[cfg(test)]
mod tests;

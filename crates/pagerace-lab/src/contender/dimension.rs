//! The properties in which contenders may differ.
//!
//! [`DIMENSIONS`] is the one list of them. The text form of contenders, their labels, the
//! comparison of two, and the columns of CSV, JSON, Parquet and studies follow from it. A new
//! dimension is a field of [`Contender`], a line here, and its effect on a load.

use std::fmt::{self, Display};
use std::str::FromStr;

use pagerace_core::Protocol;
use pagerace_delivery::registry;
use pagerace_delivery::reliability;
use pagerace_page::change::{self, Change};
use pagerace_page::intervention::Effect;
use pagerace_sim::Visit;

use super::Contender;

/// The label of a contender without interventions, if others have some.
const ORIGINAL: &str = "original";

/// A property of contenders. Two are equal if they have the same name.
#[derive(Clone, Copy)]
pub struct Dimension {
    /// The name of its column in files.
    pub name: &'static str,
    /// The plural, for errors.
    pub(super) many: &'static str,
    /// How people write a value, for errors.
    pub(super) written: &'static str,
    /// True if the text form of a contender may leave out the default.
    pub(super) is_optional: bool,
    /// Returns words that name values, for suggestions.
    pub(super) known: fn() -> Vec<&'static str>,
    /// Returns true if a word names a value, or a part of one.
    pub(super) reads: fn(&str) -> bool,
    /// Returns the number of words that belong to this one and follow it.
    pub(super) followers: fn(&str) -> usize,
    /// Returns true if several words may make one value together.
    pub(super) joins: fn(&[&str]) -> bool,
    /// Sets the value that these words name.
    pub(super) parse: fn(&mut Contender, &str) -> Result<(), String>,
    /// Copies the value of the second contender to the first.
    pub(super) copy: fn(&mut Contender, &Contender),
    /// Returns true if the values have the same effect.
    same: fn(&Contender, &Contender) -> bool,
    /// Returns true if the value can have an effect.
    pub(super) matters: fn(&Contender) -> bool,
    /// Returns the value as it acts.
    pub text: fn(&Contender) -> String,
    /// Returns the value for a label.
    pub(super) label: fn(&Contender) -> String,
}

/// The number of dimensions.
pub const COUNT: usize = 7;

/// All dimensions, in the order of columns and of words in labels.
pub static DIMENSIONS: [Dimension; COUNT] = [
    Dimension {
        name: "protocol",
        many: "protocols",
        written: "protocol (h1, h2, h3)",
        is_optional: false,
        known: || Protocol::ALL.iter().map(|one| one.name()).collect(),
        reads: |word| word.parse::<Protocol>().is_ok() || is_rule(word),
        followers: |_| 0,
        joins: |words| words.iter().all(|word| is_rule(word)),
        parse: |contender, words| parse(words).map(|parsed| contender.protocols = parsed),
        copy: |to, from| to.protocols.clone_from(&from.protocols),
        same: |a, b| a.protocols == b.protocols,
        matters: |_| true,
        text: |contender| contender.protocols.to_string(),
        label: |contender| contender.protocols.to_string(),
    },
    Dimension {
        name: "congestion",
        many: "congestion controllers",
        written: "congestion controller (pagerace list controllers)",
        is_optional: false,
        known: || pagerace_cc::registry().iter().map(|cc| cc.name).collect(),
        reads: |word| pagerace_cc::find(word).is_some(),
        followers: |_| 0,
        joins: |_| false,
        parse: |contender, word| {
            let found = pagerace_cc::find(word).ok_or_else(|| format!("`{word}` is unknown"))?;
            found.name.clone_into(&mut contender.congestion);
            Ok(())
        },
        copy: |to, from| to.congestion.clone_from(&from.congestion),
        same: |a, b| a.congestion == b.congestion,
        matters: |_| true,
        text: |contender| contender.congestion.clone(),
        label: |contender| contender.congestion.clone(),
    },
    Dimension {
        name: "visit",
        many: "visits",
        written: "visit (cold, resumed, warm)",
        is_optional: false,
        known: || Visit::ALL.iter().map(|visit| visit.name()).collect(),
        reads: |word| word.parse::<Visit>().is_ok(),
        followers: |_| 0,
        joins: |_| false,
        parse: |contender, word| parse(word).map(|parsed| contender.visit = parsed),
        copy: |to, from| to.visit = from.visit,
        same: |a, b| a.visit == b.visit,
        matters: |_| true,
        text: |contender| contender.visit.to_string(),
        label: |contender| contender.visit.to_string(),
    },
    Dimension {
        name: "strategy",
        many: "strategies",
        written: "strategy (pagerace list strategies)",
        is_optional: false,
        known: || registry().iter().map(|info| info.name).collect(),
        reads: |word| {
            let name = name_of(word);
            let mut known = registry().iter();
            known.any(|info| info.name.eq_ignore_ascii_case(name))
        },
        followers: |_| 0,
        joins: |_| false,
        parse: |contender, word| parse(word).map(|parsed| contender.strategy = parsed),
        copy: |to, from| to.strategy.clone_from(&from.strategy),
        same: |a, b| a.strategy == b.strategy,
        matters: Contender::has_choice,
        text: |contender| contender.strategy.to_string(),
        label: |contender| contender.strategy.label(),
    },
    Dimension {
        name: "reliability",
        many: "reliability policies",
        written: "reliability policy (pagerace list policies)",
        is_optional: true,
        known: || {
            reliability::policies()
                .iter()
                .map(|info| info.name)
                .collect()
        },
        reads: |word| reliability::policy(name_of(word)).is_some(),
        followers: |_| 0,
        joins: |_| false,
        parse: |contender, word| parse(word).map(|parsed| contender.reliability = parsed),
        copy: |to, from| to.reliability.clone_from(&from.reliability),
        same: |a, b| a.effective_reliability() == b.effective_reliability(),
        matters: |_| true,
        text: |contender| contender.effective_reliability().to_string(),
        label: |contender| contender.effective_reliability().to_string(),
    },
    Dimension {
        name: "interventions",
        many: "sets of interventions",
        written: "intervention (such as fonts=1s)",
        is_optional: true,
        known: Vec::new,
        reads: |word| has_effect(word) || is_none(word),
        followers: |_| 0,
        joins: |words| words.iter().all(|word| !is_none(word)),
        parse: |contender, words| parse(words).map(|parsed| contender.interventions = parsed),
        copy: |to, from| to.interventions.clone_from(&from.interventions),
        same: |a, b| a.interventions == b.interventions,
        matters: |_| true,
        text: |contender| contender.interventions.to_string(),
        label: |contender| match &contender.interventions {
            none if none.is_empty() => ORIGINAL.to_owned(),
            some => some.to_string(),
        },
    },
    Dimension {
        name: "changes",
        many: "sets of changes",
        written: "change of the page (such as `remove ads`)",
        is_optional: true,
        known: || change::KINDS.iter().map(|kind| kind.name()).collect(),
        reads: |word| Change::begins_with(word) || word == change::NONE,
        followers: |word| usize::from(word != change::NONE),
        joins: |words| words.iter().all(|word| *word != change::NONE),
        parse: |contender, words| {
            // Between changes, `;` may be left out: a selector is one word.
            let words: Vec<&str> = words
                .split([' ', ';'])
                .filter(|word| !word.is_empty())
                .collect();
            let all: Vec<String> = words.chunks(2).map(|change| change.join(" ")).collect();
            contender.changes = parse(&all.join(";"))?;
            Ok(())
        },
        copy: |to, from| to.changes.clone_from(&from.changes),
        same: |a, b| a.changes == b.changes,
        matters: |_| true,
        text: |contender| contender.changes.to_string(),
        label: |contender| contender.changes.to_string(),
    },
];

impl Dimension {
    /// Returns the dimension called `name`, a constant of the caller.
    ///
    /// # Panics
    /// Panics if there is none.
    pub fn named(name: &str) -> &'static Self {
        let mut all = DIMENSIONS.iter();
        let found = all.find(|one| one.name == name);
        found.unwrap_or_else(|| panic!("contenders have no {name}"))
    }

    /// Returns true if the contenders do not differ in the effects of this property.
    pub(super) fn is_same(&self, a: &Contender, b: &Contender) -> bool {
        (self.same)(a, b) || !((self.matters)(a) && (self.matters)(b))
    }
}

impl PartialEq for Dimension {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Dimension {}

impl fmt::Debug for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// A set of dimensions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimensions([bool; COUNT]);

impl Dimensions {
    /// Returns those that `wanted` accepts.
    pub(super) fn that(wanted: impl Fn(&Dimension) -> bool) -> Self {
        Self(std::array::from_fn(|i| wanted(&DIMENSIONS[i])))
    }

    /// Returns the members, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static Dimension> {
        let all = DIMENSIONS.iter().zip(self.0);
        all.filter_map(|(one, member)| member.then_some(one))
    }

    /// Returns true if the dimension called `name` is a member.
    ///
    /// # Panics
    /// Panics if there is no such dimension.
    pub fn has(self, name: &str) -> bool {
        let wanted = Dimension::named(name);
        self.iter().any(|one| one == wanted)
    }

    pub(super) fn insert(&mut self, dimension: &Dimension) {
        let place = DIMENSIONS.iter().position(|one| one == dimension);
        self.0[place.expect("it is in the list")] = true;
    }
}

fn parse<T: FromStr<Err: Display>>(words: &str) -> Result<T, String> {
    words.parse().map_err(|error: T::Err| error.to_string())
}

/// Returns a word without its parameters.
fn name_of(word: &str) -> &str {
    word.split(':').next().unwrap_or(word)
}

/// Returns true for a rule such as `static.example=h3`.
fn is_rule(word: &str) -> bool {
    // Parameters of strategies follow a colon; a URL pattern may have one in front.
    let end = word.rsplit_once('=').map(|(_, protocol)| protocol);
    let ends_in_protocol = end.is_some_and(|end| end.parse::<Protocol>().is_ok());
    end.is_some() && (ends_in_protocol || !word.contains(':')) && !has_effect(word)
}

/// Returns true if a word ends in the effect of an intervention rather than in a protocol.
fn has_effect(word: &str) -> bool {
    let effect = word.rsplit_once('=').map(|(_, effect)| effect);
    effect.is_some_and(|effect| effect.parse::<Effect>().is_ok())
}

/// Returns true for the words that mean that there are no interventions.
fn is_none(word: &str) -> bool {
    matches!(word, ORIGINAL | "none")
}

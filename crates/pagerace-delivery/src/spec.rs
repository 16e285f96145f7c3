//! A strategy with its parameters, as text: `name:param=value[:param=value]`.

use std::cmp::Ordering;
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;

use pagerace_core::{serde_as_text, suggest::did_you_mean};

use crate::parameter::{Parameter, Values};
use crate::registry::{DEFAULTS, StrategyInfo, registry};
use crate::{Strategy, StrategyError};

/// A strategy and the values of all its parameters.
///
/// The text form is `name`, followed by any number of `:param=value`. Parameters left out
/// take their defaults. A spec is displayed and serialised in that form with all parameters
/// resolved, in the order in which the strategy declares them. Specs compare by their
/// displayed text.
#[derive(Clone)]
pub struct StrategySpec {
    info: &'static StrategyInfo,
    values: Values,
    text: Box<str>,
}

impl StrategySpec {
    /// Returns the specs that a race runs when none are named. See [`DEFAULTS`].
    pub fn defaults() -> Vec<Self> {
        DEFAULTS
            .iter()
            .map(|text| text.parse().expect("the defaults are in the registry"))
            .collect()
    }

    /// Parses one spec of a strategy in the registry or in `extra`. The name may be in upper or
    /// lower case.
    ///
    /// Programs use this to add their own strategies. Deserialisation looks up the registry
    /// only.
    ///
    /// # Errors
    /// Returns a [`StrategyError`] that states the text found and the values allowed.
    pub fn parse_with(text: &str, extra: &'static [StrategyInfo]) -> Result<Self, StrategyError> {
        let mut parts = text.trim().split(':');
        let name = parts.next().expect("a split has a first part").trim();
        if name.is_empty() {
            return Err(StrategyError(format!(
                "strategy 1 of {text:?} is empty: write a name between the commas; the strategies \
                 are {}",
                known(extra)
            )));
        }
        let mut infos = registry().iter().chain(extra);
        let info = infos
            .find(|info| info.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| unknown_name(name, extra))?;
        let mut values = Values::defaults(info.parameters);
        let mut given: Vec<&str> = Vec::new();
        for part in parts {
            let parameter = read_parameter(info, part, &mut values)?;
            if given.contains(&parameter.name) {
                return Err(StrategyError(format!(
                    "parameter {} of strategy {} is given twice: give it once",
                    parameter.name, info.name
                )));
            }
            given.push(parameter.name);
        }
        Ok(Self::resolved(info, values))
    }

    /// Returns the description of the strategy.
    pub const fn info(&self) -> &'static StrategyInfo {
        self.info
    }

    /// Returns the strategy's name, without parameters.
    pub const fn name(&self) -> &'static str {
        self.info.name
    }

    /// Returns a short form for headings: the name and the parameters that differ from
    /// their defaults. It parses to the same spec.
    pub fn label(&self) -> String {
        let defaults = Values::defaults(self.info.parameters);
        let mut label = self.info.name.to_owned();
        for ((name, value), (_, default)) in self.values.written().zip(defaults.written()) {
            if value != default {
                write!(label, ":{name}={value}").expect("writing to a string works");
            }
        }
        label
    }

    /// Builds the strategy for one connection.
    pub fn build(&self) -> Box<dyn Strategy> {
        (self.info.build)(&self.values)
    }

    fn resolved(info: &'static StrategyInfo, values: Values) -> Self {
        let mut text = info.name.to_owned();
        for (name, value) in values.written() {
            write!(text, ":{name}={value}").expect("writing to a string works");
        }
        Self {
            info,
            values,
            text: text.into(),
        }
    }
}

fn read_parameter(
    info: &'static StrategyInfo,
    part: &str,
    values: &mut Values,
) -> Result<&'static Parameter, StrategyError> {
    let (name, value) = match part.split_once('=') {
        Some((name, value)) => (name.trim(), value.trim()),
        None => (part.trim(), ""),
    };
    let strategy = info.name;
    let parameter = info
        .parameters
        .iter()
        .find(|p| p.name == name)
        .ok_or_else(|| {
            let allowed = takes(info);
            format!("strategy {strategy} has no parameter {name:?}: it takes {allowed}")
        })
        .map_err(StrategyError)?;
    let allowed = &parameter.range;
    if value.is_empty() {
        return Err(StrategyError(format!(
            "parameter {name:?} of strategy {strategy} has no value: write {name}=VALUE, {allowed}"
        )));
    }
    if !values.set(parameter, value) {
        return Err(StrategyError(format!(
            "parameter {name} of strategy {strategy} is {value:?}: it must be {allowed}"
        )));
    }
    Ok(parameter)
}

/// Lists all names, for error messages.
fn known(extra: &'static [StrategyInfo]) -> String {
    let names: Vec<&str> = registry()
        .iter()
        .chain(extra)
        .map(|info| info.name)
        .collect();
    names.join(", ")
}

fn unknown_name(found: &str, extra: &'static [StrategyInfo]) -> StrategyError {
    let names = registry().iter().chain(extra).map(|info| info.name);
    StrategyError(format!(
        "unknown strategy {found:?}; the strategies are {}{}",
        known(extra),
        did_you_mean(found, names)
    ))
}

/// Lists the parameters of a strategy, for error messages.
fn takes(info: &StrategyInfo) -> String {
    if info.parameters.is_empty() {
        return "none".to_owned();
    }
    let each = info
        .parameters
        .iter()
        .map(|p| format!("{} ({})", p.name, p.range));
    each.collect::<Vec<_>>().join(", ")
}

serde_as_text!(StrategySpec);

impl FromStr for StrategySpec {
    type Err = StrategyError;

    fn from_str(text: &str) -> Result<Self, StrategyError> {
        Self::parse_with(text, &[])
    }
}

impl fmt::Display for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for StrategySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StrategySpec({})", self.text)
    }
}

impl PartialEq for StrategySpec {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for StrategySpec {}

impl PartialOrd for StrategySpec {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for StrategySpec {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

#[cfg(test)]
mod tests;

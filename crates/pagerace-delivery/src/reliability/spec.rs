//! A policy with its arguments, as text: `name`, or `name:first,second`.

use std::fmt;
use std::str::FromStr;

use pagerace_core::suggest::did_you_mean;
use pagerace_core::{Duration, serde_as_text};

use super::registry::{Arguments, PolicyInfo, Takes, policies, policy};
use super::{Policy, ReliabilityError, Selection};

/// A policy and its arguments.
///
/// A spec is displayed and serialised with all arguments resolved, except a default
/// selection that the policy does not require. Specs are equal if their displayed text is
/// the same.
#[derive(Clone, Debug)]
pub struct ReliabilitySpec {
    info: &'static PolicyInfo,
    arguments: Arguments,
    text: Box<str>,
}

impl ReliabilitySpec {
    /// Parses specs separated by commas: `full,datagram:fonts,ads,adaptive`.
    ///
    /// Commas also separate a policy's arguments, so an entry that does not begin with the
    /// name of a policy belongs to the previous one. The name of one of `sets` stands for the
    /// specs of the set.
    ///
    /// # Errors
    /// Returns a [`ReliabilityError`] that states the text found and the values allowed.
    pub fn parse_list(text: &str, sets: &[(&str, &[&str])]) -> Result<Vec<Self>, ReliabilityError> {
        let set = |name: &str| sets.iter().find(|set| set.0 == name).map(|set| set.1);
        let mut entries: Vec<String> = Vec::new();
        for part in text.split(',') {
            let name = part.split(':').next().unwrap_or_default().trim();
            // An entry with a colon is a misspelt policy, unless the colon is part of a
            // URL.
            let begins = policy(name).is_some()
                || set(name).is_some()
                || (part.contains(':') && !part.contains("://"));
            match entries.last_mut() {
                Some(entry) if !begins && entry.contains(':') => {
                    entry.push(',');
                    entry.push_str(part);
                }
                _ => entries.push(part.to_owned()),
            }
        }
        let mut specs: Vec<Self> = Vec::new();
        for entry in entries {
            for text in set(entry.trim()).unwrap_or(&[&entry]) {
                let spec: Self = text.parse()?;
                if specs.contains(&spec) {
                    let reason = format!("`{spec}` is named twice; once is enough");
                    return Err(ReliabilityError(reason));
                }
                specs.push(spec);
            }
        }
        Ok(specs)
    }

    /// Returns the description of the policy.
    pub const fn info(&self) -> &'static PolicyInfo {
        self.info
    }

    /// Returns the selection of objects that the policy applies to.
    pub const fn selection(&self) -> &Selection {
        &self.arguments.selection
    }

    /// Returns true if the policy delivers all content on its stream in the order of the
    /// strategy.
    pub fn is_full(&self) -> bool {
        self.info.takes == Takes::Nothing
    }

    /// Returns true if the policy sends anything in datagrams.
    pub const fn needs_datagrams(&self) -> bool {
        self.info.datagrams
    }

    /// Builds the policy for one connection.
    pub fn build(&self) -> Box<dyn Policy> {
        (self.info.build)(&self.arguments)
    }

    fn resolved(info: &'static PolicyInfo, arguments: Arguments) -> Self {
        let mut words: Vec<String> = Vec::new();
        words.extend(arguments.time.map(millis));
        words.extend(arguments.ratio.map(|ratio| ratio.to_string()));
        words.extend(arguments.repair.then(|| "repair".to_owned()));
        if arguments.selection != Selection::default() || info.takes == Takes::Selection(true) {
            words.push(arguments.selection.to_string());
        }
        let text = if words.is_empty() {
            info.name.to_owned()
        } else {
            format!("{}:{}", info.name, words.join(","))
        };
        Self {
            info,
            arguments,
            text: text.into(),
        }
    }
}

/// Formats a time as `500ms` or `2.5ms`.
fn millis(time: Duration) -> String {
    format!("{}ms", time.as_millis_f64())
}

/// Parses a time. A number without unit is in milliseconds.
fn time(word: &str) -> Option<Duration> {
    let (number, scale) = if let Some(number) = word.strip_suffix("ms") {
        (number, 1.0)
    } else if let Some(number) = word.strip_suffix('s') {
        (number, 1_000.0)
    } else {
        (word, 1.0)
    };
    let value: f64 = number.trim().parse().ok()?;
    let millis = value * scale;
    // An hour is longer than any page load.
    (millis > 0.0 && millis <= 3_600_000.0).then(|| Duration::from_millis_f64(millis))
}

fn ratio(word: &str) -> Option<f64> {
    let value: f64 = match word.strip_suffix('%') {
        Some(number) => number.trim().parse::<f64>().ok()? / 100.0,
        None => word.parse().ok()?,
    };
    (value > 0.0 && value <= 1.0).then_some(value)
}

fn known() -> String {
    let names: Vec<&str> = policies().iter().map(|info| info.name).collect();
    names.join(", ")
}

serde_as_text!(ReliabilitySpec);

impl FromStr for ReliabilitySpec {
    type Err = ReliabilityError;

    fn from_str(text: &str) -> Result<Self, ReliabilityError> {
        let text = text.trim();
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name.trim(), Some(rest.trim())),
            None => (text, None),
        };
        if name.is_empty() {
            return Err(ReliabilityError(format!(
                "a reliability policy is empty; write one of {}",
                known()
            )));
        }
        let Some(info) = policy(name) else {
            return Err(ReliabilityError(format!(
                "unknown reliability policy `{name}`; the policies are {}{}",
                known(),
                did_you_mean(name, policies().iter().map(|info| info.name))
            )));
        };
        let wrong = |problem: String| {
            ReliabilityError(format!("`{text}`: {problem}; write {}", info.usage))
        };
        let mut words: Vec<&str> = rest.map_or(vec![], |rest| rest.split(',').collect());
        for word in &mut words {
            *word = word.trim();
            if word.is_empty() {
                return Err(wrong(
                    "something is missing between or after commas".to_owned(),
                ));
            }
        }
        let arguments = arguments(info, &words).map_err(wrong)?;
        Ok(Self::resolved(info, arguments))
    }
}

fn arguments(info: &PolicyInfo, words: &[&str]) -> Result<Arguments, String> {
    let mut read = Arguments::default();
    let mut words = words;
    match (info.takes, words.split_first()) {
        (Takes::Nothing, Some((word, _))) => return Err(format!("it takes no `{word}`")),
        (Takes::Time, first) => {
            let (word, rest) = first.ok_or("it needs a time, such as 500ms")?;
            let found = time(word).ok_or_else(|| {
                format!("`{word}` is not a time of at most 1 hour, such as 500ms or 1.5s")
            })?;
            (read.time, words) = (Some(found), rest);
        }
        (Takes::MaybeTime, Some((word, rest))) if time(word).is_some() => {
            (read.time, words) = (time(word), rest);
        }
        (Takes::Ratio, first) => {
            let (word, rest) = first.ok_or("it needs a share of parity, such as 0.1")?;
            let found = ratio(word).ok_or_else(|| {
                format!("`{word}` is not a share between 0 and 1, such as 0.1 or 10%")
            })?;
            (read.ratio, words) = (Some(found), rest);
        }
        (Takes::Selection(true), None) => {
            return Err("it needs a selection of objects, such as fonts".to_owned());
        }
        _ => {}
    }
    let mut terms: Vec<&str> = Vec::new();
    for word in words {
        if *word == "repair" && info.repairs {
            read.repair = true;
        } else {
            terms.push(word);
        }
    }
    if !terms.is_empty() {
        let selection = terms.join("+");
        read.selection = selection.parse().map_err(|error| format!("{error}"))?;
    }
    Ok(read)
}

impl Default for ReliabilitySpec {
    /// Returns `full`.
    fn default() -> Self {
        Self::resolved(&policies()[0], Arguments::default())
    }
}

impl PartialEq for ReliabilitySpec {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ReliabilitySpec {}

impl fmt::Display for ReliabilitySpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests;

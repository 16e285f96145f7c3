//! The text form of a contender: words in any order, each property optional.

use std::str::FromStr;

use pagerace_core::suggest::did_you_mean;
use thiserror::Error;

use super::{Contender, DIMENSIONS, Dimension, Dimensions};

/// The properties named by a text such as `h2 bbr` or `static.example=h3 *=h2 cubic`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContenderText {
    /// The properties that the text names.
    pub named: Dimensions,
    /// A contender with these properties, and the defaults for all others.
    pub contender: Contender,
}

/// The reason why a text does not select a contender.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct ContenderError(pub(super) String);

impl ContenderText {
    /// Returns true if `contender` matches the text.
    pub fn matches(&self, contender: &Contender) -> bool {
        let mut named = self.named.iter();
        named.all(|one| !(one.matters)(contender) || one.is_same(&self.contender, contender))
    }

    /// Returns the contender, with open properties taken from `defaults`.
    pub fn or(self, defaults: &Contender) -> Contender {
        let mut contender = defaults.clone();
        for one in self.named.iter() {
            (one.copy)(&mut contender, &self.contender);
        }
        contender
    }
}

impl FromStr for ContenderText {
    type Err = ContenderError;

    fn from_str(text: &str) -> Result<Self, ContenderError> {
        let mut words: [Vec<&str>; DIMENSIONS.len()] = Default::default();
        let mut rest = text.split_whitespace();
        while let Some(word) = rest.next() {
            let mut all = DIMENSIONS.iter().zip(&mut words);
            let (one, words) = all
                .find(|(one, _)| (one.reads)(word))
                .ok_or_else(|| unknown(word))?;
            words.push(word);
            words.extend(rest.by_ref().take((one.followers)(word)));
        }
        let mut read = Self {
            named: Dimensions::default(),
            contender: Contender::default(),
        };
        for (one, words) in DIMENSIONS.iter().zip(&words) {
            if words.is_empty() {
                continue;
            }
            if words.len() > 1 && !(one.joins)(words) {
                return Err(ContenderError(format!(
                    "`{text}` names two {}; one is enough",
                    one.many
                )));
            }
            (one.parse)(&mut read.contender, &words.join(" ")).map_err(ContenderError)?;
            read.named.insert(one);
        }
        if read.named == Dimensions::default() {
            let reason = "is empty; write a protocol, congestion controller, visit or strategy, such \
                          as `h2 bbr`";
            return Err(ContenderError(reason.to_owned()));
        }
        Ok(read)
    }
}

fn unknown(word: &str) -> ContenderError {
    let known = DIMENSIONS.iter().flat_map(|one| (one.known)());
    let written: Vec<&str> = DIMENSIONS
        .iter()
        .map(|one: &Dimension| one.written)
        .collect();
    let (last, others) = written.split_last().expect("there are dimensions");
    ContenderError(format!(
        "`{word}` is not a {} or {last}{}",
        others.join(", "),
        did_you_mean(word, known)
    ))
}

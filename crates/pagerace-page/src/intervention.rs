//! What is done to a page's requests to see what depends on them: some are
//! blocked, others answered late.
//!
//! Written as `selector=effect`, several separated by spaces: `fonts=140ms`,
//! `css+third-party-js=1s`, `cdn.example=hang`, `*/analytics.js*=refused`. What
//! a selector selects is written in [`selector`], the two ways of blocking at
//! [`Failure`]. Simulator and live replay ask the same [`Interventions`].
//!
//! # Source
//! Srivastava 2024, sections 5.4.3 (single points of failure, by WebPageTest's
//! black hole) and 5.10.2 (requests that are answered late).
//!
//! Left out: effects that change during a load, and bandwidth limits by host.

mod effect;
mod glob;
mod list;
pub mod selector;
mod set;
mod target;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use effect::{Effect, Failure, LONGEST_DELAY};
pub use list::{Interventions, ResourceEffect, Unmatched};
pub use selector::{Kind, Party, Selector, Term};
pub use set::{EACH_HOST, THESIS, each_host, thesis};
pub use target::Target;

/// Something done to the requests that a selector selects. Written, and
/// serialised, as `selector=effect`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Intervention {
    /// To which requests.
    pub selector: Selector,
    /// What.
    pub effect: Effect,
}

/// A text that is no intervention.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InterventionError {
    /// Nothing was written.
    #[error("is empty; write `fonts=1s`, `cdn.example=hang` or `ads=refused`, for example")]
    Empty,
    /// There is no effect.
    #[error(
        "`{0}` does not say what happens: write `{0}=1s` for a delay, `{0}=refused` or \
         `{0}=hang`"
    )]
    NoEffect(String),
    /// The effect is none.
    #[error(
        "`{text}`: `{found}` is neither `refused`, `hang` nor a delay such as 140ms or 1.5s, \
         from 1ns to 60min"
    )]
    Effect {
        /// All of the text.
        text: String,
        /// What stands where the effect should.
        found: String,
    },
    /// A part of the selector is neither category, host nor URL pattern.
    #[error(
        "`{text}`: `{term}` is no category (fonts, css, js, images, html, json, ads, others, \
         each also after third-party- or first-party-), host (cdn.example, *.cdn.example) or URL \
         pattern (*/app.js*)"
    )]
    Term {
        /// All of the text.
        text: String,
        /// The part.
        term: String,
    },
}

impl Intervention {
    /// Reads an intervention whose effect may be left out; it is then `default`.
    ///
    /// `=` may stand in a URL pattern: only the last one counts, and only where
    /// an effect follows.
    ///
    /// # Errors
    /// [`InterventionError`] says which part means nothing.
    pub fn parse_or(text: &str, default: Effect) -> Result<Self, InterventionError> {
        match text.parse() {
            Err(InterventionError::NoEffect(_)) => Ok(Self {
                selector: text.parse()?,
                effect: default,
            }),
            Err(InterventionError::Effect { .. }) if text.contains('/') => Ok(Self {
                selector: text.parse()?,
                effect: default,
            }),
            read => read,
        }
    }
}

impl FromStr for Intervention {
    type Err = InterventionError;

    fn from_str(text: &str) -> Result<Self, InterventionError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InterventionError::Empty);
        }
        let Some((selector, effect)) = text.rsplit_once('=') else {
            return Err(InterventionError::NoEffect(text.to_owned()));
        };
        let effect = effect.parse().map_err(|_| InterventionError::Effect {
            text: text.to_owned(),
            found: effect.to_owned(),
        })?;
        Ok(Self {
            selector: selector.parse()?,
            effect,
        })
    }
}

impl fmt::Display for Intervention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.selector, self.effect)
    }
}

impl TryFrom<String> for Intervention {
    type Error = InterventionError;

    fn try_from(text: String) -> Result<Self, InterventionError> {
        text.parse()
    }
}

impl From<Intervention> for String {
    fn from(intervention: Intervention) -> Self {
        intervention.to_string()
    }
}

#[cfg(test)]
mod tests;

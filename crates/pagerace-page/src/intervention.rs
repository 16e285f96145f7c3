//! Interventions that show the effect of certain requests of a page: some requests are
//! blocked, others are answered late.
//!
//! An intervention is written as `selector=effect`; several are separated by spaces:
//! `fonts=140ms`, `css+third-party-js=1s`, `cdn.example=hang`, `*/analytics.js*=refused`.
//! Module [`selector`] documents selectors, and [`Failure`] the two ways of blocking.
//! Simulator and live replay use the same [`Interventions`].
//!
//! # Source
//! Srivastava 2024, sections 5.4.3 (single points of failure, by WebPageTest's black
//! hole) and 5.10.2 (delayed responses).
//!
//! Effects that change during a load and per-host bandwidth limits are not supported.

mod effect;
mod glob;
mod list;
pub mod selector;
mod set;
mod target;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

pub use effect::{Effect, Failure, LONGEST_DELAY};
pub use list::{Interventions, ResourceEffect, Unmatched};
pub use selector::{Kind, Party, Selector, Term};
pub use set::{EACH_HOST, each_host};
pub use target::Target;

/// An effect on the requests that a selector selects. Written as `selector=effect`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Intervention {
    /// The requests concerned.
    pub selector: Selector,
    /// The effect on them.
    pub effect: Effect,
}

/// Error of parsing an intervention.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InterventionError {
    /// The text is empty.
    #[error("is empty; write `fonts=1s`, `cdn.example=hang` or `ads=refused`, for example")]
    Empty,
    /// The text has no effect part.
    #[error("`{0}` lacks an effect: write `{0}=1s` for a delay, `{0}=refused` or `{0}=hang`")]
    NoEffect(String),
    /// The effect part is invalid.
    #[error(
        "`{text}`: `{found}` is neither `refused`, `hang` nor a delay such as 140ms or 1.5s, \
         from 1ns to 60min"
    )]
    Effect {
        /// The whole text.
        text: String,
        /// The text in place of the effect.
        found: String,
    },
    /// A part of the selector is neither category, host nor URL pattern.
    #[error(
        "`{text}`: `{term}` is not a category (fonts, css, js, images, html, json, ads, others, \
         each also after third-party- or first-party-), host (cdn.example, *.cdn.example) or URL \
         pattern (*/app.js*)"
    )]
    Term {
        /// The whole text.
        text: String,
        /// The invalid part.
        term: String,
    },
}

impl Intervention {
    /// Parses an intervention whose effect may be missing; the effect is then `default`.
    ///
    /// A URL pattern may contain `=`: only the last one counts, and only if an effect
    /// follows it.
    ///
    /// # Errors
    /// Returns [`InterventionError`] with the invalid part.
    pub fn parse_or(text: &str, default: Effect) -> Result<Self, InterventionError> {
        match text.parse() {
            Err(InterventionError::NoEffect(_)) => {}
            Err(InterventionError::Effect { .. }) if text.contains('/') => {}
            read => return read,
        }
        Ok(Self {
            selector: text.parse()?,
            effect: default,
        })
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

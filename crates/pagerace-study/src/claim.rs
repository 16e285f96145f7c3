//! Claims: predicates over the results of a study.
//!
//! A claim such as `median over pages of (h2 - h3)/h2 of speed_index_ms > 1%` is a
//! [`Measure`] and the numbers for which it holds. It is decided separately for each race and
//! network, or for each race if its names say their networks or it is pooled. The whole interval
//! of the number decides, not the number alone. It holds if it holds everywhere.

use pagerace_core::names;
use serde::Deserialize;

use crate::frame::{Filter, Frame};
use crate::measure::{Measured, Pooling};
use crate::plan::fields;

mod grammar;

pub use grammar::{
    Comparison, Expression, Measure, Operator, Sentence, Statistic, Wanted, With, metric, parse,
    parse_measure, with_network,
};

/// A number that is this many times the published one, or its inverse, differs in size.
const SIZE: f64 = 2.0;

/// A claim of a plan.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of keys")]
pub struct Claim {
    /// The claim in words of the author; empty if there are none.
    #[serde(default)]
    pub name: String,
    /// A short name for the plan's text; empty if that does not name the claim.
    #[serde(default)]
    pub id: String,
    /// The predicate.
    #[serde(rename = "holds")]
    pub sentence: Sentence,
    /// The number that others published for it.
    pub published: Option<f64>,
    /// True if it is one of the few claims that stand for the study.
    #[serde(default)]
    pub headline: bool,
    /// True if the author expects it to hold.
    #[serde(default)]
    pub expected: bool,
    /// True if the runs of all networks count together.
    #[serde(default)]
    pub pooled: bool,
    /// The loads that count.
    #[serde(default, rename = "where", deserialize_with = "fields::named")]
    pub filter: Filter,
}

names! {
    /// The verdict of the results on a claim.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ClaimVerdict {
        /// The claim holds, and the number is like the published one, if there is one.
        Holds = "holds",
        /// The claim holds, but the number has another sign than the published one, is less than
        /// half of it, or more than twice.
        DiffersInSize = "holds, differs in size",
        /// The interval of the number has numbers for which the claim holds, and others.
        CannotBeTold = "cannot be told from this sample",
        /// The claim does not hold.
        DoesNotHold = "does not hold",
    }
}

/// A claim in one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The place, and the deciding number.
    pub measured: Measured,
    /// The verdict on that number. Without a number, the claim does not hold.
    pub verdict: ClaimVerdict,
}

impl Claim {
    /// Decides the claim in each place that has all contenders it names.
    ///
    /// # Errors
    /// A name that no contender or several have, or an unknown column or value of the filter.
    pub fn decide(&self, frame: &Frame) -> Result<Vec<Decision>, String> {
        let kept = frame.filter(&self.filter)?;
        let pooling = Pooling::of(self.pooled, &self.filter);
        let all = self.sentence.measure.estimates(&kept, pooling)?.into_iter();
        let decide = |measured: Measured| Decision {
            verdict: self.verdict(&measured),
            measured,
        };
        Ok(all.map(decide).collect())
    }

    fn verdict(&self, measured: &Measured) -> ClaimVerdict {
        let Some(number) = measured.number else {
            return ClaimVerdict::CannotBeTold;
        };
        let wanted = self.sentence.wanted;
        match measured.interval {
            Some(ends) if !wanted.meets(ends) => ClaimVerdict::DoesNotHold,
            Some((low, high)) if wanted.holds(low) && wanted.holds(high) => match self.published {
                Some(published) if !alike(number, published) => ClaimVerdict::DiffersInSize,
                _ => ClaimVerdict::Holds,
            },
            _ => ClaimVerdict::CannotBeTold,
        }
    }
}

/// Returns true if two numbers have the same sign, and neither is more than twice the other.
pub fn alike(a: f64, b: f64) -> bool {
    let (small, large) = if a.abs() < b.abs() { (a, b) } else { (b, a) };
    large.abs() <= small.abs() * SIZE && large * small >= 0.0
}

#[cfg(test)]
mod tests;

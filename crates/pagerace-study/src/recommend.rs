//! The choice to make for a population of pages and networks, and who gets worse by it.
//!
//! Each distinct contender of a study is a choice. A [`Population`] has the value of every
//! choice on every page and network. A [`Policy`] makes a choice for each: always the same
//! one, or one that a [`Rule`] derives from what a server knows. Policies that are learnt are
//! evaluated on pages that they were not learnt from.
//!
//! * [`population`]: values, weights and features, from rows;
//! * [`feature`]: the properties of pages and networks that a server can know;
//! * [`rule`]: decision trees, and how they are learnt;
//! * [`interval`]: intervals of means over pages;
//! * [`mod@evaluate`]: policies out of fold, regret, and the recommendation.
//!
//! The choice of an algorithm from the features of an instance is the problem of Rice 1976,
//! "The Algorithm Selection Problem". Trees that are learnt from the regret of their choices are
//! those of Athey and Wager 2021, "Policy Learning With Observational Data"; here every choice was
//! observed everywhere, so that no regret has to be estimated.

pub mod evaluate;
pub mod feature;
pub mod interval;
pub mod population;
pub mod rule;

pub use evaluate::{Changes, Evaluation, Policy, PolicyKind, Unseen, evaluate};
pub use feature::{Feature, NetworkFacts, PageFacts};
pub use population::{Population, Situation};
pub use rule::Rule;

#[cfg(test)]
mod tests;

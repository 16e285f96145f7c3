//! Comparison of predictions with live measurements.
//!
//! * [`design`]: the combinations to measure;
//! * [`observation`]: live measurements, stored as a file;
//! * [`prediction`]: simulations of the same variants;
//! * [`lighthouse`]: Lighthouse's published accuracy and its predictions;
//! * [`cell`], [`errors`]: one prediction compared with one observation, and the
//!   quantiles of the relative error, in the form of Lighthouse's table;
//! * [`differences`]: predicted and measured differences between contenders;
//! * [`classes`], [`spread`]: how often ranges of simulated runs hold live loads and differences,
//!   and name the right winner;
//! * [`goals`], [`kind`]: limits for the errors, and kinds of pages;
//! * [`changes`]: predicted and measured effects of changes of pages;
//! * [`films`]: predicted films beside screenshots;
//! * [`blame`]: the first resource at which a prediction diverges, and how;
//! * [`mod@accuracy`]: the whole comparison over all pages, networks and contenders;
//! * [`tables`], [`markdown`], [`json`]: output formats.
//!
//! Live runs are paired neither with simulated runs nor with each other: medians are
//! compared with medians.

pub mod accuracy;
pub mod blame;
pub mod cell;
pub mod changes;
pub mod classes;
pub mod design;
pub mod differences;
pub mod errors;
pub mod films;
pub mod goals;
pub mod json;
pub mod kind;
pub mod lighthouse;
pub mod markdown;
pub mod observation;
pub mod prediction;
pub mod spread;
pub mod tables;

#[cfg(test)]
#[path = "../tests/support/samples.rs"]
mod samples;

pub use accuracy::{Accuracy, Input, accuracy};
pub use observation::{
    LinkLateness, Observation, Observations, ObservedRun, ResourceTimes, Setting,
};
pub use prediction::{Prediction, predict};

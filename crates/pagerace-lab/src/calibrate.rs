//! How far predictions lie from what was measured live.
//!
//! * [`design`]: which combinations are measured;
//! * [`observation`]: what was measured, as a file;
//! * [`prediction`]: what the simulator says of the same variants;
//! * [`lighthouse`]: Lighthouse's published accuracy, and its predictions;
//! * [`cell`], [`errors`]: one prediction beside one observation, and the
//!   quantiles of their relative errors, in the form of Lighthouse's table;
//! * [`differences`]: predicted differences between contenders beside measured ones;
//! * [`goals`], [`kind`]: what errors may be, and of which kinds pages are;
//! * [`winner`], [`ranking`]: whether the model picks the same winners;
//! * [`blame`]: the resource at which a prediction first goes wrong, and how;
//! * [`mod@accuracy`]: all of that over all pages, networks and contenders;
//! * [`tables`], [`markdown`], [`text`], [`json`]: how it is written.
//!
//! Live runs are not paired with simulated ones, nor taken as paired with each
//! other: medians are compared with medians, and samples by Mann-Whitney.

pub mod accuracy;
pub mod blame;
pub mod cell;
pub mod design;
pub mod differences;
pub mod errors;
pub mod goals;
pub mod json;
pub mod kind;
pub mod lighthouse;
pub mod markdown;
pub mod observation;
pub mod prediction;
pub mod ranking;
pub mod tables;
pub mod text;
pub mod winner;

#[cfg(test)]
mod samples;

pub use accuracy::{Accuracy, Input, accuracy};
pub use observation::{Lateness, Observation, Observations, ObservedRun, ResourceTimes, Setting};
pub use prediction::{Prediction, predict};

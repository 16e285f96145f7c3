//! The race itself: plan, page loads, statistics and verdict.
//!
//! * [`contender`]: the contenders and their text form;
//! * [`plan`]: all inputs of a race, resolved and serialisable;
//! * [`runner`]: runs a plan on all cores, with the same result for any number;
//! * [`metric`]: the metrics, by name;
//! * [`stats`]: the tests and intervals, one file each;
//! * [`analysis`]: comparison with the baseline, on one page and network;
//! * [`mod@verdict`]: the comparison in plain sentences;
//! * [`model_error`]: the uncertainty of simulated differences;
//! * [`worlds`]: the conditions of each run;
//! * [`first_visit`]: HTTP/3 that a first response tells of;
//! * [`late`]: why one contender is no sooner;
//! * [`across`]: comparison over several pages;
//! * [`correlation`]: correlation between blocked bytes and slowness;
//! * [`why`]: causes of the difference between two contenders;
//! * [`bulk`]: one large transfer instead of a page;
//! * [`mod@tune`]: the best priorities for the responses of a page;
//! * [`users`]: users' networks and processors, from files and public statistics;
//! * [`facts`]: settings that all contenders share, for headings;
//! * [`film`]: what a load looks like at each time;
//! * [`detail`], [`qlog`]: repetition of selected runs with recording;
//! * [`export`]: JSON, CSV, input of the HTML report, and atomic file writes.
//!
//! This crate does not depend on how a page load is simulated: the simulator is passed
//! in as a [`Runner`].

pub mod across;
pub mod advice;
pub mod analysis;
pub mod bulk;
pub mod contender;
pub mod correlation;
pub mod detail;
pub mod error;
pub mod export;
pub mod facts;
pub mod film;
pub mod first_visit;
pub mod late;
pub mod metric;
pub mod model_error;
pub mod plan;
pub mod qlog;
pub mod results;
pub mod runner;
pub mod stats;
pub mod tune;
pub mod unit;
pub mod users;
pub mod verdict;
pub mod why;
pub mod worlds;

#[cfg(any(test, feature = "fake"))]
#[path = "../tests/support/fake.rs"]
pub mod fake;

pub use analysis::{Analysis, Comparison, Mark, analyse};
pub use contender::Contender;
pub use error::LabError;
pub use metric::{Metric, MetricId};
pub use plan::Plan;
pub use results::{Fact, Results, RunSummary, Variant};
pub use runner::{Load, Progress, Runner, interleaved, run_live, run_network, run_race};
pub use verdict::{Verdict, verdict};
pub use worlds::Worlds;

/// The version of the product, which every result contains.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

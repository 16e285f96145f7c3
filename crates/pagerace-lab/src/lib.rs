//! The race itself: a plan, all its page loads, the statistics, the verdict.
//!
//! * [`contender`]: who races, and how people write and read that;
//! * [`plan`]: everything that decides a race, resolved and serialisable;
//! * [`runner`]: runs a plan on all cores, with the same result for any number;
//! * [`metric`]: what can be measured, by name;
//! * [`stats`]: the tests and intervals, one file each;
//! * [`analysis`]: contenders against the baseline, on one page and network;
//! * [`mod@verdict`]: that in one plain sentence;
//! * [`model_error`]: what the model leaves open of a difference;
//! * [`robustness`]: whether a verdict holds under other assumptions;
//! * [`across`]: the same over several pages;
//! * [`correlation`]: whether contenders that block more are slower;
//! * [`why`]: where the time between two contenders goes;
//! * [`bulk`]: one large transfer instead of a page;
//! * [`world`]: where loads took place, simulated or live;
//! * [`calibrate`]: how far predictions lie from what was measured live;
//! * [`facts`]: what all contenders share, for headings;
//! * [`detail`], [`qlog`]: chosen runs once more, recorded;
//! * [`export`]: JSON, CSV, the HTML report's input, files that are never half written.
//!
//! Nothing here knows how a page load is simulated: the simulator comes in as
//! a [`Runner`].

pub mod across;
pub mod analysis;
pub mod bulk;
pub mod calibrate;
pub mod contender;
pub mod correlation;
pub mod detail;
pub mod error;
pub mod export;
pub mod facts;
pub mod metric;
pub mod model_error;
mod nearest;
mod parallel;
pub mod plan;
pub mod qlog;
pub mod results;
pub mod robustness;
pub mod runner;
pub mod stats;
pub mod unit;
pub mod verdict;
pub mod why;
pub mod world;

#[cfg(test)]
mod fake;

pub use analysis::{Analysis, Comparison, Mark, analyse};
pub use contender::Contender;
pub use error::LabError;
pub use metric::{Metric, MetricId};
pub use plan::Plan;
pub use results::{Results, RunSummary, Variant};
pub use runner::{Load, Order, Progress, Runner, run_live, run_race};
pub use verdict::{Verdict, VerdictKind, verdict};
pub use world::{Fact, World};

/// Version of the product, as every result names it.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

//! Arguments of `pagerace live` and `pagerace calibrate`.

use std::path::PathBuf;

use clap::Args;
use pagerace_core::Duration;
use pagerace_lab::MetricId;

use super::groups::{DesignArgs, LoadArgs, OutputArgs, ProgressArgs, default};
use super::model::{DistanceArgs, InterventionArgs, WireArgs, duration};
use crate::commands::live::DEFAULT_NETWORKS;
use crate::commands::race::DEFAULT_STRATEGY;

/// Settings of a live load and of its measurement.
#[derive(Args, Debug)]
pub(crate) struct WorldArgs {
    /// The browser. [default: `$PAGERACE_CHROMIUM`, or chromium, google-chrome .. on the path]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) chromium: Option<PathBuf>,

    /// Time to continue after the load event, until the picture is stable; 5s or more
    /// gives a TTI.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(crate) settle: Duration,

    /// Load each page once instead of twice: no Speed Index, and no head-of-line blocking over
    /// HTTP/3. DevTools then records the timed load, which slows fast loads by about 4 %.
    #[arg(long)]
    pub(crate) no_speed_index: bool,

    /// Number of times that a load is repeated if the machine disturbed it.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) retries: u32,

    /// Share of the processors, in per cent, that other programs may use during a load; a
    /// load with more is repeated.
    #[arg(long, value_name = "PERCENT", default_value_t = 15,
        value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) busy_max: u8,

    /// Time after which a load is aborted.
    #[arg(long, value_name = "TIME", default_value = "2min", value_parser = duration)]
    pub(crate) deadline: Duration,

    #[command(flatten, next_help_heading = "Model")]
    pub(crate) wire: WireArgs,

    /// Slow-down of the main thread in the prediction: how much slower this machine is
    /// than the one that recorded the pages.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Prediction",
        value_parser = super::model::cpu)]
    pub(crate) cpu: f64,
}

/// The congestion controllers of live races.
const CONTROLLERS: &str = "Congestion controllers of the servers, separated by commas: those that \
    both the kernel and Pagerace have. [default: cubic]";

/// The contenders of a live race.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Race",
    mut_arg("cc", |arg| arg.help(CONTROLLERS)),
    mut_arg("visit", |arg| arg.hide(true)),
    mut_arg("strategy", default(DEFAULT_STRATEGY)),
    mut_arg("reliability", |arg| arg.hide(true)),
    mut_arg("baseline", default("the first")),
    mut_arg("network", default(&DEFAULT_NETWORKS.join(","))),
    mut_arg("runs", |arg| arg.default_value("5"))
)]
pub(crate) struct LiveArgs {
    /// Recordings with bodies (.page, of `pagerace record`, or .har).
    #[arg(value_name = "PAGE", required = true, help_heading = None)]
    pub(crate) pages: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) design: DesignArgs,

    #[command(flatten)]
    pub(crate) interventions: InterventionArgs,

    #[command(flatten)]
    pub(crate) distance: DistanceArgs,

    #[command(flatten, next_help_heading = "Live")]
    pub(crate) world: WorldArgs,

    /// Do not print the simulator's prediction.
    #[arg(long, help_heading = "Prediction")]
    pub(crate) no_prediction: bool,

    /// Also load each variant once under Lighthouse, for comparison (needs Node; about 20
    /// s per load).
    #[arg(long, help_heading = "Live")]
    pub(crate) lighthouse: bool,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) outputs: OutputArgs,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) progress: ProgressArgs,
}

const NETWORKS: &str = "Networks of the design, separated by commas: each page meets two or three \
    of them. [default: slow-4g,fast-4g,cable,lossy-wifi,rate 50mbit rtt 20ms]";
const CPU: &str = "Slow-down of the main thread in predictions of new loads: how much slower this \
    machine is than the one that recorded the pages. --observations keeps it with the loads";
const RUNS: &str = "Loads of each contender on each of its pages and networks";

/// The pages to compare, and the outputs.
#[derive(Args, Debug)]
#[command(
    next_help_heading = "Design",
    mut_arg("network", |arg| arg.help(NETWORKS).visible_alias("networks")),
    mut_arg("cpu", |arg| arg.help(CPU).conflicts_with("offline")),
    mut_arg("runs", |arg| arg.help(RUNS).default_value("6")
        .value_parser(clap::value_parser!(u32).range(1..)))
)]
pub(crate) struct CalibrateArgs {
    /// Recordings with bodies (.page, of `pagerace record`).
    #[arg(value_name = "PAGE", required_unless_present = "models", help_heading = None)]
    pub(crate) pages: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) loads: LoadArgs,

    /// Metrics that are compared, separated by commas.
    #[arg(
        short,
        long,
        value_name = "LIST",
        default_value = "ttfb,fcp,lcp,speed-index,tbt,onload",
        value_delimiter = ','
    )]
    pub(crate) metric: Vec<MetricId>,

    /// Pages on which the model was not tuned, by name, separated by commas:
    /// their errors are reported separately.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) held_out: Vec<String>,

    #[command(flatten, next_help_heading = "Live")]
    pub(crate) world: WorldArgs,

    /// Ask Lighthouse for its simulated prediction of each page and network
    /// (needs Node).
    #[arg(long, help_heading = "Prediction")]
    pub(crate) lighthouse: bool,

    /// Keep the measurements in this file and measure only those that it lacks, so that an
    /// interrupted calibration continues and a changed model is compared without a browser.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) observations: Option<PathBuf>,

    /// Compare the measurements in --observations without new ones.
    #[arg(long, requires = "observations", help_heading = "Output")]
    pub(crate) offline: bool,

    /// Keep the part of the recordings that predictions need in this file (JSON, gzip). Pages of the file
    /// without a recording are predicted from it, and not loaded live.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) models: Option<PathBuf>,

    /// Write the comparison as Markdown, its long tables beside it (accuracy.md,
    /// accuracy-tables.md).
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write the comparison as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,

    /// Write the errors of predicted differences as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) model_errors: Option<PathBuf>,

    /// Write the arrival of each resource, live and predicted, as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) timelines: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) progress: ProgressArgs,
}

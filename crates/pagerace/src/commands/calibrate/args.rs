//! Arguments of `pagerace calibrate`.

use std::path::PathBuf;

use clap::Parser;
use pagerace_lab::MetricId;

use super::super::live::WorldArgs;
use crate::cli::groups::{LoadArgs, ProgressArgs};

const NETWORKS: &str = "Networks of the design, separated by commas: each page meets two or three \
    of them. [default: slow-4g,fast-4g,cable,lossy-wifi,rate 50mbit rtt 20ms]";
const CPU: &str = "Slow-down of the main thread in predictions of new loads: how much slower this \
    machine is than the one that recorded the pages. --observations keeps it with the loads";
const RUNS: &str = "Loads of each contender on each of its pages and networks";

const EXAMPLES: &str = "\
Needs what `pagerace live` needs, except with --offline.

Examples:
  pagerace calibrate pages/*.page --network slow-4g,cable --runs 5 -o accuracy.md \\
      --observations observed.json
      the errors of predictions on these pages; keeps the measurements

  pagerace calibrate pages/*.page --network slow-4g,cable --runs 5 -o accuracy.md \\
      --observations observed.json --offline
      the same comparison after a change of the model, without a browser

  pagerace calibrate pages/*.page --changes changes.csv --network fast-4g,cable --runs 4 \\
      --observations changes.json -o changes.md
      how often changes of these pages do what is predicted

  pagerace calibrate pages/*.page --films --network fast-4g,cable --runs 1 -o films.md
      how much films look like the browser's screenshots";

/// Measure the error of predictions against a real browser.
#[derive(Debug, Parser)]
#[command(
    name = "calibrate",
    after_long_help = EXAMPLES,
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
        value_delimiter = ',',
        default_value = "ttfb,fcp,lcp,speed-index,tbt,onload"
    )]
    pub(crate) metric: Vec<MetricId>,

    /// Pages on which the model was not tuned, by name, separated by commas:
    /// their errors are reported separately.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) held_out: Vec<String>,

    /// Load each page as it is and after its changes in this file, and compare the differences. The
    /// file has a line for each change, such as `shop,slow-4g,preload */hero.jpg`, below the line
    /// `page,network,change`. Without a network, the page's name chooses one of `--network`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["timelines", "json"])]
    pub(crate) changes: Option<PathBuf>,

    /// Compare films of the predicted loads with the browser's screenshots. Each page is loaded
    /// over HTTP/2 on the first network, over HTTP/3 on the next one, and so on.
    #[arg(long, conflicts_with_all = ["changes", "lighthouse", "timelines", "json", "cells",
        "model_errors", "held_out", "no_speed_index"])]
    pub(crate) films: bool,

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

    /// Keep the part of the recordings that predictions need in this file (JSON, gzip). Pages of
    /// the file without a recording are predicted from it, and not loaded live.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) models: Option<PathBuf>,

    /// Write the comparison as Markdown.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write the comparison as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,

    /// Write each combination of page, network, contender and metric, predicted and live, as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) cells: Option<PathBuf>,

    /// Write the errors of predicted differences as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) model_errors: Option<PathBuf>,

    /// Write what became of claims about changes, by kind of change, as CSV.
    #[arg(
        long,
        value_name = "FILE",
        requires = "changes",
        help_heading = "Output"
    )]
    pub(crate) claims: Option<PathBuf>,

    /// Write the arrival of each resource, live and predicted, as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) timelines: Option<PathBuf>,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) progress: ProgressArgs,
}

//! Arguments of `pagerace live`.

use std::path::PathBuf;

use clap::{Args, Parser};
use pagerace_core::Duration;

use super::DEFAULT_NETWORKS;
use crate::cli::film::FilmArgs;
use crate::cli::groups::{DesignArgs, MODEL, OutputArgs, ProgressArgs, default};
use crate::cli::model::{DistanceArgs, InterventionArgs, WireArgs, cpu};
use crate::cli::plan::DEFAULT_STRATEGY;
use crate::cli::values::duration;

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

    #[command(flatten, next_help_heading = MODEL)]
    pub(crate) wire: WireArgs,

    /// Slow-down of the main thread in the prediction: how much slower this machine is
    /// than the one that recorded the pages.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Prediction",
        value_parser = cpu)]
    pub(crate) cpu: f64,
}

/// The congestion controllers of live races.
const CONTROLLERS: &str = "Congestion controllers of the servers, separated by commas: those that \
    both the kernel and Pagerace have. [default: cubic]";

const FILM: &str = "Write the browser's screenshots of the median loads of one page, each beside its \
    prediction: frames at equal times (.png), or an animation (.gif)";

const EXAMPLES: &str = "\
Needs Linux, Chromium, and root (or CAP_NET_ADMIN and CAP_SYS_ADMIN), because it emulates the
link between two network namespaces. They are removed however the command ends.
`pagerace race` needs none of that.

Examples:
  pagerace record https://site.example -o site.page
  pagerace live site.page --protocol h2,h3 --strategy sequential,round-robin \\
      --network slow-4g --runs 10
      the winner in a real browser, beside the prediction

  pagerace live examples/pages/shop.har --what-if fonts=1s --metric fcp
      the delay of the first paint by late fonts, in a real browser";

/// Race in a real browser over real sockets and an emulated link.
#[derive(Debug, Parser)]
#[command(
    name = "live",
    after_long_help = EXAMPLES,
    next_help_heading = "Race",
    mut_arg("cc", |arg| arg.help(CONTROLLERS)),
    mut_arg("visit", |arg| arg.hide(true)),
    mut_arg("strategy", default(DEFAULT_STRATEGY)),
    mut_arg("reliability", |arg| arg.hide(true)),
    mut_arg("baseline", default("the first")),
    mut_arg("network", default(&DEFAULT_NETWORKS.join(","))),
    mut_arg("runs", |arg| arg.default_value("5")),
    mut_arg("film", |arg| arg.help(FILM).conflicts_with("no_speed_index"))
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
    pub(crate) film: FilmArgs,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) progress: ProgressArgs,
}

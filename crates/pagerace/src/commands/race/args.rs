//! Arguments of `pagerace race`.

use std::path::PathBuf;

use clap::Parser;
use pagerace_lab::qlog::QlogRuns;

use super::DEFAULT_NETWORKS;
use crate::cli::film::FilmArgs;
use crate::cli::groups::{
    DesignArgs, ESSENTIAL, LayoutArgs, MODEL, OUTPUT, OutputArgs, PageChoice, RECORDING, WorkArgs,
    default, excluding,
};
use crate::cli::model::ModelArgs;
use crate::cli::needs::NeedArgs;

const EXAMPLES: &str = "\
Examples:
  pagerace race examples/pages/shop.har --protocol h1,h2,h3 --cc cubic,bbr \\
      --network \"rate 10mbit rtt 50ms..250ms over 10s\"
      the protocol and controller that show the page first while the delay grows

  pagerace race examples/pages/news.har --what-if each-host --metric fcp --network cable
      the third-party host that delays the first paint most when it is down

  pagerace race examples/pages/*.har --strategy sequential,round-robin,eps \\
      --network fast-4g --report out.html --json out.json
      the best order of responses, and the number of pages on which it wins

  pagerace race --scenario out.json
      the race that wrote out.json, with the same results";

/// Race ways to deliver a recorded page over networks.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "race",
    after_long_help = EXAMPLES,
    next_help_heading = "Race",
    mut_arg("network", default(&DEFAULT_NETWORKS.join(","))),
    mut_args(excluding("scenario", |arg| arg.get_help_heading() != Some(OUTPUT)))
)]
pub(crate) struct RaceArgs {
    /// Recordings of the pages to race (.har or .har.gz), or URLs, which are recorded first.
    #[arg(value_name = "HAR", help_heading = None)]
    pub(crate) hars: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) design: DesignArgs,

    // The heading of a flattened group holds for all options after it.
    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) outputs: OutputArgs,

    /// Open the report in a browser.
    #[arg(long, requires = "report")]
    pub(crate) open: bool,

    #[command(flatten)]
    pub(crate) film: FilmArgs,

    /// Write as JSON, for each object of each run: when it arrived, in how many bytes, whether it
    /// is complete, and whether it came over a stream or in datagrams.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) sessions: Option<PathBuf>,

    /// Write qlog files of some runs into this directory.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub(crate) qlog: Option<PathBuf>,

    /// Runs with qlog files: median, all, or numbers such as 1,2.
    #[arg(
        long,
        value_name = "RUNS",
        default_value = "median",
        requires = "qlog",
        hide_short_help = true
    )]
    pub(crate) qlog_runs: QlogRuns,

    #[command(flatten)]
    pub(crate) work: WorkArgs,

    #[command(flatten, next_help_heading = RECORDING)]
    pub(crate) choice: PageChoice,

    #[command(flatten, next_help_heading = RECORDING)]
    pub(crate) layout: LayoutArgs,

    /// Run the race of a results file (written by --json) again.
    #[arg(long, value_name = "FILE", help_heading = RECORDING)]
    pub(crate) scenario: Option<PathBuf>,

    #[command(flatten, next_help_heading = ESSENTIAL)]
    pub(crate) needs: NeedArgs,

    #[command(flatten, next_help_heading = MODEL)]
    pub(crate) model: ModelArgs,
}

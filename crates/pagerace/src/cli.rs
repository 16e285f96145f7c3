//! Arguments of the command line.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use pagerace_lab::qlog::QlogRuns;

use crate::commands::bulk::BulkArgs;
#[cfg(feature = "study")]
use crate::commands::corpus;
use crate::commands::explain::ExplainArgs;
use crate::commands::list::ListArgs;
use crate::commands::needs::NeedArgs;
use crate::commands::objects::{self, ObjectsArgs};
use crate::commands::page::PageArgs;
use crate::commands::race::DEFAULT_NETWORKS;
#[cfg(feature = "study")]
use crate::commands::recommend;
#[cfg(feature = "scan")]
use crate::commands::scan;
#[cfg(feature = "study")]
use crate::commands::study::StudyCommand;
use crate::progress::Watch;

pub(crate) mod groups;
#[cfg(feature = "live")]
pub(crate) mod live;
pub(crate) mod model;
pub(crate) mod origin_rtt;
#[cfg(feature = "live")]
pub(crate) mod probe;
#[cfg(feature = "live")]
pub(crate) mod record;
#[cfg(feature = "live")]
pub(crate) mod serve;

use groups::{
    DesignArgs, JobsArgs, LayoutArgs, OUTPUT, OutputArgs, PageChoice, ProgressArgs, default,
    excluding,
};
#[cfg(feature = "live")]
use live::{CalibrateArgs, LiveArgs};
use model::ModelArgs;

/// Compares ways to deliver a web page by loading it in virtual time: versions of HTTP,
/// priorities, congestion controllers, warm and cold visits. Tells which one wins, by how
/// much, with what confidence, and why.
#[derive(Debug, Parser)]
#[command(
    name = "pagerace",
    version,
    propagate_version = true,
    max_term_width = 100
)]
#[cfg_attr(
    not(feature = "live"),
    command(
        after_help = "This build lacks record, live, calibrate, serve and probe: build the feature live."
    )
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Reads the words of this process. Prints an error, a help or the version, and ends, if they
    /// ask for that.
    pub(crate) fn read() -> Self {
        let matches = versioned(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// Gives all commands the version of the program, with its name.
fn versioned(command: clap::Command) -> clap::Command {
    let command = command.display_name("pagerace");
    command.mut_subcommands(versioned)
}

#[cfg(feature = "study")]
impl Cli {
    /// Reads the words of a command as on the command line.
    ///
    /// # Errors
    /// The first line that the command line prints, with the possible values.
    pub(crate) fn of_words(
        command: &str,
        arguments: impl IntoIterator<Item = String>,
    ) -> anyhow::Result<Self> {
        let words = ["pagerace", command].into_iter().map(str::to_owned);
        Self::try_parse_from(words.chain(arguments)).map_err(|error| {
            let text = error.to_string();
            let mut lines = text.lines();
            let first = lines.next().unwrap_or_default();
            let first = first.strip_prefix("error: ").unwrap_or(first);
            if first.ends_with(':') {
                // The names of the arguments follow.
                let names = lines.map(str::trim).take_while(|line| !line.is_empty());
                let names: Vec<&str> = names.collect();
                return anyhow::anyhow!("{first} {}", names.join(", "));
            }
            match lines.map(str::trim).find(|line| line.starts_with('[')) {
                Some(values) => anyhow::anyhow!("{first} {values}"),
                None => anyhow::anyhow!("{first}"),
            }
        })
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Race ways to deliver a recorded page over networks.
    #[command(after_long_help = RACE_EXAMPLES, after_help = SEE_HELP)]
    Race(Box<RaceArgs>),
    /// Split the difference between two ways to deliver a page by cause.
    #[command(after_long_help = EXPLAIN_EXAMPLES, after_help = SEE_HELP)]
    Explain(Box<ExplainArgs>),
    /// Compare protocols and congestion controllers by one large transfer.
    #[command(after_long_help = BULK_EXAMPLES, after_help = SEE_HELP)]
    Bulk(BulkArgs),
    /// Record a page with Chromium, for races and for replay.
    #[cfg(feature = "live")]
    #[command(after_long_help = record::EXAMPLES, after_help = SEE_HELP)]
    Record(record::RecordArgs),
    /// Race in a real browser over real sockets and an emulated link.
    #[cfg(feature = "live")]
    #[command(after_long_help = LIVE_EXAMPLES, after_help = SEE_HELP)]
    Live(Box<LiveArgs>),
    /// Measure the error of predictions against a real browser.
    #[cfg(feature = "live")]
    #[command(after_long_help = CALIBRATE_EXAMPLES, after_help = SEE_HELP)]
    Calibrate(Box<CalibrateArgs>),
    /// Serve a recorded page or a folder to a browser.
    #[cfg(feature = "live")]
    #[command(after_long_help = serve::EXAMPLES, after_help = SEE_HELP)]
    Serve(serve::ServeArgs),
    /// Find out in which order a real HTTP/3 server sends its responses.
    #[cfg(feature = "live")]
    #[command(after_long_help = probe::EXAMPLES, after_help = SEE_HELP)]
    Probe(probe::ProbeArgs),
    /// Show a recorded page as Pagerace understands it, and which parts are essential.
    #[command(after_long_help = PAGE_EXAMPLES, after_help = SEE_HELP)]
    Page(PageArgs),
    /// Export files of the sizes and types of a page's objects, with a log of their
    /// transfers.
    #[command(after_long_help = objects::EXAMPLES, after_help = SEE_HELP)]
    Objects(ObjectsArgs),
    /// Run a plan of races over many pages, with the results in Parquet files.
    #[cfg(feature = "study")]
    #[command(subcommand)]
    Study(StudyCommand),
    /// Show who serves recorded pages over which version of HTTP, and the gain of HTTP/3 there.
    #[cfg(feature = "study")]
    #[command(after_long_help = corpus::EXAMPLES, after_help = SEE_HELP)]
    Corpus(Box<corpus::CorpusArgs>),
    /// Ask domains whether they speak HTTP/3, over IPv4 and IPv6.
    #[cfg(feature = "scan")]
    #[command(after_long_help = scan::EXAMPLES, after_help = SEE_HELP)]
    Scan(Box<scan::ScanArgs>),
    /// Recommend a choice for many pages and networks, and say who gets worse by it.
    #[cfg(feature = "study")]
    #[command(after_long_help = recommend::EXAMPLES, after_help = SEE_HELP)]
    Recommend(recommend::RecommendArgs),
    /// List strategies, networks, controllers and other names.
    #[command(after_long_help = LIST_EXAMPLES, after_help = SEE_HELP)]
    List(ListArgs),
}

const SEE_HELP: &str = "See --help for examples.";

const RACE_EXAMPLES: &str = "\
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

const EXPLAIN_EXAMPLES: &str = "\
Contenders are words in any order: a protocol (h1, h2, h3, or rules such as
\"static.example=h3 *=h2\"), a congestion controller, a visit, a strategy, a reliability
policy (late, adaptive, ..) and interventions (such as fonts=1s). The defaults are h3, cubic,
cold, sequential, full and original.

Examples:
  pagerace explain examples/pages/shop.har h1 h3 --network slow-4g
      the causes of the difference between HTTP/3 and HTTP/1.1, in the median run

  pagerace explain examples/pages/shop.har \"h2 cubic\" \"h2 bbr\" --network lossy-wifi \\
      --metric onload --run 3
      the causes of the difference between BBR and CUBIC, in run 3";

const PAGE_EXAMPLES: &str = "\
Examples:
  pagerace page examples/pages/shop.har
      origins, categories, and how each request is discovered

  pagerace page examples/pages/shop.har --essential
      the objects that a reader would miss, those that are useful in part, and the reasons

  pagerace page examples/pages/shop.har --essential --non-essential-if third-party \\
      --essential-if pay.wallet.example --json
      the same as JSON, where third parties except one count as not essential";

#[cfg(feature = "live")]
const LIVE_EXAMPLES: &str = "\
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

#[cfg(feature = "live")]
const CALIBRATE_EXAMPLES: &str = "\
Needs what `pagerace live` needs, except with --offline.

Examples:
  pagerace calibrate pages/*.page --network slow-4g,cable --runs 5 -o accuracy.md \\
      --observations observed.json
      the errors of predictions on these pages; keeps the measurements

  pagerace calibrate pages/*.page --network slow-4g,cable --runs 5 -o accuracy.md \\
      --observations observed.json --offline
      the same comparison after a change of the model, without a browser";

const BULK_EXAMPLES: &str = "\
Examples:
  pagerace bulk --size 50MB --protocol h2,h3 --network \"rate 40mbit rtt 100ms loss 5%\"
      HTTP/2 and HTTP/3 on a lossy path, as in Srivastava 2024

  pagerace bulk --size 10MB --protocol h3 --cc cubic,bbr,vegas --network cable,lossy-wifi \\
      --report bulk.html --json bulk.json
      the fastest controller, with throughput and windows over time";

const LIST_EXAMPLES: &str = "\
Examples:
  pagerace list networks
      names for --network, with rates, round trips and sources

  pagerace list strategies
      names and parameters for --strategy";

/// Everything that decides a race and where its results go.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Race",
    mut_arg("network", default(&DEFAULT_NETWORKS.join(","))),
    mut_args(excluding("scenario", |arg| arg.get_help_heading() != Some(OUTPUT)))
)]
pub(crate) struct RaceArgs {
    /// Recordings of the pages to race (.har or .har.gz), or URLs, which are recorded
    /// first.
    #[arg(value_name = "HAR", help_heading = None)]
    pub(crate) hars: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) design: DesignArgs,

    #[command(flatten)]
    pub(crate) choice: PageChoice,

    #[command(flatten)]
    pub(crate) layout: LayoutArgs,

    /// Run the race of a results file (written by --json) again.
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: Option<PathBuf>,

    // The heading of a flattened group holds for all options after it.
    #[command(flatten, next_help_heading = "Essential")]
    pub(crate) needs: NeedArgs,

    #[command(flatten, next_help_heading = "Model")]
    pub(crate) model: ModelArgs,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) outputs: OutputArgs,

    /// Open the report in a browser.
    #[arg(long, requires = "report", help_heading = "Output")]
    pub(crate) open: bool,

    /// Write the delivery of each object in each run as JSON: times, bytes, whether it is
    /// complete, stream or datagrams.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) sessions: Option<PathBuf>,

    /// Write qlog files of some runs into this directory.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) qlog: Option<PathBuf>,

    /// Runs with qlog files: median, all, or numbers such as 1,2.
    #[arg(
        long,
        value_name = "RUNS",
        default_value = "median",
        requires = "qlog",
        help_heading = "Output"
    )]
    pub(crate) qlog_runs: QlogRuns,

    #[command(flatten, next_help_heading = "Output")]
    pub(crate) work: WorkArgs,
}

/// Options of commands that run loads.
#[derive(Args, Clone, Debug)]
pub(crate) struct WorkArgs {
    #[command(flatten)]
    pub(crate) threads: JobsArgs,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

impl WorkArgs {
    /// Returns the number of threads.
    pub(crate) fn jobs(&self) -> usize {
        self.threads.count()
    }

    /// Shows the progress, unless it is unwanted.
    pub(crate) fn watch(&self, unit: &str) -> Watch {
        self.progress.watch(unit)
    }
}

#[cfg(test)]
mod tests;

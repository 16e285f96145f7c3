//! What can be written on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pagerace_browser::Profile;
use pagerace_core::Duration;
use pagerace_lab::MetricId;
use pagerace_lab::qlog::QlogRuns;
use pagerace_sim::{Connections, Retransmission};

use crate::commands::list::ListArgs;
use crate::commands::page::PageArgs;

/// Races ways to deliver a web page over HTTP/3 in virtual time, and tells
/// which one wins, by how much, how sure that is, and why.
#[derive(Debug, Parser)]
#[command(
    name = "pagerace",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Race strategies for a recorded page over networks.
    #[command(after_long_help = RACE_EXAMPLES, after_help = "See --help for examples.")]
    Race(Box<RaceArgs>),
    /// Show what was understood of a recorded page.
    Page(PageArgs),
    /// List what can be named: strategies, networks, metrics, browsers.
    List(ListArgs),
}

const RACE_EXAMPLES: &str = "\
Examples:
  pagerace race site.har
      all strategies on slow-4g, cable and lossy-wifi, 30 runs each

  pagerace race site.har --strategy sequential,round-robin,weighted-incremental:alpha=0.75 \\
      --network fast-4g,\"rate 2mbit rtt 100ms loss 2% queue 1bdp\" --report out.html --json out.json

  pagerace race *.har.gz --network fast-4g --metric speed-index
      several pages: how many gain, how many lose

  pagerace race --scenario out.json
      exactly the race that wrote out.json, again";

/// Everything that decides a race and where its results go.
#[derive(Args, Debug)]
pub(crate) struct RaceArgs {
    /// Recordings of the pages to race (.har or .har.gz).
    #[arg(value_name = "HAR")]
    pub(crate) hars: Vec<PathBuf>,

    /// Strategies, separated by commas; may be given several times.
    /// [default: all, see `pagerace list strategies`]
    #[arg(short, long, value_name = "LIST", help_heading = "Race")]
    pub(crate) strategy: Vec<String>,

    /// Networks, by name or as "rate 2mbit rtt 100ms loss 2% queue 1bdp",
    /// separated by commas; may be given several times.
    /// [default: slow-4g,cable,lossy-wifi]
    #[arg(short, long, value_name = "LIST", help_heading = "Race")]
    pub(crate) network: Vec<String>,

    /// Loads of each page, network and strategy.
    #[arg(short, long, value_name = "N", default_value_t = 30, help_heading = "Race",
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: u32,

    /// From which all randomness derives.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Race")]
    pub(crate) seed: u64,

    /// By which strategies are ranked; see `pagerace list metrics`.
    #[arg(
        short,
        long,
        value_name = "NAME",
        default_value_t,
        help_heading = "Race"
    )]
    pub(crate) metric: MetricId,

    /// With which strategy the others are compared.
    #[arg(
        short,
        long,
        value_name = "STRATEGY",
        default_value = "sequential",
        help_heading = "Race"
    )]
    pub(crate) baseline: String,

    /// Which page of a HAR that holds several: its number from 1, id or title.
    #[arg(long, value_name = "PAGE", help_heading = "Race")]
    pub(crate) page: Option<String>,

    /// Which browser is modelled; see `pagerace list browsers`.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) browser: BrowserArg,

    /// Main-thread slow-down: 1 for a desktop, 4 for a mid-tier phone.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Model",
        value_parser = cpu)]
    pub(crate) cpu: f64,

    /// Run-to-run variation of think times and CPU costs: sigma of a
    /// log-normal distribution; 0 turns it off.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.1, help_heading = "Model",
        value_parser = jitter)]
    pub(crate) jitter: f64,

    /// Which origins share a connection.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) connections: ConnectionsArg,

    /// When lost bytes are sent again.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) retransmission: RetransmissionArg,

    /// Congestion controller of the servers.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "cubic",
        help_heading = "Model"
    )]
    pub(crate) cc: String,

    /// Keys of the connections: the same packet sizes, at different cost.
    #[arg(long, value_enum, default_value_t, help_heading = "Model")]
    pub(crate) tls: TlsArg,

    /// Virtual time after which a load is given up, such as 90s, 5min or 800ms.
    #[arg(long, value_name = "TIME", default_value = "30min", help_heading = "Model",
        value_parser = duration)]
    pub(crate) deadline: Duration,

    /// Write the report, one self-contained HTML file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,

    /// Write all values, verdicts and the resolved scenario as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,

    /// Write all values as CSV, and the comparisons beside it as
    /// NAME-comparisons.csv.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) csv: Option<PathBuf>,

    /// Write qlog files of chosen runs into this directory.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) qlog: Option<PathBuf>,

    /// Which runs get qlog files: median, all, or numbers such as 1,2.
    #[arg(
        long,
        value_name = "RUNS",
        default_value = "median",
        requires = "qlog",
        help_heading = "Output"
    )]
    pub(crate) qlog_runs: QlogRuns,

    /// Run the race of this results file (from --json) again.
    #[arg(long, value_name = "FILE", help_heading = "Race",
        conflicts_with_all = ["hars", "strategy", "network", "runs", "seed", "metric", "baseline",
            "page", "browser", "cpu", "jitter", "connections", "retransmission", "cc", "tls",
            "deadline"])]
    pub(crate) scenario: Option<PathBuf>,

    /// Threads; the results do not depend on it. [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Output",
        value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,

    /// Show no progress bar.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

/// `--browser`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum BrowserArg {
    /// Chromium.
    #[default]
    Chrome,
    /// Firefox.
    Firefox,
    /// Safari.
    Safari,
}

/// `--connections`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum ConnectionsArg {
    /// One for each origin, shared where the recording shows it.
    #[default]
    PerOrigin,
    /// One for all.
    Single,
}

/// `--retransmission`.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum RetransmissionArg {
    /// Before any new data.
    #[default]
    AtOnce,
    /// After new data that is more urgent.
    ByUrgency,
}

/// `--tls`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TlsArg {
    /// Keys that cost nothing.
    #[default]
    Modelled,
    /// Real TLS 1.3.
    Real,
}

impl From<BrowserArg> for Profile {
    fn from(arg: BrowserArg) -> Self {
        match arg {
            BrowserArg::Chrome => Self::Chrome,
            BrowserArg::Firefox => Self::Firefox,
            BrowserArg::Safari => Self::Safari,
        }
    }
}

impl From<ConnectionsArg> for Connections {
    fn from(arg: ConnectionsArg) -> Self {
        match arg {
            ConnectionsArg::PerOrigin => Self::PerOrigin,
            ConnectionsArg::Single => Self::Single,
        }
    }
}

impl From<RetransmissionArg> for Retransmission {
    fn from(arg: RetransmissionArg) -> Self {
        match arg {
            RetransmissionArg::AtOnce => Self::AtOnce,
            RetransmissionArg::ByUrgency => Self::ByUrgency,
        }
    }
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "not a number".to_owned())
}

fn cpu(text: &str) -> Result<f64, String> {
    let factor = number(text)?;
    let fits = (0.01..=1000.0).contains(&factor);
    if fits {
        Ok(factor)
    } else {
        Err("not between 0.01 and 1000".to_owned())
    }
}

fn jitter(text: &str) -> Result<f64, String> {
    let sigma = number(text)?;
    if (0.0..=2.0).contains(&sigma) {
        Ok(sigma)
    } else {
        Err("not between 0 and 2".to_owned())
    }
}

/// A positive time with its unit.
fn duration(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("min", 60_000.0), ("s", 1_000.0), ("h", 3.6e6)];
    let parse = |(unit, millis): &(&str, f64)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number * millis)
    };
    match UNITS.iter().find_map(parse) {
        // A day of virtual time is longer than any page load.
        Some(millis) if (1.0..=8.64e7).contains(&millis) => Ok(Duration::from_millis_f64(millis)),
        Some(_) => Err("not between 1ms and 24h".to_owned()),
        None => Err("not a time; write it as 90s, 5min or 800ms".to_owned()),
    }
}

#[cfg(test)]
mod tests;

//! Arguments of `pagerace live` and `pagerace calibrate`.

use std::path::PathBuf;

use clap::Args;
use pagerace_core::{Duration, Words};
use pagerace_lab::MetricId;
use pagerace_sim::{Connections, LoadSettings, NameLookup, Retransmission};
use pagerace_transport::quic::DEFAULT_MTU;

use super::model::{duration, quic_mtu, word};

/// How a live load is made, and what is measured.
#[derive(Args, Debug)]
pub(crate) struct WorldArgs {
    /// The browser. [default: `$PAGERACE_CHROMIUM`, or chromium, google-chrome .. on the path]
    #[arg(long, value_name = "PROGRAM", help_heading = "Live")]
    pub(crate) chromium: Option<PathBuf>,

    /// Go on for so long after the load event, and until nothing moves; with 5s
    /// or more there is a TTI.
    #[arg(long, value_name = "TIME", default_value = "1s", help_heading = "Live",
        value_parser = duration)]
    pub(crate) settle: Duration,

    /// Take no screenshots: no Speed Index, but nothing to disturb the load.
    #[arg(long, help_heading = "Live")]
    pub(crate) no_speed_index: bool,

    /// How often a load is repeated that the machine has disturbed.
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = "Live")]
    pub(crate) retries: u32,

    /// Percent of the processors that other programs may take during a load that
    /// counts.
    #[arg(long, value_name = "PERCENT", default_value_t = 15, help_heading = "Live",
        value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) busy_max: u8,

    /// Which origins share an address, and so may share a connection.
    #[arg(long, value_parser = word::<Connections>(), help_heading = "Live",
        default_value = LoadSettings::default().connections.word())]
    pub(crate) connections: Connections,

    /// Looking up a server's address: once for each host, or never.
    #[arg(long, value_parser = word::<NameLookup>(), help_heading = "Live",
        default_value = LoadSettings::default().name_lookup.word())]
    pub(crate) dns: NameLookup,

    /// When lost bytes are sent again, over HTTP/3.
    #[arg(long, value_parser = word::<Retransmission>(), help_heading = "Live",
        default_value = LoadSettings::default().retransmission.word())]
    pub(crate) retransmission: Retransmission,

    /// Bytes of QUIC's largest packets, as UDP payload: at least 1200.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MTU, help_heading = "Live",
        value_parser = quic_mtu())]
    pub(crate) quic_mtu: u16,

    /// Time after which a load is given up.
    #[arg(long, value_name = "TIME", default_value = "2min", help_heading = "Live",
        value_parser = duration)]
    pub(crate) deadline: Duration,

    /// Main-thread slow-down of the prediction: how much slower this machine is
    /// than the one that recorded the pages.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Prediction",
        value_parser = super::model::cpu)]
    pub(crate) cpu: f64,
}

/// Who races live.
#[derive(Args, Debug)]
pub(crate) struct LiveArgs {
    /// Recordings with bodies (.page, of `pagerace record`, or .har).
    #[arg(value_name = "PAGE", required = true)]
    pub(crate) pages: Vec<PathBuf>,

    /// Versions of HTTP, separated by commas: h1, h2, h3, or rules for each
    /// origin such as "static.example=h3 *=h2". [default: h3]
    #[arg(short = 'P', long, value_name = "LIST", help_heading = "Race")]
    pub(crate) protocol: Vec<String>,

    /// Congestion controllers of the servers, separated by commas: those that
    /// both the kernel and Pagerace have. [default: cubic]
    #[arg(long, value_name = "LIST", help_heading = "Race")]
    pub(crate) cc: Vec<String>,

    /// Strategies, separated by commas. [default: sequential]
    #[arg(short, long, value_name = "LIST", help_heading = "Race")]
    pub(crate) strategy: Vec<String>,

    /// What is done to requests, as further variants beside the original; see
    /// `pagerace race --help`.
    #[arg(short = 'W', long, value_name = "LIST", help_heading = "Race")]
    pub(crate) what_if: Vec<String>,

    /// Networks, by name or as "rate 2mbit rtt 100ms loss 2% queue 1bdp",
    /// separated by commas. [default: slow-4g,cable]
    #[arg(short, long, value_name = "LIST", help_heading = "Race")]
    pub(crate) network: Vec<String>,

    /// Loads of each variant.
    #[arg(short, long, value_name = "N", default_value_t = 5, help_heading = "Race",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,

    /// From which the seeds of all runs derive.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Race")]
    pub(crate) seed: u64,

    /// By which contenders are ranked; see `pagerace list metrics`.
    #[arg(
        short,
        long,
        value_name = "METRIC",
        default_value = "lcp",
        help_heading = "Race"
    )]
    pub(crate) metric: MetricId,

    /// With which the others are compared. [default: the first]
    #[arg(short, long, value_name = "CONTENDER", help_heading = "Race")]
    pub(crate) baseline: Option<String>,

    /// Block requests; see `pagerace race --help`.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) block: Vec<String>,

    /// Answer requests later; see `pagerace race --help`.
    #[arg(long, value_name = "LIST", help_heading = "Interventions")]
    pub(crate) delay: Vec<String>,

    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// Measure only: no prediction beside it.
    #[arg(long, help_heading = "Prediction")]
    pub(crate) no_prediction: bool,

    /// Load each variant once more under Lighthouse, as a second opinion (needs
    /// Node; about 20 s a load).
    #[arg(long, help_heading = "Live")]
    pub(crate) lighthouse: bool,

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

    /// Show no progress bar.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

/// What is compared, and where the comparison goes.
#[derive(Args, Debug)]
pub(crate) struct CalibrateArgs {
    /// Recordings with bodies (.page, of `pagerace record`).
    #[arg(value_name = "PAGE", required = true)]
    pub(crate) pages: Vec<PathBuf>,

    /// Networks of the design, separated by commas: each page meets two or three of
    /// them. [default: slow-4g,fast-4g,cable,lossy-wifi,rate 50mbit rtt 20ms]
    #[arg(
        short,
        long,
        visible_alias = "networks",
        value_name = "LIST",
        help_heading = "Design"
    )]
    pub(crate) network: Vec<String>,

    /// Loads of each contender on each of its pages and networks.
    #[arg(short, long, value_name = "N", default_value_t = 6, help_heading = "Design",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,

    /// From which the seeds of all runs derive.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Design")]
    pub(crate) seed: u64,

    /// Metrics that are compared, separated by commas.
    #[arg(
        short,
        long,
        value_name = "LIST",
        default_value = "ttfb,fcp,lcp,speed-index,tbt,onload",
        value_delimiter = ',',
        help_heading = "Design"
    )]
    pub(crate) metric: Vec<MetricId>,

    /// Pages on which the model was not tuned, by name, separated by commas:
    /// their errors are reported apart.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Design"
    )]
    pub(crate) held_out: Vec<String>,

    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// Ask Lighthouse for its simulated prediction of each page and network
    /// (needs Node).
    #[arg(long, help_heading = "Prediction")]
    pub(crate) lighthouse: bool,

    /// Keep what is measured in this file, and what it holds already is not
    /// measured again: an interrupted calibration goes on, and a changed model is
    /// compared without a browser.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) observations: Option<PathBuf>,

    /// Measure nothing: compare what --observations holds.
    #[arg(long, requires = "observations", help_heading = "Output")]
    pub(crate) offline: bool,

    /// Write the comparison as Markdown, its long tables beside it (accuracy.md,
    /// accuracy-tables.md).
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Write the comparison as JSON.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) json: Option<PathBuf>,

    /// Write how far predicted differences lie from measured ones, as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) model_errors: Option<PathBuf>,

    /// Write when each resource came, live and predicted, as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) timelines: Option<PathBuf>,

    /// Show no progress bar.
    #[arg(long, help_heading = "Output")]
    pub(crate) no_progress: bool,
}

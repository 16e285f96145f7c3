//! Groups of options that several commands share. Each command tells its own defaults.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Arg, Args};
use pagerace_har::ImportOptions;
use pagerace_lab::MetricId;
use pagerace_lab::plan::{RUNS, SEED};

use crate::progress::Watch;

/// The heading of options that say where results go, and decide no load.
pub(crate) const OUTPUT: &str = "Output";

/// The heading of options that choose a part of a recording.
pub(crate) const RECORDING: &str = "Recording";

/// The heading of options that decide which objects are essential.
pub(crate) const ESSENTIAL: &str = "Essential objects";

/// The heading of settings of the model. Their values are words.
pub(crate) const MODEL: &str = "Model (meanings: pagerace list settings)";

/// Versions of HTTP.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProtocolArgs {
    /// Versions of HTTP, separated by commas (as in every LIST): h1, h2, h3, or rules by host or
    /// request, such as "static.example=h3 images=h1 *=h2". [default: h3]
    #[arg(short = 'P', long, alias = "protocols", value_name = "LIST")]
    pub(crate) protocol: Vec<String>,
}

/// Congestion controllers.
#[derive(Args, Clone, Debug)]
pub(crate) struct ControllerArgs {
    /// Congestion controllers of the servers; see `pagerace list controllers`. [default: cubic]
    #[arg(long, aliases = ["controller", "controllers"], value_name = "LIST")]
    pub(crate) cc: Vec<String>,
}

/// The lists whose product are the contenders, and the baseline among them.
#[derive(Args, Clone, Debug)]
pub(crate) struct ContenderArgs {
    #[command(flatten)]
    pub(crate) protocols: ProtocolArgs,

    #[command(flatten)]
    pub(crate) controllers: ControllerArgs,

    /// State from an earlier visit: cold (none), resumed (TLS tickets), warm (TLS tickets, open
    /// connections and the cache). [default: cold]
    #[arg(long, alias = "visits", value_name = "LIST")]
    pub(crate) visit: Vec<String>,

    /// Orders of responses; see `pagerace list strategies`. [default: all; the baseline's alone if
    /// several protocols, controllers or visits race]
    #[arg(short, long, alias = "strategies", value_name = "LIST")]
    pub(crate) strategy: Vec<String>,

    /// Which responses may come late, in part or not at all, such as full,datagram:fonts; see
    /// `pagerace list policies`. [default: full]
    #[arg(short = 'R', long, value_name = "LIST", hide_short_help = true)]
    pub(crate) reliability: Vec<String>,

    /// Interventions that race as further variants beside the original: fonts=1s,
    /// cdn.example=hang, "fonts=1s ads=refused", each-host (each third-party host never answers),
    /// thesis (the seven of Srivastava 2024).
    #[arg(short = 'W', long, value_name = "LIST")]
    pub(crate) what_if: Vec<String>,

    /// Changes of the page that race as a variant beside the page as it is: "remove ads",
    /// "fetchpriority=high */hero.jpg". Several are separated by `;`; see
    /// `pagerace list changes`.
    #[arg(short = 'C', long, alias = "changes", value_name = "CHANGES")]
    pub(crate) change: Vec<String>,

    /// Variant that the others are compared with: its name or a part of it, such as "h2 cubic".
    /// [default: sequential among strategies, else the first]
    #[arg(short, long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
}

/// The seed.
#[derive(Args, Clone, Debug)]
pub(crate) struct SeedArgs {
    /// Seed of all random choices.
    #[arg(long, value_name = "N", default_value_t = SEED, hide_short_help = true)]
    pub(crate) seed: u64,
}

/// The networks, and the loads on each.
#[derive(Args, Clone, Debug)]
pub(crate) struct LoadArgs {
    /// Networks, by name (`pagerace list networks`) or as "rate 2mbit rtt 100ms loss 2% queue
    /// 1bdp".
    #[arg(short, long, alias = "networks", value_name = "LIST")]
    pub(crate) network: Vec<String>,

    /// Loads of each page, network and variant. [default: as many as the answer takes, from 10 to
    /// 60; 30 in studies and in one world]
    #[arg(short, long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) runs: Option<u32>,

    #[command(flatten)]
    pub(crate) random: SeedArgs,
}

impl LoadArgs {
    /// Returns the number of runs, or its default.
    pub(crate) fn runs(&self) -> u32 {
        self.runs.unwrap_or(RUNS)
    }
}

/// The design of a race: contenders, networks, loads and metric.
#[derive(Args, Clone, Debug)]
pub(crate) struct DesignArgs {
    #[command(flatten)]
    pub(crate) contenders: ContenderArgs,

    #[command(flatten)]
    pub(crate) loads: LoadArgs,

    /// Metric that ranks the variants; see `pagerace list metrics`.
    #[arg(short, long, value_name = "NAME", default_value_t)]
    pub(crate) metric: MetricId,
}

/// The page of a recording that has several.
#[derive(Args, Clone, Debug)]
pub(crate) struct PageChoice {
    /// Page of a recording with several pages: its number from 1, its id or its title.
    #[arg(long, value_name = "PAGE")]
    pub(crate) page: Option<String>,
}

impl PageChoice {
    /// Returns the options of an import.
    pub(crate) fn options(&self) -> ImportOptions {
        ImportOptions {
            page: self.page.clone(),
        }
    }
}

/// The layout that a HAR lacks.
#[derive(Args, Clone, Debug)]
pub(crate) struct LayoutArgs {
    /// Guess the layout that a HAR with content lacks, instead of measuring it in Chromium.
    #[arg(long)]
    pub(crate) no_layout: bool,
}

/// The number of threads.
#[derive(Args, Clone, Debug)]
pub(crate) struct JobsArgs {
    /// Number of threads; results do not depend on it. [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

impl JobsArgs {
    /// Returns the number of threads.
    pub(crate) fn count(&self) -> usize {
        jobs(self.jobs)
    }
}

/// Returns the number of threads: the requested one, or all cores.
pub(crate) fn jobs(asked: Option<u16>) -> usize {
    asked.map_or_else(
        || std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        usize::from,
    )
}

/// The display of progress.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProgressArgs {
    /// Do not show progress.
    #[arg(long)]
    pub(crate) no_progress: bool,
}

impl ProgressArgs {
    /// Returns whether progress is wanted.
    pub(crate) fn shown(&self) -> bool {
        !self.no_progress
    }

    /// Shows the progress, unless it is unwanted.
    pub(crate) fn watch(&self, unit: &str) -> Watch {
        Watch::new(self.shown(), unit)
    }
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

/// The report, and the same as JSON.
#[derive(Args, Clone, Debug)]
pub(crate) struct ReportArgs {
    /// Write a report as one HTML file.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Write all values, the verdicts and the resolved plan as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

impl ReportArgs {
    /// Returns the files that the options name.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.report.iter().chain(&self.json)
    }
}

/// Files with the results of a race.
#[derive(Args, Clone, Debug)]
pub(crate) struct OutputArgs {
    #[command(flatten)]
    pub(crate) findings: ReportArgs,

    /// Write all values as CSV, and the comparisons to NAME-comparisons.csv beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
}

/// Returns a change of an option: its help tells this default.
pub(crate) fn default(text: &str) -> impl FnOnce(Arg) -> Arg {
    move |arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.split(" [default: ").next().unwrap_or_default();
        let help = help.trim_end_matches('.');
        arg.help(format!("{help}. [default: {text}]"))
    }
}

/// Shortens the help of an argument: it ends with the default, and `-h` omits what few people need.
pub(crate) fn brief(mut arg: Arg) -> Arg {
    let heading = arg.get_help_heading().unwrap_or_default().to_owned();
    if [RECORDING, ESSENTIAL, MODEL].contains(&&*heading) {
        arg = arg.hide_short_help(true);
    }
    let defaults = arg.get_default_values().iter().map(|text| text.display());
    let defaults: Vec<String> = defaults.map(|text| text.to_string()).collect();
    if defaults.is_empty() {
        return arg;
    }
    let mut told = defaults.join(",");
    let values = arg.get_possible_values();
    if heading == MODEL && !values.is_empty() {
        let values: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
        told = format!("{told}; values: {}", values.join(", "));
        arg = arg.hide_possible_values(true);
    }
    default(&told)(arg).hide_default_value(true)
}

/// Returns a change of arguments: those that another one has already decided exclude it.
pub(crate) fn excluding(
    other: &'static str,
    decided: impl Fn(&Arg) -> bool,
) -> impl FnMut(Arg) -> Arg {
    move |arg| {
        let excluded = arg.get_id() != other && decided(&arg);
        arg.conflicts_with_all(excluded.then_some(other))
    }
}

//! Input data of the report page.
//!
//! The types are plain data. Serialised, they are the input of the page's scripts: fields that
//! only the HTML shows are skipped, and a [`RunDetail`] takes its compact form. Contenders,
//! networks and metrics are listed once, and other entries refer to them by index. An
//! invalid index is a bug of the caller.

mod detail;

pub use detail::RunDetail;

use std::fmt::Display;

use pagerace_core::{Destination, Duration, RequestPriority, names};
use serde::{Deserialize, Serialize, Serializer};

use crate::compact::{millis, values};
use crate::film::Scene;

/// The data of one race.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Heading and window title: the answer, or `12 pages: 10 strategies on 3 networks`.
    pub title: String,
    /// Question that the title answers, such as `Which of h1 and h3 shows the largest element of
    /// news sooner?`
    #[serde(skip)]
    pub question: String,
    /// Version of Pagerace, such as `0.1.0`.
    pub version: String,
    /// Seed of the race's random numbers. It is written as text, because JavaScript's
    /// numbers hold only 53 bits.
    #[serde(serialize_with = "as_text")]
    pub seed: u64,
    /// Number of runs of each variant.
    pub runs: u32,
    /// Command that repeats the race, shown in the footer; empty if there is none.
    pub rerun: String,
    /// The resolved scenario, such as the JSON text that the command line reads back. The
    /// file contains it unchanged, to be copied, so its size adds to the file's.
    pub scenario: String,
    /// The metric by which contenders are ranked: index into `metrics`.
    pub metric: usize,
    /// The contender that the others are compared with: index into `contenders`.
    pub baseline: usize,
    /// The noun for one contender: `strategy` or `variant`.
    pub noun: String,
    /// The plural noun for contenders: `strategies` or `variants`.
    pub nouns: String,
    /// Properties that the contenders share, such as `chrome, CPU x1, cubic`; may be
    /// empty.
    #[serde(skip)]
    pub shared: String,
    /// The provenance of the results.
    pub world: Provenance,
    /// Circumstances of live loads, as name (`browser`) and value (`Chromium 156`). Empty
    /// for simulated loads.
    #[serde(skip)]
    pub environment: Vec<Named>,
    /// The metrics that can be selected, in the order in which they are offered.
    pub metrics: Vec<Metric>,
    /// The contenders.
    pub contenders: Vec<Named>,
    /// The causes that load time is attributed to, for [`NetworkResult::whys`].
    pub parts: Vec<Named>,
    /// The networks.
    pub networks: Vec<Named>,
    /// The pages that were loaded.
    pub pages: Vec<PageResult>,
    /// Comparisons over several pages, one entry for each network and metric; empty if
    /// there is one page.
    pub across: Vec<AcrossSection>,
    /// Sentences to read before the results: pages whose recorded load is reproduced badly.
    #[serde(skip)]
    pub doubts: Vec<String>,
    /// Advice on the page, if the report is one.
    #[serde(skip)]
    pub advice: Option<Advice>,
    /// Caveats for the reader, one sentence each: data missing from the recording, runs
    /// that failed, limits of the page model.
    #[serde(skip)]
    pub notes: Vec<String>,
}

fn as_text<S: Serializer>(number: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(number)
}

names! {
    /// The provenance of results.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Provenance {
        /// The simulator, in virtual time, with a browser model and Pagerace's own transports.
        #[default]
        Simulated = "simulated",
        /// A real browser, in real time, with real sockets and an emulated link.
        Live = "live",
    }
}

impl Provenance {
    /// The heading of the facts that all contenders share.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Simulated => "Modelled",
            Self::Live => "Measured live",
        }
    }
}

/// Advice on a page, as people read it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The sentences after the question and the title, the most important first. Those that begin
    /// with a number and a full stop are the changes.
    pub sentences: Vec<String>,
    /// Lines to paste: a place, a colon and the text.
    pub lines: Vec<String>,
    /// The changes that no line makes.
    pub without: Vec<String>,
    /// Lines of configurations, by server.
    pub servers: Vec<(String, String)>,
    /// Header of the table of all changes that were judged.
    pub header: Vec<String>,
    /// Cells of that table.
    pub rows: Vec<Vec<String>>,
    /// Sentences below the table.
    pub remarks: Vec<String>,
    /// The record of such advice; empty if there is none.
    pub record: String,
    /// The settings of the advice.
    pub settings: String,
}

/// A name with a description.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The name as the user writes it, such as `weighted-incremental:alpha=0.75`.
    pub name: String,
    /// Description in one line, such as
    /// `1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip`.
    pub description: String,
}

/// A metric that can be selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metric {
    /// The name as the user writes it, such as `lcp`.
    pub name: String,
    /// Title for headings, such as `Largest Contentful Paint`.
    pub title: String,
    /// Unit of its values: `ms`, `bytes`, `byte ms`, or empty for counts.
    pub unit: String,
    /// True if lower values are better, which holds for almost all metrics.
    pub lower_is_better: bool,
    /// Definition of the metric in one line.
    pub definition: String,
}

/// The results of one page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PageResult {
    /// Short name of the page.
    pub name: String,
    /// The URL that was navigated to.
    pub url: String,
    /// The page's resources, in page order; empty if no run was recorded.
    pub resources: Vec<Resource>,
    /// The parts of the page on the screen, for films of its recorded runs; `None` if there are
    /// none.
    pub scene: Option<Scene>,
    /// The largest element, if the recording tells.
    pub largest: Option<LargestElementName>,
    /// The page's results, one entry for each network.
    pub networks: Vec<NetworkResult>,
}

/// A resource of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// The complete URL.
    pub url: String,
    /// The resource's destination.
    pub destination: Destination,
    /// Encoded body size in bytes.
    pub bytes: u64,
    /// True if the resource is render-blocking.
    pub render_blocking: bool,
    /// HTTP status of the response; 0 without one.
    pub status: u16,
    /// The browser's priority when it requests the resource, such as `VeryHigh`.
    pub priority: RequestPriority,
    /// Registrable domain of a third party; empty for the page's own resources.
    pub owner: String,
}

/// The largest element of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LargestElementName {
    /// Its name in a sentence, such as `the image hero.jpg, 640 x 360 pixels`.
    pub name: String,
    /// Index into the page's resources, if it is an image.
    pub resource: Option<usize>,
}

/// The results of one page on one network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct NetworkResult {
    /// Index into [`Report::networks`].
    pub network: usize,
    /// The outcome of the verdict, which selects its mark.
    pub outcome: VerdictKind,
    /// The best contender by the ranked metric, even if it does not differ from the
    /// baseline: index into [`Report::contenders`].
    pub winner: Option<usize>,
    /// The verdict in plain sentences.
    #[serde(skip)]
    pub verdict: String,
    /// The sentence on who gains: browsers that know of HTTP/3, and first visits; empty if it does
    /// not matter.
    #[serde(skip)]
    pub visit: String,
    /// The record of such verdicts in a plain sentence; empty if there is none.
    #[serde(skip)]
    pub record: String,
    /// One row for each contender, best first by the ranked metric.
    pub rows: Vec<Row>,
    /// Causes of the differences from the baseline; empty if not requested.
    pub whys: Vec<Why>,
}

/// The outcome of a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum VerdictKind {
    /// A contender wins.
    Better,
    /// A contender probably wins.
    Probable,
    /// No contender is better than the baseline.
    #[default]
    NoDifference,
    /// The runs are too few or too far apart, values are missing, or there is nothing to
    /// compare.
    Unknown,
}

/// Load times of one contender and of the baseline, by cause.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Why {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// Number of the compared run of both, from zero.
    pub run: u32,
    /// The main cause in a plain sentence.
    pub sentence: String,
    /// The baseline's time, one entry for each of [`Report::parts`].
    #[serde(serialize_with = "millis")]
    pub baseline: Vec<Duration>,
    /// The contender's time, one entry for each of [`Report::parts`].
    #[serde(serialize_with = "millis")]
    pub own: Vec<Duration>,
    /// The baseline's critical path, from the navigation on.
    pub baseline_path: Vec<PathStep>,
    /// The contender's critical path.
    pub own_path: Vec<PathStep>,
}

/// Step of a critical path: a resource that everything after it waits for. Written as `[resource,
/// from, until, part]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathStep {
    /// Index into the page's resources.
    pub resource: usize,
    /// Begin in milliseconds: the resource's discovery.
    pub from_ms: f64,
    /// End in milliseconds: the next discovery, or the metric.
    pub until_ms: f64,
    /// The cause of most of the time: index into [`Report::parts`].
    pub part: usize,
}

impl Serialize for PathStep {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let tenths = |ms: f64| (ms * 10.0).round() / 10.0;
        let (from, until) = (tenths(self.from_ms), tenths(self.until_ms));
        (self.resource, from, until, self.part).serialize(to)
    }
}

/// The results of one contender on one page and network.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// Number of runs that did not finish.
    pub failed: u32,
    /// Metric values, one entry for each of [`Report::metrics`].
    #[serde(serialize_with = "values")]
    pub values: Vec<Comparison>,
    /// The median run by the ranked metric, if it was recorded. With many pages, the file
    /// stays small if only the baseline and the winner have one.
    pub detail: Option<RunDetail>,
}

/// A metric's median, and its comparison with the baseline's. Fields are `None` if the
/// data do not support them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Median over the runs, in the metric's unit.
    pub median: Option<f64>,
    /// Median of the differences to the baseline, in the metric's unit; negative is less than
    /// the baseline. They are those of all runs or of paired ones, as the verdict takes them.
    pub difference: Option<f64>,
    /// `difference` as a share of the baseline's median, in percent.
    pub difference_percent: Option<f64>,
    /// Lower and upper end of the 95 % confidence interval of `difference`.
    pub interval: Option<(f64, f64)>,
    /// Effect size (Cliff's delta), from -1 to 1.
    pub effect_size: Option<f64>,
    /// p-value of Wilcoxon's signed-rank test of the paired differences, corrected for
    /// the number of contenders. The verdict is based on this test.
    pub p_value: Option<f64>,
    /// Central 90 % of the values over the worlds of the runs; `None` in one world and live,
    /// as are the following fields.
    pub range: Option<(f64, f64)>,
    /// The range that holds the difference of two live loads with a probability of 95 %.
    pub sure_range: Option<(f64, f64)>,
    /// The same with a probability of 80 %.
    pub probable_range: Option<(f64, f64)>,
    /// The share of pairs of loads, one of each side, in which the value is lower.
    pub sooner: Option<f64>,
    /// True if the verdict counts the difference as a gain or a loss, surely or probably.
    pub counts: bool,
}

/// The comparison over all pages on one network by one metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AcrossSection {
    /// Index into [`Report::networks`].
    pub network: usize,
    /// Index into [`Report::metrics`].
    pub metric: usize,
    /// The verdict over all pages in plain sentences; empty if there is none.
    #[serde(skip)]
    pub verdict: String,
    /// One entry for each contender except the baseline.
    pub rows: Vec<AcrossRow>,
}

/// One contender over all pages, compared with the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AcrossRow {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// For each page with both values, in page order: the difference of the medians as a
    /// share of the baseline's, in percent. Gains and losses of more than 5 % are counted
    /// from these (Sander 2022).
    pub differences_percent: Vec<f64>,
    /// Number of pages without a value for the contender or the baseline.
    pub missing: u32,
}

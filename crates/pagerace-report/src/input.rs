//! Everything the page shows.
//!
//! Plain data: contenders, networks and metrics are named once and then
//! referred to by their index. An index that points nowhere is a bug of the
//! caller; the page leaves such an entry out.

mod detail;

pub use detail::{Drop, Frame, HolGap, ProgressPoint, RunDetail, Timing};

use pagerace_core::{Destination, Duration};
use serde::{Deserialize, Serialize};

/// A race, as the page shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Heading and window title, such as `example.org: 10 strategies on 3 networks`.
    pub title: String,
    /// Version of the product, such as `0.1.0`.
    pub version: String,
    /// Seed of the race.
    pub seed: u64,
    /// Runs of each variant.
    pub runs: u32,
    /// Command that repeats the race, shown in the footer; empty if there is none.
    pub rerun: String,
    /// The resolved scenario, such as the JSON text that the command line reads
    /// back. Shown as it is, to be copied, so its size is the file's.
    pub scenario: String,
    /// The metric by which contenders are ranked: index into `metrics`.
    pub metric: usize,
    /// The contender that the others are compared with: index into `contenders`.
    pub baseline: usize,
    /// What a contender is called: `strategy` or `variant`.
    pub noun: String,
    /// What several are called: `strategies` or `variants`.
    pub nouns: String,
    /// What the contenders share, such as `chrome, CPU x1, cubic`; may be empty.
    pub shared: String,
    /// Where the loads took place.
    #[serde(default)]
    pub world: World,
    /// Under which circumstances: name (`browser`) and value (`Chromium 156`).
    /// Empty in simulation.
    #[serde(default)]
    pub environment: Vec<Named>,
    /// The metrics that can be selected, in the order in which they are offered.
    pub metrics: Vec<Metric>,
    /// Who raced.
    pub contenders: Vec<Named>,
    /// What time goes into, for [`NetworkResult::whys`].
    pub parts: Vec<Named>,
    /// The networks they raced on.
    pub networks: Vec<Named>,
    /// The pages that were loaded.
    pub pages: Vec<PageResult>,
    /// Counts over several pages, one entry for each network and metric; empty
    /// if there is one page.
    pub across: Vec<AcrossPages>,
    /// What a reader has to know, one sentence each: what was missing in the
    /// recording, which runs failed, what the page model does not know.
    pub notes: Vec<String>,
}

/// Where loads took place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// In the simulator.
    #[default]
    Simulated,
    /// In a real browser, over real sockets.
    Live,
}

/// Something with a name and an explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// As the user writes it, such as `weighted-incremental:alpha=0.75`.
    pub name: String,
    /// One line, such as `1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip`.
    pub description: String,
}

/// A metric that can be selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metric {
    /// As the user writes it, such as `lcp`.
    pub name: String,
    /// For headings, such as `Largest Contentful Paint`.
    pub title: String,
    /// Unit of its values: `ms`, `bytes`, `byte ms`, or empty for counts.
    pub unit: String,
    /// Whether less is better. Almost always.
    pub lower_is_better: bool,
    /// One line that says what it is.
    pub definition: String,
}

/// One page and how it fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageResult {
    /// Short name.
    pub name: String,
    /// The URL that was navigated to.
    pub url: String,
    /// Its resources, in page order.
    pub resources: Vec<Resource>,
    /// One entry for each network.
    pub networks: Vec<NetworkResult>,
}

/// A resource of a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// The whole URL.
    pub url: String,
    /// What it is for.
    pub destination: Destination,
    /// Encoded body bytes.
    pub bytes: u64,
    /// Whether it holds back the first paint.
    pub render_blocking: bool,
}

/// One page on one network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NetworkResult {
    /// Index into [`Report::networks`].
    pub network: usize,
    /// The verdict in plain sentences.
    pub verdict: String,
    /// How the verdict went, for its mark.
    pub outcome: Verdict,
    /// Whether the verdict holds under other assumptions, in a plain sentence; empty if
    /// nobody looked.
    pub robustness: String,
    /// The best contender by the ranked metric, whether or not it differs from
    /// the baseline: index into [`Report::contenders`].
    pub winner: Option<usize>,
    /// One row for each contender, best first by the ranked metric.
    pub rows: Vec<Row>,
    /// Where differences to the baseline come from; empty if nobody asked.
    pub whys: Vec<Why>,
}

/// How a verdict went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A contender is better than the baseline.
    Better,
    /// No contender is better than the baseline.
    #[default]
    NoDifference,
    /// Nothing can be said: too few runs, or they failed.
    Unknown,
}

/// One contender's time beside the baseline's, by what it goes into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Why {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// Which run of both, from zero.
    pub run: u32,
    /// The main reason in a plain sentence.
    pub sentence: String,
    /// The baseline's time, one entry for each of [`Report::parts`].
    pub baseline: Vec<Duration>,
    /// The contender's, likewise.
    pub own: Vec<Duration>,
}

/// One contender on one page and network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// Runs that did not finish.
    pub failed: u32,
    /// One entry for each of [`Report::metrics`].
    pub values: Vec<Comparison>,
    /// The median run by the ranked metric, if it was recorded. With many pages
    /// the file stays small if only the baseline and the winner have one.
    pub detail: Option<RunDetail>,
}

/// A metric's median, and how it compares with the baseline's. `None` where
/// the data do not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Median over the runs, in the metric's unit.
    pub median: Option<f64>,
    /// Median of the paired differences to the baseline, in the metric's unit;
    /// negative is less than the baseline.
    pub difference: Option<f64>,
    /// The same as a share of the baseline's median, in percent.
    pub difference_percent: Option<f64>,
    /// Lower and upper end of the 95 % interval of `difference`.
    pub interval: Option<(f64, f64)>,
    /// Effect size, from -1 to 1 (Cliff's delta).
    pub effect_size: Option<f64>,
    /// p of Wilcoxon's signed-rank test of the paired differences, corrected over the
    /// contenders: the one that decides.
    pub p_value: Option<f64>,
    /// `interval`, widened by what the model leaves open; `None` if that was never
    /// measured.
    pub model_interval: Option<(f64, f64)>,
    /// Whether the difference is sure and large enough to notice: what the
    /// verdicts count as better or worse.
    pub counts: bool,
}

/// How the pages fared on one network by one metric.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AcrossPages {
    /// Index into [`Report::networks`].
    pub network: usize,
    /// Index into [`Report::metrics`].
    pub metric: usize,
    /// The verdict over all pages in plain sentences; empty if there is none.
    pub verdict: String,
    /// One entry for each contender but the baseline.
    pub rows: Vec<AcrossRow>,
}

/// One contender over all pages, compared with the baseline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AcrossRow {
    /// Index into [`Report::contenders`].
    pub contender: usize,
    /// For each page that has both values: the difference of the medians as a
    /// share of the baseline's, in percent; in page order. Gains and losses of
    /// more than 5 % are counted from these (Sander 2022).
    pub differences_percent: Vec<f64>,
    /// Pages without a value on one side.
    pub missing: u32,
}

impl Default for Resource {
    fn default() -> Self {
        Self {
            url: String::new(),
            destination: Destination::Other,
            bytes: 0,
            render_blocking: false,
        }
    }
}

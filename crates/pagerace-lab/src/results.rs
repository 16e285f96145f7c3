//! The results of a race: metrics and counters per variant and run.
//!
//! Per-resource times, visual progress and traces are not kept, so that memory stays
//! bounded for any pages. [`crate::detail`] repeats selected loads.

use std::collections::BTreeSet;

use pagerace_browser::{LoadMetrics, largest_group};
use pagerace_core::Duration;
use pagerace_report::input::Provenance;
use pagerace_sim::{Outcome, TransportCounters};
use serde::{Deserialize, Serialize};

use crate::first_visit::FirstVisit;
use crate::metric::MetricId;
use crate::model_error::ModelErrors;
use crate::plan::Plan;
use crate::stats::median_place;
use crate::unit::Unit;
use crate::why::Why;
use crate::worlds::Worlds;

/// The results of a race.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The plan that was run.
    pub plan: Plan,
    /// One variant per page, network and contender, nested in this order.
    pub variants: Vec<Variant>,
    /// The causes of differences, if requested: see
    /// [`why::explain_network`](crate::why::explain_network).
    pub whys: Vec<Why>,
    /// The model's errors, which verdicts over several worlds allow for.
    pub model_errors: ModelErrors,
    /// The comparisons on first visits, if requested: see
    /// [`add_first_visit`](crate::first_visit::add_first_visit).
    pub first_visits: Vec<FirstVisit>,
    /// The provenance of these results.
    pub provenance: Provenance,
    /// The circumstances of live loads, for tables and reports; empty for simulated loads.
    pub environment: Vec<Fact>,
}

/// A page, network and contender, with the outcomes of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`].
    pub contender: usize,
    /// The runs; run `k` has the same seed in every variant.
    pub runs: Vec<RunSummary>,
}

/// One load, without its details.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// The metrics of the page load.
    pub load: LoadMetrics,
    /// The counters of the transport.
    pub transport: TransportCounters,
    /// Counters in `transport` that were not measured and therefore have no value, rather
    /// than zero. Empty in simulation.
    pub uncounted: BTreeSet<MetricId>,
    /// Time when the last essential object was complete.
    pub essential: Option<Duration>,
    /// Requests that are never answered. Times that the load has not reached because of
    /// them are infinite.
    pub unanswered: usize,
    /// The reason why the load did not finish, if it failed.
    pub failure: Option<String>,
}

/// A circumstance of live loads, such as `browser` and `Chromium 156.0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// The subject: `browser`, `kernel`, `lateness p99`, `rejected runs`.
    pub name: String,
    /// The value with its unit.
    pub value: String,
}

impl Results {
    /// Returns results without explanations, checks and circumstances.
    pub fn new(plan: &Plan, provenance: Provenance, variants: Vec<Variant>) -> Self {
        Self {
            plan: plan.clone(),
            variants,
            whys: Vec::new(),
            first_visits: Vec::new(),
            model_errors: ModelErrors::embedded(),
            provenance,
            environment: Vec::new(),
        }
    }

    /// Returns results with all variants of the plan, and no runs yet.
    pub fn planned(plan: &Plan, provenance: Provenance) -> Self {
        let variant = |index| {
            let (page, network, contender) = plan.variant_parts(index);
            Variant {
                page,
                network,
                contender,
                runs: Vec::new(),
            }
        };
        Self::new(
            plan,
            provenance,
            (0..plan.variants()).map(variant).collect(),
        )
    }

    /// Returns the variant of this page, network and contender (indices into the plan).
    ///
    /// # Panics
    /// Panics if the plan has no such variant.
    pub fn variant(&self, page: usize, network: usize, contender: usize) -> &Variant {
        &self.variants[self.plan.variant_index(page, network, contender)]
    }

    /// Returns true if the runs are of several worlds, so that verdicts follow from ranges
    /// of differences. Live runs, and those of one world, are tested instead.
    pub fn over_worlds(&self) -> bool {
        self.provenance == Provenance::Simulated && self.plan.worlds != Worlds::Nominal
    }

    /// Returns a number for each run of a variant's page and network: runs with the same number
    /// draw the same largest element. The page has one in all its live loads, so loads with
    /// different ones are not compared.
    pub fn groups(&self, page: usize, network: usize, runs: usize) -> Vec<usize> {
        let page = &self.plan.pages[page];
        let group = |run| {
            let draw = self.plan.world(network, run).largest;
            draw.map_or(0, |draw| largest_group(page, draw))
        };
        (0..runs).map(group).collect()
    }

    /// Returns the number of loads, over all variants.
    pub fn loads(&self) -> usize {
        self.variants.iter().map(|variant| variant.runs.len()).sum()
    }

    /// Returns the largest number of runs of any variant.
    pub fn most_runs(&self) -> usize {
        let runs = self.variants.iter().map(|variant| variant.runs.len());
        runs.max().unwrap_or(0)
    }

    /// Returns the number of failed loads.
    pub fn failed(&self) -> usize {
        self.variants.iter().map(Variant::failed).sum()
    }

    /// Returns the reasons of failed loads without duplicates, in the order of the
    /// variants.
    pub fn reasons(&self) -> Vec<&str> {
        let runs = self.variants.iter().flat_map(|variant| &variant.runs);
        distinct(runs.filter_map(|run| run.failure.as_deref()))
    }
}

/// Returns the items without duplicates, in order of first appearance.
pub fn distinct<T: Copy + Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    items.filter(|item| seen.insert(*item)).collect()
}

impl Variant {
    /// Values of the runs as used in statistics: `None` if the metric is undefined,
    /// infinity if the load failed.
    pub fn values(&self, metric: MetricId) -> Vec<Option<f64>> {
        self.runs.iter().map(|run| run.value(metric)).collect()
    }

    /// Number of objects that arrived broken, over all runs.
    pub fn broken(&self) -> u64 {
        self.runs.iter().map(|r| r.transport.broken_objects).sum()
    }

    /// Number of runs that did not finish.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failure.is_some()).count()
    }

    /// Index of the run that represents the variant in figures: the earliest finished run
    /// with the (lower) median value; the first run if none has a value.
    pub fn median_run(&self, metric: MetricId) -> usize {
        median_place(self.values(metric)).unwrap_or(0)
    }
}

impl RunSummary {
    /// The value used in statistics. `None` if the metric is undefined. Infinity if the
    /// load failed, regardless of the values reached before, and for times that are never
    /// reached because a request is unanswered or an object is broken.
    pub fn value(&self, metric: MetricId) -> Option<f64> {
        let entry = metric.metric();
        if self.failure.is_none() {
            let never = || {
                // The paint of a broken object never happens. An essential object that
                // arrived in part does not count as essential content.
                let part = entry.name == "essential" && self.transport.partial_objects > 0;
                let never = self.unanswered > 0 || self.transport.broken_objects > 0 || part;
                (never && entry.unit == Unit::Milliseconds && entry.simulated)
                    .then_some(f64::INFINITY)
            };
            return self.reached(metric).or_else(never);
        }
        // A score is not a time, so a failed load has none.
        (entry.unit != Unit::Score).then_some(f64::INFINITY)
    }

    /// The value of the metric, or the value that a failed load had reached.
    pub fn reached(&self, metric: MetricId) -> Option<f64> {
        if self.uncounted.contains(&metric) {
            return None;
        }
        (metric.metric().get)(self)
    }
}

impl Fact {
    /// Creates a fact from a name and a value.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
        }
    }
}

/// Formats all facts on one line: `browser: Chromium 156.0; kernel: 6.18`.
pub fn facts_line(environment: &[Fact]) -> String {
    let one = |fact: &Fact| format!("{}: {}", fact.name, fact.value);
    environment.iter().map(one).collect::<Vec<_>>().join("; ")
}

impl From<&Outcome> for RunSummary {
    fn from(outcome: &Outcome) -> Self {
        Self {
            load: outcome.load,
            transport: outcome.transport,
            essential: outcome.essential,
            unanswered: outcome.unanswered.len(),
            failure: outcome.failure.clone(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;

//! What a race leaves: per variant and run, the metrics and counters.
//!
//! Per-resource times, visual progress and traces are not kept, so memory
//! stays bounded whatever the pages; [`crate::detail`] runs chosen loads again.

use std::collections::BTreeSet;

use pagerace_browser::LoadMetrics;
use pagerace_core::Duration;
use pagerace_sim::{Outcome, TransportCounters};

use crate::metric::MetricId;
use crate::model_error::ModelErrors;
use crate::plan::Plan;
use crate::robustness::Robustness;
use crate::unit::Unit;
use crate::why::Why;
use crate::world::{Fact, World};

/// A race that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// What was raced.
    pub plan: Plan,
    /// One for each page, network and contender, in that nesting.
    pub variants: Vec<Variant>,
    /// Where the differences come from, if that was asked for: see
    /// [`why::explain_race`](crate::why::explain_race).
    pub whys: Vec<Why>,
    /// How far the model is off, which verdicts leave open; of live loads none.
    pub model_errors: ModelErrors,
    /// Whether verdicts hold under other assumptions, if that was asked for: see
    /// [`check_robustness`](crate::robustness::check_robustness).
    pub robustness: Vec<Robustness>,
    /// Where the loads took place.
    pub world: World,
    /// Under which circumstances, for tables and reports; empty in simulation,
    /// which has none.
    pub environment: Vec<Fact>,
}

/// A page, a network and a contender, with the outcomes of all runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Index into [`Plan::contenders`].
    pub contender: usize,
    /// Run `k` of every variant has the same seed.
    pub runs: Vec<RunSummary>,
}

/// One load, without its details.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// What a person would have seen.
    pub load: LoadMetrics,
    /// What the network did.
    pub transport: TransportCounters,
    /// Counters of `transport` that nobody counted: they have no value, rather
    /// than zero. Empty in simulation.
    pub uncounted: BTreeSet<MetricId>,
    /// When the last essential object was complete.
    pub essential: Option<Duration>,
    /// Requests that will never be answered: times that the load has not
    /// reached never come.
    pub unanswered: usize,
    /// Why the load did not finish, if it did not.
    pub failure: Option<String>,
}

impl Results {
    /// The variant of this page, network and contender (indices into the plan).
    ///
    /// # Panics
    /// If the plan has no such variant.
    pub fn variant(&self, page: usize, network: usize, contender: usize) -> &Variant {
        &self.variants[self.plan.variant_index(page, network, contender)]
    }

    /// Why loads failed, each reason once, in the order of the variants.
    pub fn reasons(&self) -> Vec<&str> {
        let runs = self.variants.iter().flat_map(|variant| &variant.runs);
        distinct(runs.filter_map(|run| run.failure.as_deref()))
    }
}

/// Each text once, in the order in which they first come.
pub(crate) fn distinct<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    texts.filter(|text| seen.insert(*text)).collect()
}

impl Variant {
    /// The metric of each run, as the statistics take it: `None` where the
    /// metric is not defined, infinity where the load failed.
    pub fn values(&self, metric: MetricId) -> Vec<Option<f64>> {
        self.runs.iter().map(|run| run.value(metric)).collect()
    }

    /// Objects that arrived broken, in all runs.
    pub fn broken(&self) -> u64 {
        self.runs.iter().map(|r| r.transport.broken_objects).sum()
    }

    /// Runs that did not finish.
    pub fn failed(&self) -> usize {
        self.runs.iter().filter(|run| run.failure.is_some()).count()
    }

    /// The run that stands for all in pictures: the finished one whose metric
    /// is the (lower) median, the earliest of equals; the first run if none
    /// has a value.
    pub fn median_run(&self, metric: MetricId) -> usize {
        let mut finished: Vec<(f64, usize)> = self
            .values(metric)
            .into_iter()
            .enumerate()
            .filter_map(|(run, value)| Some((value.filter(|v| v.is_finite())?, run)))
            .collect();
        finished.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some(middle) = finished.len().checked_sub(1) else {
            return 0;
        };
        let value = finished[middle / 2].0;
        finished
            .iter()
            .find(|(v, _)| *v >= value)
            .map_or(0, |(_, run)| *run)
    }
}

impl RunSummary {
    /// The metric, as the statistics take it: `None` where it is not defined,
    /// infinity where the load failed, whatever it had reached before, and for
    /// times that never come because a request is never answered, or an object is
    /// broken.
    pub fn value(&self, metric: MetricId) -> Option<f64> {
        let entry = metric.metric();
        if self.failure.is_none() {
            let never = || {
                // What a broken object would have shown never is.
                // An essential object that came in part is not essential content, either.
                let part = entry.name == "essential" && self.transport.partial_objects > 0;
                let never = self.unanswered > 0 || self.transport.broken_objects > 0 || part;
                (never && entry.unit == Unit::Milliseconds && entry.simulated)
                    .then_some(f64::INFINITY)
            };
            return self.reached(metric).or_else(never);
        }
        // A score is no time: a load that failed has none.
        (entry.unit != Unit::Score).then_some(f64::INFINITY)
    }

    /// The metric, or what the load had reached of it when it failed.
    pub fn reached(&self, metric: MetricId) -> Option<f64> {
        if self.uncounted.contains(&metric) {
            return None;
        }
        (metric.metric().get)(self)
    }
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

//! Effects of changes of pages: predicted, and measured in a browser.

mod design;
mod list;
mod promises;
mod tables;
mod tally;

use pagerace_lab::advice::{Effect, Effects, Worth};
use pagerace_lab::export::csv::quote;
use pagerace_lab::metric::MetricId;
use pagerace_lab::model_error::is_lossy;
use pagerace_lab::results::Results;
use pagerace_lab::stats::mann_whitney::mann_whitney;
use pagerace_page::Changes;

use crate::differences::{Difference, Pair, differences};
use crate::observation::{Observation, Observations};
use crate::prediction::Prediction;

pub use design::design;
pub use list::{ListError, Listed, check, list};
pub(crate) use tables::circumstances;
pub use tables::{Setup, sections};
pub use tally::{Tally, record};

/// The probability under which a measured difference counts as one: four loads of each kind, of
/// which all of one come before all of the other, have 0.029.
const SIGNIFICANT: f64 = 0.05;
/// The fewest loads with and without a change that can differ significantly.
const LOADS_MIN: usize = 4;
/// The share of the metric under which a measured difference is too small to judge a sign by.
const TELLING: f64 = 0.02;
/// A predicted difference is as large as the measured one within this share of it ..
const NEAR: f64 = 0.2;
/// .. or within this many milliseconds.
const NEAR_MS: f64 = 30.0;

/// A change of a page, its predicted effect on a metric, and the measured one.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Short name of the page.
    pub page: String,
    /// True if the model of changes was final before the page was loaded.
    pub held_out: bool,
    /// The network as the user specified it.
    pub network: String,
    /// The version of HTTP.
    pub protocol: String,
    /// The change.
    pub changes: Changes,
    /// The metric.
    pub metric: MetricId,
    /// The predicted effect; `None` if the metric has no value.
    pub predicted: Option<Effect>,
    /// Live values without the change, in milliseconds.
    pub before: Vec<f64>,
    /// Live values with it.
    pub after: Vec<f64>,
    /// Median of the latter less median of the former.
    pub measured: f64,
    /// Two-sided probability of the rank test that both are of one distribution.
    pub p: f64,
}

/// The fate of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The measured difference has the claimed sign.
    True,
    /// The loads do not tell a difference.
    Untold,
    /// The measured difference has the other sign.
    False,
}

impl Trial {
    /// Returns true if the loads tell the sign of the difference.
    pub fn tells(&self) -> bool {
        let before = pagerace_lab::stats::median(&self.before).unwrap_or(f64::NAN);
        self.p <= SIGNIFICANT && self.measured.abs() >= TELLING * before
    }

    /// Returns true if the predicted difference has the measured sign.
    pub fn has_sign(&self) -> bool {
        self.predicted
            .is_some_and(|effect| effect.difference * self.measured > 0.0)
    }

    /// Returns the distance of the predicted difference from the measured one in milliseconds.
    pub fn distance(&self) -> Option<f64> {
        let predicted = self.predicted?;
        Some((predicted.difference - self.measured).abs())
    }

    /// Returns true if the predicted difference is as large as the measured one.
    pub fn is_near(&self) -> bool {
        let limit = (NEAR * self.measured.abs()).max(NEAR_MS);
        self.distance().is_some_and(|distance| distance <= limit)
    }

    /// Returns what the loads say of a claim; `None` if the prediction claims nothing.
    pub fn outcome(&self) -> Option<Outcome> {
        let claimed = self.predicted.map(|effect| effect.worth());
        claimed.filter(|worth| *worth != Worth::Nothing)?;
        Some(match (self.tells(), self.has_sign()) {
            (true, true) => Outcome::True,
            (true, false) => Outcome::False,
            (false, _) => Outcome::Untold,
        })
    }

    /// Returns the name of the kind of change, of several the first.
    pub fn kind(&self) -> &'static str {
        self.changes
            .all()
            .first()
            .map_or("none", pagerace_page::change::Change::kind)
    }
}

/// Compares the effects in `predicted`, whose plan has one page, one network, and first the page
/// as it is, with what was observed. Changes that were loaded too few times are left out.
pub fn trials(
    predicted: &Results,
    observations: &Observations,
    metrics: &[MetricId],
    held_out: &[String],
) -> Vec<Trial> {
    let plan = &predicted.plan;
    let observed = |contender: usize| {
        let mut all = observations.observations.iter();
        all.find(|one| {
            one.page == plan.pages[0].name
                && one.network == plan.networks[0].name
                && one.contender == plan.contenders[contender]
        })
    };
    let Some(base) = observed(0) else {
        return Vec::new();
    };
    let changed = 1..plan.contenders.len();
    let changed = changed.filter_map(|contender| Some((contender, observed(contender)?)));
    let pairs =
        changed.flat_map(|pair| metrics.iter().map(move |metric| (pair.0, pair.1, *metric)));
    let trial = |(contender, with, metric): (usize, &Observation, MetricId)| {
        let (before, after) = (base.values(metric), with.values(metric));
        if before.len().min(after.len()) < LOADS_MIN {
            return None;
        }
        let difference = with.median(metric)? - base.median(metric)?;
        difference.is_finite().then(|| Trial {
            page: base.page.clone(),
            held_out: held_out.contains(&base.page),
            network: base.network.clone(),
            protocol: plan.contenders[contender].protocols.to_string(),
            changes: plan.contenders[contender].changes.clone(),
            metric,
            predicted: Effects::between(predicted, 0, contender, metric, &[]).networks[0],
            p: mann_whitney(&before, &after).map_or(1.0, |test| test.p),
            measured: difference,
            before,
            after,
        })
    };
    pairs.filter_map(trial).collect()
}

/// Returns the same differences as pairs of contenders, of which classes of ranges are made.
pub fn pairs(
    predicted: &Results,
    observations: &Observations,
    metrics: &[MetricId],
    held_out: &[String],
) -> Vec<Difference> {
    let predictions = Prediction::of(predicted);
    let observed = predictions.iter().filter_map(|prediction| {
        let mut all = observations.observations.iter();
        let observation = all.find(|one| {
            one.page == prediction.page
                && one.network == prediction.network
                && one.contender == prediction.contender
        })?;
        Some(Pair {
            observation,
            prediction,
            lossy: predicted.plan.networks.iter().any(is_lossy),
            held_out: held_out.contains(&prediction.page),
        })
    });
    let observed: Vec<Pair<'_>> = observed.collect();
    let metrics = metrics.iter();
    metrics
        .flat_map(|metric| differences(&observed, *metric))
        .collect()
}

const HEADER: &str = "page,held_out,network,http,change,metric,live_before_ms,live_ms,p,\
                      predicted_before_ms,predicted_ms,low_ms,high_ms,claim,outcome\n";

/// Formats trials as CSV, one line each, with times and differences in milliseconds. Unknown values
/// are empty.
pub fn csv(trials: &[Trial]) -> String {
    let mut text = HEADER.to_owned();
    for trial in trials {
        let ms = |value: Option<f64>| {
            value.map_or_else(String::new, |ms| ((ms * 10.0).round() / 10.0).to_string())
        };
        let effect = |of: fn(&Effect) -> f64| ms(trial.predicted.as_ref().map(of));
        let claim = match trial.predicted.map(|effect| effect.worth()) {
            Some(Worth::Gains) => "gains",
            Some(Worth::Harms) => "harms",
            Some(Worth::Nothing) => "nothing",
            None => "",
        };
        let outcome = match trial.outcome() {
            Some(Outcome::True) => "true",
            Some(Outcome::Untold) => "untold",
            Some(Outcome::False) => "false",
            None => "",
        };
        let fields = [
            trial.page.clone(),
            trial.held_out.to_string(),
            trial.network.clone(),
            trial.protocol.clone(),
            trial.changes.to_string(),
            trial.metric.metric().name.to_owned(),
            ms(pagerace_lab::stats::median(&trial.before)),
            ms(Some(trial.measured)),
            format!("{:.4}", trial.p),
            effect(|one| one.before),
            effect(|one| one.difference),
            effect(|one| one.range.0),
            effect(|one| one.range.1),
            claim.to_owned(),
            outcome.to_owned(),
        ];
        let fields = fields.each_ref().map(|field| quote(field));
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests;

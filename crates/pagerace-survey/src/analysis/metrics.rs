//! Answers of people against metrics of the loads that they saw.

use pagerace_lab::stats::spearman;
use serde::Serialize;

use super::SPEED_PERCEPTION;
use super::pairs::{PairFinding, Verdict};
use super::ratings::RatingFinding;
use crate::stats::Share;
use crate::survey::Survey;

/// Metrics that are compared with preferences, and their titles.
const METRICS: [(&str, &str); 4] = [
    ("fcp", "First Contentful Paint"),
    ("lcp", "Largest Contentful Paint"),
    ("speed-index", "Speed Index"),
    ("onload", "Page Load Time"),
];
/// The metrics of which a majority decides, as a rule that is stated before any answer.
const MAJORITY: [&str; 3] = ["fcp", "lcp", "speed-index"];

/// The share of pairs in which a metric names the version that more people prefer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Predictor {
    /// Title of the metric or rule.
    pub title: String,
    /// Pairs in which it names the version that more people prefer, of all in which more people
    /// prefer one. Of equal values it names none.
    pub pairs: Share,
    /// The same of pairs in which the answers name the preferred version with certainty.
    pub certain: Share,
    /// Single preferences that it names, of all.
    pub votes: Share,
    /// `Some(true)` if `pairs` is above SpeedPerception's share, `Some(false)` if below it; `None` if the
    /// interval holds it.
    pub beats: Option<bool>,
}

/// The comparison with a metric of the moments at which versions were ready.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReadyAgainst {
    /// Title of the metric.
    pub title: String,
    /// Mean of the median moments less the metric, in milliseconds.
    pub mean_difference: f64,
    /// Mean size of these differences.
    pub mean_size: f64,
    /// Spearman's rank correlation over versions; `None` with fewer than three.
    pub correlation: Option<f64>,
}

/// Returns how often each metric agrees with people.
pub(super) fn predictors(
    survey: &Survey,
    pairs: &[PairFinding],
    ready: Option<&RatingFinding>,
) -> Vec<Predictor> {
    let metric = |name: &'static str| {
        move |a: usize, b: usize| {
            let value = |place: usize| survey.versions[place].metrics.get(name).copied();
            // A moment that never comes is later than anything.
            let [a, b] = [a, b].map(|place| value(place).unwrap_or(f64::INFINITY));
            sooner(a, b)
        }
    };
    let mut all: Vec<Predictor> = METRICS
        .iter()
        .map(|(name, title)| predictor(title, pairs, metric(name)))
        .collect();
    let majority = |a: usize, b: usize| {
        let votes = MAJORITY.map(|name| metric(name)(a, b));
        let of = |side: bool| votes.iter().filter(|vote| **vote == Some(side)).count();
        sooner(of(false) as f64, of(true) as f64)
    };
    let title = "most of FCP, LCP and Speed Index";
    all.push(predictor(title, pairs, majority));
    if let Some(ready) = ready {
        let median = |place: usize| Some(ready.versions[place].moments.as_ref()?.median);
        let by_ready = |a: usize, b: usize| sooner(median(a)?, median(b)?);
        all.push(predictor("when people call it ready", pairs, by_ready));
    }
    all
}

/// Returns true if `a` is less than `b`, false if it is more, and `None` if they are equal.
fn sooner(a: f64, b: f64) -> Option<bool> {
    let order = a.partial_cmp(&b)?;
    order.is_ne().then_some(order.is_lt())
}

fn predictor(
    title: &str,
    pairs: &[PairFinding],
    names_a: impl Fn(usize, usize) -> Option<bool>,
) -> Predictor {
    let empty = Share { count: 0, of: 0 };
    let (mut all, mut certain, mut votes) = (empty, empty, empty);
    for pair in pairs {
        let named = names_a(pair.a, pair.b);
        let (a, b) = (pair.prefer_a.count, pair.prefer_b.count);
        votes.of += a + b;
        votes.count += match named {
            Some(true) => a,
            Some(false) => b,
            None => 0,
        };
        if a == b {
            continue;
        }
        let agrees = usize::from(named == Some(a > b));
        all.of += 1;
        all.count += agrees;
        if matches!(pair.verdict, Verdict::PreferA | Verdict::PreferB) {
            certain.of += 1;
            certain.count += agrees;
        }
    }
    let beats = all.interval().and_then(|(low, high)| {
        let outside = low > SPEED_PERCEPTION || high < SPEED_PERCEPTION;
        outside.then_some(low > SPEED_PERCEPTION)
    });
    Predictor {
        title: title.to_owned(),
        pairs: all,
        certain,
        votes,
        beats,
    }
}

/// Returns how the moments at which versions were ready compare with each metric.
pub(super) fn ready_against(survey: &Survey, ready: Option<&RatingFinding>) -> Vec<ReadyAgainst> {
    let Some(ready) = ready else {
        return Vec::new();
    };
    let one = |(name, title): &(&str, &str)| {
        let both = survey.versions.iter().zip(&ready.versions);
        let both = both.filter_map(|(version, rating)| {
            let value = version.metrics.get(*name)?;
            Some((*value, rating.moments.as_ref()?.median))
        });
        let (values, medians): (Vec<f64>, Vec<f64>) = both.unzip();
        let differences = values
            .iter()
            .zip(&medians)
            .map(|(value, median)| median - value);
        let differences: Vec<f64> = differences.collect();
        let count = differences.len() as f64;
        (!differences.is_empty()).then(|| ReadyAgainst {
            title: (*title).to_owned(),
            mean_difference: differences.iter().sum::<f64>() / count,
            mean_size: differences.iter().map(|d| d.abs()).sum::<f64>() / count,
            correlation: spearman(&values, &medians).map(|found| found.rho),
        })
    };
    METRICS.iter().filter_map(one).collect()
}

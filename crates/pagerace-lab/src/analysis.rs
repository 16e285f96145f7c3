//! Comparison of contenders with the baseline by one metric, on one page and network.

use pagerace_core::names;

use crate::metric::MetricId;
use crate::model_error::{Question, Trust};
use crate::results::{Results, Variant};
use crate::stats::{
    Grouped, Interval, cliffs_delta, crossed, differences, holm, lower_share, mann_whitney,
    matched_pairs_rank_biserial, median, median_interval, quantile, signed_rank,
};

/// The confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;
/// The significance level for corrected p-values.
pub const LEVEL: f64 = 0.05;
/// Differences below this share of the baseline are too small to notice.
pub const NOTICEABLE: f64 = 0.01;
/// The least number of worlds whose range says something: with fewer, ranges are too narrow.
pub(crate) const WORLDS_MIN: usize = 10;

/// Two loads with medians that hardly differ count as the same if 80 % of their differences are
/// below this share of the baseline. Calibration counts how many such differences are, live.
pub const SMALL: f64 = 0.1;

/// How far the ends of a range of [`WORLDS_MIN`] runs may be from those of many, as a share
/// of its width. It falls with the number of runs.
const MARGIN: f64 = 0.2;

/// The comparison of all contenders by one metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The metric that is compared.
    pub metric: MetricId,
    /// One comparison per contender, in the plan's order.
    pub rows: Vec<Comparison>,
    /// Indices into `rows`, lowest median first and rows without a median last. Of
    /// equals, the baseline comes first, then the plan's order decides.
    pub ranking: Vec<usize>,
    /// Index of the baseline in `rows`.
    pub baseline: usize,
}

/// One contender against the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Runs in which the metric is defined, failed ones included.
    pub runs: usize,
    /// Runs that failed; they count as later than any finished one.
    pub failed: usize,
    /// Pairs of runs with the same seed that can be compared with the baseline.
    pub pairs: usize,
    /// Median over the runs; infinite if more than half failed.
    pub median: Option<f64>,
    /// Central 90 % of the values, over the worlds of the runs; `None` in one world.
    pub range: Option<(f64, f64)>,
    /// Median of the differences from the baseline. Over several worlds, those are the
    /// differences that the ranges are made of, otherwise paired ones.
    pub difference: Option<f64>,
    /// `difference` as a share of the baseline's median; `None` if that median is zero
    /// or infinite.
    pub relative: Option<f64>,
    /// The range that holds the difference of two live loads with a probability of 95 %,
    /// over the worlds of the runs; `None` in one world, and where it is not known.
    pub sure_range: Option<(f64, f64)>,
    /// The same with a probability of 80 %.
    pub probable_range: Option<(f64, f64)>,
    /// The share of pairs of loads, one of each, in which the contender's value is lower;
    /// over the worlds of the runs.
    pub sooner: Option<f64>,
    /// 95 % interval of the median paired difference; `None` with fewer than six pairs, and
    /// over several worlds.
    pub interval: Option<Interval>,
    /// Cliff's delta; negative if the contender's values are mostly lower.
    pub cliffs_delta: Option<f64>,
    /// Matched-pairs rank-biserial correlation of the differences.
    pub rank_biserial: Option<f64>,
    /// Two-sided p-value of the Mann-Whitney U test, uncorrected, for comparison with
    /// the papers.
    pub mann_whitney_p: Option<f64>,
    /// P-value of Wilcoxon's signed-rank test of the paired differences, uncorrected.
    pub signed_rank_p: Option<f64>,
    /// `signed_rank_p` after Holm's correction over the contenders on this network.
    pub signed_rank_p_holm: Option<f64>,
    /// True if no difference over the worlds of the runs matters.
    pub same: bool,
    /// The record of such ranges; `None` in one world.
    pub trust: Option<Trust>,
    /// True if more objects arrive broken than with the baseline, which rules out a gain.
    pub breaks: bool,
    /// The conclusion of the comparison.
    pub mark: Mark,
}

names! {
    /// The conclusion of a comparison.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Mark {
        /// The contender is the baseline.
        Baseline = "baseline",
        /// Lower than the baseline: 95 % of the differences of two loads are. In one world
        /// and live, the runs differ significantly and noticeably.
        Better = "wins",
        /// Lower than the baseline in 80 % of the differences of two loads.
        ProbablyBetter = "probably wins",
        /// Higher than the baseline, as surely as [`Better`](Self::Better) is lower.
        Worse = "loses",
        /// Higher than the baseline, as surely as [`ProbablyBetter`](Self::ProbablyBetter).
        ProbablyWorse = "probably loses",
        /// Different in one world or live, but by less than one per cent.
        TooSmall = "too small",
        /// Any difference is too small to notice.
        NoDifference = "no difference",
        /// Neither side is lower in most loads. In one world and live, the runs do not
        /// differ significantly.
        Open = "open",
        /// Fewer runs than a conclusion needs.
        TooFewRuns = "too few runs",
        /// Lower than the baseline, but with more broken objects, which makes it no gain.
        Broken = "breaks objects",
        /// The metric has no value for this contender or for the baseline.
        #[default]
        Undefined = "no value",
    }
}

impl Mark {
    /// Returns true if the contender wins, surely or probably.
    pub(crate) fn is_gain(self) -> bool {
        matches!(self, Self::Better | Self::ProbablyBetter)
    }

    /// Returns true if the contender loses, surely or probably.
    pub(crate) fn is_loss(self) -> bool {
        matches!(self, Self::Worse | Self::ProbablyWorse)
    }
}

/// Compares all contenders with the baseline on one page and network.
pub fn analyse(results: &Results, page: usize, network: usize, metric: MetricId) -> Analysis {
    let variants: Vec<&Variant> = (0..results.plan.contenders.len())
        .map(|contender| results.variant(page, network, contender))
        .collect();
    compare(results, &variants, results.plan.baseline, metric)
}

/// Compares `variants` of `results` with the variant at `baseline`.
pub fn compare(
    results: &Results,
    variants: &[&Variant],
    baseline: usize,
    metric: MetricId,
) -> Analysis {
    let reference = variants[baseline].values(metric);
    let over_worlds = results.over_worlds();
    let mut rows: Vec<Comparison> = Vec::with_capacity(variants.len());
    for (i, variant) in variants.iter().enumerate() {
        let values = variant.values(metric);
        let mut row = Comparison {
            failed: variant.failed(),
            ..of_values(&values)
        };
        if over_worlds {
            row.range = central(&defined(&values), 0.9);
        }
        if i == baseline {
            row.mark = Mark::Baseline;
        } else if over_worlds {
            let pair = [variant.contender, variants[baseline].contender];
            let question = Question::of(&results.plan, variant.page, variant.network, pair, metric);
            let trust = results.model_errors.of(&question);
            let groups = results.groups(variant.page, variant.network, values.len());
            add_ranges(&mut row, &values, &reference, &groups, trust);
        } else {
            add_tests(&mut row, &values, &reference);
        }
        rows.push(row);
    }
    if !over_worlds {
        mark_by_tests(&mut rows, baseline);
    }
    for (row, variant) in rows.iter_mut().zip(variants) {
        // A value that is lower because objects arrived broken is no gain.
        row.breaks = variant.broken() > variants[baseline].broken();
        let lower = row.mark.is_gain()
            || matches!(row.mark, Mark::TooSmall | Mark::NoDifference)
                && row.difference.is_some_and(|d| d < 0.0);
        if lower && row.breaks {
            row.mark = Mark::Broken;
        }
    }
    let mut ranking: Vec<usize> = (0..rows.len()).collect();
    let key = |i: usize| rows[i].median.map_or((true, 0.0), |median| (false, median));
    ranking.sort_by(|&a, &b| {
        let (x, y) = (key(a), key(b));
        x.0.cmp(&y.0)
            .then(x.1.total_cmp(&y.1))
            .then((a != baseline).cmp(&(b != baseline)))
    });
    Analysis {
        metric,
        rows,
        ranking,
        baseline,
    }
}

impl Comparison {
    /// Returns true if more runs would hardly change the conclusion: it is the same with
    /// ranges that are wider or narrower by what few runs leave open.
    pub(crate) fn is_firm(&self) -> bool {
        let (Some(trust), true) = (&self.trust, self.pairs >= WORLDS_MIN) else {
            return self.mark == Mark::Baseline || self.mark == Mark::Undefined;
        };
        let margin = MARGIN * WORLDS_MIN as f64 / self.pairs as f64;
        [-margin, margin].into_iter().all(|margin| {
            let moved = |range: Option<(f64, f64)>| {
                let (low, high) = range?;
                let by = margin * (high - low);
                Some(if by.is_finite() {
                    (low - by, high + by)
                } else {
                    (low, high)
                })
            };
            let other = Self {
                sure_range: moved(self.sure_range),
                probable_range: moved(self.probable_range),
                ..self.clone()
            };
            mark_by_ranges(&other, trust) == mark_by_ranges(self, trust)
        })
    }
}

fn defined(values: &[Option<f64>]) -> Vec<f64> {
    values.iter().copied().flatten().collect()
}

fn of_values(values: &[Option<f64>]) -> Comparison {
    let defined = defined(values);
    Comparison {
        runs: defined.len(),
        median: median(&defined),
        ..Comparison::default()
    }
}

/// Returns the ends of the central `share` of the values; `None` without values.
pub(crate) fn central(values: &[f64], share: f64) -> Option<(f64, f64)> {
    let beyond = (1.0 - share) / 2.0;
    Some((quantile(values, beyond)?, quantile(values, 1.0 - beyond)?))
}

/// Compares the values over several worlds, and concludes.
fn add_ranges(
    row: &mut Comparison,
    values: &[Option<f64>],
    reference: &[Option<f64>],
    groups: &[usize],
    trust: Trust,
) {
    let grouped = |values: &[Option<f64>]| -> Vec<Grouped> {
        let all = values.iter().zip(groups);
        all.filter_map(|(value, group)| Some(((*value)?, *group)))
            .collect()
    };
    let base = defined(reference);
    let crossed = crossed(&grouped(values), &grouped(reference));
    let paired = differences(values.iter().copied().zip(reference.iter().copied()));
    row.pairs = paired.len();
    row.sooner = lower_share(&crossed);
    let chosen = if trust.paired { &paired } else { &crossed };
    row.difference = median(chosen);
    let base = median(&base);
    row.relative = relative(row.difference, base);
    row.sure_range = trust.sure(chosen, base);
    row.probable_range = trust.probable(chosen, base);
    let share = |range: Option<(f64, f64)>| {
        let (base, (low, high)) = (base.filter(|base| base.is_finite())?, range?);
        Some((low / base, high / base))
    };
    row.same = trust.inferred.is_none()
        && is_same(
            row.relative,
            share(central(&paired, 0.8)),
            share(row.probable_range),
        );
    row.mark = mark_by_ranges(row, &trust);
    row.trust = Some(trust);
}

/// Returns true if no difference matters: paired runs hardly differ in most worlds, or the
/// medians hardly do and two loads differ little. All are shares of the baseline's median: the
/// difference, the central 80 % of the paired differences, and the range of 80 %.
pub fn is_same(
    relative: Option<f64>,
    paired: Option<(f64, f64)>,
    probable: Option<(f64, f64)>,
) -> bool {
    let within = |range: Option<(f64, f64)>, share: f64| {
        range.is_some_and(|(low, high)| low.abs().max(high.abs()) <= share)
    };
    within(paired, NOTICEABLE)
        || relative.is_some_and(|share| share.abs() < NOTICEABLE) && within(probable, SMALL)
}

fn mark_by_ranges(row: &Comparison, trust: &Trust) -> Mark {
    if row.difference.is_none() {
        return Mark::Undefined;
    }
    if row.pairs < WORLDS_MIN {
        return Mark::TooFewRuns;
    }
    let noticeable = row.relative.is_none_or(|share| share.abs() >= NOTICEABLE);
    if row.same {
        return Mark::NoDifference;
    }
    let side = |range: Option<(f64, f64)>| match range {
        Some((_, high)) if high < 0.0 => Some(true),
        Some((low, _)) if low > 0.0 => Some(false),
        _ => None,
    };
    let sure = side(row.sure_range).filter(|_| trust.names_winners);
    let probable = side(row.probable_range).filter(|_| trust.names_probable);
    match (sure, probable) {
        _ if !noticeable => Mark::Open,
        (Some(true), _) => Mark::Better,
        (Some(false), _) => Mark::Worse,
        (None, Some(true)) => Mark::ProbablyBetter,
        (None, Some(false)) => Mark::ProbablyWorse,
        (None, None) => Mark::Open,
    }
}

/// Tests the paired differences of runs in one world, or live.
fn add_tests(row: &mut Comparison, values: &[Option<f64>], reference: &[Option<f64>]) {
    let (own, other) = (defined(values), defined(reference));
    let paired = differences(values.iter().copied().zip(reference.iter().copied()));
    row.pairs = paired.len();
    row.difference = median(&paired);
    row.relative = relative(row.difference, median(&other));
    row.interval = median_interval(&paired, CONFIDENCE);
    row.cliffs_delta = cliffs_delta(&own, &other);
    row.rank_biserial = matched_pairs_rank_biserial(&paired);
    row.mann_whitney_p = mann_whitney(&own, &other).map(|test| test.p);
    row.signed_rank_p = signed_rank(&paired).map(|test| test.p);
}

/// Corrects the tests for the number of contenders, and concludes.
fn mark_by_tests(rows: &mut [Comparison], baseline: usize) {
    let uncorrected: Vec<_> = rows.iter().map(|row| row.signed_rank_p).collect();
    let needed = runs_needed(uncorrected.iter().flatten().count());
    let base = rows[baseline].median;
    for (i, (row, p)) in rows.iter_mut().zip(holm(&uncorrected)).enumerate() {
        row.signed_rank_p_holm = p;
        if i != baseline {
            row.mark = tested(row, base, needed);
        }
    }
}

/// Returns `difference` as a share of `base`; `None` if `base` is zero or infinite.
pub fn relative(difference: Option<f64>, base: Option<f64>) -> Option<f64> {
    let (difference, base) = (difference?, base?);
    (base > 0.0 && base.is_finite()).then(|| difference / base)
}

/// The minimum number of pairs for a significant result in one of `tests` and for an
/// interval. If all `n` differences have the same sign, the signed-rank test gives
/// `2 / 2^n`, which the correction multiplies by `tests`.
pub(crate) fn runs_needed(tests: usize) -> usize {
    const LEAST: usize = 6;
    let sure = |n: &usize| 2.0 / (1_u64 << n) as f64 * (tests as f64) < LEVEL;
    (LEAST..63)
        .find(sure)
        .expect("no race has so many contenders")
}

fn tested(row: &Comparison, base: Option<f64>, needed: usize) -> Mark {
    let Some(difference) = row.difference else {
        return Mark::Undefined;
    };
    let Some(interval) = row.interval.filter(|_| row.pairs >= needed) else {
        return Mark::TooFewRuns;
    };
    let sure = row.signed_rank_p_holm.is_some_and(|p| p < LEVEL);
    if !sure || (interval.low <= 0.0 && 0.0 <= interval.high) {
        let most = interval.low.abs().max(interval.high.abs());
        if most == 0.0 || base.is_some_and(|base| most < NOTICEABLE * base) {
            Mark::NoDifference
        } else {
            Mark::Open
        }
    } else if row.relative.is_some_and(|share| share.abs() < NOTICEABLE) {
        Mark::TooSmall
    } else if difference < 0.0 {
        Mark::Better
    } else {
        Mark::Worse
    }
}

#[cfg(test)]
mod tests;

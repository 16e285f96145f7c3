//! Comparison of contenders with the baseline by one metric, on one page and network.

use pagerace_core::names;

use crate::metric::MetricId;
use crate::model_error::{ModelError, Question};
use crate::results::{Results, Variant};
use crate::stats::{
    Interval, cliffs_delta, differences, holm, mann_whitney, matched_pairs_rank_biserial, median,
    median_interval, signed_rank,
};

/// The confidence level of intervals.
pub const CONFIDENCE: f64 = 0.95;
/// The significance level for corrected p-values.
pub const LEVEL: f64 = 0.05;
/// Differences below this share of the baseline are too small to notice.
pub const NOTICEABLE: f64 = 0.01;

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
    /// Median of the paired differences from the baseline.
    pub difference: Option<f64>,
    /// `difference` as a share of the baseline's median; `None` if that median is zero
    /// or infinite.
    pub relative: Option<f64>,
    /// 95 % interval of the difference; `None` with fewer than six pairs.
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
    /// The uncertainty of the model; `None` if it was never measured or nothing was
    /// simulated.
    pub model: Option<ModelError>,
    /// `interval`, widened by the uncertainty of the model.
    pub model_interval: Option<(f64, f64)>,
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
        /// Significantly and noticeably lower than the baseline.
        Better = "better",
        /// Significantly and noticeably higher than the baseline.
        Worse = "worse",
        /// Significantly different, but within the model's error.
        WithinModel = "within error",
        /// Significantly different, but by less than one per cent.
        TooSmall = "too small",
        /// Not significantly different. The interval lies within one per cent of the
        /// baseline, so any difference is too small to notice.
        NoDifference = "no difference",
        /// Not significantly different, but a noticeable difference is possible.
        Unsure = "unsure",
        /// Fewer pairs than [`runs_needed`], so no result can be significant.
        TooFewRuns = "too few runs",
        /// Lower than the baseline, but with more broken objects, which makes it no gain.
        Broken = "breaks objects",
        /// The metric has no value for this contender or for the baseline.
        #[default]
        Undefined = "no value",
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
    let mut rows: Vec<Comparison> = variants
        .iter()
        .enumerate()
        .map(|(i, variant)| row(variant, metric, (i != baseline).then_some(&reference)))
        .collect();
    let uncorrected: Vec<_> = rows.iter().map(|row| row.signed_rank_p).collect();
    let needed = runs_needed(uncorrected.iter().flatten().count());
    let base = rows[baseline].median;
    for (i, (row, p)) in rows.iter_mut().zip(holm(&uncorrected)).enumerate() {
        row.signed_rank_p_holm = p;
        row.mark = if i == baseline {
            Mark::Baseline
        } else {
            let Variant {
                page,
                network,
                contender,
                ..
            } = *variants[i];
            let pair = [contender, variants[baseline].contender];
            let question = Question::of(&results.plan, page, network, pair, metric);
            row.model = results.model_errors.of(&question);
            row.model_interval = model_interval(row, base);
            mark(row, base, needed)
        };
        // A value that is lower because objects arrived broken is no gain.
        let lower = matches!(row.mark, Mark::Better | Mark::TooSmall)
            && row.difference.is_some_and(|d| d < 0.0);
        row.breaks = variants[i].broken() > variants[baseline].broken();
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

/// Computes all fields except the correction and the mark, which depend on other rows.
fn row(variant: &Variant, metric: MetricId, reference: Option<&Vec<Option<f64>>>) -> Comparison {
    let values = variant.values(metric);
    let defined: Vec<f64> = values.iter().copied().flatten().collect();
    let mut row = Comparison {
        runs: defined.len(),
        failed: variant.failed(),
        median: median(&defined),
        ..Comparison::default()
    };
    let Some(reference) = reference else {
        return row;
    };
    let other: Vec<f64> = reference.iter().copied().flatten().collect();
    let paired = differences(values.iter().copied().zip(reference.iter().copied()));
    row.pairs = paired.len();
    row.difference = median(&paired);
    row.relative = relative(row.difference, median(&other));
    row.interval = median_interval(&paired, CONFIDENCE);
    row.cliffs_delta = cliffs_delta(&defined, &other);
    row.rank_biserial = matched_pairs_rank_biserial(&paired);
    row.mann_whitney_p = mann_whitney(&defined, &other).map(|test| test.p);
    row.signed_rank_p = signed_rank(&paired).map(|test| test.p);
    row
}

/// Returns `difference` as a share of `base`; `None` if `base` is zero or infinite.
pub fn relative(difference: Option<f64>, base: Option<f64>) -> Option<f64> {
    let (difference, base) = (difference?, base?);
    (base > 0.0 && base.is_finite()).then(|| difference / base)
}

/// The minimum number of pairs for a significant result in one of `tests` and for an
/// interval. If all `n` differences have the same sign, the signed-rank test gives
/// `2 / 2^n`, which the correction multiplies by `tests`.
pub fn runs_needed(tests: usize) -> usize {
    const LEAST: usize = 6;
    let sure = |n: &usize| 2.0 / (1_u64 << n) as f64 * (tests as f64) < LEVEL;
    (LEAST..63)
        .find(sure)
        .expect("no race has so many contenders")
}

fn mark(row: &Comparison, base: Option<f64>, needed: usize) -> Mark {
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
            Mark::Unsure
        }
    } else if row.relative.is_some_and(|share| share.abs() < NOTICEABLE) {
        Mark::TooSmall
    } else if (row.model_interval).is_some_and(|(low, high)| low <= 0.0 && 0.0 <= high) {
        Mark::WithinModel
    } else if difference < 0.0 {
        Mark::Better
    } else {
        Mark::Worse
    }
}

/// Returns the interval of the runs, widened on both sides by the model's uncertainty.
fn model_interval(row: &Comparison, base: Option<f64>) -> Option<(f64, f64)> {
    let (interval, model) = (row.interval?, row.model.as_ref()?);
    let open = model.percent / 100.0 * base.filter(|base| base.is_finite())?;
    Some((interval.low - open, interval.high + open))
}

#[cfg(test)]
mod tests;

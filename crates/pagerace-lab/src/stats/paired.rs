//! Paired differences, and a distribution-free interval for their median.

use super::tail::fair_binomial_cdf;

/// A confidence interval for the median of the differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability that such an interval covers the median: at least the
    /// requested confidence.
    pub coverage: f64,
}

/// Returns `value − baseline` for each pair with both values.
///
/// A failed load is positive infinity. If the other load finished, the difference
/// is infinite. If both failed, the pair carries no information and is left out.
pub fn differences(pairs: impl IntoIterator<Item = (Option<f64>, Option<f64>)>) -> Vec<f64> {
    pairs
        .into_iter()
        .filter_map(|(value, baseline)| Some((value?, baseline?)))
        .filter(|(value, baseline)| !(value.is_infinite() && baseline.is_infinite()))
        .map(|(value, baseline)| value - baseline)
        .collect()
}

/// Returns the narrowest interval between two order statistics, equally far
/// from both ends, that covers the median with a probability of at least
/// `confidence`. Returns `None` if even the smallest and the largest value do
/// not (fewer than six values for 95 %).
///
/// The `k`-th smallest value exceeds the median only if fewer than `k` of the
/// `n` values lie below the median, which has the probability of at most `k − 1`
/// heads in `n` fair throws. Ties increase the coverage, never reduce it.
///
/// # Panics
/// Panics if a value is not a number.
///
/// # Source
/// Conover 1999, "Practical Nonparametric Statistics", section 3.2.
pub fn median_interval(differences: &[f64], confidence: f64) -> Option<Interval> {
    assert!(
        differences.iter().all(|v| !v.is_nan()),
        "not-a-number has no place in an order"
    );
    let n = differences.len();
    let miss = |k: usize| fair_binomial_cdf(k as u64 - 1, n as u64);
    let k = (1..=n / 2)
        .take_while(|&k| 2.0 * miss(k) <= 1.0 - confidence)
        .last()?;
    let mut sorted = differences.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(Interval {
        low: sorted[k - 1],
        high: sorted[n - k],
        coverage: 1.0 - 2.0 * miss(k),
    })
}

#[cfg(test)]
mod tests;

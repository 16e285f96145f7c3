//! Paired differences and a distribution-free interval for their median.

use super::tail::fair_binomial_cdf;

/// An interval that covers the median of the differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability with which such an interval covers the median: at least
    /// what was asked for.
    pub coverage: f64,
}

/// `value − baseline` of each pair in which both are there.
///
/// A failed load is positive infinity: against a finished one it makes the
/// difference infinite. A pair in which both failed tells nothing and is left
/// out.
pub fn differences(pairs: impl IntoIterator<Item = (Option<f64>, Option<f64>)>) -> Vec<f64> {
    pairs
        .into_iter()
        .filter_map(|(value, baseline)| Some((value?, baseline?)))
        .filter(|(value, baseline)| !(value.is_infinite() && baseline.is_infinite()))
        .map(|(value, baseline)| value - baseline)
        .collect()
}

/// The narrowest pair of order statistics, equally far from both ends, that
/// covers the median with probability `confidence` or more; `None` if even
/// the smallest and the largest value do not (fewer than six for 95 %).
///
/// Number `k` from below exceeds the median only if fewer than `k` of `n`
/// values lie below it, which happens with the probability of at most `k − 1`
/// heads in `n` fair throws. Ties make the interval cover more, never less.
///
/// # Panics
/// If a value is not a number.
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

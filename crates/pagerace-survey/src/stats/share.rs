//! Shares of people, the test of a preference, and what that test can find.

use pagerace_lab::stats::tail::fair_binomial_cdf;
use serde::Serialize;

/// Quantile 0.975 of the standard normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A share of people or of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Share {
    /// Number of those who say so.
    pub count: usize,
    /// Number of all.
    pub of: usize,
}

impl Share {
    /// Returns the share in 0..=1, or `None` of nobody.
    pub fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.count as f64 / self.of as f64)
    }

    /// Returns the ends of Wilson's interval, which covers the true share in 95 % of surveys, or
    /// `None` of nobody. It stays within 0..=1, and is sound for few people.
    ///
    /// # Source
    /// Wilson 1927, "Probable Inference, the Law of Succession, and Statistical Inference".
    pub fn interval(self) -> Option<(f64, f64)> {
        let share = self.value()?;
        let n = self.of as f64;
        let weight = 1.0 + Z * Z / n;
        let middle = (share + Z * Z / (2.0 * n)) / weight;
        let half = Z / weight * libm::sqrt(share * (1.0 - share) / n + Z * Z / (4.0 * n * n));
        Some(((middle - half).max(0.0), (middle + half).min(1.0)))
    }
}

/// Returns the exact two-sided probability of a split at least as uneven as `a` to `b`, if people
/// with a preference chose by the throw of a coin; 1 if nobody has a preference.
pub fn sign_test(a: usize, b: usize) -> f64 {
    let (least, all) = (a.min(b) as u64, (a + b) as u64);
    (2.0 * fair_binomial_cdf(least, all)).min(1.0)
}

/// Returns the smallest share of one side, in steps of 0.01 from 0.5, that the sign test finds with
/// a probability of at least `power` among `n` people with a preference; `None` if it would not
/// find unanimity. The test is two-sided, at `level`.
pub fn detectable(n: usize, level: f64, power: f64) -> Option<f64> {
    // Splits of at most `most` to the rest are found.
    let most = (0..=n / 2)
        .take_while(|k| sign_test(*k, n - k) < level)
        .last()?;
    let shares = (51..=100).map(|percent| f64::from(percent) / 100.0);
    let mut found = shares.filter(|share| at_most(most, n, 1.0 - share) >= power);
    found.next()
}

/// Returns the probability of at most `k` heads in `n` throws of a coin that shows them with the
/// probability `p`.
fn at_most(k: usize, n: usize, p: f64) -> f64 {
    if p <= 0.0 {
        return 1.0;
    }
    let log_factorial = |x: usize| libm::lgamma(x as f64 + 1.0);
    let one = |i: usize| {
        let ways = log_factorial(n) - log_factorial(i) - log_factorial(n - i);
        libm::exp(ways + i as f64 * libm::log(p) + (n - i) as f64 * libm::log(1.0 - p))
    };
    (0..=k).map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-5, "{a} is not {b}");
    }

    /// The example of Newcombe 1998, "Two-sided confidence intervals for the single proportion",
    /// table I, method 3.
    #[test]
    fn wilson_as_published() {
        for (count, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let (found_low, found_high) = Share { count, of }.interval().unwrap();
            close(found_low, low);
            close(found_high, high);
        }
        assert_eq!(Share { count: 0, of: 0 }.interval(), None);
    }

    #[test]
    fn a_sign_test_as_scipy_says() {
        // scipy.stats.binomtest(k, n).pvalue
        close(sign_test(3, 10), 0.092_285);
        close(sign_test(10, 3), 0.092_285);
        close(sign_test(9, 12), 0.663_624);
        close(sign_test(9, 15), 0.307_456);
        close(sign_test(0, 6), 0.031_25);
        close(sign_test(0, 0), 1.0);
        close(sign_test(4, 4), 1.0);
    }

    #[test]
    fn more_people_find_smaller_differences() {
        // Sums of scipy.stats.binom.cdf over the critical region.
        assert_eq!(detectable(5, 0.05, 0.8), None);
        assert_eq!(detectable(20, 0.05, 0.8), Some(0.8));
        assert_eq!(detectable(50, 0.05, 0.8), Some(0.71));
        assert_eq!(detectable(200, 0.05, 0.8), Some(0.61));
        let all = (6..300).map(|n| detectable(n, 0.05, 0.8).unwrap());
        assert!(all.clone().all(|share| share > 0.5 && share <= 1.0));
    }
}

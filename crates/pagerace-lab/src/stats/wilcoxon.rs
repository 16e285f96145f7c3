//! Wilcoxon's signed-rank test of paired differences for symmetry about zero.

use super::rank::midranks;
use super::tail::normal_upper;

/// Maximum number of pairs without ties for the exact test; a float counts the
/// 2^50 sign patterns exactly.
const EXACT_MAX: usize = 50;

/// The test's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRank {
    /// Sum of the ranks of positive differences.
    pub positive: f64,
    /// Sum of the ranks of negative differences.
    pub negative: f64,
    /// Two-sided probability of sums at least this far apart.
    pub p: f64,
}

/// Tests `differences` for symmetry about zero, two-sided; `None` without differences.
///
/// Zeros are left out, as by Wilcoxon; if all differences are zero, `p` is 1.
/// The test is exact for up to 50 pairs without ties. Otherwise it uses the
/// normal approximation with corrections for ties and continuity.
///
/// # Panics
/// Panics if a value is not a number.
///
/// # Source
/// Wilcoxon 1945, "Individual Comparisons by Ranking Methods"; corrections as
/// in R's `wilcox.test(paired = TRUE)`.
pub fn signed_rank(differences: &[f64]) -> Option<SignedRank> {
    if differences.is_empty() {
        return None;
    }
    let nonzero: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = nonzero.iter().map(|d| d.abs()).collect();
    let (ranks, tie_sum) = midranks(&sizes);
    let positive: f64 = ranks
        .iter()
        .zip(&nonzero)
        .filter(|(_, d)| **d > 0.0)
        .map(|(r, _)| r)
        .sum();
    let n = nonzero.len() as f64;
    let negative = n * (n + 1.0) / 2.0 - positive;
    let p = if tie_sum == 0.0 && nonzero.len() <= EXACT_MAX {
        exact_p(positive.min(negative) as usize, nonzero.len())
    } else {
        let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - tie_sum / 48.0;
        let distance = ((positive - negative).abs() / 2.0 - 0.5).max(0.0);
        2.0 * normal_upper(distance / libm::sqrt(variance))
    };
    Some(SignedRank {
        positive,
        negative,
        p: p.min(1.0),
    })
}

/// Returns twice the probability of a rank sum of at most `smaller` under random signs.
fn exact_p(smaller: usize, n: usize) -> f64 {
    let most = n * (n + 1) / 2;
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    let patterns = (1_u64 << n) as f64;
    2.0 * ways[..=smaller].iter().sum::<f64>() / patterns
}

#[cfg(test)]
mod tests;

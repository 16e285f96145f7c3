//! The Mann-Whitney U test of two independent samples for a common distribution.
//!
//! The papers report this test. The runs of a race are paired, so verdicts use the
//! signed-rank test instead, which is more powerful.

use super::rank::midranks;
use super::tail::normal_upper;

/// Maximum size of samples without ties for the exact test.
const EXACT_MAX: usize = 20;

/// The test's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MannWhitney {
    /// Number of pairs (x, y) with x above y; ties count half.
    pub u: f64,
    /// Two-sided probability of a U at least this far from its mean.
    pub p: f64,
}

/// Compares `x` with `y`, two-sided; `None` if either sample is empty.
///
/// The test is exact for small samples without ties. Otherwise it uses the normal
/// approximation with corrections for ties and continuity.
///
/// # Panics
/// Panics if a value is not a number.
///
/// # Source
/// Mann and Whitney 1947, "On a Test of Whether one of Two Random Variables is
/// Stochastically Larger than the Other"; corrections as in R's `wilcox.test`.
pub fn mann_whitney(x: &[f64], y: &[f64]) -> Option<MannWhitney> {
    if x.is_empty() || y.is_empty() {
        return None;
    }
    let all: Vec<f64> = x.iter().chain(y).copied().collect();
    let (ranks, tie_sum) = midranks(&all);
    let least = (x.len() * (x.len() + 1)) as f64 / 2.0;
    let u = ranks[..x.len()].iter().sum::<f64>() - least;
    let p = if tie_sum == 0.0 && x.len() <= EXACT_MAX && y.len() <= EXACT_MAX {
        exact_p(u, x.len(), y.len())
    } else {
        normal_p(u, x.len(), y.len(), tie_sum)
    };
    Some(MannWhitney { u, p: p.min(1.0) })
}

/// Two-sided probability by the normal approximation.
fn normal_p(u: f64, n: usize, m: usize, tie_sum: f64) -> f64 {
    let (pairs, total) = ((n * m) as f64, (n + m) as f64);
    let variance = pairs / 12.0 * (total + 1.0 - tie_sum / (total * (total - 1.0)));
    if variance <= 0.0 {
        // All values are equal.
        return 1.0;
    }
    let distance = ((u - pairs / 2.0).abs() - 0.5).max(0.0);
    2.0 * normal_upper(distance / libm::sqrt(variance))
}

/// Two-sided exact probability: twice the smaller tail.
fn exact_p(u: f64, n: usize, m: usize) -> f64 {
    let counts = ways(n, m);
    let smaller = u.min((n * m) as f64 - u) as usize;
    let all: f64 = counts.iter().sum();
    2.0 * counts[..=smaller].iter().sum::<f64>() / all
}

/// Counts the orders of `n` and `m` values for each U: the coefficients of the Gaussian
/// binomial. They are below 2^53 for the sizes used, and so exact.
fn ways(n: usize, m: usize) -> Vec<f64> {
    let most = n * m;
    // chosen[i][u] counts the ways to choose i of the values seen so far with sum u.
    let mut chosen = vec![vec![0.0; most + 1]; n + 1];
    chosen[0][0] = 1.0;
    for place in 0..n + m {
        for i in (1..=n.min(place + 1)).rev() {
            // The i-th chosen value at `place` lies above place - (i - 1) unchosen ones.
            let above = place + 1 - i;
            if above > m {
                continue;
            }
            for u in (above..=most).rev() {
                chosen[i][u] += chosen[i - 1][u - above];
            }
        }
    }
    chosen.swap_remove(n)
}

#[cfg(test)]
mod tests;

//! Spearman's rank correlation.

use super::rank::midranks;
use super::tail::student_two_sided;

/// The rank correlation of two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spearman {
    /// Correlation of the ranks, −1 to 1.
    pub rho: f64,
    /// Two-sided probability of a `rho` at least this far from zero, by Student's
    /// t with n − 2 degrees of freedom; approximate for fewer than ten pairs.
    pub p: f64,
}

/// Correlates the ranks of `x` and `y`; `None` for fewer than three pairs, or if
/// either sample is constant.
///
/// # Panics
/// Panics if the lengths differ or a value is not a number.
///
/// # Source
/// Spearman 1904, "The Proof and Measurement of Association between Two Things".
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Spearman> {
    assert_eq!(x.len(), y.len(), "a correlation needs pairs");
    let n = x.len() as f64;
    if x.len() < 3 {
        return None;
    }
    let (rx, ry) = (midranks(x).0, midranks(y).0);
    let mean = (x.len() + 1) as f64 / 2.0;
    let product = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum()
    };
    let spread = product(&rx, &rx) * product(&ry, &ry);
    if spread == 0.0 {
        return None;
    }
    let rho = (product(&rx, &ry) / libm::sqrt(spread)).clamp(-1.0, 1.0);
    let t = rho.abs() * libm::sqrt((n - 2.0) / (1.0 - rho * rho));
    Some(Spearman {
        rho,
        p: student_two_sided(t, n - 2.0),
    })
}

#[cfg(test)]
mod tests;

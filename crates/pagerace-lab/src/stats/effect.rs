//! Effect sizes, which measure how much of one sample lies above the other.

/// Cliff's delta: the share of pairs with `x` above `y` less the share with `x`
/// below; −1 if all of `x` lies below, 0 if neither side dominates. `None` if
/// either sample is empty.
///
/// # Panics
/// Panics if a value is not a number.
///
/// # Source
/// Cliff 1993, "Dominance Statistics". Equal to `2U / (nm) − 1` of Mann-Whitney.
pub fn cliffs_delta(x: &[f64], y: &[f64]) -> Option<f64> {
    let u = super::mann_whitney(x, y)?.u;
    Some(2.0 * u / (x.len() as f64 * y.len() as f64) - 1.0)
}

/// The matched-pairs rank-biserial correlation: the share of the rank sum that
/// is positive less the share that is negative; −1 if every nonzero difference
/// is negative. `None` if all differences are zero.
///
/// # Panics
/// Panics if a value is not a number.
///
/// # Source
/// Kerby 2014, "The Simple Difference Formula".
pub fn matched_pairs_rank_biserial(differences: &[f64]) -> Option<f64> {
    let ranks = super::signed_rank(differences)?;
    let all = ranks.positive + ranks.negative;
    (all > 0.0).then(|| (ranks.positive - ranks.negative) / all)
}

#[cfg(test)]
mod tests;

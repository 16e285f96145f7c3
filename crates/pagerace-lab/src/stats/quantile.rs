//! Median and quantiles.

/// Returns the quantile at `p` in `0..=1`, linearly interpolated between order
/// statistics; `None` without values.
///
/// # Panics
/// Panics if `p` lies outside of the range, or a value is not a number.
///
/// # Source
/// Hyndman and Fan 1996, "Sample Quantiles in Statistical Packages", definition 7
/// (the default of R and `NumPy`).
pub fn quantile(values: &[f64], p: f64) -> Option<f64> {
    assert!(
        (0.0..=1.0).contains(&p),
        "a quantile lies between 0 and 1, not at {p}"
    );
    assert!(
        values.iter().all(|v| !v.is_nan()),
        "not-a-number has no place in an order"
    );
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    let place = p * last as f64;
    let below = place.floor() as usize;
    let share = place - place.floor();
    let low = sorted[below];
    let high = sorted[(below + 1).min(last)];
    // Infinity minus infinity and zero times infinity are not numbers.
    Some(if share == 0.0 || low >= high {
        low
    } else {
        low + share * (high - low)
    })
}

/// Returns the median: the mean of the middle two for an even number of values;
/// `None` without values.
///
/// # Panics
/// Panics if a value is not a number.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

#[cfg(test)]
mod tests;

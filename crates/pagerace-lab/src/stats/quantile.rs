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

/// Returns the quantile at `p` in `0..=1` of values with positive weights: each value lies in the
/// middle of its share, and between two middles it is interpolated linearly. Beyond the first and the
/// last middle it is constant. `None` without values.
///
/// # Panics
/// Panics if `p` lies outside of the range, or a value is not a number.
pub fn weighted_quantile(values: &[(f64, f64)], p: f64) -> Option<f64> {
    assert!(
        (0.0..=1.0).contains(&p),
        "a quantile lies between 0 and 1, not at {p}"
    );
    assert!(
        values.iter().all(|(value, _)| !value.is_nan()),
        "not-a-number has no place in an order"
    );
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut passed = 0.0;
    let mut last: Option<(f64, f64)> = None;
    for (value, weight) in sorted {
        let middle = (passed + weight / 2.0) / total;
        passed += weight;
        if middle >= p {
            return Some(match last {
                Some((low, at)) if low < value => {
                    let share = (p - at) / (middle - at);
                    // Zero times infinity is not a number.
                    if share > 0.0 {
                        low + share * (value - low)
                    } else {
                        low
                    }
                }
                _ => value,
            });
        }
        last = Some((value, middle));
    }
    last.map(|(value, _)| value)
}

/// Returns the median: the mean of the middle two for an even number of values;
/// `None` without values.
///
/// # Panics
/// Panics if a value is not a number.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns the first place of the (lower) median of the finite values; `None` without any.
pub fn median_place(values: impl IntoIterator<Item = Option<f64>>) -> Option<usize> {
    let places = values.into_iter().enumerate();
    let mut finite: Vec<(f64, usize)> = places
        .filter_map(|(place, value)| Some((value.filter(|v| v.is_finite())?, place)))
        .collect();
    finite.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (middle, _) = finite[finite.len().checked_sub(1)? / 2];
    let first = finite.iter().find(|(value, _)| *value >= middle);
    first.map(|(_, place)| *place)
}

#[cfg(test)]
mod tests;

//! Ranks with ties.

/// Returns midranks (1-based; equal values share the mean of their places) and
/// the sum of `t³ − t` over the groups of `t` equal values, which the variances
/// of the rank tests need.
///
/// # Panics
/// Panics if a value is not a number, because it has no place in an order.
pub fn midranks(values: &[f64]) -> (Vec<f64>, f64) {
    assert!(
        values.iter().all(|v| !v.is_nan()),
        "not-a-number has no rank"
    );
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut tie_sum = 0.0;
    let mut start = 0;
    while start < order.len() {
        let value = values[order[start]];
        // `total_cmp` would distinguish the two zeros.
        #[allow(clippy::float_cmp, reason = "a tie is exact equality")]
        let group = order[start..]
            .iter()
            .take_while(|&&i| values[i] == value)
            .count();
        // The mean of the places start + 1 to start + group.
        let rank = (2 * start + group + 1) as f64 / 2.0;
        for &i in &order[start..start + group] {
            ranks[i] = rank;
        }
        let t = group as f64;
        tie_sum += t * t * t - t;
        start += group;
    }
    (ranks, tie_sum)
}

#[cfg(test)]
mod tests;

//! Holm's correction for multiple tests.

/// Returns adjusted p-values, such that the probability of any false positive
/// among all tests stays below the level with which they are compared. The
/// order is kept. `None` (no test was made) remains and does not count.
///
/// # Source
/// Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure".
pub fn holm(p: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut order: Vec<(usize, f64)> = p
        .iter()
        .enumerate()
        .filter_map(|(i, p)| Some((i, (*p)?)))
        .collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let tests = order.len();
    let mut adjusted = vec![None; p.len()];
    let mut floor: f64 = 0.0;
    for (place, (i, p)) in order.into_iter().enumerate() {
        floor = floor.max((p * (tests - place) as f64).min(1.0));
        adjusted[i] = Some(floor);
    }
    adjusted
}

#[cfg(test)]
mod tests;

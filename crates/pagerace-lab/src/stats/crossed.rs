//! Differences between all loads of one contender and all loads of another.

/// Returns `value − baseline` for every value with every baseline, in ascending order.
///
/// Two live loads share neither queue nor noise, so their difference is drawn from these
/// rather than from the differences of paired runs. A failed load is positive infinity; a
/// pair of two failed loads carries no information and is left out.
pub fn crossed(values: &[f64], baselines: &[f64]) -> Vec<f64> {
    let mut all = Vec::with_capacity(values.len() * baselines.len());
    for value in values {
        let informative = baselines
            .iter()
            .filter(|base| !(value.is_infinite() && base.is_infinite()));
        all.extend(informative.map(|base| value - base));
    }
    all.sort_by(f64::total_cmp);
    all
}

/// Returns the share of differences below zero, of which zeros count half; `None` without
/// any. Crossed differences give the probability that a load of one contender has a lower
/// value than a load of the other (the common-language effect size: McGraw and Wong 1992).
pub fn lower_share(differences: &[f64]) -> Option<f64> {
    let below = differences.iter().filter(|d| **d < 0.0).count();
    let equal = differences.iter().filter(|d| **d == 0.0).count();
    let all = differences.len() as f64;
    (all > 0.0).then(|| (below as f64 + 0.5 * equal as f64) / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_meets_every_baseline() {
        assert_eq!(crossed(&[1.0, 5.0], &[2.0, 3.0]), [-2.0, -1.0, 2.0, 3.0]);
        assert_eq!(lower_share(&crossed(&[1.0, 5.0], &[2.0, 3.0])), Some(0.5));
        assert_eq!(lower_share(&[0.0, 0.0]), Some(0.5));
        assert_eq!(lower_share(&[]), None);
    }

    #[test]
    fn two_failures_are_no_pair() {
        let differences = crossed(&[1.0, f64::INFINITY], &[2.0, f64::INFINITY]);
        assert_eq!(differences, [f64::NEG_INFINITY, -1.0, f64::INFINITY]);
    }
}

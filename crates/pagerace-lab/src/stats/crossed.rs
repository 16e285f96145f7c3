//! Differences between all loads of one contender and all loads of another.

/// A value of a load, and the group of loads that it is compared with.
pub type Grouped = (f64, usize);

/// Returns `value − baseline` for every value with every baseline of the same group, in
/// ascending order.
///
/// Two live loads share neither queue nor noise, so their difference is drawn from these
/// rather than from the differences of paired runs. A failed load is positive infinity; a
/// pair of two failed loads carries no information and is left out.
pub fn crossed(values: &[Grouped], baselines: &[Grouped]) -> Vec<f64> {
    let mut all = Vec::with_capacity(values.len() * baselines.len());
    for (value, group) in values {
        let informative = baselines
            .iter()
            .filter(|(base, other)| group == other && !(value.is_infinite() && base.is_infinite()));
        all.extend(informative.map(|(base, _)| value - base));
    }
    all.sort_by(f64::total_cmp);
    all
}

/// Returns the share of differences below zero, of which zeros count half; `None` without
/// any. Crossed differences give the probability that a load of one contender has a lower
/// value than a load of the other (the common-language effect size: `McGraw` and Wong 1992).
pub fn lower_share(differences: &[f64]) -> Option<f64> {
    let below = differences.iter().filter(|d| **d < 0.0).count();
    let equal = differences.iter().filter(|d| **d == 0.0).count();
    let all = differences.len() as f64;
    (all > 0.0).then(|| (below as f64 + 0.5 * equal as f64) / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(values: &[f64]) -> Vec<Grouped> {
        values.iter().map(|value| (*value, 0)).collect()
    }

    #[test]
    fn every_value_meets_every_baseline() {
        let differences = crossed(&same(&[1.0, 5.0]), &same(&[2.0, 3.0]));
        assert_eq!(differences, [-2.0, -1.0, 2.0, 3.0]);
        assert_eq!(lower_share(&differences), Some(0.5));
        assert_eq!(lower_share(&[0.0, 0.0]), Some(0.5));
        assert_eq!(lower_share(&[]), None);
    }

    #[test]
    fn groups_do_not_meet() {
        let differences = crossed(&[(1.0, 0), (5.0, 1)], &[(2.0, 0), (3.0, 1)]);
        assert_eq!(differences, [-1.0, 2.0]);
    }

    #[test]
    fn two_failures_are_no_pair() {
        let [a, b] = [[1.0, f64::INFINITY], [2.0, f64::INFINITY]].map(|all| same(&all));
        assert_eq!(crossed(&a, &b), [f64::NEG_INFINITY, -1.0, f64::INFINITY]);
    }
}

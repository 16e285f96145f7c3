use super::{differences, median_interval};
use pagerace_core::Rng;

/// Ranks of the published table for 95 %: (n, lower rank, upper rank). Source:
/// Conover 1999, table A3 (binomial, p = 1/2).
const RANKS: [(usize, usize, usize); 7] = [
    (6, 1, 6),
    (8, 1, 8),
    (9, 2, 8),
    (10, 2, 9),
    (20, 6, 15),
    (30, 10, 21),
    (50, 18, 33),
];

#[test]
fn ranks_are_those_of_the_table() {
    for (n, low, high) in RANKS {
        let values: Vec<f64> = (1..=n).rev().map(|i| i as f64).collect();
        let interval = median_interval(&values, 0.95).unwrap();
        assert_eq!(
            (interval.low, interval.high),
            (low as f64, high as f64),
            "n = {n}"
        );
        assert!(interval.coverage >= 0.95, "n = {n}: {}", interval.coverage);
    }
}

#[test]
fn coverage_of_six_is_thirty_one_thirty_seconds() {
    let interval = median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap();
    assert!((interval.coverage - 31.0 / 32.0).abs() < 1e-12);
}

#[test]
fn too_few_values_give_none() {
    assert_eq!(median_interval(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.95), None);
    assert_eq!(median_interval(&[], 0.95), None);
}

#[test]
fn covers_the_true_median_as_often_as_it_says() {
    let mut rng = Rng::new(7, "interval");
    let rounds = 4000;
    let mut covered = 0;
    let mut said = 0.0;
    for _ in 0..rounds {
        // The distribution is skewed and has a median of 1.
        let values: Vec<f64> = (0..30).map(|_| rng.lognormal(1.0)).collect();
        let interval = median_interval(&values, 0.95).unwrap();
        said = interval.coverage;
        covered += u32::from(interval.low <= 1.0 && 1.0 <= interval.high);
    }
    let share = f64::from(covered) / f64::from(rounds);
    // The tolerance is four standard errors of a share of 0.957 over 4000 rounds.
    assert!((share - said).abs() < 4.0 * (said * (1.0 - said) / f64::from(rounds)).sqrt());
}

#[test]
fn failed_loads_make_infinite_differences_or_none() {
    let inf = f64::INFINITY;
    let pairs = [
        (Some(5.0), Some(3.0)),
        (Some(inf), Some(3.0)),
        (Some(5.0), Some(inf)),
        (Some(inf), Some(inf)),
        (None, Some(1.0)),
        (Some(1.0), None),
    ];
    assert_eq!(differences(pairs), [2.0, inf, -inf]);
}

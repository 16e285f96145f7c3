use super::{Agreement, Ranking, Ranks, ranking};
use crate::observation::Observation;
use crate::prediction::Prediction;
use crate::samples::{around, metric, observation, prediction};
use crate::winner::{Side, duels};

const NAMES: [&str; 3] = ["h1", "h2", "h3"];

fn ranked(live: [f64; 3], said: [f64; 3]) -> Option<Ranking> {
    let seen: Vec<Observation> = (0..3)
        .map(|i| observation("news", NAMES[i], &around(live[i])))
        .collect();
    let said: Vec<Prediction> = (0..3)
        .map(|i| prediction("news", NAMES[i], said[i]))
        .collect();
    let sides: Vec<Side<'_>> = (0..3)
        .map(|i| Side {
            label: NAMES[i],
            observation: &seen[i],
            prediction: Some(&said[i]),
        })
        .collect();
    let found = duels(&sides, false, metric("lcp"));
    ranking(&sides, &found, false, metric("lcp"))
}

#[test]
fn the_same_order_is_a_correlation_of_one() {
    let same = ranked([300.0, 200.0, 100.0], [30.0, 20.0, 10.0]).unwrap();
    assert_eq!((same.best, same.rho), (Agreement::Same, Some(1.0)));
    assert_eq!(same.observed_best, "h3");
    // One neighbouring pair is swapped: 1 - 6 * 2 / (3 * 8).
    let off = ranked([300.0, 200.0, 100.0], [30.0, 10.0, 20.0]).unwrap();
    assert_eq!(off.best, Agreement::Other);
    assert!((off.rho.unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn another_best_that_is_as_good_is_not_wrong() {
    let close = ranked([300.0, 100.1, 100.0], [30.0, 10.0, 20.0]).unwrap();
    assert_eq!(close.observed_best, "h3");
    assert_eq!(close.predicted_best, "h2");
    assert_eq!(close.best, Agreement::AsGood);
    // If predictions are equal, the contender that is best live counts.
    let tied = ranked([300.0, 200.0, 100.0], [30.0, 10.0, 10.0]).unwrap();
    assert_eq!(tied.best, Agreement::Same);
}

#[test]
fn contenders_that_fail_are_not_ranked() {
    let some = ranked([f64::INFINITY, 200.0, 100.0], [1.0, 20.0, 10.0]).unwrap();
    assert_eq!((some.contenders, some.rho), (2, None));
    assert_eq!(ranked([f64::INFINITY, f64::INFINITY, 1.0], [1.0; 3]), None);
}

#[test]
fn rankings_are_counted() {
    let all = [
        ranked([300.0, 200.0, 100.0], [30.0, 20.0, 10.0]).unwrap(),
        ranked([300.0, 200.0, 100.0], [30.0, 10.0, 20.0]).unwrap(),
        ranked([300.0, 200.0, 100.0], [5.0, 5.0, 5.0]).unwrap(),
    ];
    let ranks = Ranks::of(&all);
    assert_eq!((ranks.rankings, ranks.same, ranks.other), (3, 2, 1));
    assert_eq!(ranks.correlated, 2);
    assert!((ranks.rho.unwrap() - 0.75).abs() < 1e-12);
}

use pagerace_lab::fake::contender;

use super::{DifferenceKind, Pair, differences, kind, model_errors};
use crate::observation::Observation;
use crate::samples::{around, metric, observation, prediction};

#[test]
fn contenders_differ_in_one_thing() {
    let kind = |a: &str, b: &str| kind(&contender(a), &contender(b));
    assert_eq!(kind("h1", "h3"), Some(DifferenceKind::Protocol));
    assert_eq!(
        kind("h3 sequential", "h3 eps"),
        Some(DifferenceKind::Strategy)
    );
    assert_eq!(kind("h3 cubic", "h3 bbr"), Some(DifferenceKind::Controller));
    assert_eq!(kind("h3", "h3 ads=refused"), Some(DifferenceKind::Block));
    assert_eq!(kind("h3", "h3 fonts=500ms"), Some(DifferenceKind::Delay));
    assert_eq!(kind("h3 ads=refused", "h3"), None);
    assert_eq!(kind("h2", "h3 eps"), None);
    assert_eq!(kind("h3", "h3"), None);
}

#[test]
fn loads_in_different_settings_are_not_compared() {
    let mut seen = ["h2", "h3"].map(|one| observation("news", one, &around(1000.0)));
    let said = ["h2", "h3"].map(|one| prediction("news", one, 1000.0));
    let count = |seen: &[Observation]| {
        let both = seen.iter().zip(&said);
        let pairs = both.map(|(observation, prediction)| Pair {
            observation,
            prediction,
            lossy: false,
            held_out: false,
        });
        differences(&pairs.collect::<Vec<_>>(), metric("lcp")).len()
    };
    assert_eq!(count(&seen), 1);
    seen[1].setting = 1;
    assert_eq!(count(&seen), 0);
}

#[test]
fn predicted_and_live_differences_meet() {
    // Live, h3 is 200 ms faster. The model predicts 100 ms on news, and the
    // wrong sign on shop.
    let seen = [
        observation("news", "h2", &around(1000.0)),
        observation("news", "h3", &around(800.0)),
        observation("shop", "h2", &around(1000.0)),
        observation("shop", "h3", &around(800.0)),
    ];
    let said = [
        prediction("news", "h2", 1000.0),
        prediction("news", "h3", 900.0),
        prediction("shop", "h2", 1000.0),
        prediction("shop", "h3", 1050.0),
    ];
    let pairs: Vec<Pair<'_>> = seen
        .iter()
        .zip(&said)
        .map(|(observation, prediction)| Pair {
            observation,
            prediction,
            lossy: false,
            held_out: false,
        })
        .collect();
    let all = differences(&pairs, metric("lcp"));
    assert_eq!(all.len(), 2, "each pair once");
    assert!(all.iter().all(super::Difference::is_significant));
    let errors = model_errors(&all);
    let [error] = errors.as_slice() else {
        panic!("one group: {errors:?}");
    };
    assert_eq!(
        (error.pairs, error.significant, error.sign_right),
        (2, 2, 1)
    );
}

use std::sync::Arc;

use super::across_pages;
use crate::fake::{self, times};
use crate::metric::MetricId;
use crate::results::Results;

/// Races on four pages; `factor(strategy, page)` scales the baseline of one second.
fn race(factor: impl Fn(usize, usize) -> f64) -> Results {
    let mut plan = fake::plan(&["sequential", "round-robin", "eps"], 10);
    plan.pages = ["a", "b", "c", "d"]
        .map(|name| Arc::new(fake::page(name)))
        .to_vec();
    fake::results(&plan, |(page, _, s), k| {
        let factor = factor(s, page);
        if factor.is_finite() {
            times((1000.0 + k as f64) * factor, 1.0, 1.0)
        } else {
            fake::failed()
        }
    })
}

#[test]
fn pages_are_counted_by_their_verdicts() {
    let table = [
        [1.0; 4],
        [0.9, 0.96, 1.0, 1.2],
        [0.9, 0.8, 1.0, f64::INFINITY],
    ];
    let across = across_pages(&race(|s, page| table[s][page]), 0, MetricId::default());
    assert_eq!(across.rows.len(), 2);
    let rr = &across.rows[0];
    assert_eq!(
        (
            rr.contender,
            rr.gains(),
            rr.losses(),
            rr.same(),
            rr.missing()
        ),
        (1, 2, 1, 1, 0)
    );
    for (value, expected) in rr.relative.iter().zip([-0.1, -0.04, 0.0, 0.2]) {
        assert!((value.unwrap() - expected).abs() < 1e-9, "{value:?}");
    }
    let eps = &across.rows[1];
    assert_eq!((eps.gains(), eps.losses(), eps.same()), (2, 1, 1));
    assert!(
        across.sentence.starts_with(
            "On fast-4g, over 4 pages, eps shows the largest element sooner than sequential on 2, \
             later on 1, 1 without a difference that matters; the median page"
        ),
        "{}",
        across.sentence
    );
}

#[test]
fn nobody_beats_the_baseline() {
    let across = across_pages(&race(|s, _| 1.0 + 0.1 * s as f64), 1, MetricId::default());
    assert!(
        across.sentence.starts_with(
            "On cable, over 4 pages, no strategy beats sequential on most; round-robin shows"
        ),
        "{}",
        across.sentence
    );
}

#[test]
fn a_failing_baseline_loses_without_a_share() {
    let failing = |s: usize, page: usize| {
        if s == 0 && page < 3 {
            f64::INFINITY
        } else {
            1.0
        }
    };
    let across = across_pages(&race(failing), 0, MetricId::default());
    let row = &across.rows[0];
    // A contender that loads where the baseline fails wins, by no finite share.
    assert_eq!((row.gains(), row.same()), (3, 1));
    assert_eq!(row.relative.iter().flatten().count(), 1);
}

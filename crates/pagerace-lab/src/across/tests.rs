use std::sync::Arc;

use super::across_pages;
use crate::fake::{self, times};
use crate::metric::MetricId;
use crate::results::Results;

/// Races on four pages; `factor(strategy, page)` scales the baseline of one second.
fn race(factor: impl Fn(usize, usize) -> f64) -> Results {
    let mut plan = fake::plan(&["sequential", "round-robin", "eps"], 6);
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
fn pages_beyond_five_per_cent_are_counted() {
    let table = [
        [1.0; 4],
        [0.9, 0.96, 1.04, 1.2],
        [0.9, 0.8, 1.0, f64::INFINITY],
    ];
    let across = across_pages(&race(|s, page| table[s][page]), 0, MetricId::default());
    assert_eq!(across.rows.len(), 2);
    let rr = &across.rows[0];
    assert_eq!(
        (rr.contender, rr.gain, rr.lose, rr.same, rr.missing),
        (1, 1, 1, 2, 0)
    );
    for (value, expected) in rr.relative.iter().zip([-0.1, -0.04, 0.04, 0.2]) {
        assert!((value.unwrap() - expected).abs() < 1e-9, "{value:?}");
    }
    let eps = &across.rows[1];
    assert_eq!((eps.gain, eps.lose, eps.same), (2, 1, 1));
    assert!(
        across.sentence.starts_with(
            "fast-4g: over 4 pages, eps shows the largest element more than 5 % sooner than \
             sequential on 2 pages and more than 5 % later on 1; the median page"
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
            "cable: over 4 pages, no strategy beats sequential; the closest, round-robin,"
        ),
        "{}",
        across.sentence
    );
}

#[test]
fn a_failing_baseline_leaves_pages_out() {
    let failing = |s: usize, page: usize| {
        if s == 0 && page < 3 {
            f64::INFINITY
        } else {
            1.0
        }
    };
    let across = across_pages(&race(failing), 0, MetricId::default());
    assert_eq!((across.rows[0].missing, across.rows[0].same), (3, 1));
}

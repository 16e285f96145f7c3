use super::{Mark, analyse};
use crate::fake::{self, times};
use crate::metric::MetricId;
use crate::results::{Results, RunSummary};

/// Races four strategies; `lcp(strategy, run)` is in milliseconds.
fn race(runs: u32, lcp: impl Fn(usize, usize) -> f64) -> Results {
    let plan = fake::plan(&["sequential", "round-robin", "fifo", "eps"], runs);
    fake::results(&plan, |(_, _, s), k| times(lcp(s, k), 500.0, 2000.0))
}

/// Noise that is common to all strategies of a run, as with paired seeds.
fn noise(run: usize) -> f64 {
    ((run * 37) % 101) as f64 * 5.0
}

#[test]
fn marks_follow_the_data() {
    let results = race(30, |s, k| {
        noise(k)
            + match s {
                1 => 900.0 - (k % 3) as f64,
                2 => 1150.0 + (k % 5) as f64,
                3 => 1002.0 + 0.1 * (k % 7) as f64,
                _ => 1000.0,
            }
    });
    let analysis = analyse(&results, 0, 0, MetricId::default());
    let marks: Vec<Mark> = analysis.rows.iter().map(|row| row.mark).collect();
    assert_eq!(
        marks,
        [Mark::Baseline, Mark::Better, Mark::Worse, Mark::TooSmall]
    );
    assert_eq!(analysis.ranking, [1, 0, 3, 2]);
    let better = &analysis.rows[1];
    assert_eq!(better.difference, Some(-101.0));
    let interval = better.interval.unwrap();
    assert_eq!((interval.low, interval.high), (-102.0, -100.0));
    assert!(better.cliffs_delta.unwrap() < 0.0);
    assert_eq!(better.rank_biserial, Some(-1.0));
    // The paired test detects the difference despite noise that hides it from
    // the unpaired one.
    assert!(better.signed_rank_p_holm.unwrap() < 0.001);
    assert!(better.mann_whitney_p.unwrap() > better.signed_rank_p.unwrap());
}

#[test]
fn the_baseline_is_compared_with_nothing() {
    let results = race(10, |_, k| 1000.0 + noise(k));
    let row = &analyse(&results, 0, 0, MetricId::default()).rows[0];
    assert_eq!(
        (row.difference, row.relative, row.interval),
        (None, None, None)
    );
    assert_eq!((row.mann_whitney_p, row.signed_rank_p_holm), (None, None));
    assert!(row.median.is_some());
}

#[test]
fn equal_strategies_do_not_differ_and_keep_the_plans_order() {
    let results = race(30, |_, k| 1000.0 + noise(k));
    let analysis = analyse(&results, 0, 0, MetricId::default());
    assert!(
        analysis.rows[1..]
            .iter()
            .all(|row| row.mark == Mark::NoDifference)
    );
    assert_eq!(analysis.ranking, [0, 1, 2, 3]);
}

#[test]
fn random_differences_are_not_differences() {
    let results = race(30, |s, k| {
        1000.0 + (((s + 1) * 7919 * (k + 1)) % 211) as f64
    });
    let analysis = analyse(&results, 0, 0, MetricId::default());
    for row in &analysis.rows[1..] {
        // With noise of a tenth of the baseline, a noticeable difference remains possible.
        assert_eq!(row.mark, Mark::Open, "{row:?}");
    }
}

#[test]
fn no_difference_needs_a_narrow_interval() {
    // Differences lie on both sides of zero, up to `width` ms of a second.
    let mark = |width: f64| {
        let results = race(30, |s, k| {
            let swing = (k % 7) as f64 / 3.0 - 1.0;
            1000.0 + if s == 1 { width * swing } else { 0.0 }
        });
        analyse(&results, 0, 0, MetricId::default()).rows[1].mark
    };
    assert_eq!(mark(9.0), Mark::NoDifference);
    assert_eq!(mark(60.0), Mark::Open);
}

#[test]
fn of_equals_the_baseline_ranks_first() {
    let plan = fake::plan(&["sequential", "round-robin", "fifo"], 10);
    let mut results = fake::results(&plan, |(_, _, s), k| {
        times(1000.0 + k as f64 - if s == 2 { 5.0 } else { 0.0 }, 1.0, 1.0)
    });
    results.plan.baseline = 1;
    let analysis = analyse(&results, 0, 0, MetricId::default());
    assert_eq!(analysis.ranking, [2, 1, 0]);
}

#[test]
fn too_few_runs_are_not_called_no_difference() {
    let lcp = |s: usize, k: usize| 1000.0 + noise(k) - 100.0 * s as f64 - k as f64;
    let marks = |runs| -> Vec<Mark> {
        let results = race(runs, lcp);
        analyse(&results, 0, 0, MetricId::default())
            .rows
            .iter()
            .map(|row| row.mark)
            .collect()
    };
    assert_eq!(marks(5)[1..], [Mark::TooFewRuns; 3]);
    // The minimum p-value is 2/64 for six runs and 2/128 for seven, times three tests.
    assert_eq!(marks(6)[1..], [Mark::TooFewRuns; 3]);
    assert_eq!(marks(7)[1..], [Mark::Better; 3]);
}

#[test]
fn runs_needed_grow_with_the_strategies() {
    // 2/2^n * tests < 0.05.
    for (tests, runs) in [
        (0, 6),
        (1, 6),
        (2, 7),
        (3, 7),
        (4, 8),
        (9, 9),
        (12, 9),
        (13, 10),
    ] {
        assert_eq!(super::runs_needed(tests), runs, "{tests} tests");
    }
}

#[test]
fn failing_is_worse_than_being_late() {
    let plan = fake::plan(&["sequential", "round-robin"], 20);
    let results = fake::results(&plan, |(_, _, s), k| {
        if s == 1 && k >= 4 {
            fake::failed()
        } else {
            times(1000.0 - 300.0 * s as f64, 1.0, 1.0)
        }
    });
    let analysis = analyse(&results, 0, 0, MetricId::default());
    let row = &analysis.rows[1];
    assert_eq!((row.failed, row.runs), (16, 20));
    assert_eq!(row.median, Some(f64::INFINITY));
    assert_eq!(row.difference, Some(f64::INFINITY));
    assert_eq!(row.mark, Mark::Worse);
    assert_eq!(analysis.ranking, [0, 1]);
}

#[test]
fn an_undefined_metric_has_no_value() {
    let plan = fake::plan(&["sequential", "round-robin"], 10);
    let results = fake::results(&plan, |_, _| RunSummary::default());
    for metric in ["lcp", "cls"] {
        let analysis = analyse(&results, 0, 0, metric.parse().unwrap());
        assert_eq!(analysis.rows[1].mark, Mark::Undefined);
        assert_eq!(analysis.rows[1].median, None);
    }
}

#[test]
fn a_baseline_of_zero_has_no_relative_difference() {
    let plan = fake::plan(&["sequential", "round-robin"], 10);
    let results = fake::results(&plan, |(_, _, s), k| {
        let mut run = times(1.0, 1.0, 1.0);
        run.transport.packets_lost = (s * (k + 3)) as u64;
        run
    });
    let row = analyse(&results, 0, 0, "packets-lost".parse().unwrap())
        .rows
        .swap_remove(1);
    assert_eq!((row.relative, row.mark), (None, Mark::Worse));
}

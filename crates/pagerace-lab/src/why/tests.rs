use std::ops::ControlFlow;

use pagerace_core::Duration;
use pagerace_sim::{Explainable, Part, Parts};

use super::{
    Split, Why, explain_network, explain_run, explainable, is_explained, no_pair, sentence, steps,
    typical_run,
};
use crate::fake::{self, times};
use crate::metric::MetricId;

fn go_on(_: crate::Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn split(parts: &[(Part, f64)]) -> Split {
    let mut sum = Parts::default();
    for (part, ms) in parts {
        sum.add(*part, Duration::from_millis_f64(*ms));
    }
    Split {
        total: sum.total(),
        parts: sum,
        path: Vec::new(),
    }
}

fn why(base: &[(Part, f64)], own: &[(Part, f64)]) -> Why {
    Why {
        page: 0,
        network: 0,
        contender: 1,
        run: 6,
        metric: Explainable::Lcp,
        base: split(base),
        own: split(own),
    }
}

#[test]
fn a_typical_run_has_usual_values_and_a_middle_difference() {
    let plan = fake::plan(&["h1", "h2"], 5);
    let results = fake::results(&plan, |(_, _, c), run| {
        if (c, run) == (1, 4) {
            return fake::failed();
        }
        // The differences are 10, 40, 20 and 30 ms; one run fails.
        times(
            1000.0 + [10.0, 40.0, 20.0, 30.0, 0.0][run] * c as f64,
            1.0,
            1.0,
        )
    });
    let [base, own] = [0, 1].map(|c| results.variant(0, 0, c));
    assert_eq!(typical_run(base, own, MetricId::default()), Some(2));
    // The median difference belongs to a run with two unusual values.
    let odd = fake::results(&plan, |(_, _, c), run| {
        let base = [1000.0, 1010.0, 3000.0, 1005.0, 1007.0][run];
        times(
            base - [10.0, 30.0, 20.0, 19.0, 22.0][run] * c as f64,
            1.0,
            1.0,
        )
    });
    let [base, own] = [0, 1].map(|c| odd.variant(0, 0, c));
    assert_ne!(typical_run(base, own, MetricId::default()), Some(2));
    let failing = fake::results(&plan, |_, _| fake::failed());
    let [base, own] = [0, 1].map(|c| failing.variant(0, 0, c));
    assert_eq!(typical_run(base, own, MetricId::default()), None);
}

#[test]
fn every_contender_is_explained_in_a_typical_pair() {
    let plan = fake::plan(&["h1", "h2", "h3"], 8);
    let mut results = fake::results(&plan, |(_, _, c), k| {
        times(1000.0 - 90.0 * c as f64 + k as f64, 1.0, 1.0)
    });
    for network in 0..2 {
        explain_network(&mut results, network, 2, &fake::explain, &go_on).unwrap();
    }
    let places: Vec<_> = results
        .whys
        .iter()
        .map(|w| (w.network, w.contender))
        .collect();
    assert_eq!(places, [(0, 1), (0, 2), (1, 1), (1, 2)]);
    for why in &results.whys {
        let ms = -90 * why.contender as i64;
        assert_eq!(why.difference(Part::SetUp), ms * 1_000_000);
        assert_eq!(why.total_difference(), ms * 1_000_000);
    }
    let again = explain_run(&plan, 2, results.whys[1].run, 1, &fake::explain, &go_on);
    assert_eq!(again.unwrap().unwrap(), results.whys[1]);
}

#[test]
fn what_is_open_is_not_explained_among_many() {
    let plan = fake::plan(&["h1", "h2", "h3", "h3 reno"], 8);
    let mut results = fake::results(&plan, |(_, _, c), k| {
        let change = [0.0, -100.0, [300.0, -300.0][k % 2], [-300.0, 300.0][k % 2]][c];
        times(1000.0 + change + k as f64, 1.0, 1.0)
    });
    for network in 0..2 {
        explain_network(&mut results, network, 1, &fake::explain, &go_on).unwrap();
    }
    assert!(results.whys.iter().all(|why| why.contender == 1));
    assert_eq!(results.whys.len(), 2);
}

#[test]
fn strategies_alone_are_not_explained_unasked() {
    assert!(!is_explained(&fake::plan(&["sequential", "eps"], 6)));
    assert!(
        !is_explained(&fake::plan(&["h2"], 6)),
        "nobody to compare with"
    );
    let mut plan = fake::plan(&["cubic", "reno"], 6);
    assert!(is_explained(&plan));
    plan.metric = "tti".parse().unwrap();
    assert!(!is_explained(&plan));
    let error = explainable(plan.metric).unwrap_err().to_string();
    assert!(
        error.starts_with("tti cannot be explained; choose one of ttfb, fcp"),
        "{error}"
    );
}

#[test]
fn without_a_pair_the_reasons_are_told() {
    let mut plan = fake::plan(&["h1", "h2"], 4);
    plan.networks.truncate(1);
    let results = fake::results(&plan, |(_, _, c), _| {
        if c == 1 {
            fake::failed()
        } else {
            times(1000.0, 1.0, 1.0)
        }
    });
    assert_eq!(
        no_pair(&results),
        "nothing to explain: no run has a value for Largest Contentful Paint on both sides; \
         loads failed: 4 of 4 with h2 (the deadline passed)"
    );
    let blank = fake::results(&plan, |_, _| crate::RunSummary::default());
    assert!(
        no_pair(&blank).ends_with("no load has a value for Largest Contentful Paint on both sides")
    );
}

#[test]
fn rounded_parts_add_up() {
    let third = 100.0 / 3.0;
    let parts = split(&[
        (Part::SetUp, third),
        (Part::Server, third),
        (Part::Loss, third),
        (Part::Browser, 0.01),
    ]);
    let rounded = steps(&parts.parts);
    assert_eq!(rounded.iter().sum::<i64>(), 1000);
    assert_eq!(rounded, [334, 0, 333, 0, 0, 0, 333, 0]);
    // The sums agree for any fractions.
    for seed in 0..200_u64 {
        let mut parts = Parts::default();
        for (i, part) in Part::ALL.into_iter().enumerate() {
            let nanos = seed.wrapping_mul(2_654_435_761 + i as u64 * 97) % 3_000_000;
            parts.add(part, Duration::from_nanos(nanos));
        }
        let total = (parts.total().as_nanos() as f64 / 1e5).round() as i64;
        let rounded = steps(&parts);
        assert_eq!(rounded.iter().sum::<i64>(), total, "{parts:?}");
        for (part, step) in Part::ALL.into_iter().zip(rounded) {
            let exact = parts.get(part).as_nanos() as f64 / 1e5;
            assert!(
                (step as f64 - exact).abs() < 1.0,
                "{part}: {exact} as {step}"
            );
        }
    }
}

#[test]
fn the_main_reason_is_named_and_what_speaks_against_it() {
    let plan = fake::plan(&["h1", "h3"], 30);
    let base = [
        (Part::SetUp, 300.0),
        (Part::Loss, 100.0),
        (Part::Server, 600.0),
    ];
    let later = why(
        &base,
        &[
            (Part::SetUp, 200.0),
            (Part::Loss, 500.0),
            (Part::Server, 620.0),
        ],
    );
    assert_eq!(
        sentence(&plan, &later),
        "In run 7, h3 shows the largest element 320 ms (32 %) later than h1: more time for queue \
         overflow: loss recovery, HOL blocking (400 ms), but less for connection set-up (100 ms)."
    );
    let sooner = why(&base, &[(Part::SetUp, 100.0), (Part::Server, 600.0)]);
    assert_eq!(
        sentence(&plan, &sooner),
        "In run 7, h3 shows the largest element 300 ms (30 %) sooner than h1: less time for \
         connection set-up (200 ms) and queue overflow: loss recovery, HOL blocking (100 ms)."
    );
    let equal = why(&base, &base);
    assert_eq!(
        sentence(&plan, &equal),
        "In run 7, h3 shows the largest element as soon as h1."
    );
}

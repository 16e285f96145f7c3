use pagerace_browser::LoadMetrics;
use pagerace_core::Duration;

use super::{RunSummary, Variant};
use crate::metric::MetricId;

fn run(lcp: Option<u64>, failure: Option<&str>) -> RunSummary {
    RunSummary {
        load: LoadMetrics {
            lcp: lcp.map(Duration::from_millis),
            ..LoadMetrics::default()
        },
        failure: failure.map(str::to_owned),
        ..RunSummary::default()
    }
}

fn variant(runs: Vec<RunSummary>) -> Variant {
    Variant {
        page: 0,
        network: 0,
        contender: 0,
        runs,
    }
}

#[test]
fn a_failed_run_counts_as_later_than_any_even_if_it_painted() {
    let lcp: MetricId = "lcp".parse().unwrap();
    let v = variant(vec![
        run(Some(5), None),
        run(Some(4), Some("deadline")),
        run(None, None),
    ]);
    assert_eq!(v.values(lcp), [Some(5.0), Some(f64::INFINITY), None]);
    assert_eq!(v.failed(), 1);
    assert_eq!(v.values("cls".parse().unwrap()), [None, None, None]);
}

#[test]
fn the_median_run_is_a_finished_one() {
    let lcp: MetricId = "lcp".parse().unwrap();
    let ms = |v: &[u64]| variant(v.iter().map(|v| run(Some(*v), None)).collect());
    assert_eq!(ms(&[30, 10, 20]).median_run(lcp), 2);
    assert_eq!(ms(&[40, 10, 30, 20]).median_run(lcp), 3);
    assert_eq!(ms(&[20, 10, 20, 20]).median_run(lcp), 0);
    let failing = variant(vec![
        run(Some(1), Some("x")),
        run(None, None),
        run(Some(7), None),
    ]);
    assert_eq!(failing.median_run(lcp), 2);
    assert_eq!(variant(vec![run(None, Some("x"))]).median_run(lcp), 0);
}

#[test]
fn what_waits_for_ever_never_comes() {
    let stalled = RunSummary {
        unanswered: 1,
        ..run(Some(7), None)
    };
    let value = |metric: &str| stalled.value(metric.parse().unwrap());
    assert_eq!(value("lcp"), Some(7.0), "it came before");
    assert_eq!(value("onload"), Some(f64::INFINITY));
    assert_eq!(value("packets-sent"), Some(0.0));
    assert_eq!(value("cls"), None);
    assert_eq!(variant(vec![stalled]).failed(), 0);
}

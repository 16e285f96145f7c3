use std::collections::BTreeSet;

use pagerace_browser::LoadMetrics;
use pagerace_core::Duration;

use super::{MetricId, metrics};
use crate::results::RunSummary;

#[test]
fn names_and_keys_are_unique_and_read_back() {
    let names: BTreeSet<_> = metrics().iter().map(|m| m.name).collect();
    let keys: BTreeSet<_> = metrics().iter().map(super::Metric::key).collect();
    assert_eq!(names.len(), metrics().len());
    assert_eq!(keys.len(), metrics().len());
    for id in MetricId::all() {
        assert_eq!(id.to_string().parse::<MetricId>().unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(serde_json::from_str::<MetricId>(&json).unwrap(), id);
    }
}

#[test]
fn names_have_hyphens_or_underscores() {
    for id in MetricId::all() {
        let (name, key) = (id.metric().name, id.metric().key());
        let spellings = [name.replace('-', "_"), key.replace('_', "-"), key];
        for spelling in spellings {
            assert_eq!(spelling.parse::<MetricId>().unwrap(), id, "{spelling}");
        }
    }
}

#[test]
fn other_spellings_are_read() {
    for (spelling, name) in [
        ("LCP", "lcp"),
        ("Speed-Index", "speed-index"),
        ("speed index", "speed-index"),
        ("SI", "speed-index"),
        ("Largest Contentful Paint", "lcp"),
        ("onLoad", "onload"),
        ("load", "onload"),
        ("load event", "onload"),
        ("FCP_ms", "fcp"),
    ] {
        let read = spelling.parse::<MetricId>().unwrap();
        assert_eq!(read.metric().name, name, "{spelling}");
    }
}

#[test]
fn times_come_in_milliseconds() {
    let run = RunSummary {
        load: LoadMetrics {
            lcp: Some(Duration::from_micros(1_234_500)),
            ..LoadMetrics::default()
        },
        ..RunSummary::default()
    };
    assert_eq!(run.value(MetricId::default()), Some(1234.5));
    assert_eq!(run.value("onload".parse().unwrap()), None);
    assert_eq!(run.value("cls".parse().unwrap()), None);
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let text = "lcpp".parse::<MetricId>().unwrap_err().to_string();
    assert!(
        text.contains("\"lcpp\"") && text.contains("speed-index"),
        "{text}"
    );
}

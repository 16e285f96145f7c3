use std::collections::BTreeMap;
use std::path::Path;

use super::{PUBLISHED, published};
use crate::samples::metric;

#[test]
fn each_published_metric_is_one_of_ours() {
    for (name, quantiles) in PUBLISHED {
        assert_eq!(published(metric(name)), Some(quantiles));
        assert!(quantiles.is_sorted());
    }
    assert_eq!(published(metric("onload")), None);
}

#[test]
fn the_numbers_are_those_that_lighthouse_publishes() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let path = Path::new(data).join("reference/lantern/lantern-baseline-accuracy.json");
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: ../shared/data is not there (Lighthouse's published accuracy)");
        return;
    };
    let all: BTreeMap<String, BTreeMap<String, f64>> = serde_json::from_slice(&bytes).unwrap();
    let names = [
        ("fcp", "FCP"),
        ("lcp", "LCP"),
        ("speed-index", "SI"),
        ("tti", "TTI"),
    ];
    for (ours, theirs) in names {
        let known = published(metric(ours)).unwrap();
        let row = &all[&format!("roughEstimateOf{theirs}")];
        for (value, name) in known.into_iter().zip(["p50", "p90", "p95"]) {
            assert!((value - row[name]).abs() <= 0.0005, "{ours} {name}");
        }
    }
}

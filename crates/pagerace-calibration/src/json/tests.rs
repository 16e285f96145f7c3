use serde_json::Value;

use super::write_accuracy;
use crate::accuracy::{Input, accuracy};
use crate::samples::{metric, observations, prediction, predictions};

#[test]
fn everything_is_there_and_infinity_is_null() {
    let mut said = predictions();
    said[0] = prediction("news", "h1", 1.0);
    said[0].runs[0].failure = Some("the deadline passed".to_owned());
    let all = accuracy(&Input {
        observations: &observations(),
        predictions: &said,
        elsewhere: &[],
        pages: &[],
        networks: &[],
        lighthouse: &[],
        metrics: &[metric("lcp")],
        held_out: &["shop".to_owned()],
        threshold_ms: 20.0,
    });
    let mut out = Vec::new();
    write_accuracy(&all, "pagerace calibrate", &mut out).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(value["format"], "pagerace-accuracy");
    assert_eq!(value["rerun"], "pagerace calibrate");
    assert_eq!(value["settings"][0]["date"], "2026-01-31");
    assert_eq!(value["cells"].as_array().unwrap().len(), 6);
    assert_eq!(value["cells"][0]["predicted"], Value::Null);
    assert_eq!(value["cells"][1]["metric"], "lcp");
    assert_eq!(value["cells"][1]["predicted"], 900.0);
    assert_eq!(value["overall"][2]["name"], "held-out pages");
    assert_eq!(value["model_errors"][0]["pairs"], 4);
    assert_eq!(value["classes_held_out"][0]["right"][0], 2);
}

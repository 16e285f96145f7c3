use serde_json::Value;

use super::*;
use crate::fake;

#[test]
fn every_run_of_every_variant_has_a_session() {
    let plan = fake::plan(&["sequential", "fifo"], 2);
    let mut out = Vec::new();
    let mut told = Vec::new();
    let real = |scenario: &_, seed, record| {
        pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())
    };
    write_sessions(
        &plan,
        &|_| plan.runs as usize,
        &real,
        &mut out,
        &mut |done| told.push(done),
    )
    .unwrap();
    assert_eq!(told, [1, 2, 3, 4, 5, 6, 7, 8]);
    let document: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(document["format"], FORMAT);
    assert_eq!(document["seed"], 1);
    let sessions = document["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 8);
    let session = &sessions[3];
    assert_eq!(session["contender"], "fifo");
    assert_eq!(session["run"], 2);
    assert_eq!(session["seed"], plan.run_seed(1));
    assert_eq!(session["objects_total"], 1);
    assert_eq!(session["objects_complete"], 1);
    let object = &session["objects"][0];
    assert_eq!(object["state"], "complete");
    assert_eq!(object["transport"], "stream");
    assert_eq!(object["bytes_received"], object["size_bytes"]);
    let number = |key: &str| object[key].as_f64().unwrap();
    assert!(number("transfer_ms") <= number("end_to_end_ms"));
    let end = number("start_ms") + number("end_to_end_ms");
    assert!(end <= session["duration_ms"].as_f64().unwrap());
}

#[test]
fn what_was_not_delivered_has_no_counts() {
    let plan = fake::plan(&["sequential"], 1);
    let mut out = Vec::new();
    let undelivered = |scenario: &_, seed, record| {
        let mut outcome = pagerace_sim::run(scenario, seed, record).map_err(|e| e.to_string())?;
        outcome.objects.fill(None);
        Ok(outcome)
    };
    write_sessions(
        &plan,
        &|_| plan.runs as usize,
        &undelivered,
        &mut out,
        &mut |_| (),
    )
    .unwrap();
    let document: Value = serde_json::from_slice(&out).unwrap();
    let session = &document["sessions"][0];
    assert_eq!(session["objects_total"], 1);
    assert_eq!(session["objects_complete"], 0);
    assert_eq!(session["bytes"], 0);
    let object = session["objects"][0].as_object().unwrap();
    assert_eq!(object["state"], "failed");
    for key in ["transport", "bytes_received", "missing_bytes", "lost_bytes"] {
        assert_eq!(object.get(key), Some(&Value::Null), "{key}");
    }
}

#[test]
fn what_cannot_be_run_is_told() {
    let plan = fake::plan(&["sequential"], 1);
    let refuses = |_: &_, _, _| Err("no such thing".to_owned());
    let error = write_sessions(
        &plan,
        &|_| plan.runs as usize,
        &refuses,
        &mut Vec::new(),
        &mut |_| (),
    )
    .unwrap_err();
    assert!(error.to_string().contains("no such thing"));
}

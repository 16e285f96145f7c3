use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_browser::LayoutShift;
use pagerace_report::input::Provenance;
use serde_json::{Value, json};

use super::{read_plan, scenario_text, write_json};
use crate::fake;
use crate::metric::MetricId;
use crate::results::Fact;
use crate::results::Results;
use crate::runner::run_race;
use crate::why::explain_network;

fn results(jobs: usize) -> Results {
    let mut plan = fake::plan(
        &[
            "sequential",
            "round-robin",
            "weighted-incremental:alpha=0.1",
        ],
        8,
    );
    plan.pages.push(Arc::new(fake::page("shop")));
    plan.browser.jitter = 0.1;
    let go_on = |_| ControlFlow::Continue(());
    run_race(&plan, jobs, &fake::load, &go_on).unwrap()
}

fn bytes(results: &Results) -> Vec<u8> {
    let mut out = Vec::new();
    write_json(results, &mut out).unwrap();
    out
}

fn changed(change: impl Fn(&mut Value)) -> String {
    let mut value: Value = serde_json::from_slice(&bytes(&results(1))).unwrap();
    change(&mut value);
    read_plan("out.json", value.to_string().as_bytes())
        .unwrap_err()
        .to_string()
}

#[test]
fn a_rerun_of_what_was_written_writes_the_same_bytes() {
    let first = bytes(&results(1));
    assert_eq!(first, bytes(&results(3)), "threads show");
    let read = read_plan("out.json", &first).unwrap();
    assert_eq!(read.plan, results(1).plan);
    assert_eq!(read.version, crate::VERSION);
    let go_on = |_| ControlFlow::Continue(());
    let again = run_race(&read.plan, 2, &fake::load, &go_on).unwrap();
    assert_eq!(first, bytes(&again));
}

#[test]
fn the_plan_alone_reads_back() {
    let plan = results(1).plan;
    assert_eq!(
        read_plan("scenario.json", scenario_text(&plan).as_bytes())
            .unwrap()
            .plan,
        plan
    );
}

#[test]
fn values_have_their_units_and_verdicts_are_there() {
    let value: Value = serde_json::from_slice(&bytes(&results(1))).unwrap();
    assert_eq!(value["format"], "pagerace-results");
    assert_eq!(value["results"].as_array().unwrap().len(), 12);
    let lcp = value["results"][0]["values"]["lcp_ms"].as_array().unwrap();
    assert_eq!(lcp.len(), 8);
    assert!(lcp.iter().all(|v| v.as_f64().is_some_and(|v| v > 1000.0)));
    assert_eq!(
        value["results"][0]["values"]["cls"],
        serde_json::to_value([(); 8]).unwrap()
    );
    let verdict = value["comparisons"][0]["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("fast-4g: "), "{verdict}");
    assert_eq!(value["across_pages"].as_array().unwrap().len(), 2);
    assert_eq!(value["run_seeds"].as_array().unwrap().len(), 8);
}

#[test]
fn contenders_are_there_with_all_they_are() {
    let plan = fake::plan(&["h1", "h2 reno", "h3 reno round-robin"], 8);
    let go_on = |_| ControlFlow::Continue(());
    let mut results = fake::results(&plan, |(_, _, c), k| {
        fake::times(1000.0 - 90.0 * c as f64 + k as f64, 1.0, 1.0)
    });
    for network in 0..2 {
        explain_network(&mut results, network, 1, &fake::explain, &go_on).unwrap();
    }
    let value: Value = serde_json::from_slice(&bytes(&results)).unwrap();
    let expected = json!({
        "label": "h3 reno round-robin", "protocol": "h3", "congestion": "reno", "visit": "cold",
        "strategy": "round-robin", "reliability": "full", "interventions": "none", "changes": "unchanged",
    });
    assert_eq!(value["results"][2]["contender"], expected);
    assert_eq!(value["explanations"].as_array().unwrap().len(), 4);
    for why in value["explanations"].as_array().unwrap() {
        let parts = why["parts"].as_array().unwrap();
        for sum in ["baseline_ns", "contender_ns", "difference_ns"] {
            let added: i64 = parts.iter().map(|part| part[sum].as_i64().unwrap()).sum();
            assert_eq!(added, why[sum].as_i64().unwrap(), "{sum}");
        }
    }
}

#[test]
fn what_is_not_ours_is_refused_clearly() {
    let read = |text: &str| {
        read_plan("x.json", text.as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert!(read("hello").starts_with("x.json: not JSON"));
    assert!(read("{\"log\": {}}").contains("this is a HAR"));
    assert!(read("[1]").contains("not the results of a race"));
    assert!(read("{\"format\": \"other\"}").contains("not the results of a race"));
    assert!(read("{\"format\": \"pagerace-results\"}").contains("schema is missing"));
    assert!(
        read("{\"format\": \"pagerace-results\", \"schema\": 99}").contains("its schema is 99")
    );
    let old = read("{\"format\": \"pagerace-results\", \"schema\": 1}");
    assert!(
        old.contains("its schema is 1, but this version reads schema 9"),
        "{old}"
    );
}

#[test]
fn live_results_say_so_and_under_which_circumstances() {
    let mut live = results(1);
    live.provenance = Provenance::Live;
    live.environment = vec![Fact::new("browser", "Chromium 156.0")];
    live.variants[0].runs[3].load.cls = LayoutShift::from_score(0.125);
    let packets: MetricId = "packets-lost".parse().unwrap();
    live.variants[0].runs[3].uncounted.insert(packets);
    let value: Value = serde_json::from_slice(&bytes(&live)).unwrap();
    assert_eq!(value["world"], "live");
    assert_eq!(
        value["environment"],
        json!([{"name": "browser", "value": "Chromium 156.0"}])
    );
    let values = &value["results"][0]["values"];
    assert_eq!(values["cls"][3], 0.125);
    assert_eq!(values["packets_lost"][3], Value::Null);
    assert_eq!(values["packets_lost"][2], 0.0);
    assert_eq!(
        read_plan("live.json", &bytes(&live)).unwrap().provenance,
        Provenance::Live
    );
}

#[test]
fn unknown_fields_are_refused_at_any_depth() {
    assert!(changed(|v| v["colour"] = json!(1)).contains("colour"));
    assert!(changed(|v| v["plan"]["sead"] = json!(1)).contains("sead"));
    let deep = changed(|v| v["plan"]["pages"][1]["resources"][0]["byts"] = json!(1));
    assert!(deep.contains("plan.pages[1].resources[0].byts"), "{deep}");
    let tagged = changed(|v| {
        v["plan"]["pages"][0]["resources"][0]["discovery"]["trigger"]["x"] = json!(1);
    });
    assert!(tagged.contains("trigger.x"), "{tagged}");
}

#[test]
fn missing_and_wrong_fields_are_named() {
    let missing = changed(|v| {
        v["plan"].as_object_mut().unwrap().remove("runs");
    });
    assert!(missing.contains("runs"), "{missing}");
    let wrong = changed(|v| v["plan"]["contenders"][0]["strategy"] = json!("teleport"));
    assert!(wrong.contains("teleport"), "{wrong}");
    let useless = changed(|v| v["plan"]["runs"] = json!(0));
    assert!(useless.contains(": runs: 0 loads"), "{useless}");
}

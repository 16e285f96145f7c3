use std::ops::ControlFlow;

use pagerace_lab::fake::{self, times};
use pagerace_lab::metric::MetricId;
use pagerace_lab::runner::run_live;

use super::{Observation, Observations, ObservedRun};
use crate::samples::{metric, observation, observations};

#[test]
fn a_file_reads_back() {
    let file = observations();
    let text = file.to_json();
    assert!(text.ends_with("}\n"));
    let read = Observations::from_json("live.json", text.as_bytes()).unwrap();
    assert_eq!(read, file);
    assert_eq!(read.to_json(), text);
}

#[test]
fn what_is_not_ours_is_refused_clearly() {
    let read = |text: &str| {
        Observations::from_json("x.json", text.as_bytes())
            .unwrap_err()
            .to_string()
    };
    assert!(read("hello").starts_with("x.json: not JSON"));
    assert!(read("{}").contains("no observations"));
    let other = observations()
        .to_json()
        .replace("\"schema\": 1", "\"schema\": 9");
    assert!(read(&other).contains("its schema is 9"));
    let unknown = observations()
        .to_json()
        .replace("\"rejected_runs\"", "\"rejected\"");
    assert!(read(&unknown).contains("unknown field `rejected`"));
    let setting = observations()
        .to_json()
        .replacen("\"setting\":0", "\"setting\":1", 1);
    assert!(
        read(&setting).contains("it has a setting that is not in the file"),
        "{}",
        read(&setting)
    );
    let wrong = observations().to_json().replace("\"lcp\"", "\"lcb\"");
    assert!(
        read(&wrong).contains("unknown metric \"lcb\""),
        "{}",
        read(&wrong)
    );
}

#[test]
fn live_results_become_observations() {
    let plan = fake::plan(&["sequential", "round-robin"], 3);
    let go_on = |_| ControlFlow::Continue(());
    let results = run_live(
        &plan,
        |load| {
            if (load.contender, load.run) == (1, 2) {
                return Ok(fake::failed());
            }
            let mut run = times(100.0 * (load.run + 1) as f64, 5.0, 6.0);
            run.uncounted
                .extend(MetricId::all().filter(|m| m.metric().key() == "packets_sent"));
            Ok(run)
        },
        &go_on,
    )
    .unwrap();
    let made = Observation::of(&results, 3);
    assert_eq!(
        (made.page.as_str(), made.network.as_str()),
        ("news", "cable")
    );
    assert_eq!(made.contender, plan.contenders[1]);
    assert_eq!(made.runs[1].seed, plan.run_seed(1));
    assert_eq!(made.values(metric("lcp")), [100.0, 200.0, f64::INFINITY]);
    assert_eq!(made.failed(), 1);
    assert!(!made.runs[0].values.contains_key(&metric("packets-sent")));
    assert_eq!(made.runs[0].value(metric("packets-lost")), Some(0.0));
}

#[test]
fn failed_loads_are_later_than_any_but_have_no_score() {
    let seen = observation("news", "h3", &[3.0, f64::INFINITY, 5.0]);
    assert_eq!(seen.median(metric("lcp")), Some(5.0));
    assert_eq!(seen.runs[1].value(metric("cls")), None);
    assert_eq!(seen.median(metric("cls")), None);
    assert_eq!(ObservedRun::default().value(metric("lcp")), None);
}

use std::ops::ControlFlow;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_net::Network;
use pagerace_sim::LoadSettings;
use pagerace_sim::{BulkOutcome, BulkScenario};
use serde_json::Value;

use super::{
    BulkContender, BulkPlan, BulkResults, bulk_report, bulk_sentence, run_bulk, write_bulk_json,
};

const SIZE: u64 = 1_000_000;

fn plan(contenders: &[(Protocol, &str)]) -> BulkPlan {
    BulkPlan {
        bytes: SIZE,
        networks: vec![
            Network::parse("cable").unwrap(),
            Network::parse("fast-4g").unwrap(),
        ],
        contenders: contenders
            .iter()
            .map(|(protocol, congestion)| BulkContender {
                protocol: *protocol,
                congestion: (*congestion).to_owned(),
            })
            .collect(),
        runs: 3,
        seed: 1,
        settings: LoadSettings {
            quic_mtu: 1_200,
            deadline: Duration::from_secs(60),
            ..LoadSettings::default()
        },
    }
}

/// HTTP/3 takes one second and TCP two; every other run takes slightly longer.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
fn transfer(scenario: &BulkScenario, seed: u64) -> Result<BulkOutcome, String> {
    let ms = if scenario.protocol.is_tcp() {
        2000
    } else {
        1000
    } + seed % 2;
    Ok(BulkOutcome {
        finished_at: Instant::ZERO + Duration::from_millis(ms),
        bytes: scenario.bytes,
        bytes_down: scenario.bytes + 40_000,
        bytes_up: 10_000,
        arrived: vec![SIZE / 2; 2],
        failure: (scenario.congestion == "reno").then(|| "the deadline passed".to_owned()),
        ..BulkOutcome::default()
    })
}

fn results(contenders: &[(Protocol, &str)], jobs: usize) -> BulkResults {
    let go_on = |_| ControlFlow::Continue(());
    run_bulk(&plan(contenders), jobs, &transfer, &go_on).unwrap()
}

const BOTH: [(Protocol, &str); 2] = [(Protocol::H2, "cubic"), (Protocol::H3, "cubic")];

#[test]
fn what_is_counted() {
    let summary = results(&BOTH, 1).summary(1, 1);
    assert_eq!(summary.failed_runs, 0);
    let time = summary.time_ms.unwrap();
    assert!((1000.0..=1001.0).contains(&time), "{time}");
    // A megabyte per second is 8 Mbit/s. Overhead includes both directions.
    assert!((summary.goodput_bits_per_second.unwrap() - 8e6).abs() < 1e4);
    assert!((summary.overhead_percent.unwrap() - 5.0).abs() < 1e-9);
}

#[test]
fn threads_do_not_show() {
    let json = |jobs| {
        let mut out = Vec::new();
        write_bulk_json(&results(&BOTH, jobs), &mut out).unwrap();
        out
    };
    assert_eq!(json(1), json(3));
    let value: Value = serde_json::from_slice(&json(1)).unwrap();
    assert_eq!(
        (&value["format"], &value["schema"]),
        (&"pagerace-bulk".into(), &2.into())
    );
    assert_eq!(value["results"].as_array().unwrap().len(), 4);
    assert_eq!(value["results"][0]["runs"][2]["outcome"]["bytes"], SIZE);
}

#[test]
fn the_fastest_is_named() {
    let say = |contenders: &[(Protocol, &str)]| bulk_sentence(&results(contenders, 1), 0);
    let h3 = say(&BOTH);
    assert!(h3.starts_with("cable: h3 is fastest with 100"), "{h3}");
    assert!(h3.ends_with("(50 %) less than h2."), "{h3}");
    let failed = "Failed transfers (they count as longer than any other): reno 3 of 3.";
    let failing = say(&[(Protocol::H2, "reno"), (Protocol::H2, "cubic")]);
    assert!(
        failing.starts_with("cable: cubic takes 200")
            && failing.ends_with(&format!(" where reno mostly fails. {failed}")),
        "{failing}"
    );
    let none = say(&[(Protocol::H2, "reno")]);
    assert!(
        none.starts_with("cable: all transfers failed. Failed transfers"),
        "{none}"
    );
}

/// Two of the three HTTP/3 runs fail.
fn mostly_failing() -> BulkResults {
    let mut results = results(&BOTH, 1);
    for outcome in &mut results.cells[1][..2] {
        outcome.failure = Some("not complete after 60 s".to_owned());
    }
    results
}

#[test]
fn survivors_do_not_speak_for_those_that_failed() {
    let results = mostly_failing();
    let summary = results.summary(0, 1);
    assert_eq!(summary.failed_runs, 2);
    assert_eq!(summary.time_ms, Some(f64::INFINITY));
    let range = summary.time_min_ms.zip(summary.time_max_ms);
    let (shortest, longest) = range.unwrap();
    assert!(shortest.is_finite() && longest.is_infinite());
    assert_eq!(summary.goodput_bits_per_second, Some(0.0));
    assert_eq!(summary.overhead_percent, Some(f64::INFINITY));
    assert_eq!(
        (results.failed(), results.reasons()),
        (2, vec!["not complete after 60 s"])
    );
    // HTTP/2 wins, although the only finished HTTP/3 run is twice as fast.
    let sentence = bulk_sentence(&results, 0);
    assert!(sentence.starts_with("cable: h2 takes 200"), "{sentence}");
    assert!(
        sentence.contains("where h3 mostly fails. Failed transfers"),
        "{sentence}"
    );
    assert!(sentence.ends_with("h3 2 of 3."), "{sentence}");
    // Files contain null for infinite values, and the number of failures.
    let mut out = Vec::new();
    write_bulk_json(&results, &mut out).unwrap();
    let value: Value = serde_json::from_slice(&out).unwrap();
    let cell = &value["results"][1];
    assert_eq!(
        (&cell["time_ms"], &cell["failed_runs"]),
        (&Value::Null, &2.into())
    );
    assert!(cell["time_min_ms"].is_number() && cell["time_max_ms"].is_null());
    let report = bulk_report(&results, "");
    assert_eq!(report.failures, ["not complete after 60 s"]);
    assert_eq!(
        report.networks[0].transfers[1].summary.time_ms,
        Some(f64::INFINITY)
    );
}

#[test]
fn one_failure_of_three_does_not_move_the_median_to_the_fastest() {
    let mut results = results(&BOTH, 1);
    for (outcome, ms) in results.cells[1].iter_mut().zip([1000, 3000, 5000]) {
        outcome.finished_at = Instant::ZERO + Duration::from_millis(ms);
    }
    results.cells[1][2].failure = Some("lost".to_owned());
    // The median over the finished runs alone would be 2000 ms.
    assert_eq!(results.summary(0, 1).time_ms, Some(3000.0));
}

#[test]
fn twins_and_nothing_are_refused() {
    let refused = |change: &dyn Fn(&mut BulkPlan)| {
        let mut plan = plan(&BOTH);
        change(&mut plan);
        plan.check().unwrap_err().to_string()
    };
    assert!(refused(&|p| p.bytes = 0).starts_with("size:"));
    assert!(refused(&|p| p.contenders.push(p.contenders[0].clone())).contains("twice"));
    assert!(refused(&|p| p.networks.push(p.networks[0].clone())).contains("cable is given twice"));
    assert!(refused(&|p| p.runs = 0).contains("a run"));
    assert!(refused(&|p| p.settings.quic_mtu = 1_500).starts_with("quic-mtu: 1500 bytes"));
}

#[test]
fn the_report_has_the_median_run() {
    let report = bulk_report(&results(&BOTH, 1), "pagerace bulk");
    assert_eq!(report.title, "1.00 MB: one transfer");
    let names: Vec<_> = report.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["h2", "h3"]);
    assert_eq!(report.networks[0].transfers[1].arrived, [SIZE / 2; 2]);
}

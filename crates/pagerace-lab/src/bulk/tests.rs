use std::ops::ControlFlow;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_net::Network;
use pagerace_sim::{BulkOutcome, BulkScenario};
use pagerace_transport::tls;
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
        tcp_tls: tls::Version::Tls13,
        deadline: Duration::from_secs(60),
    }
}

/// HTTP/3 takes a second, TCP two; every other run a little more.
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
    assert_eq!(summary.failed, 0);
    let time = summary.time_ms.unwrap();
    assert!((1000.0..=1001.0).contains(&time), "{time}");
    // A megabyte in a second is eight megabits a second; both directions are overhead.
    assert!((summary.goodput.unwrap() - 8e6).abs() < 1e4);
    assert!((summary.overhead.unwrap() - 0.05).abs() < 1e-12);
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
        (&"pagerace-bulk".into(), &1.into())
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
    let failing = say(&[(Protocol::H2, "reno"), (Protocol::H2, "cubic")]);
    assert!(failing.contains("cubic finishes") && failing.ends_with("the first does not."));
    assert_eq!(
        say(&[(Protocol::H2, "reno")]),
        "cable: no transfer finished."
    );
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
    assert!(refused(&|p| p.networks.push(p.networks[0].clone())).contains("cable is there twice"));
    assert!(refused(&|p| p.runs = 0).contains("a run"));
}

#[test]
fn the_report_has_the_median_run() {
    let report = bulk_report(&results(&BOTH, 1), "pagerace bulk");
    assert_eq!(report.title, "1.00 MB: one transfer");
    let names: Vec<_> = report.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["h2", "h3"]);
    assert_eq!(report.networks[0].transfers[1].arrived, [SIZE / 2; 2]);
}

//! A stand-in for the simulator, in tests of this crate and of crates above it.

#![allow(clippy::unwrap_used, reason = "tests fail where they stand")]

use std::sync::Arc;

use pagerace_browser::LoadMetrics;
use pagerace_core::{Destination, Duration, Instant, Protocol, RequestPriority, Rng};
use pagerace_net::Network;
use pagerace_page::model::{
    Category, Origin, Page, Paints, RecordedPage, Resource, ResourceId, Trigger,
};
use pagerace_sim::{Explainable, Explained, Outcome, Part, Parts, Scenario, TransportCounters};

use crate::contender::{Contender, ContenderText};
use crate::model_error::ModelErrors;
use crate::plan::Plan;
use crate::results::{Results, RunSummary};
use crate::runner::run_race;

/// Returns a page of one document.
pub fn page(name: &str) -> Page {
    Page {
        name: name.to_owned(),
        url: format!("https://{name}.example/"),
        origins: vec![Origin {
            scheme: "https".to_owned(),
            host: format!("{name}.example"),
            port: 443,
            address: None,
            connection_group: 0,
            third_party: false,
            recorded_rtt: None,
            unvisited: false,
            protocol: None,
        }],
        resources: vec![Resource {
            mime_type: "text/html".to_owned(),
            body_bytes: 20_000,
            think_time: Duration::from_millis(20),
            priority: RequestPriority::VeryHigh,
            render_blocking: true,
            category: Category::Html,
            ..Resource::new(
                ResourceId(0),
                format!("https://{name}.example/"),
                Destination::Document,
                Trigger::Navigation,
            )
        }],
        document: ResourceId(0),
        joins: Vec::new(),
        hints: Vec::new(),
        recorded: RecordedPage::default(),
        paints: Paints::default(),
        notes: Vec::new(),
    }
}

/// Returns the contender that the text describes, with the defaults of a race.
pub fn contender(text: &str) -> Contender {
    let read: ContenderText = text.parse().unwrap();
    read.or(&Contender::default())
}

/// Returns a race of these contenders on fast-4g and cable, in one world; the first is the
/// baseline.
pub fn plan(contenders: &[&str], runs: u32) -> Plan {
    let networks = ["fast-4g", "cable"].map(|name| Network::parse(name).unwrap());
    let contenders = contenders.iter().map(|text| contender(text)).collect();
    let mut plan = Plan {
        runs,
        worlds: crate::worlds::Worlds::Nominal,
        ..Plan::new(vec![Arc::new(page("news"))], networks.into(), contenders)
    };
    plan.settings.deadline = Duration::from_secs(60);
    plan
}

/// Runs a load whose times depend only on strategy and seed.
///
/// # Errors
/// Never.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
pub fn load(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut rng = Rng::new(seed, "fake");
    let base = 1000.0 + 100.0 * rng.unit();
    let gain = if scenario.strategy.to_string().starts_with("round-robin") {
        200.0
    } else {
        0.0
    };
    Ok(outcome(base + gain, seed))
}

/// Explains a load that spends a third of its time on set-up and the rest on
/// browser work. Each older version of HTTP adds 90 ms of set-up.
///
/// # Errors
/// Never.
#[allow(
    clippy::unnecessary_wraps,
    reason = "it stands for a function that can fail"
)]
pub fn explain(
    scenario: &Scenario,
    seed: u64,
    _metric: Explainable,
) -> Result<Option<Explained>, String> {
    let outcome = load(scenario, seed, true)?;
    let lcp = outcome.load.lcp.unwrap();
    let third = Duration::from_nanos(lcp.as_nanos() / 3);
    let age = match scenario.protocols.is_uniform() {
        Some(Protocol::H1) => 2,
        Some(Protocol::H2) => 1,
        _ => 0,
    };
    let mut parts = Parts::default();
    parts.add(Part::SetUp, third + Duration::from_millis(90) * age);
    parts.add(Part::Browser, lcp - third);
    Ok(Some(Explained {
        total: parts.total(),
        parts,
        path: Vec::new(),
        outcome,
    }))
}

/// Returns an outcome with this LCP in milliseconds.
pub fn outcome(lcp_ms: f64, seed: u64) -> Outcome {
    let lcp = Some(Duration::from_millis_f64(lcp_ms));
    Outcome {
        load: LoadMetrics {
            lcp,
            ..LoadMetrics::default()
        },
        transport: TransportCounters {
            packets_sent: seed % 100,
            ..TransportCounters::default()
        },
        resources: vec![None],
        objects: vec![None],
        essential: None,
        visual_progress: vec![(Instant::from_nanos(1_000_000), 1.0)],
        failure: None,
        unanswered: Vec::new(),
        finished_at: Instant::from_nanos(2_000_000),
        trace: None,
    }
}

/// Returns results whose loads `run` defines, given the variant's parts and the run.
pub fn results(plan: &Plan, run: impl Fn((usize, usize, usize), usize) -> RunSummary) -> Results {
    let go_on = |_| std::ops::ControlFlow::Continue(());
    let mut results = run_race(plan, 1, &load, &go_on).unwrap();
    // Tests of statistics do without measured classes.
    results.model_errors = ModelErrors::default();
    for variant in &mut results.variants {
        let parts = (variant.page, variant.network, variant.contender);
        for (k, summary) in variant.runs.iter_mut().enumerate() {
            *summary = run(parts, k);
        }
    }
    results
}

/// Returns a finished run with these times in milliseconds.
pub fn times(lcp: f64, speed_index: f64, onload: f64) -> RunSummary {
    let ms = |v| Some(Duration::from_millis_f64(v));
    RunSummary {
        load: LoadMetrics {
            lcp: ms(lcp),
            speed_index: ms(speed_index),
            onload: ms(onload),
            ..LoadMetrics::default()
        },
        ..RunSummary::default()
    }
}

/// Returns a failed run.
pub fn failed() -> RunSummary {
    RunSummary {
        failure: Some("the deadline passed".to_owned()),
        ..RunSummary::default()
    }
}

use std::collections::BTreeSet;

use super::StrategySpec;
use crate::{DEFAULTS, registry};

fn spec(text: &str) -> StrategySpec {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn error(text: &str) -> String {
    text.parse::<StrategySpec>().expect_err(text).to_string()
}

#[test]
fn displays_all_parameters() {
    assert_eq!(spec("eps").to_string(), "eps");
    assert_eq!(
        spec("batched-round-robin").to_string(),
        "batched-round-robin:n=10"
    );
    assert_eq!(
        spec(" weighted-incremental : alpha = .75 ").to_string(),
        "weighted-incremental:alpha=0.75:urgency=class"
    );
    assert_eq!(
        spec("hybrid:urgency=signalled:alpha=1.0").to_string(),
        "hybrid:alpha=1:urgency=signalled"
    );
    assert_eq!(
        format!("{:>6}|{:?}", spec("eps"), spec("fifo")),
        "   eps|StrategySpec(fifo)"
    );
}

#[test]
fn labels_what_differs_from_the_default() {
    assert_eq!(spec("hybrid:alpha=0.50").label(), "hybrid");
    assert_eq!(spec("hybrid:alpha=0.25").label(), "hybrid:alpha=0.25");
    assert_eq!(
        spec("batched-round-robin:n=3").label(),
        "batched-round-robin:n=3"
    );
}

#[test]
fn equal_if_resolved_alike() {
    assert_eq!(spec("hybrid"), spec("hybrid:alpha=5e-1:urgency=class"));
    assert_eq!(spec("hybrid:alpha=-0"), spec("hybrid:alpha=0"));
    assert_ne!(spec("hybrid"), spec("hybrid:alpha=0.4"));
    assert!(spec("eps") < spec("fifo"));
}

#[test]
fn every_default_parses_builds_and_comes_back() {
    for text in DEFAULTS {
        let spec = spec(text);
        assert_eq!(spec.to_string(), *text, "defaults are written out in full");
        assert_eq!(spec.label().parse(), Ok(spec.clone()));
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(json, format!("\"{text}\""));
        assert_eq!(serde_json::from_str::<StrategySpec>(&json).unwrap(), spec);
        spec.build();
    }
}

#[test]
fn every_strategy_runs_by_default_and_is_described() {
    let names: Vec<_> = StrategySpec::defaults()
        .iter()
        .map(StrategySpec::name)
        .collect();
    let listed: Vec<_> = registry().iter().map(|info| info.name).collect();
    let mut others = listed.clone();
    // `h2-tree` needs a client that signals a tree.
    others.retain(|name| *name != "h2-tree");
    assert_eq!(names, others);
    assert_eq!(
        listed.iter().collect::<BTreeSet<_>>().len(),
        listed.len(),
        "a name twice"
    );
    for info in registry() {
        assert!(
            info.name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{}",
            info.name
        );
        assert!(
            !info.summary.is_empty() && !info.source.is_empty(),
            "{}",
            info.name
        );
        assert_eq!(spec(info.name).name(), info.name);
    }
}

#[test]
fn says_what_is_wrong_with_a_name() {
    let message = error("sequentail");
    assert!(message.starts_with("unknown strategy \"sequentail\"; the strategies are "));
    assert!(
        message.ends_with("hybrid; did you mean sequential?"),
        "all are listed: {message}"
    );
    assert!(error("rr").contains("did you mean round-robin"));
    assert!(error("epss").contains("did you mean eps"));
    assert!(!error("zzzzzzzz").contains("did you mean"));
    assert!(error(":alpha=1").contains("is empty"));
}

#[test]
fn says_what_is_wrong_with_a_parameter() {
    assert!(error("eps:alpha=1").contains("eps has no parameter \"alpha\": it takes none"));
    let message = error("batched-round-robin:m=1");
    assert!(
        message.contains("it takes n (a whole number from 1 to 1000)"),
        "{message}"
    );
    assert!(
        error("hybrid:alpha").contains("has no value: write alpha=VALUE, a number from 0 to 1")
    );
    assert!(error("hybrid:alpha=").contains("has no value"));
    assert!(error("hybrid:").contains("has no parameter \"\""));
    assert!(error("hybrid:alpha=1:alpha=1").contains("given twice"));
    for value in ["1.01", "-0.01", "NaN", "inf", "half", "1,5", "1=1"] {
        let message = error(&format!("hybrid:alpha={value}"));
        assert!(
            message.contains("it must be a number from 0 to 1"),
            "{message}"
        );
    }
    for value in ["0", "1001", "-1", "2.5", "99999999999999999999"] {
        let message = error(&format!("batched-round-robin:n={value}"));
        assert!(
            message.contains("it must be a whole number from 1 to 1000"),
            "{message}"
        );
    }
    assert!(error("hybrid:urgency=mine").contains("it must be one of class, signalled"));
}

#[test]
fn a_serialised_spec_that_is_wrong_says_so() {
    let message = serde_json::from_str::<StrategySpec>("\"fife\"")
        .unwrap_err()
        .to_string();
    assert!(message.contains("did you mean fifo"), "{message}");
}

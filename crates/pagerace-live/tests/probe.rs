//! Probes of our server over loopback sockets, also through an emulated path with loss.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[path = "support/relay.rs"]
mod relay;

use pagerace_delivery::StrategySpec;
use pagerace_live::{probe, secret_seed};
use pagerace_net::Network;
use pagerace_probe::candidate::Ear;
use pagerace_probe::{Budget, Candidate, Model, judge, observe};
use relay::Truth;

/// Probes a server of this strategy, and chooses among the default strategies.
fn found(strategy: &str, network: Option<&str>) -> Option<String> {
    let strategy: StrategySpec = strategy.parse().unwrap();
    let network = network.map(|text| Network::parse(text).unwrap());
    let truth = Truth::start(&strategy, network.as_ref(), 1);
    let observed = observe(&truth.paths, &Budget::default(), |job| {
        probe::play(job, &truth.address, &truth.keys, secret_seed()?)
    });
    let observed = observed.unwrap();
    let model = Model {
        repeats: 3,
        ..observed.model(1)
    };
    let entries: Vec<_> = StrategySpec::defaults()
        .into_iter()
        .map(|strategy| {
            let ear = Ear::ALL;
            let candidate = Candidate { strategy, ear };
            (candidate.clone(), model.expect(&candidate))
        })
        .collect();
    let verdict = judge(&observed.values(), &entries);
    let answer = verdict.answer()?;
    Some(answer.members[0].to_string())
}

#[test]
fn strategies_are_found_over_sockets() {
    for strategy in ["eps", "weighted-round-robin"] {
        assert_eq!(found(strategy, None).as_deref(), Some(strategy));
    }
}

#[test]
fn a_strategy_is_found_behind_a_path_with_loss() {
    let network = "rate 20mbit rtt 30ms loss 1% queue 200p";
    let found = found("sequential", Some(network));
    assert_eq!(found.as_deref(), Some("sequential"));
}

#[test]
fn a_server_that_is_not_trusted_is_not_probed() {
    let truth = Truth::start(&"fifo".parse().unwrap(), None, 1);
    let stranger = Truth::start(&"fifo".parse().unwrap(), None, 2);
    let error = observe(&truth.paths, &Budget::default(), |job| {
        probe::play(job, &truth.address, &stranger.keys, secret_seed()?)
    });
    let text = error.unwrap_err().to_string();
    assert!(text.contains("the connection was lost"), "{text}");
}

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
use pagerace_probe::{Budget, Candidate, End, Kind, Model, SCHEDULERS, judge, observe};
use relay::Truth;

/// Probes a server of this strategy, and compares with the default strategies. The timing of
/// sockets is that of the machine, so the answer itself is left to the tests in virtual time.
fn probed(strategy: &str, network: Option<&str>) {
    let strategy: StrategySpec = strategy.parse().unwrap();
    let network = network.map(|text| Network::parse(text).unwrap());
    let truth = Truth::start(&strategy, network.as_ref(), 1);
    let budget = Budget::default();
    let observed = observe(&truth.paths, &budget, |job| {
        probe::play(job, &truth.address, &truth.keys, secret_seed()?)
    });
    let observed = observed.unwrap();
    let used = observed.used;
    assert_eq!(observed.objects.len(), truth.paths.len());
    assert_eq!(observed.traces.len(), Kind::ALL.len());
    assert!(used.connections > Kind::ALL.len(), "{used:?}");
    assert!(used.requests <= budget.requests, "{used:?}");
    // Each connection may pass its limit by a datagram.
    let slack = 1_500 * used.connections as u64;
    assert!(used.bytes <= budget.bytes + slack, "{used:?}");
    assert!(used.payload >= used.bytes, "{used:?}");
    for trace in &observed.traces {
        assert!(trace.heads.iter().flatten().all(|head| head.status == 206));
        assert!(trace.chunks.is_sorted_by_key(|chunk| chunk.at));
        if trace.end == End::Complete {
            assert!(trace.heads.iter().all(Option::is_some), "{}", trace.script);
        }
    }
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
    let verdict = judge(&observed.values(), &entries, &SCHEDULERS);
    let truth = Candidate {
        strategy,
        ear: Ear::ALL,
    };
    let group = verdict.groups.iter().find(|g| g.members.contains(&truth));
    assert!(group.is_some_and(|g| g.distance.is_finite()), "{verdict:?}");
    let sum = verdict.groups.iter().map(|g| g.probability).sum::<f64>() + verdict.unknown;
    assert!((sum - 1.0).abs() < 1e-9, "{verdict:?}");
}

#[test]
fn servers_are_probed_over_sockets() {
    for strategy in ["eps", "weighted-round-robin"] {
        probed(strategy, None);
    }
}

#[test]
fn a_server_is_probed_behind_a_path_with_loss() {
    let network = "rate 20mbit rtt 30ms loss 1% queue 200p";
    probed("sequential", Some(network));
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

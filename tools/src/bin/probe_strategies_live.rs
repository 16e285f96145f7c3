//! Probes our ten strategies over sockets: three emulated paths on loopback, without loss and
//! with 1 %. docs/probe.md has the result. Takes a quarter of an hour.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin probe_strategies_live
//! ```

#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "../../../crates/pagerace-live/tests/support/relay.rs"]
mod relay;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_live::{probe, secret_seed};
use pagerace_net::Network;
use pagerace_probe::{Budget, SCHEDULERS, Subject, candidates, judge, observe};
use relay::Truth;

const PATHS: [&str; 3] = [
    "rate 50mbit rtt 10ms",
    "rate 20mbit rtt 40ms",
    "rate 10mbit rtt 120ms",
];

fn main() {
    let (mut right, mut all, mut sure) = (0, 0, 0);
    for path in PATHS {
        for loss in ["0%", "1%"] {
            let network = Network::parse(&format!("{path} loss {loss} queue 200p")).unwrap();
            for (seed, strategy) in StrategySpec::defaults().into_iter().enumerate() {
                let truth = Truth::start(&strategy, Some(&network), seed as u64);
                let budget = Budget::default();
                let observed = observe(
                    Protocol::H3,
                    Subject::Objects(&truth.paths),
                    &budget,
                    |job| probe::play(job, &truth.address, &truth.keys, secret_seed()?),
                );
                all += 1;
                let Ok(observed) = observed else {
                    println!("{path} loss {loss} {strategy}: {}", observed.unwrap_err());
                    continue;
                };
                let model = observed.model(1);
                let entries: Vec<_> = candidates(Protocol::H3)
                    .into_iter()
                    .map(|c| (c.clone(), model.expect(&c)))
                    .collect();
                let verdict = judge(&observed.values(), &entries, &SCHEDULERS);
                let has = |g: &pagerace_probe::Group<pagerace_probe::Candidate>| {
                    g.members.iter().any(|m| m.to_string() == strategy.label())
                };
                let answer = verdict.answer();
                right += u32::from(answer.is_some_and(has));
                sure += u32::from(answer.is_some_and(|g| !has(g) && g.probability > 0.9));
                let nearest = &verdict.groups[0];
                println!(
                    "{path} loss {loss} {strategy}: {} at {:.2}, probability {:.3}, right {}; \
                     measured {:.1} ms, {:.2} %, {:.1} s",
                    nearest.members[0],
                    nearest.distance,
                    nearest.probability,
                    answer.is_some_and(has),
                    observed.path.rtt.as_millis_f64(),
                    100.0 * observed.path.loss,
                    observed.used.time.as_secs_f64()
                );
            }
        }
    }
    println!("{right} of {all} right; {sure} wrong answers of more than 0.9");
}

//! Probes simulated servers over random paths and shows how often answers of each
//! probability are right. docs/evidence.md has the result.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin probe_strategies_simulated -- [PATHS] [SEED]
//! ```

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a program"
)]
#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]

#[path = "../../../crates/pagerace-probe/tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

use pagerace_core::{Protocol, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_probe::candidate::Ear;
use pagerace_probe::{Candidate, SCHEDULERS, candidates, judge};

/// Servers behind each path: half of the default strategies, a quarter of all candidates, a
/// quarter of strangers.
const SERVERS: usize = 12;

struct Case {
    /// Probability of the nearest group.
    probability: f64,
    /// True if the answer has the truth, or is *unknown* for a stranger.
    right: bool,
    answered: bool,
    line: String,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<u64>());
    let (Ok(paths), Ok(seed)) = (
        words.next().unwrap_or(Ok(20)),
        words.next().unwrap_or(Ok(1)),
    ) else {
        eprintln!("usage: calibrate [PATHS] [SEED]");
        return ExitCode::from(2);
    };
    let threads = 2;
    let cases: Vec<Case> = std::thread::scope(|scope| {
        let work = |thread| {
            (thread..paths)
                .step_by(threads as usize)
                .flat_map(|i| cases(seed, i))
        };
        let handles: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || work(thread).collect::<Vec<_>>()))
            .collect();
        let joined = handles.into_iter().map(|h| h.join().expect("no panic"));
        joined.flatten().collect()
    });
    report(&cases);
    ExitCode::SUCCESS
}

fn cases(seed: u64, path: u64) -> Vec<Case> {
    let mut rng = Rng::new(seed.wrapping_mul(1_000) + path, "path");
    let pick = |rng: &mut Rng, n: usize| rng.below(n as u64) as usize;
    let rtt = 2.0 * libm::pow(100.0, rng.unit());
    let loss = [0.0, 0.0, 0.5, 1.0, 2.0][pick(&mut rng, 5)];
    let rate = 5.0 + 95.0 * rng.unit();
    let network = format!("rate {rate:.1}mbit rtt {rtt:.1}ms loss {loss}% queue 200p");
    let objects = [1, 1, 3, 6][pick(&mut rng, 4)];
    let length = 30_000 + rng.below(300_000);
    let all = candidates(Protocol::H3);
    let mut library = None;
    let mut found = Vec::new();
    for server in 0..SERVERS {
        let defaults = StrategySpec::defaults();
        let heeding = |strategy| Candidate {
            strategy,
            ear: Ear::ALL,
        };
        let truth = match server % 4 {
            0 | 1 => Some(heeding(defaults[pick(&mut rng, defaults.len())].clone())),
            2 => Some(all[pick(&mut rng, all.len())].clone()),
            _ => None,
        };
        let strategy = truth.as_ref().map_or_else(
            || {
                let name = support::STRANGERS[pick(&mut rng, 3)].name;
                StrategySpec::parse_with(name, support::STRANGERS).expect("it is there")
            },
            |c| c.strategy.clone(),
        );
        let mut world = support::world(strategy, &network, support::site(objects, length));
        ["cubic", "bbr", "reno"][pick(&mut rng, 3)].clone_into(&mut world.congestion);
        world.mtu = 1_200 + rng.below(250) as u16;
        let observed = support::probe(&world, truth.as_ref(), rng.below(1 << 40));
        let library = library.get_or_insert_with(|| {
            let model = observed.model(7);
            all.iter()
                .map(|c| (c.clone(), model.expect(c)))
                .collect::<Vec<_>>()
        });
        let verdict = judge(&observed.values(), library, &SCHEDULERS);
        let has = |g: &pagerace_probe::Group<Candidate>| {
            truth.as_ref().is_some_and(|t| g.members.contains(t))
        };
        let answered = verdict.answer();
        let right = answered.map_or(truth.is_none(), has);
        let name = truth
            .as_ref()
            .map_or(world.strategy.to_string(), ToString::to_string);
        let nearest = &verdict.groups[0];
        found.push(Case {
            probability: nearest.probability,
            right,
            answered: answered.is_some(),
            line: format!(
                "{name} behind {network}, {objects} objects: {} at {:.2}, probability {:.3}",
                nearest.members[0], nearest.distance, nearest.probability
            ),
        });
    }
    found
}

fn report(cases: &[Case]) {
    for case in cases.iter().filter(|case| !case.right) {
        println!("wrong or unknown: {}", case.line);
    }
    println!("probability    answers   mean   right");
    for (low, high) in BINS {
        let inside = |c: &&Case| c.answered && low <= c.probability && c.probability < high;
        let bin: Vec<&Case> = cases.iter().filter(inside).collect();
        let right = bin.iter().filter(|c| c.right).count();
        let mean = bin.iter().map(|c| c.probability).sum::<f64>() / bin.len() as f64;
        println!(
            "{low:.2} to {:.2} {:10} {mean:6.3} {right:7}",
            high.min(1.0),
            bin.len()
        );
    }
    let unknown = cases.iter().filter(|c| !c.answered);
    let strangers = unknown.clone().filter(|c| c.right).count();
    println!("unknown {:14}        {strangers:7}", unknown.count());
    let right = cases.iter().filter(|c| c.right).count();
    println!("{right} of {} right", cases.len());
}

/// Ranges of probabilities.
const BINS: [(f64, f64); 4] = [(0.5, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)];

//! Probes simulated servers over random paths and shows how often answers of each
//! probability are right. docs/probe.md has the result.
//!
//! ```text
//! cargo run --release -p pagerace-probe --example calibrate -- [PATHS] [SEED]
//! ```

#[path = "../tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

use pagerace_core::Rng;
use pagerace_delivery::StrategySpec;
use pagerace_probe::candidate::Ear;
use pagerace_probe::{Candidate, candidates, judge};

/// Servers behind each path: half of the default strategies, a quarter of all candidates, a
/// quarter of strangers.
const SERVERS: usize = 12;

struct Case {
    /// Distances of groups, and whether the group has the truth.
    groups: Vec<(f64, bool)>,
    probability: f64,
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
    let all = candidates();
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
        world.congestion = ["cubic", "bbr", "reno"][pick(&mut rng, 3)].to_owned();
        world.mtu = 1_200 + rng.below(250) as u16;
        let observed = support::probe(&world, truth.as_ref(), rng.below(1 << 40));
        let library = library.get_or_insert_with(|| {
            let model = observed.model(7);
            all.iter()
                .map(|c| (c.clone(), model.expect(c)))
                .collect::<Vec<_>>()
        });
        let verdict = judge(&observed.values(), library);
        let has = |g: &pagerace_probe::Group| truth.as_ref().is_some_and(|t| g.members.contains(t));
        let answered = verdict.answer();
        let right = answered.map_or(truth.is_none(), has);
        let name = truth
            .as_ref()
            .map_or(world.strategy.to_string(), ToString::to_string);
        let groups: Vec<(f64, bool)> = verdict
            .groups
            .iter()
            .map(|g| (g.distance, has(g)))
            .collect();
        let nearest = verdict.groups[0].members[0].to_string();
        let shown: Vec<String> = groups
            .iter()
            .take(4)
            .map(|(d, t)| format!("{d:.3}/{t}"))
            .collect();
        found.push(Case {
            probability: verdict.groups[0].probability,
            right,
            answered: answered.is_some(),
            line: format!(
                "{right} {name} | {network} objects {objects} {} {} loss {:.3} | {nearest} {:.3} spread {:.2} | {}",
                world.congestion,
                world.mtu,
                observed.path.loss,
                verdict.groups[0].probability,
                verdict.spread,
                shown.join(" ")
            ),
            groups,
        });
    }
    found
}

fn report(cases: &[Case]) {
    for case in cases.iter().filter(|case| !case.right) {
        println!("{}", case.line);
    }
    for case in cases {
        let groups: Vec<String> = case
            .groups
            .iter()
            .map(|(d, t)| format!("{d:.3}/{t}"))
            .collect();
        println!("case {}", groups.join(" "));
    }
    println!("probability of the nearest   servers   right");
    for (low, high) in [
        (0.0, 0.5),
        (0.5, 0.7),
        (0.7, 0.9),
        (0.9, 0.99),
        (0.99, 1.01),
    ] {
        let inside = |c: &&Case| low <= c.probability && c.probability < high;
        let bin: Vec<&Case> = cases.iter().filter(inside).collect();
        let truths = bin.iter().filter(|c| c.groups[0].1).count();
        println!(
            "{low:.2} to {:.2} {:25} {truths:7}",
            f64::min(high, 1.0),
            bin.len()
        );
    }
    let right = cases.iter().filter(|c| c.right).count();
    let sure = cases
        .iter()
        .filter(|c| c.answered && !c.right && c.probability > 0.9);
    println!(
        "{right} of {} right; {} wrong answers of more than 0.9",
        cases.len(),
        sure.count()
    );
}

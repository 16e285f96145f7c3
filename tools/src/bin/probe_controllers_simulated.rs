//! Probes every congestion controller in virtual time on random paths, and prints how often the
//! answer is right. docs/probe.md has the result.
//!
//! ```text
//! cargo run --release -p pagerace-tools --bin probe_controllers_simulated -- PATHS [FIRST [h2]]
//! ```

#![allow(
    clippy::unwrap_used,
    reason = "this is a measurement, and fails where it stands"
)]
#![allow(clippy::print_stdout, reason = "this is a program")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::convert::Infallible;

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Protocol, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_net::Network;
use pagerace_probe::congestion::{Flights, Model, SCALE, Shape, controllers, observe, watch_tcp};
use pagerace_probe::http2::{self, Line, PIECE_MAX};
use pagerace_probe::model::Expected;
use pagerace_probe::plan::facts;
use pagerace_probe::world::{Served, ServedSite, World, play, watch};
use pagerace_probe::{Budget, Subject, Verdict, judge};

/// Size of the object in bytes.
const LENGTH: u64 = 400_000;

/// UDP payloads of servers' packets in bytes, over TCP their segments.
const MTUS: [u16; 4] = [1_200, 1_252, 1_350, 1_452];

struct Path {
    network: String,
    rtt: Duration,
    jitter: Duration,
    loss: f64,
    mtu: u16,
}

impl Path {
    fn random(seed: u64) -> Self {
        let mut rng = Rng::new(seed, "path");
        // Steps of the same ratio: 2 to 60 or 60 to 150 ms, 10 to 100 Mbit/s, 0.01 to 1 % in three
        // of four, and up to 1 ms of jitter in half.
        let (least, most) = if rng.chance(0.5) {
            (2.0, 60.0)
        } else {
            (60.0, 150.0)
        };
        let between = |least: f64, most: f64, at: f64| least * libm::pow(most / least, at);
        let rtt = between(least, most, rng.unit());
        let rate = between(10.0, 100.0, rng.unit());
        let some = between(0.01, 1.0, rng.unit());
        let loss = if rng.chance(0.25) { 0.0 } else { some };
        let some = rng.unit();
        let jitter = if rng.chance(0.5) { 0.0 } else { some };
        let mtu = MTUS[(rng.unit() * 4.0) as usize];
        Self {
            network: format!(
                "rate {rate:.1}mbit rtt {rtt:.2}ms jitter {jitter:.2}ms loss {loss:.4}% loss-up 0% \
                 queue 200p"
            ),
            rtt: Duration::from_nanos((rtt * 1e6) as u64),
            jitter: Duration::from_nanos((jitter * 1e6) as u64),
            loss,
            mtu,
        }
    }

    /// Probes a server behind the path.
    fn probe(&self, protocol: Protocol, controller: &str, seed: u64) -> Flights {
        let site = ServedSite(vec![Served {
            path: "/".to_owned(),
            length: LENGTH,
            media_type: "image/png".to_owned(),
            facts: facts("image/png"),
            think_time: Duration::ZERO,
        }]);
        let world = World {
            network: Network::parse(&self.network).unwrap(),
            site: site.clone(),
            congestion: controller.to_owned(),
            mtu: self.mtu,
            strategy: "fifo".parse::<StrategySpec>().unwrap(),
        };
        let line = Line {
            rtt: self.rtt,
            jitter: self.jitter,
            site,
            strategy: world.strategy.clone(),
            piece_max: PIECE_MAX,
        };
        // Each connection meets other losses.
        let connections = Cell::new(0);
        let next = || {
            connections.set(connections.get() + 1);
            derive_seed(seed, &format!("connection/{}", connections.get()))
        };
        let flights = observe(
            protocol,
            Subject::Objects(&["/".to_owned()]),
            &Budget::default(),
            |job| {
                Ok::<_, Infallible>(match protocol {
                    Protocol::H3 => play(&world, job, next()),
                    _ => http2::play(&line, job, next()),
                })
            },
            |fetch| {
                Ok(match protocol {
                    Protocol::H3 => watch(&world, fetch, next()),
                    _ => watch_tcp(&world, fetch, next(), &[]),
                })
            },
        );
        flights.unwrap()
    }
}

/// Controllers that differ in the end of slow start or in recovery alone.
fn family(name: &str) -> &str {
    match name {
        "newreno" | "quinn-newreno" | "quic-go" | "aioquic" => "reno",
        cubic if cubic.contains("cubic") => "cubic",
        other => other,
    }
}

#[derive(Default)]
struct Tally {
    all: u32,
    right: u32,
    unknown: u32,
    sure: u32,
    members: usize,
    families: u32,
    /// Answers by truth.
    matrix: BTreeMap<&'static str, BTreeMap<String, u32>>,
    left_out: (u32, u32, u32),
}

impl Tally {
    fn add(&mut self, truth: &'static str, verdict: &Verdict<&'static str>) {
        self.all += 1;
        let answer = verdict.answer();
        let right = answer.is_some_and(|g| g.members.contains(&truth));
        let members = answer.map_or(&[][..], |g| &g.members);
        self.right += u32::from(right);
        self.unknown += u32::from(answer.is_none());
        self.members += members.len();
        let one = members.iter().all(|m| family(m) == family(truth));
        self.families += u32::from(right && one);
        let name = if right {
            truth.to_owned()
        } else {
            members.join(" or ")
        };
        let name = if name.is_empty() {
            "unknown".to_owned()
        } else {
            name
        };
        *self
            .matrix
            .entry(truth)
            .or_default()
            .entry(name)
            .or_default() += 1;
        if let Some(group) = answer {
            self.sure += u32::from(!right && group.probability > 0.9);
        }
    }

    fn print(&self, name: &str) {
        let per = f64::from(self.all.max(1));
        println!(
            "{name}: {} of {} right ({:.1} %), {} unknown, {} surely wrong; {:.2} members; {} in \
             one family",
            self.right,
            self.all,
            100.0 * f64::from(self.right) / per,
            self.unknown,
            self.sure,
            self.members as f64 / per,
            self.families
        );
        for (truth, answers) in &self.matrix {
            println!("  {truth}: {answers:?}");
        }
        let (all, unknown, sure) = self.left_out;
        println!("  family left out: {unknown} of {all} unknown, {sure} surely wrong");
    }
}

/// Bounds of the probabilities that are counted together.
const BOUNDS: [f64; 5] = [0.5, 0.7, 0.9, 0.99, 1.0];

/// Answers by probability: number, sum of the probabilities, and how many are right.
#[derive(Default)]
struct Calibration([(u32, f64, u32); 4]);

impl Calibration {
    fn add(&mut self, truth: &str, verdict: &Verdict<&'static str>) {
        let Some(group) = verdict.answer() else {
            return;
        };
        let above = BOUNDS[1..4].iter().filter(|p| group.probability >= **p);
        let (all, sum, right) = &mut self.0[above.count()];
        *all += 1;
        *sum += group.probability;
        *right += u32::from(group.members.contains(&truth));
    }

    fn print(&self) {
        for (bounds, (all, sum, right)) in BOUNDS.windows(2).zip(self.0) {
            println!(
                "probability {} to {}: {all} answers, mean {:.3}, {right} right",
                bounds[0],
                bounds[1],
                sum / f64::from(all.max(1))
            );
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).map(|word| word.parse::<u64>().unwrap());
    let (paths, first) = (number(0).unwrap_or(4), number(1).unwrap_or(0));
    let protocol = words
        .get(2)
        .map_or(Protocol::H3, |word| word.parse().unwrap());
    let (mut clean, mut lossy) = (Tally::default(), Tally::default());
    let mut calibration = Calibration::default();
    let mut repeated = 0;
    for seed in first..first + paths {
        let path = Path::random(seed);
        // About one loss in a probe or more.
        let tally = if path.loss < 0.03 {
            &mut clean
        } else {
            &mut lossy
        };
        // Truths of the same measurements have the same candidates.
        let mut simulated: Vec<(Model, Vec<(&str, Expected)>)> = Vec::new();
        // Those of implementations are probed over sockets.
        for truth in controllers(Protocol::H2) {
            let flights = path.probe(protocol, truth, seed);
            let model = flights.model(1);
            let values: Vec<_> = flights.shapes().iter().map(Shape::values).collect();
            if !simulated.iter().any(|(known, _)| *known == model) {
                let expect = |name| (name, model.expect(name, &flights.trials));
                let entries = controllers(protocol).into_iter().map(expect).collect();
                simulated.push((model.clone(), entries));
            }
            let (_, entries) = simulated.iter().find(|(known, _)| *known == model).unwrap();
            let verdict = judge(&values, entries, &SCALE);
            tally.add(truth, &verdict);
            calibration.add(truth, &verdict);
            repeated += flights.used.connections - 3;
            if !verdict.answer().is_some_and(|g| g.members.contains(&truth)) {
                let own = verdict.groups.iter().find(|g| g.members.contains(&truth));
                println!(
                    "{seed} {} mtu {}: {truth} at {:.2}; nearest {:?} at {:.2}",
                    path.network,
                    path.mtu,
                    own.unwrap().distance,
                    verdict.groups[0].members,
                    verdict.groups[0].distance
                );
            }
            let others = entries
                .iter()
                .filter(|(n, _)| family(n) != family(truth))
                .cloned();
            let without = judge(&values, &others.collect::<Vec<_>>(), &SCALE);
            let answer = without.answer();
            tally.left_out.0 += 1;
            tally.left_out.1 += u32::from(answer.is_none());
            if let Some(group) = answer {
                tally.left_out.2 += u32::from(group.probability > 0.9);
                println!(
                    "{seed} {} mtu {}: {truth} left out; {:?} at {:.2} ({:.2})",
                    path.network, path.mtu, group.members, group.distance, group.probability
                );
            }
        }
    }
    clean.print("less than 0.03 % loss");
    lossy.print("more");
    calibration.print();
    println!("{repeated} trials repeated");
}

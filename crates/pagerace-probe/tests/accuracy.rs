//! Probes of simulated servers: the ten default strategies over three paths, without loss and
//! with 1 %, and servers that no candidate describes.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod support;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_probe::candidate::{Ear, Incremental};
use pagerace_probe::model::Expected;
use pagerace_probe::{
    Behaviour, Candidate, Heeded, Model, Observed, SCHEDULERS, Sharing, Verdict, candidates, judge,
};
use support::{STRANGERS, probe, site, world};

const PATHS: [&str; 3] = [
    "rate 100mbit rtt 8ms queue 200p",
    "rate 30mbit rtt 45ms queue 200p",
    "rate 10mbit rtt 140ms queue 200p",
];

fn heeding(strategy: StrategySpec) -> Candidate {
    let ear = Ear::ALL;
    Candidate { strategy, ear }
}

/// Simulates all candidates on two threads.
fn library(model: &Model) -> Vec<(Candidate, Expected)> {
    let all = candidates(Protocol::H3);
    let expect = |half: &[Candidate]| -> Vec<(Candidate, Expected)> {
        let each = half.iter().map(|c| (c.clone(), model.expect(c)));
        each.collect()
    };
    let (first, second) = all.split_at(all.len() / 2);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| expect(first));
        let second = expect(second);
        let mut both = first.join().unwrap();
        both.extend(second);
        both
    })
}

/// Returns the model of a probe with fewer repeats, so that tests take less time.
fn model(observed: &Observed) -> Model {
    Model {
        repeats: 4,
        ..observed.model(99)
    }
}

fn is_right(verdict: &Verdict<Candidate>, truth: &Candidate) -> bool {
    let answer = verdict.answer();
    answer.is_some_and(|group| group.members.contains(truth))
}

/// One path: the strategies, and the strangers, which must remain unknown. Returns the number
/// of right answers.
fn right_on(path: &str, seed: u64) -> usize {
    let mut library_of_path = None;
    let mut right = 0;
    for (i, strategy) in StrategySpec::defaults().into_iter().enumerate() {
        let world = world(strategy.clone(), path, site(6, 100_000));
        let observed = probe(&world, None, seed + i as u64);
        // All strategies of a path are measured alike, so one set of simulations serves them.
        let library = library_of_path.get_or_insert_with(|| library(&model(&observed)));
        let verdict = judge(&observed.values(), library, &SCHEDULERS);
        let truth = heeding(strategy);
        let nearest = &verdict.groups[0];
        let wrong = !nearest.members.contains(&truth) && verdict.answer().is_some();
        assert!(
            !wrong || nearest.probability <= 0.9,
            "{path}: {truth} is surely taken for {}",
            nearest.members[0]
        );
        right += usize::from(is_right(&verdict, &truth));
    }
    let library = library_of_path.unwrap();
    for info in STRANGERS {
        let strategy = StrategySpec::parse_with(info.name, STRANGERS).unwrap();
        let observed = probe(&world(strategy, path, site(6, 100_000)), None, seed);
        let verdict = judge(&observed.values(), &library, &SCHEDULERS);
        let answer = verdict.answer().map(|group| group.members[0].to_string());
        assert_eq!(answer, None, "{path}: {} is no candidate", info.name);
    }
    right
}

/// The product's goal: 19 of 20 answers are right.
#[test]
fn default_strategies_are_found_without_loss() {
    let right: usize = PATHS.iter().map(|path| right_on(path, 10)).sum();
    assert!(right * 20 >= 30 * 19, "{right} of 30");
}

#[test]
fn default_strategies_are_found_with_loss() {
    let right: usize = PATHS
        .iter()
        .map(|path| right_on(&format!("{path} loss 1%"), 50))
        .sum();
    assert!(right * 20 >= 30 * 19, "{right} of 30");
}

fn behaviour(truth: &Candidate) -> Behaviour {
    let world = world(truth.strategy.clone(), PATHS[0], site(1, 100_000));
    Behaviour::of(&probe(&world, Some(truth), 3))
}

#[test]
fn the_words_follow_what_a_server_heeds() {
    let eps: StrategySpec = "eps".parse().unwrap();
    let all = behaviour(&heeding(eps.clone()));
    assert_eq!(all.plain, Sharing::Sequential);
    assert_eq!(
        [
            all.field,
            all.incremental,
            all.before,
            all.after,
            all.in_flight
        ],
        [Heeded::Strictly; 5]
    );
    let deaf = behaviour(&Candidate {
        strategy: eps,
        ear: Ear {
            incremental: Incremental::Never,
            before: true,
            after: false,
        },
    });
    assert_eq!(
        (deaf.field, deaf.before),
        (Heeded::Strictly, Heeded::Strictly)
    );
    assert_eq!(
        [deaf.incremental, deaf.after, deaf.in_flight],
        [Heeded::Not; 3]
    );
    let turns = behaviour(&heeding("round-robin".parse().unwrap()));
    assert_eq!((turns.plain, turns.field), (Sharing::Shared, Heeded::Not));
    assert!((0.8..1.6).contains(&turns.run), "{}", turns.run);
}

#[test]
fn one_object_leaves_groups_that_cannot_be_told_apart() {
    let path = "rate 30mbit rtt 20ms queue 200p";
    let strategy: StrategySpec = "firefox-tree".parse().unwrap();
    let observed = probe(&world(strategy.clone(), path, site(1, 80_000)), None, 1);
    let verdict = judge(&observed.values(), &library(&model(&observed)), &SCHEDULERS);
    let group = verdict.answer().unwrap();
    assert!(group.members.contains(&heeding(strategy)));
    assert!(
        group
            .members
            .contains(&heeding("round-robin".parse().unwrap()))
    );
    assert!(!group.members.contains(&heeding("fifo".parse().unwrap())));
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let path = "rate 30mbit rtt 20ms loss 1% queue 200p";
    let world = world("eps".parse().unwrap(), path, site(2, 60_000));
    assert_eq!(probe(&world, None, 5), probe(&world, None, 5));
    assert_ne!(probe(&world, None, 5), probe(&world, None, 6));
}

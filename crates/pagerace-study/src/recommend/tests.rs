use std::collections::BTreeMap;
use std::ops::ControlFlow;

use pagerace_core::rng::Rng;
use pagerace_lab::{MetricId, Progress};

use super::population::{PopulationFacts, networks};
use super::{Evaluation, Feature, NetworkFacts, PageFacts, PolicyKind, Population, Rule};
use crate::compare::needed;
use crate::fixture::loads;
use crate::frame::Frame;
use crate::key::Dimension;

/// The networks of tests: loss in per cent.
const NETWORKS: [(&str, f64); 4] = [("clean", 0.0), ("fair", 0.5), ("poor", 1.5), ("bad", 3.0)];

fn metric() -> MetricId {
    "lcp".parse().unwrap()
}

/// The loads of some pages on all networks, and facts about both.
struct World {
    frame: Frame,
    facts: PopulationFacts,
}

impl World {
    /// Calls `value` with the page, the loss of the network and the protocol.
    fn new(pages: usize, mut value: impl FnMut(usize, f64, &str) -> f64) -> Self {
        let mut frame = Frame::new(&needed(metric()));
        let mut facts = PopulationFacts::default();
        for page in 0..pages {
            let name = format!("{page}.har");
            for (network, loss) in NETWORKS {
                for protocol in ["h1", "h2", "h3"] {
                    let value = value(page, loss, protocol);
                    frame.add(&loads(&name, network, protocol, &[value; 3], 0.0));
                }
            }
            let known = PageFacts {
                bytes: 1e6 * (page as f64 + 1.0),
                requests: 10.0 + (page * 7 % pages) as f64,
                hosts: 1.0 + (page % 3) as f64,
                providers: None,
            };
            facts.pages.insert((String::new(), name), known);
        }
        for (network, loss_percent) in NETWORKS {
            let known = NetworkFacts {
                rtt_ms: 50.0,
                down_mbps: 10.0,
                up_mbps: 5.0,
                loss_percent,
            };
            facts.networks.insert(network.to_owned(), known);
        }
        Self { frame, facts }
    }

    fn try_population(&self, today: Option<&str>) -> Result<Population, String> {
        let mut frame = self.frame.clone();
        frame.name_contenders();
        let shares = networks(&frame).into_iter().map(|name| (name, 1.0));
        let shares: BTreeMap<String, f64> = shares.collect();
        Population::new(&frame, metric(), today, &shares, &self.facts)
    }

    fn population(&self) -> Population {
        self.try_population(None).unwrap()
    }

    fn evaluate(&self) -> Evaluation {
        evaluate(&self.population(), 3)
    }
}

fn evaluate(population: &Population, depth: u8) -> Evaluation {
    let go_on = |_: Progress| ControlFlow::Continue(());
    super::evaluate(population, depth, 2, &go_on).unwrap()
}

fn split(feature: usize, above: f64, yes: Rule, no: Rule) -> Rule {
    Rule::Split {
        feature,
        above,
        yes: Box::new(yes),
        no: Box::new(no),
    }
}

#[test]
fn a_true_rule_is_found() {
    let world = World::new(12, |page, loss, protocol| {
        let base = 1_000.0 + 100.0 * page as f64;
        match (protocol, loss > 1.0) {
            ("h2", false) | ("h3", true) => base,
            ("h1", _) => base * 1.6,
            _ => base * 1.3,
        }
    });
    let population = world.population();
    let names: Vec<&str> = population
        .choices
        .iter()
        .map(|key| &*key.contender)
        .collect();
    assert_eq!(names, ["h2", "h1", "h3"], "today's choice is first");
    let found = evaluate(&population, 3);
    let rule = split(0, 1.0, Rule::Choose(2), Rule::Choose(0));
    assert_eq!(
        (population.features[0], &found.rule),
        (Feature::Loss, &rule)
    );
    assert_eq!((found.take, found.folds), (PolicyKind::Rule, 12));
    // The rule is as good as the oracle on pages that it has not seen.
    let regret = found.policy(PolicyKind::Rule).regret;
    assert!(regret.worst.abs() < 1e-12, "{regret:?}");
    let fixed = found.policy(PolicyKind::Fixed);
    // Half of the weight has no regret and half has 0.3: the median is between them.
    assert!((fixed.regret.mean - 0.15).abs() < 1e-12);
    assert!((fixed.regret.median - 0.15).abs() < 1e-12);
    assert!((fixed.regret.p90 - 0.3).abs() < 1e-12);
    // HTTP/3 is worse for the half without much loss, and on average neither better nor worse.
    let http3 = found.policy(PolicyKind::Http3);
    assert!((http3.pairs_worse - 0.5).abs() < 1e-12);
    assert!(http3.pages_worse.abs() < 1e-12 && http3.worst.len() == 24);
}

#[test]
fn a_rule_is_tested_on_networks_that_it_has_not_seen() {
    // The loss decides: HTTP/3 is better on the networks poor and bad.
    let world = World::new(12, |_, loss, protocol| match (protocol, loss > 1.0) {
        ("h2", false) | ("h3", true) => 1_000.0,
        _ => 1_300.0,
    });
    let (population, found) = (world.population(), world.evaluate());
    assert_eq!(found.take, PolicyKind::Rule);
    let unseen = found.unseen.unwrap();
    let gain = -libm::log(1.3);
    for ((network, _), changes) in population.networks.iter().zip(&unseen.networks) {
        // Without the network poor, the threshold lies above its loss.
        let (rule, seen) = match network.as_str() {
            "bad" => (gain, gain),
            "poor" => (0.0, gain),
            _ => (0.0, 0.0),
        };
        let found = [changes.rule, changes.seen, changes.oracle];
        for (found, expected) in found.into_iter().zip([rule, seen, seen]) {
            assert!((found - expected).abs() < 1e-12, "{network}: {changes:?}");
        }
    }
    let mean = unseen.rule_against_today.mean;
    assert!((mean - gain / 4.0).abs() < 1e-12, "{mean}");
    let shares = BTreeMap::from([("bad".to_owned(), 1.0)]);
    let mut frame = world.frame.clone();
    frame.name_contenders();
    let alone = Population::new(&frame, metric(), None, &shares, &world.facts).unwrap();
    assert_eq!(evaluate(&alone, 3).unseen, None);
}

#[test]
fn two_questions_are_asked_together() {
    // Neither of the two alone tells anything.
    let world = World::new(16, |page, loss, protocol| {
        let h3 = (page < 8) == (loss > 1.0);
        match (protocol, h3) {
            ("h2", false) | ("h3", true) => 1_000.0,
            _ => 1_500.0,
        }
    });
    let population = world.population();
    let found = evaluate(&population, 2);
    let bytes = |yes, no| split(3, 8.5e6, Rule::Choose(yes), Rule::Choose(no));
    let rule = split(0, 1.0, bytes(0, 2), bytes(2, 0));
    assert_eq!((population.features[3], found.rule), (Feature::Bytes, rule));
    assert_eq!(evaluate(&population, 1).rule, Rule::Choose(0));
}

/// Random values, which no feature explains.
fn noise(seed: u64) -> World {
    let mut rng = Rng::new(seed, "noise");
    World::new(12, |_, _, _| 1_000.0 * rng.lognormal(0.3))
}

#[test]
fn noise_is_no_rule_out_of_fold() {
    let mut gained = Vec::new();
    let (mut inside, mut outside) = (0.0, 0.0);
    for seed in 0..8 {
        let population = noise(seed).population();
        let found = evaluate(&population, 3);
        assert_ne!(found.take, PolicyKind::Rule, "seed {seed}");
        gained.push(found.rule_against_fixed.mean);
        for (place, situation) in population.situations.iter().enumerate() {
            inside += situation.weight * situation.loss(found.rule.choose(situation));
            let choice = found.policy(PolicyKind::Rule).choices[place];
            outside += situation.weight * situation.loss(choice);
        }
    }
    let mean = gained.iter().sum::<f64>() / gained.len() as f64;
    assert!(mean > -0.005, "the rule gains {mean} out of fold");
    // The same rules look better where they were learnt: that is what folds are for.
    assert!(inside < outside - 0.5, "{inside} against {outside}");
}

#[test]
fn a_page_in_two_groups_is_in_one_fold() {
    let mut world = noise(1);
    let again: Vec<_> = world.facts.pages.clone().into_iter().collect();
    for ((_, page), known) in again {
        for (network, _) in NETWORKS {
            for (protocol, value) in [("h1", 3.0), ("h2", 2.0), ("h3", 1.0)] {
                let mut rows = loads(&page, network, protocol, &[value], 0.0);
                for row in &mut rows {
                    let key = std::sync::Arc::make_mut(&mut row.key);
                    key.group = "again".to_owned();
                }
                world.frame.add(&rows);
            }
        }
        world.facts.pages.insert(("again".to_owned(), page), known);
    }
    let found = world.evaluate();
    assert_eq!((found.folds, found.policies[0].changes.len()), (12, 24));
}

#[test]
fn a_failed_load_is_worse_than_any_slow_one() {
    let world = World::new(8, |page, loss, protocol| match protocol {
        "h3" if page == 3 && loss > 2.0 => f64::INFINITY,
        "h3" => 100.0,
        "h1" => 5_000.0,
        _ => 1_000.0,
    });
    let found = evaluate(&world.population(), 1);
    let http3 = found.policy(PolicyKind::Http3);
    assert_eq!(Some(http3.regret.worst), Some(f64::INFINITY));
    assert_eq!(http3.worst.first().map(|one| one.1), Some(f64::INFINITY));
    // Lossy networks fail with HTTP/3 on one page of eight; the others gain.
    let rule = split(0, 2.2, Rule::Choose(0), Rule::Choose(2));
    assert_eq!(found.rule, rule);
    assert_eq!(found.fixed, 0);
}

#[test]
fn what_breaks_objects_does_not_win() {
    let mut world = World::new(6, |_, _, _| 1_000.0);
    for page in 0..6 {
        for (network, _) in NETWORKS {
            let name = format!("{page}.har");
            world
                .frame
                .add(&loads(&name, network, "h9", &[500.0; 3], 1.0));
        }
    }
    let population = world.population();
    let situation = &population.situations[0];
    assert_eq!(
        situation
            .values
            .iter()
            .copied()
            .map(Some)
            .collect::<Vec<_>>(),
        [Some(1_000.0); 4]
    );
    assert_eq!(situation.breaks, [false, false, false, true]);
    let found = evaluate(&population, 3);
    assert_eq!((found.take, found.fixed), (PolicyKind::Today, 0));
    assert_eq!(found.rule, Rule::Choose(0));
}

#[test]
fn pages_that_lack_loads_are_left_out() {
    let mut world = World::new(6, |_, _, _| 1_000.0);
    world
        .frame
        .add(&loads("odd.har", "clean", "h2", &[1.0], 0.0));
    let population = world.population();
    assert_eq!(population.pages.len(), 6);
    assert_eq!(population.left_out, ["odd.har (no lcp_ms of h2 on bad)"]);
    let total: f64 = population.situations.iter().map(|one| one.weight).sum();
    assert!((total - 1.0).abs() < 1e-12);
    // Facts are missing for one page, so that no rule may ask for them.
    assert_eq!(population.features, Feature::OF_NETWORKS);
}

#[test]
fn what_cannot_be_answered_is_named() {
    let world = World::new(1, |_, _, _| 1_000.0);
    let told = world.try_population(None).unwrap_err();
    assert!(told.contains("has all loads of 1 of the pages"), "{told}");
    let world = World::new(3, |_, _, _| 0.0);
    let told = world.try_population(None).unwrap_err();
    assert!(told.contains("lcp_ms is 0 on 0.har"), "{told}");
    let told = world.try_population(Some("h7")).unwrap_err();
    assert!(told.contains("`h7`"), "{told}");
    let mut world = World::new(3, |_, _, _| 1.0);
    let mut rows = loads("0.har", "clean", "h2", &[1.0], 0.0);
    for row in &mut rows {
        std::sync::Arc::make_mut(&mut row.key).race = "other".to_owned();
    }
    world.frame.add(&rows);
    let told = world.try_population(None).unwrap_err();
    assert!(told.contains("both have loads of 0.har on clean"), "{told}");
    let mut rows = loads("0.har", "clean", "h2", &[1.0], 0.0);
    for row in &mut rows {
        let key = std::sync::Arc::make_mut(&mut row.key);
        Dimension::named("visit").unwrap().set(key, "warm");
    }
    world.frame.add(&rows);
    let told = world.try_population(None).unwrap_err();
    assert!(told.starts_with("no server chooses the visit"), "{told}");
}

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use pagerace_report::input::Provenance;

use super::{Load, Progress, interleaved, run_live, run_race};
use crate::error::LabError;
use crate::fake;
use crate::results::RunSummary;
use crate::worlds::Worlds;

fn go_on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn the_number_of_threads_does_not_show() {
    let plan = fake::plan(&["sequential", "round-robin"], 7);
    let one = run_race(&plan, 1, &fake::load, &go_on).unwrap();
    assert_eq!(one.variants.len(), 4);
    assert!(one.variants.iter().all(|v| v.runs.len() == 7));
    for jobs in [2, 3, 16] {
        assert_eq!(run_race(&plan, jobs, &fake::load, &go_on).unwrap(), one);
    }
}

#[test]
fn runs_are_paired_by_seed() {
    let plan = fake::plan(&["sequential", "round-robin"], 5);
    let seen = Mutex::new(Vec::new());
    let runner = |scenario: &pagerace_sim::Scenario, seed: u64, record: bool| {
        assert!(!record);
        let variant = (scenario.network.name.clone(), scenario.strategy.to_string());
        seen.lock().unwrap().push((variant, seed));
        fake::load(scenario, seed, record)
    };
    run_race(&plan, 2, &runner, &go_on).unwrap();
    let seen = seen.into_inner().unwrap();
    let variants: BTreeSet<_> = seen.iter().map(|(variant, _)| variant.clone()).collect();
    assert_eq!(variants.len(), 4);
    let expected: BTreeSet<u64> = (0..5).map(|run| plan.run_seed(run)).collect();
    for variant in variants {
        let seeds: BTreeSet<u64> = seen
            .iter()
            .filter(|(v, _)| *v == variant)
            .map(|(_, seed)| *seed)
            .collect();
        assert_eq!(seeds, expected, "{variant:?}");
    }
}

#[test]
fn an_interrupted_race_gives_no_results() {
    let plan = fake::plan(&["sequential"], 50);
    let stop = |progress: Progress| {
        assert_eq!(progress.total, 100);
        if progress.done < 10 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let error = run_race(&plan, 2, &fake::load, &stop).unwrap_err();
    let LabError::Interrupted { done, total } = error else {
        panic!("{error}")
    };
    assert!(
        (10..100).contains(&done) && total == 100,
        "{done} of {total}"
    );
}

#[test]
fn an_impossible_plan_is_not_run() {
    let plan = fake::plan(&["sequential"], 0);
    let never = |_: &pagerace_sim::Scenario, _, _| -> Result<pagerace_sim::Outcome, String> {
        panic!("not to be run")
    };
    assert!(matches!(
        run_race(&plan, 1, &never, &go_on),
        Err(LabError::Plan(_))
    ));
}

#[test]
fn a_scenario_that_cannot_be_run_stops_the_race() {
    let plan = fake::plan(&["sequential", "round-robin"], 20);
    let picky = |scenario: &pagerace_sim::Scenario, seed, record| {
        if scenario.strategy.to_string() == "round-robin" {
            return Err("no such controller".to_owned());
        }
        fake::load(scenario, seed, record)
    };
    let error = run_race(&plan, 2, &picky, &go_on).unwrap_err();
    assert!(matches!(&error, LabError::Scenario(reason) if reason == "no such controller"));
}

#[test]
fn live_order_runs_every_load_once() {
    let plan = fake::plan(&["sequential", "round-robin", "fifo"], 5);
    let loads: BTreeSet<_> = interleaved(&plan)
        .map(|load| (load.page, load.network, load.contender, load.run))
        .collect();
    assert_eq!(loads.len(), plan.loads());
}

/// Counts the runs of an adaptive race of two contenders, given the LCP of a contender and run.
fn adaptive_runs(lcp: fn(usize, u64) -> f64) -> usize {
    let mut plan = fake::plan(&["sequential", "round-robin"], 30);
    plan.networks.truncate(1);
    (plan.worlds, plan.adaptive) = (Worlds::PLAUSIBLE, true);
    let load = |scenario: &pagerace_sim::Scenario, seed: u64, _| {
        let contender = usize::from(scenario.strategy.to_string() == "round-robin");
        Ok(fake::outcome(lcp(contender, seed), seed))
    };
    let results = run_race(&plan, 2, &load, &go_on).unwrap();
    let counts = results.variants.iter().map(|variant| variant.runs.len());
    let counts: BTreeSet<usize> = counts.collect();
    assert_eq!(counts.len(), 1, "pairs are complete");
    counts.into_iter().next().unwrap()
}

#[test]
fn a_clear_answer_takes_few_runs_and_a_narrow_one_more() {
    assert_eq!(
        adaptive_runs(|c, seed| 1000.0 - 800.0 * c as f64 + (seed % 97) as f64),
        10
    );
    let narrow =
        adaptive_runs(|c, seed| 1000.0 - 72.0 * c as f64 + ((seed >> (8 * c)) % 97) as f64);
    assert!((20..=60).contains(&narrow), "{narrow}");
}

#[test]
fn live_loads_are_interleaved_and_their_results_in_order() {
    let plan = fake::plan(&["sequential", "round-robin", "fifo"], 4);
    let mut seen: Vec<Load> = Vec::new();
    let results = run_live(
        &plan,
        |load| {
            seen.push(load);
            let tag = 100 * (3 * load.network + load.contender) + load.run;
            Ok(fake::times(tag as f64 + 1.0, 1.0, 1.0))
        },
        &go_on,
    )
    .unwrap();
    assert_eq!(results.provenance, Provenance::Live);
    let runs: Vec<usize> = seen.iter().map(|load| load.run).collect();
    assert!(runs.is_sorted(), "run by run: {runs:?}");
    let first: Vec<usize> = (0..4).map(|run| seen[6 * run].contender).collect();
    assert_eq!(first, [0, 1, 2, 0], "they take turns at going first");
    assert!(seen.iter().all(|load| load.seed == plan.run_seed(load.run)));
    for (index, variant) in results.variants.iter().enumerate() {
        for (run, summary) in variant.runs.iter().enumerate() {
            let expected = fake::times((100 * index + run) as f64 + 1.0, 1.0, 1.0);
            assert_eq!(summary, &expected, "variant {index}, run {run}");
        }
    }
}

#[test]
fn a_live_race_can_be_stopped_and_says_what_is_wrong() {
    let plan = fake::plan(&["sequential"], 3);
    let stop = |progress: Progress| {
        if progress.done < 2 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let error = run_live(&plan, |_| Ok(RunSummary::default()), &stop).unwrap_err();
    assert!(matches!(error, LabError::Interrupted { done: 2, total: 6 }));
    let error = run_live(&plan, |_| Err("no browser".to_owned()), &go_on).unwrap_err();
    assert!(matches!(&error, LabError::Live(reason) if reason == "no browser"));
}

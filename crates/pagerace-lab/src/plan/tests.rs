use std::sync::Arc;

use pagerace_core::Duration;

use super::Plan;
use crate::fake;

fn refused(change: impl Fn(&mut Plan)) -> String {
    let mut plan = fake::plan(&["sequential", "round-robin"], 3);
    plan.check().unwrap();
    change(&mut plan);
    plan.check().unwrap_err().to_string()
}

#[test]
fn impossible_plans_are_refused_by_field() {
    assert!(refused(|p| p.runs = 0).starts_with("runs:"));
    assert!(refused(|p| p.pages.clear()).contains("one page"));
    assert!(refused(|p| p.networks.clear()).contains("one network"));
    assert!(refused(|p| p.deadline = Duration::ZERO).starts_with("deadline:"));
    assert!(refused(|p| p.browser.cpu = 0.0).starts_with("cpu:"));
    assert!(refused(|p| p.browser.cpu = f64::INFINITY).starts_with("cpu:"));
    assert!(refused(|p| p.browser.jitter = f64::NAN).starts_with("jitter:"));
    assert!(refused(|p| p.baseline = "fifo".parse().unwrap()).starts_with("baseline: fifo"));
    assert!(refused(|p| p.pages.push(Arc::clone(&p.pages[0]))).starts_with("pages:"));
    assert!(refused(|p| p.networks.push(p.networks[0].clone())).starts_with("networks: fast-4g"));
    assert!(
        refused(|p| p.strategies.push(p.strategies[1].clone()))
            .starts_with("strategies: round-robin")
    );
    assert!(refused(|p| Arc::make_mut(&mut p.pages[0]).resources.clear()).contains("no resources"));
}

#[test]
fn variants_are_numbered_by_page_network_strategy() {
    let mut plan = fake::plan(&["sequential", "round-robin", "fifo"], 3);
    plan.pages.push(Arc::new(fake::page("shop")));
    assert_eq!((plan.variants(), plan.loads()), (12, 36));
    for index in 0..12 {
        let (page, network, strategy) = plan.variant_parts(index);
        assert_eq!(plan.variant_index(page, network, strategy), index);
    }
    let scenario = plan.scenario(plan.variant_index(1, 0, 2));
    assert_eq!(scenario.page.name, "shop");
    assert_eq!(scenario.network.name, "fast-4g");
    assert_eq!(scenario.strategy.to_string(), "fifo");
}

#[test]
fn seeds_differ_by_run_and_race_and_fit_a_float() {
    let mut plan = fake::plan(&["sequential"], 3);
    let first = plan.run_seed(0);
    assert_ne!(first, plan.run_seed(1));
    assert!((0..1000).all(|run| plan.run_seed(run) < 1 << 53));
    plan.seed = 2;
    assert_ne!(first, plan.run_seed(0));
}

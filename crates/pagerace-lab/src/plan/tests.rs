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
    assert!(refused(|p| p.baseline = 2).starts_with("baseline: there is no contender 2"));
    assert!(refused(|p| p.pages.push(Arc::clone(&p.pages[0]))).starts_with("pages:"));
    assert!(refused(|p| p.networks.push(p.networks[0].clone())).starts_with("networks: fast-4g"));
    assert!(
        refused(|p| p.contenders.push(p.contenders[1].clone()))
            .starts_with("contenders: round-robin")
    );
    assert!(
        refused(|p| p.contenders[1].congestion = "quantum".to_owned())
            .starts_with("contenders: no congestion controller is called `quantum`")
    );
    let real_and_warm = refused(|p| {
        p.transport.real_tls = true;
        p.contenders[1].visit = pagerace_sim::Visit::Warm;
    });
    assert!(real_and_warm.starts_with("tls: "), "{real_and_warm}");
    assert!(refused(|p| Arc::make_mut(&mut p.pages[0]).resources.clear()).contains("no resources"));
}

#[test]
fn variants_are_numbered_by_page_network_contender() {
    let mut plan = fake::plan(&["sequential", "round-robin", "fifo"], 3);
    plan.pages.push(Arc::new(fake::page("shop")));
    assert_eq!((plan.variants(), plan.loads()), (12, 36));
    for index in 0..12 {
        let (page, network, contender) = plan.variant_parts(index);
        assert_eq!(plan.variant_index(page, network, contender), index);
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

#[test]
fn a_scenario_is_its_contender() {
    let plan = fake::plan(&["sequential", "h2 reno warm eps"], 3);
    let scenario = plan.scenario(1);
    assert_eq!(scenario.protocols.to_string(), "h2");
    assert_eq!(scenario.transport.congestion, "reno");
    assert_eq!(scenario.visit.to_string(), "warm");
    assert_eq!(scenario.strategy.to_string(), "eps");
}

#[test]
fn strategies_do_not_tell_http_1_1_apart() {
    let mut plan = fake::plan(&["h2 sequential", "h2 eps", "h1 sequential"], 3);
    plan.check().unwrap();
    plan.contenders.push(fake::contender("h1 eps"));
    let error = plan.check().unwrap_err().to_string();
    assert!(
        error.starts_with("contenders: h1 is there twice"),
        "{error}"
    );
}

#[test]
fn a_single_connection_speaks_one_protocol_and_not_http_1_1() {
    let check = |contenders: &[&str]| {
        let mut plan = fake::plan(contenders, 3);
        let page = Arc::make_mut(&mut plan.pages[0]);
        let mut other = page.origins[0].clone();
        other.host = "static.example".to_owned();
        page.origins.push(other);
        plan.connections = pagerace_sim::Connections::Single;
        plan.check().map_err(|e| e.to_string())
    };
    check(&["h2", "h3", "elsewhere.example=h1 *=h2"]).unwrap();
    let h1 = check(&["h3", "h1"]).unwrap_err();
    assert!(h1.starts_with("connections: h1 cannot load news"), "{h1}");
    let mixed = check(&["static.example=h3 *=h2"]).unwrap_err();
    assert!(
        mixed.contains("one connection speaks one protocol"),
        "{mixed}"
    );
}

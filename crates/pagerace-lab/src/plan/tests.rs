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
    assert!(refused(|p| p.settings.deadline = Duration::ZERO).starts_with("deadline:"));
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
            .starts_with("contenders: unknown congestion controller `quantum`")
    );
    let real_and_warm = refused(|p| {
        p.settings.real_tls = true;
        p.contenders[1].visit = pagerace_sim::Visit::Warm;
    });
    assert!(real_and_warm.starts_with("tls: "), "{real_and_warm}");
    assert!(refused(|p| p.browser.cpu = 1e6).starts_with("cpu:"));
    assert!(refused(|p| p.runs = u32::MAX).starts_with("runs:"));
    assert!(
        refused(|p| p.settings.deadline = Duration::from_secs(100_000)).starts_with("deadline:")
    );
    let page =
        |change: fn(&mut pagerace_page::Page)| refused(|p| change(Arc::make_mut(&mut p.pages[0])));
    assert!(page(|p| p.resources.clear()).starts_with("pages: "));
    let origin = page(|p| p.resources[0].origin.0 = 99);
    assert!(
        origin.contains("resources[0].origin: there is no origin 99"),
        "{origin}"
    );
}

#[test]
fn packets_of_quic_fit_the_path() {
    assert!(refused(|p| p.settings.quic_mtu = 1_199).starts_with("quic-mtu: 1199 bytes"));
    assert!(refused(|p| p.settings.quic_mtu = 1_453).contains("between 1200 and 1452"));
    let mut plan = fake::plan(&["h3"], 3);
    plan.settings.quic_mtu = 1_452;
    plan.check().unwrap();
    assert_eq!(plan.scenario(0, 0).settings.quic_mtu, 1_452);
}

#[test]
fn tls_1_2_has_no_early_data() {
    let check = |contenders: &[&str]| {
        let mut plan = fake::plan(contenders, 3);
        plan.settings.tcp_tls = pagerace_transport::tls::Version::Tls12;
        plan.settings.early_data = pagerace_sim::EarlyData::On;
        plan.check().map_err(|e| e.to_string())
    };
    // No origin of the page uses HTTP/2.
    check(&["h3 resumed", "other.example=h2 *=h3 resumed bbr"]).unwrap();
    let error = check(&["h3 resumed", "h2 resumed"]).unwrap_err();
    assert!(
        error.starts_with("early-data: TLS 1.2 has none, and h2 "),
        "{error}"
    );
}

#[test]
fn rules_that_decide_nothing_are_found() {
    let mut plan = fake::plan(&["nosuch.example=h3 *=h2", "news.example=h3 *=h2", "h2"], 3);
    assert_eq!(plan.unmatched_rules(), ["nosuch.example=h3"]);
    let mut other = fake::page("shop");
    other.origins[0].host = "nosuch.example".to_owned();
    plan.pages.push(Arc::new(other));
    assert_eq!(plan.hosts(), ["news.example", "nosuch.example"]);
    assert!(plan.unmatched_rules().is_empty(), "one page has it");
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
    let scenario = plan.scenario(plan.variant_index(1, 0, 2), 0);
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
    let scenario = plan.scenario(1, 0);
    assert_eq!(scenario.protocols.to_string(), "h2");
    assert_eq!(scenario.congestion, "reno");
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
        error.starts_with("contenders: h1 is given twice"),
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
        let mut image = page.resources[0].clone();
        image.id = pagerace_page::ResourceId(1);
        image.origin = pagerace_page::OriginId(1);
        "https://static.example/a.png".clone_into(&mut image.url);
        image.discovery.trigger = pagerace_page::Trigger::Markup {
            parent: pagerace_page::ResourceId(0),
            offset: 10,
        };
        page.resources.push(image);
        plan.settings.connections = pagerace_sim::Connections::Single;
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

#[test]
fn interventions_fit_the_pages() {
    let own = |text: &str| {
        let interventions: pagerace_page::Interventions = text.parse().unwrap();
        refused(move |p| p.contenders[1].interventions = interventions.clone())
    };
    let typo = own("htm=1s");
    assert!(
        typo.starts_with(
            "interventions: `htm` of `htm=1s` selects no request of news; did you mean html?"
        ),
        "{typo}"
    );
    assert!(own("nwes.example=hang").contains("did you mean news.example?"));
    assert!(own("fonts=1s").contains("selects no request of news; `pagerace page FILE`"));
    assert!(own("html=hang").contains("blocks news itself (https://news.example/)"));
    let shared = refused(|p| p.interventions = "fonts=1s".parse().unwrap());
    assert!(shared.contains("`fonts` of `fonts=1s`"), "{shared}");
}

#[test]
fn scenarios_have_shared_and_own_interventions() {
    let mut plan = fake::plan(&["h3", "h3 html=1s"], 3);
    plan.interventions = "news.example=140ms".parse().unwrap();
    plan.check().unwrap();
    let of = |index: usize| plan.scenario(index, 0).interventions.to_string();
    assert_eq!(of(0), "news.example=140ms");
    assert_eq!(of(1), "news.example=140ms html=1s");
}

#[test]
fn settings_that_cannot_act_are_refused() {
    let check = |contenders: &[&str], change: fn(&mut Plan)| {
        let mut plan = fake::plan(contenders, 3);
        change(&mut plan);
        let checked = plan.check_settings();
        checked.map_err(|error| error.to_string())
    };
    let real: fn(&mut Plan) = |p| p.settings.real_tls = true;
    check(&["h1", "h3"], real).unwrap();
    assert!(
        check(&["h1", "h2"], real)
            .unwrap_err()
            .starts_with("tls: real TLS needs HTTP/3")
    );
    let large: fn(&mut Plan) = |p| p.settings.quic_mtu = 1_452;
    assert!(check(&["h2"], large).unwrap_err().starts_with("quic-mtu: "));
    let old: fn(&mut Plan) = |p| p.settings.tcp_tls = pagerace_transport::tls::Version::Tls12;
    assert!(
        check(&["h3"], old)
            .unwrap_err()
            .starts_with("tls-version: ")
    );
    check(&["news.example=h3 *=h2"], old).unwrap();
    let early: fn(&mut Plan) = |p| p.settings.early_data = pagerace_sim::EarlyData::On;
    assert!(
        check(&["h3"], early)
            .unwrap_err()
            .starts_with("early-data: a first visit")
    );
    check(&["h3 resumed"], early).unwrap();
    let none: fn(&mut Plan) = |_| ();
    let late = check(&["h1", "h1 late"], none).unwrap_err();
    assert!(
        late.starts_with("reliability: late changes nothing over h1"),
        "{late}"
    );
    check(&["h2", "h2 late"], none).unwrap();
}

#[test]
fn twins_are_left_out_and_told() {
    let merged = |contenders: &[&str], baseline: usize| {
        let mut plan = fake::plan(contenders, 3);
        plan.baseline = baseline;
        let said = plan.merge_twins();
        plan.check().unwrap();
        (plan.labels(), plan.baseline, said)
    };
    // The page has one host, so the rule makes no difference.
    let (labels, baseline, said) = merged(&["h2", "h3", "news.example=h2 *=h3"], 1);
    assert_eq!(
        (labels, baseline),
        (vec!["h2".to_owned(), "h3".to_owned()], 1)
    );
    assert_eq!(
        said,
        ["news.example=h2 *=h3 loads every page exactly as h2 does, and is left out"]
    );
    let (labels, _, said) = merged(&["h2", "h3", "h2 cubic-hystart", "h3 cubic-hystart"], 0);
    assert_eq!(labels, ["h2 cubic", "h3 cubic", "h3 cubic-hystart"]);
    assert_eq!(said.len(), 1);
    // The baseline is kept at any position.
    let (labels, baseline, _) = merged(&["h2", "h2 cubic-hystart", "h2 reno"], 1);
    assert_eq!(
        (labels, baseline),
        (vec!["cubic-hystart".to_owned(), "reno".to_owned()], 0)
    );
}

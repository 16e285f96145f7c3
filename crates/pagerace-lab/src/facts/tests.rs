use pagerace_core::Duration;
use pagerace_report::input::Provenance;
use pagerace_sim::{Connections, EarlyData, OriginRtt, RecordEnds, Reprioritisation, Visit};
use pagerace_transport::tls::ClientHello;

use super::{facts, facts_in};
use crate::fake;

#[test]
fn strategies_alone_over_http_3() {
    assert_eq!(
        facts(&fake::plan(&["sequential", "eps"], 3)),
        "chrome, CPU x1, jitter 0.1, connections per origin, cubic, lost bytes retransmitted at once"
    );
}

#[test]
fn what_varies_stands_elsewhere() {
    assert_eq!(
        facts(&fake::plan(&["h2", "h3 reno"], 3)),
        "chrome, CPU x1, jitter 0.1, connections per origin, strategy sequential, QUIC's lost \
         bytes retransmitted at once, QUIC packets of 1350 bytes, TLS 1.3 over TCP"
    );
    assert_eq!(
        facts(&fake::plan(&["h1 cubic", "h1 reno"], 3)),
        "chrome, CPU x1, jitter 0.1, h1, connections per origin, TLS 1.3 over TCP"
    );
}

#[test]
fn later_visits_say_what_leaves_early() {
    let mut plan = fake::plan(&["h3 resumed", "h3 resumed eps"], 3);
    assert!(facts(&plan).contains("a resumed visit"));
    assert!(facts(&plan).ends_with("early data on QUIC"));
    plan.settings.early_data = EarlyData::Off;
    assert!(facts(&plan).ends_with("no early data"));
    // By default, TCP has no early data, so the facts must not mention any.
    let mut plan = fake::plan(&["h2 resumed", "h2 resumed bbr"], 3);
    assert!(facts(&plan).ends_with("TLS 1.3 over TCP, no early data"));
    plan.settings.early_data = EarlyData::On;
    assert!(facts(&plan).ends_with("early data on TCP"));
    plan.contenders.push(fake::contender("h3 resumed"));
    assert!(facts(&plan).ends_with(", early data"));
    // Only later visits use early data, and no later visit uses QUIC here.
    let plan = fake::plan(&["h2 resumed", "h3 cold"], 3);
    assert!(facts(&plan).ends_with("no early data"));
}

#[test]
fn larger_packets_are_told() {
    let mut plan = fake::plan(&["h3", "h3 bbr"], 3);
    assert!(!facts(&plan).contains("QUIC packets"), "the usual size");
    plan.settings.quic_mtu = 1_452;
    assert!(facts(&plan).contains("QUIC packets of 1452 bytes"));
}

#[test]
fn what_is_unlike_the_web_of_today_is_told_of_those_whom_it_concerns() {
    let told = |contender: &str| {
        let mut plan = fake::plan(&[contender], 3);
        plan.settings.reprioritisation = Reprioritisation::Update;
        plan.settings.client_hello = ClientHello::Small;
        plan.settings.record_ends = RecordEnds::Joined;
        let facts = facts(&plan);
        ["changed priority", "ClientHello", "share segments"].map(|text| facts.contains(text))
    };
    assert_eq!(told("h1"), [false, true, true]);
    assert_eq!(told("h2"), [true, true, true]);
    assert_eq!(told("h3"), [true, true, false]);
}

#[test]
fn plans_of_studies_have_no_pages_yet() {
    let mut plan = fake::plan(&["h2", "h3"], 3);
    for contender in &mut plan.contenders {
        contender.visit = Visit::Resumed;
    }
    let with = facts(&plan);
    assert!(
        with.contains("TLS 1.3 over TCP, early data on QUIC"),
        "{with}"
    );
    plan.pages.clear();
    let far = format!("{with}, servers at their recorded distances");
    assert_eq!(facts(&plan), far);
    plan.settings.origin_rtt = OriginRtt::Same;
    assert_eq!(facts(&plan), with);
}

#[test]
fn distant_servers_are_told() {
    let mut plan = fake::plan(&["h2", "h3"], 3);
    let page = std::sync::Arc::make_mut(&mut plan.pages[0]);
    let mut far = page.origins[0].clone();
    page.origins[0].recorded_rtt = Some(Duration::from_millis(20));
    far.recorded_rtt = Some(Duration::from_millis(55));
    page.origins.push(far);
    assert!(facts(&plan).ends_with("servers up to 35 ms beyond the access link"));
    plan.settings.connections = Connections::Single;
    assert!(!facts(&plan).contains("servers"));
}

#[test]
fn live_loads_claim_nothing_of_the_model() {
    let mut plan = fake::plan(&["h2", "h3 reno"], 3);
    plan.settings.real_tls = true;
    assert_eq!(
        facts_in(&plan, Provenance::Live),
        "connections per origin, strategy sequential, QUIC's lost bytes retransmitted at once, QUIC \
         packets of 1350 bytes"
    );
}

#[test]
fn interventions_and_known_names_are_told() {
    let mut plan = fake::plan(&["h3", "h3 html=1s"], 3);
    assert!(
        facts(&plan).ends_with("retransmitted at once"),
        "{}",
        facts(&plan)
    );
    plan.interventions = "news.example=140ms".parse().unwrap();
    assert!(facts(&plan).ends_with(", with news.example=140ms"));
    plan.settings.name_lookup = pagerace_sim::NameLookup::None;
    assert!(facts(&plan).ends_with(", no name look-ups, with news.example=140ms"));
    let plan = fake::plan(&["h3 html=1s", "h2 html=1s"], 3);
    assert!(facts(&plan).ends_with(", with html=1s"));
}

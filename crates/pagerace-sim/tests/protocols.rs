//! The same page over HTTP/1.1, HTTP/2 and HTTP/3: set-up, connection pools, visits and
//! mixed protocols.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use common::{flat_page, hundred, scenario};
use pagerace_core::{Duration, Instant, Protocol};
use pagerace_page::{CacheUse, OriginId, Page, ResourceId, Trigger};
use pagerace_sim::{
    H3Discovery, NameLookup, OriginRtt, Outcome, RecordEnds, Reprioritisation, ResourceTiming,
    Scenario, TlsVersion, Visit, run,
};
use pagerace_transport::tls::ClientHello;

/// Network that is so fast that only round trips count.
const FAST: &str = "rate 1gbit rtt 100ms";

fn over(page: &Page, network: &str, protocols: &str) -> Scenario {
    let mut s = scenario(page, network, "sequential");
    s.protocols = protocols.parse().unwrap();
    s
}

fn load(s: &Scenario) -> Outcome {
    let outcome = run(s, 1, true).unwrap();
    assert_eq!(outcome.failure, None, "{} {}", s.protocols, s.visit);
    outcome
}

/// Returns the time to the document's first byte in round trips of 100 ms.
fn ttfb(s: &Scenario) -> f64 {
    load(s).load.ttfb.unwrap().as_millis_f64() / 100.0
}

#[test]
fn set_up_costs_the_round_trips_of_its_protocols() {
    let page = flat_page(&[]);
    // The round trips are those of the name lookup, the handshakes and the request.
    let close = |found: f64, rtts: f64| (rtts..rtts + 0.1).contains(&found);
    for (protocols, tls, visit, rtts) in [
        ("h3", TlsVersion::Tls13, Visit::Cold, 3.0),
        ("h2", TlsVersion::Tls13, Visit::Cold, 4.0),
        ("h1", TlsVersion::Tls13, Visit::Cold, 4.0),
        ("h2", TlsVersion::Tls12, Visit::Cold, 5.0),
        ("h1", TlsVersion::Tls12, Visit::Cold, 5.0),
        ("h3", TlsVersion::Tls13, Visit::Resumed, 2.0),
        ("h2", TlsVersion::Tls13, Visit::Resumed, 4.0),
        ("h2", TlsVersion::Tls12, Visit::Resumed, 4.0),
        ("h3", TlsVersion::Tls13, Visit::Warm, 1.0),
        ("h2", TlsVersion::Tls13, Visit::Warm, 1.0),
        ("h1", TlsVersion::Tls12, Visit::Warm, 1.0),
    ] {
        let mut s = over(&page, FAST, protocols);
        s.settings.tcp_tls = tls;
        s.visit = visit;
        let found = ttfb(&s);
        assert!(close(found, rtts), "{protocols} {tls:?} {visit}: {found}");
    }
}

#[test]
fn ends_take_a_random_time_to_read_quic_ends_more() {
    let spread = |protocols| {
        let scenario = over(&flat_page(&[]), FAST, protocols);
        let ttfb = |seed| run(&scenario, seed, false).unwrap().load.ttfb.unwrap();
        let times: Vec<_> = (0..20).map(|seed| ttfb(seed).as_millis_f64()).collect();
        let largest = times.iter().copied().fold(0.0, f64::max);
        largest - times.iter().copied().fold(f64::INFINITY, f64::min)
    };
    // Each flight is read after 0.17 and 0.04 ms in the median.
    let (quic, tcp) = (spread("h3"), spread("h2"));
    assert!((0.2..3.0).contains(&quic), "{quic} ms");
    assert!((0.03..0.3).contains(&tcp), "{tcp} ms");
}

/// A train of `HyStart` ends at a gap of more than 2 ms. At 12 Mbit/s, ACKs of every second segment
/// come 2.00 ms apart on average.
#[test]
fn trains_of_acks_break_at_12_mbit_per_second() {
    let drops = |rate: &str| {
        let network = format!("rate {rate} rtt 70ms queue 50p");
        let mut scenario = over(&flat_page(&[1_000_000]), &network, "h1");
        "cubic".clone_into(&mut scenario.congestion);
        let drops = |seed| run(&scenario, seed, false).unwrap().transport.queue_drops;
        (0..9).map(drops).collect::<Vec<_>>()
    };
    let (whole, broken) = (drops("13mbit"), drops("12mbit"));
    assert!(whole.iter().all(|n| *n < 10), "{whole:?}");
    assert!(broken.iter().all(|n| *n > 50), "{broken:?}");
}

/// A recorded 304 with content stands for the response in the recording browser's cache.
#[test]
fn a_recorded_304_is_delivered_whole_over_every_protocol() {
    let mut page = flat_page(&[50_000, 20_000]);
    page.resources[1].status = 304;
    page.resources[2].status = 204;
    for protocol in ["h1", "h2", "h3"] {
        let scenario = over(&page, "rate 10mbit rtt 50ms", protocol);
        let (_, ledger) = pagerace_sim::run_with_ledger(&scenario, 1).unwrap();
        let body = |i: usize| ledger.answers[i].map(|a| a.body);
        assert_eq!(body(1), Some(50_000), "{protocol}");
        assert_eq!(body(2), Some(0), "{protocol}: a 204 has no content");
    }
}

#[test]
fn later_visits_need_a_full_handshake_with_servers_that_none_reached() {
    let mut page = flat_page(&[]);
    page.origins[0].unvisited = true;
    for protocols in ["h1", "h2", "h3"] {
        let mut s = over(&page, FAST, protocols);
        let first = ttfb(&s);
        for visit in [Visit::Resumed, Visit::Warm] {
            s.visit = visit;
            let later = ttfb(&s);
            assert!((later - first).abs() < 0.01, "{protocols} {visit}: {later}");
        }
    }
}

#[test]
fn early_data_saves_a_round_trip_on_tcp_if_wanted() {
    let mut s = over(&flat_page(&[]), FAST, "h2");
    s.visit = Visit::Resumed;
    let without = ttfb(&s);
    s.settings.early_data = pagerace_sim::EarlyData::On;
    let with = ttfb(&s);
    assert!((0.95..1.05).contains(&(without - with)), "{without} {with}");
    s.protocols = "h3".parse().unwrap();
    let with = ttfb(&s);
    s.settings.early_data = pagerace_sim::EarlyData::Off;
    let without = ttfb(&s);
    assert!((0.95..1.05).contains(&(without - with)), "{without} {with}");
}

#[test]
fn a_browsers_hello_takes_its_bytes() {
    for protocols in ["h1", "h2", "h3"] {
        let up = |client_hello| {
            let mut s = over(&flat_page(&[]), FAST, protocols);
            s.settings.client_hello = client_hello;
            load(&s).transport.bytes_up
        };
        let more = up(ClientHello::Browser) - up(ClientHello::Small);
        // A browser's `ClientHello` has 1,720 bytes and needs another packet, which QUIC
        // pads.
        assert!((1_200..2_000).contains(&more), "{protocols}: {more}");
    }
}

#[test]
fn chromium_tells_no_server_of_rfc_9218_that_a_priority_has_changed() {
    // Four of the nine images are in the viewport, and the first layout raises their
    // priority.
    let page = flat_page(&[200_000; 9]);
    for protocols in ["h2", "h3"] {
        let last_raised = |reprioritisation| {
            let mut s = over(&page, "rate 4mbit rtt 50ms", protocols);
            s.strategy = "eps".parse().unwrap();
            s.settings.reprioritisation = reprioritisation;
            let resources = load(&s).resources;
            let ends = resources[1..5]
                .iter()
                .flatten()
                .map(ResourceTiming::response_end);
            ends.max().unwrap()
        };
        let update = last_raised(Reprioritisation::Update);
        let chromium = last_raised(Reprioritisation::Chromium);
        let later = chromium.since(update).as_millis_f64();
        assert!(later > 500.0, "{protocols}: {later} ms");
    }
}

#[test]
fn short_ends_of_records_are_segments_of_their_own() {
    let packets = |record_ends| {
        let mut s = over(&flat_page(&[20_000; 20]), FAST, "h2");
        s.settings.record_ends = record_ends;
        load(&s).transport.packets_sent
    };
    let (joined, short) = (packets(RecordEnds::Joined), packets(RecordEnds::Short));
    assert!(short > joined, "{joined} {short}");
}

fn connections(outcome: &Outcome) -> usize {
    let used = outcome.resources.iter().flatten();
    used.filter_map(|r| r.connection)
        .collect::<BTreeSet<_>>()
        .len()
}

#[test]
fn http_1_opens_six_connections_and_never_more_requests_than_connections() {
    let outcome = load(&over(&hundred(), "rate 10mbit rtt 60ms", "h1"));
    assert_eq!(connections(&outcome), 6);
    assert_eq!(outcome.transport.connections, 6);
    let mut edges = Vec::new();
    for r in outcome.resources.iter().flatten() {
        assert_eq!(r.protocol, Protocol::H1);
        edges.push((r.request_start(), 1));
        edges.push((r.response_end(), -1));
    }
    edges.sort_unstable();
    let mut open = 0;
    for (at, change) in edges {
        open += change;
        assert!(open <= 6, "{open} at {at:?}");
    }
}

#[test]
fn http_1_of_a_small_page_opens_no_needless_connections() {
    let outcome = load(&over(&flat_page(&[1_000, 1_000]), FAST, "h1"));
    assert!(outcome.transport.connections <= 2, "{outcome:?}");
}

#[test]
fn a_request_over_an_open_http_1_connection_leaves_a_little_later() {
    let mut s = over(&hundred(), "rate 100mbit rtt 20ms", "h1");
    s.browser.jitter = 0.1;
    let outcome = load(&s);
    let mut over_each: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    for r in outcome.resources.iter().flatten().skip(1) {
        over_each.entry(r.connection.unwrap()).or_default().push(r);
    }
    let mut gaps = Vec::new();
    for requests in over_each.values_mut() {
        requests.sort_by_key(|r| r.request_start());
        gaps.extend(requests.windows(2).map(|pair| {
            let ready = pair[0].response_end();
            pair[1].request_start().since(ready).as_millis_f64()
        }));
    }
    gaps.sort_by(f64::total_cmp);
    assert!(gaps.len() > 80, "{gaps:?}");
    let share = |part: usize| gaps[gaps.len() * part / 10];
    assert!((1.4..1.9).contains(&share(5)), "{gaps:?}");
    assert!(
        (0.6..1.2).contains(&share(1)) && (2.4..4.2).contains(&share(9)),
        "{gaps:?}"
    );
}

#[test]
fn http_2_and_3_take_one_connection() {
    for protocols in ["h2", "h3"] {
        let outcome = load(&over(&hundred(), "rate 10mbit rtt 60ms", protocols));
        assert_eq!(outcome.transport.connections, 1);
        let reused = outcome.resources.iter().flatten().filter(|r| r.reused);
        assert_eq!(reused.count(), outcome.resources.len() - 1);
    }
}

#[test]
fn every_response_arrives_over_every_protocol_through_loss() {
    for protocols in ["h1", "h2", "h3"] {
        let s = over(
            &hundred(),
            "rate 5mbit rtt 80ms loss 3% loss-up 1%",
            protocols,
        );
        for seed in 1..4 {
            let outcome = run(&s, seed, false).unwrap();
            assert_eq!(outcome.failure, None);
            assert!(outcome.resources.iter().all(Option::is_some));
            let bytes: u64 = s.page.resources.iter().map(|r| r.body_bytes).sum();
            assert!(outcome.transport.bytes_down > bytes);
            assert!(outcome.transport.packets_lost > 0);
        }
    }
}

#[test]
fn tcp_makes_streams_wait_for_each_other_and_quic_does_not() {
    let network = "rate 10mbit rtt 60ms loss 2%";
    let [h1, h2, h3] = ["h1", "h2", "h3"].map(|p| {
        let mut s = over(&hundred(), network, p);
        s.strategy = "round-robin".parse().unwrap();
        load(&s).transport
    });
    assert!(h2.hol_other_bytes > 0);
    assert_eq!(h3.hol_other_bytes, 0);
    // An HTTP/1.1 connection carries one response at a time.
    assert_eq!(h1.hol_other_bytes, 0);
    assert!(h1.hol_blocked_bytes > 0 && h3.hol_blocked_bytes > 0);
}

#[test]
fn a_map_gives_each_origin_its_protocol() {
    let mut page = hundred();
    let mut second = page.origins[0].clone();
    second.host = "static.example".to_owned();
    second.connection_group = 1;
    page.origins.push(second);
    for r in page.resources.iter_mut().skip(50) {
        r.origin = pagerace_page::OriginId(1);
    }
    let outcome = load(&over(&page, "cable", "static.example=h3 *=h2"));
    let protocols: Vec<_> = outcome
        .resources
        .iter()
        .flatten()
        .map(|r| r.protocol)
        .collect();
    assert!(protocols[..50].iter().all(|p| *p == Protocol::H2));
    assert!(protocols[50..].iter().all(|p| *p == Protocol::H3));
    assert_eq!(outcome.transport.connections, 2);
}

#[test]
fn a_warm_visit_fetches_what_is_not_fresh_and_asks_about_the_rest() {
    let mut page = hundred();
    for r in &mut page.resources {
        r.cache = match r.id.0 {
            0 => CacheUse::None,
            n if n % 2 == 0 => CacheUse::Fresh,
            _ => CacheUse::Validate,
        };
    }
    for protocols in ["h1", "h2", "h3"] {
        let mut s = over(&page, "rate 10mbit rtt 60ms", protocols);
        let cold = load(&s);
        s.visit = Visit::Warm;
        let warm = load(&s);
        let asked = warm.resources.iter().flatten().count();
        assert_eq!(asked, 1 + 50, "{protocols}");
        assert!(warm.transport.bytes_down * 20 < cold.transport.bytes_down);
        assert!(warm.load.onload < cold.load.onload);
        assert!(warm.load.fcp.is_some());
        let first = warm.resources[0].unwrap();
        assert_eq!((first.dns, first.connect), (Duration::ZERO, Duration::ZERO));
        assert_eq!(first.discovered, Instant::ZERO);
    }
}

/// Returns the number of times that the wire changes from one response to another,
/// counting first transmissions only.
fn turns(outcome: &Outcome) -> usize {
    let frames = &outcome.trace.as_ref().unwrap().frames;
    let fresh: Vec<_> = frames
        .iter()
        .filter(|f| !f.retransmission)
        .map(|f| f.resource)
        .collect();
    fresh.windows(2).filter(|w| w[0] != w[1]).count()
}

#[test]
fn every_strategy_orders_http_2_too() {
    let page = flat_page(&[60_000; 20]);
    for info in pagerace_delivery::registry() {
        let mut s = over(&page, "rate 5mbit rtt 40ms loss 1%", "h2");
        s.strategy = info.name.parse().unwrap();
        let outcome = load(&s);
        assert!(
            outcome.resources.iter().all(Option::is_some),
            "{}",
            info.name
        );
        match info.name {
            // The responses are sequential, so there are as many changes as images.
            "fifo" | "sequential" => assert_eq!(turns(&outcome), 20, "{}", info.name),
            // The response changes after each record of up to 16 KiB.
            "round-robin" => assert!(turns(&outcome) > 70, "{}", turns(&outcome)),
            _ => {}
        }
    }
}

#[test]
fn the_tree_that_chromium_signals_is_sequential_over_http_2() {
    let page = flat_page(&[60_000; 20]);
    let mut s = over(&page, "rate 5mbit rtt 40ms", "h2");
    s.strategy = "h2-tree".parse().unwrap();
    assert_eq!(turns(&load(&s)), 20);
    // Over HTTP/3, there are no tree signals, so all responses have equal shares.
    s.protocols = "h3".parse().unwrap();
    assert!(turns(&load(&s)) > 200);
}

/// Gives every image a host, and so a connection, of its own.
fn spread(mut page: Page) -> Page {
    for i in 1..page.resources.len() {
        let mut origin = page.origins[0].clone();
        origin.host = format!("host{i}.example");
        origin.connection_group = i as u32;
        page.origins.push(origin);
        page.resources[i].origin = OriginId(i as u32);
    }
    page
}

/// On a slow uplink, each request arrives measurably later than the one before it. The
/// order of the first bytes of tiny responses is therefore the order of the requests on
/// the wire.
#[test]
fn requests_of_one_instant_leave_in_the_browsers_order() {
    let images = flat_page(&[10; 5]);
    // A request of 400 bytes takes 16 ms. Over HTTP/2, it refers to those of the visit before and
    // takes 4.6 ms.
    for (protocols, page, least) in [
        // HTTP/1.1 opens six connections to one host.
        ("h1", images.clone(), 10),
        ("h2", spread(images.clone()), 4),
        ("h3", spread(images), 10),
    ] {
        let mut s = over(&page, "rate 100mbit up 200kbit rtt 40ms", protocols);
        s.visit = Visit::Warm;
        // No request waits for the one before it.
        s.browser.cpu = 0.0;
        let outcome = load(&s);
        let timings = outcome.resources.iter().skip(1).flatten();
        let (sent, answered): (BTreeSet<Instant>, Vec<Instant>) = timings
            .map(|r| (r.request_start(), r.response_start()))
            .unzip();
        assert_eq!(sent.len(), 1, "{protocols}: at one instant: {sent:?}");
        assert_eq!(answered.len(), 5, "{protocols}");
        let apart = |pair: &[Instant]| pair[1].since(pair[0]) >= Duration::from_millis(least);
        assert!(answered.windows(2).all(apart), "{protocols}: {answered:?}");
    }
}

/// A request of 400 bytes takes 16 ms on the uplink, and a query for a name behind it leaves later.
/// A browser that prepares its requests sends the queries among them first.
#[test]
fn queries_leave_in_the_browsers_order_too() {
    for (cpu, first) in [(0.0, 1), (0.0, 2), (1.0, 1), (1.0, 2)] {
        let mut page = flat_page(&[10; 2]);
        let mut other = page.origins[0].clone();
        other.host = "other.example".into();
        other.connection_group = 1;
        page.origins.push(other);
        page.resources[3 - first].origin = OriginId(1);
        let mut s = over(&page, "rate 100mbit up 200kbit rtt 40ms", "h3");
        s.browser.cpu = cpu;
        let outcome = load(&s);
        let dns = outcome.resources[3 - first].as_ref().unwrap().dns;
        let waited = dns >= Duration::from_millis(55);
        assert_eq!(waited, first == 1 && cpu == 0.0, "{dns}");
    }
}

/// A page whose document leads to an image, and that to another, and so on.
fn chain(images: usize) -> Page {
    let mut page = flat_page(&vec![2_000; images]);
    for i in 2..=images {
        page.resources[i].discovery.trigger = Trigger::After {
            parent: ResourceId(i as u32 - 1),
            delay: Duration::ZERO,
        };
    }
    page
}

fn discovering(page: &Page, network: &str, discovery: H3Discovery) -> Scenario {
    let mut s = over(page, network, "h3");
    s.settings.h3_discovery = discovery;
    // Datagrams of look-ups move the few milliseconds that decide here.
    s.settings.name_lookup = NameLookup::None;
    s
}

fn protocols(outcome: &Outcome) -> Vec<Protocol> {
    let resources = outcome.resources.iter().flatten();
    resources.map(|timing| timing.protocol).collect()
}

#[test]
fn a_first_response_announces_http_3_and_later_requests_use_it() {
    let s = discovering(&chain(6), FAST, H3Discovery::AltSvcFirstVisit);
    let outcome = load(&s);
    // The first image makes the browser connect, and leaves over HTTP/2. The next request is ready
    // a moment after the image, when the handshake is complete.
    let expected = [&[Protocol::H2; 2][..], &[Protocol::H3; 5]].concat();
    assert_eq!(protocols(&outcome), expected);
    assert_eq!(outcome.transport.connections, 2);
    let mut over_h2 = over(&chain(6), FAST, "h2");
    over_h2.settings.name_lookup = NameLookup::None;
    let over_h2 = load(&over_h2);
    assert_eq!(
        outcome.load.ttfb, over_h2.load.ttfb,
        "the document is the same"
    );
    // All requests of a burst leave before the answer.
    let burst = load(&discovering(
        &flat_page(&[2_000; 6]),
        FAST,
        H3Discovery::AltSvcFirstVisit,
    ));
    assert_eq!(protocols(&burst), [Protocol::H2; 7]);
}

#[test]
fn an_origin_uses_the_quic_session_of_others_once_it_has_announced_http_3_itself() {
    use Protocol::{H2, H3};
    let mut page = chain(5);
    let mut other = page.origins[0].clone();
    other.host = "other.example".to_owned();
    page.origins.push(other);
    for image in 3..=5 {
        page.resources[image].origin = OriginId(1);
    }
    let mut s = discovering(&page, FAST, H3Discovery::AltSvcFirstVisit);
    let first = load(&s);
    assert_eq!(protocols(&first), [H2, H2, H3, H2, H3, H3]);
    assert_eq!(first.transport.connections, 2);
    let connection = |image: usize| first.resources[image].unwrap().connection;
    assert_eq!(connection(1), connection(3), "both origins' TCP");
    assert_eq!(connection(2), connection(4), "both origins' QUIC");
    s.visit = Visit::Resumed;
    assert_eq!(protocols(&load(&s)), [H3; 6], "an earlier visit told");
    page.origins[1].unvisited = true;
    s.page = Arc::new(page);
    let later = load(&s);
    assert_eq!(protocols(&later), [H3, H3, H3, H2, H3, H3]);
    assert_eq!(later.transport.connections, 2);
}

#[test]
fn quic_wins_a_race_without_loss_and_tcp_starts_late_if_it_may() {
    let page = chain(3);
    let ttfb = |discovery| ttfb(&discovering(&page, FAST, discovery));
    let known = ttfb(H3Discovery::Known);
    for (discovery, connections) in [
        (H3Discovery::Known, 1),
        // Nothing is known of the server, so both start at once.
        (H3Discovery::HttpsRr, 2),
        // TCP would start after one and a half round trips.
        (H3Discovery::AltSvc, 1),
    ] {
        let outcome = load(&discovering(&page, FAST, discovery));
        assert_eq!(protocols(&outcome), [Protocol::H3; 4], "{discovery:?}");
        assert_eq!(outcome.transport.connections, connections, "{discovery:?}");
        assert!((ttfb(discovery) - known).abs() < 0.01, "{discovery:?}");
    }
}

#[test]
fn once_quic_has_worked_tcp_to_the_next_origin_waits() {
    let mut page = chain(3);
    let mut other = page.origins[0].clone();
    other.host = "other.example".to_owned();
    other.connection_group = 1;
    page.origins.push(other);
    page.resources[3].origin = OriginId(1);
    let outcome = load(&discovering(&page, FAST, H3Discovery::HttpsRr));
    assert_eq!(protocols(&outcome), [Protocol::H3; 4]);
    assert_eq!(
        outcome.transport.connections, 3,
        "TCP to the first origin alone"
    );
    // QUIC to the other origin takes longer than TCP's wait of 300 ms.
    let slow = load(&discovering(
        &page,
        "rate 1gbit rtt 400ms",
        H3Discovery::HttpsRr,
    ));
    // TCP to the first origin also takes so long that it has a backup connection.
    assert_eq!(slow.transport.connections, 5);
    assert_eq!(
        protocols(&slow),
        [Protocol::H3; 4],
        "QUIC still needs fewer round trips"
    );
}

#[test]
fn tcp_stands_in_when_the_first_packets_of_quic_are_lost() {
    let lossy = "rate 1gbit rtt 100ms loss 30%";
    let s = discovering(&chain(3), lossy, H3Discovery::HttpsRr);
    let seeds = 1..=30;
    let loads: Vec<Vec<Protocol>> = seeds
        .map(|seed| protocols(&run(&s, seed, false).unwrap()))
        .collect();
    let starts_over_h2 = |load: &&Vec<Protocol>| load[0] == Protocol::H2;
    assert!(loads.iter().any(|load| load[0] == Protocol::H3));
    let mut fallen_back = loads.iter().filter(starts_over_h2).peekable();
    assert!(fallen_back.peek().is_some());
    // QUIC goes on connecting, and later requests use it.
    assert!(fallen_back.any(|load| load.contains(&Protocol::H3)));
}

#[test]
fn connections_that_no_request_waits_for_fail_no_load() {
    let mut page = chain(4);
    let mut other = page.origins[0].clone();
    other.host = "other.example".to_owned();
    other.connection_group = 1;
    page.origins.push(other);
    page.resources[1].origin = OriginId(1);
    for discovery in [
        H3Discovery::Known,
        H3Discovery::HttpsRr,
        H3Discovery::AltSvc,
        H3Discovery::AltSvcFirstVisit,
    ] {
        let s = discovering(&page, "rate 10mbit rtt 100ms loss 50%", discovery);
        let mut loaded = 0;
        for seed in 1..=60 {
            let outcome = run(&s, seed, false).unwrap();
            let stalled = outcome
                .failure
                .as_deref()
                .is_some_and(|why| why.starts_with("nothing"));
            assert!(
                !stalled,
                "{discovery:?} {seed}: a request waits for nothing"
            );
            // Timings of requests that have not ended reach to the end of the load.
            let ended = |t: &Option<ResourceTiming>| {
                t.is_some_and(|t| {
                    let set_up = t.queued + t.blocked + t.dns + t.connect;
                    t.discovered + set_up + t.wait + t.receive < outcome.finished_at
                })
            };
            if outcome.resources.iter().all(ended) {
                loaded += 1;
                assert_eq!(outcome.failure, None, "{discovery:?} {seed}");
            }
        }
        assert!(loaded > 0, "{discovery:?}");
    }
}

#[test]
fn distant_origins_cost_their_own_round_trips() {
    let mut page = flat_page(&[2_000, 2_000]);
    for (i, rtt) in [(1_u32, Some(Duration::from_millis(130))), (2, None)] {
        let mut other = page.origins[0].clone();
        other.host = format!("o{i}.example");
        other.connection_group = i;
        other.recorded_rtt = rtt;
        page.origins.push(other);
        page.resources[i as usize].origin = OriginId(i);
    }
    page.origins[0].recorded_rtt = Some(Duration::from_millis(30));
    for (protocols, set_up) in [("h3", 1.0), ("h2", 2.0)] {
        let mut s = over(&page, FAST, protocols);
        let recorded = load(&s);
        s.settings.origin_rtt = OriginRtt::Same;
        let same = load(&s);
        assert_eq!(
            recorded.load.ttfb, same.load.ttfb,
            "the document is nearest"
        );
        // The recorded origin is 100 ms beyond the access link, and so is the median.
        for i in [1, 2] {
            let [near, far] = [&same, &recorded].map(|load| load.resources[i].unwrap());
            assert_eq!(near.dns, far.dns, "the resolver is as near as before");
            let more = |part: fn(&ResourceTiming) -> Duration| {
                part(&far).as_millis_f64() - part(&near).as_millis_f64()
            };
            assert!(
                (more(|t| t.connect) - 100.0 * set_up).abs() < 1.0,
                "{protocols} {i}"
            );
            assert!((more(|t| t.wait) - 100.0).abs() < 1.0, "{protocols} {i}");
        }
    }
    let mut single = over(&page, FAST, "h3");
    single.settings.connections = pagerace_sim::Connections::Single;
    let recorded = load(&single);
    single.settings.origin_rtt = OriginRtt::Same;
    assert_eq!(
        load(&single).load,
        recorded.load,
        "one connection has one server"
    );
}

#[test]
fn while_the_browser_prepares_requests_datagrams_wait_and_segments_are_acknowledged() {
    // The document's second flight arrives while the request of its first is prepared.
    let held = |protocols: &str| {
        let end = |images: &[u64]| {
            let mut page = flat_page(images);
            page.resources[0].body_bytes = 60_000;
            let s = over(&page, "rate 1gbit rtt 20ms", protocols);
            let document = load(&s).resources[0].unwrap();
            document.response_end().since_start().as_millis_f64()
        };
        end(&[100]) - end(&[])
    };
    let (quic, tcp) = (held("h3"), held("h2"));
    assert!((2.0..14.0).contains(&quic), "{quic} ms");
    assert!(tcp.abs() < 1.0, "{tcp} ms");
}

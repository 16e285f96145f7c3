//! Physical limits that every outcome respects: bytes take time, and none appear or
//! vanish.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, hundred, scenario};
use pagerace_browser::Profile;
use pagerace_core::Duration;
use pagerace_page::{ResourceId, Trigger};
use pagerace_sim::{Outcome, Scenario, Side, run, run_logged};
use pagerace_transport::quic::{Frame, Space, frame::frames};
use proptest::prelude::*;

/// Returns the number of bytes of the page that have to cross the downlink.
fn bytes(outcome: &Outcome, scenario: &Scenario) -> u64 {
    assert_eq!(outcome.failure, None);
    scenario.page.body_bytes()
}

fn onload(outcome: &Outcome) -> Duration {
    outcome.load.onload.expect("the load event fired")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn no_load_is_faster_than_its_bytes_and_round_trips(
        sizes in prop::collection::vec(0_u64..120_000, 1..20),
        mbit in 1_u64..50,
        rtt_ms in 0_u64..200,
        loss in prop::sample::select(vec![0, 1, 5]),
        strategy in prop::sample::select(vec!["sequential", "round-robin", "eps"]),
        seed in 0_u64..1_000,
    ) {
        let network = format!("rate {mbit}mbit rtt {rtt_ms}ms loss {loss}% queue 1bdp");
        let s = scenario(&flat_page(&sizes), &network, strategy);
        let outcome = run(&s, seed, false).unwrap();
        let body = bytes(&outcome, &s);
        let wire = Duration::from_nanos(body * 8 * 1_000 / mbit);
        // The round trips of name lookup, handshake, document and images.
        let trips = s.network.rtt() * 4;
        prop_assert!(onload(&outcome) >= wire + trips, "{} < {wire} + {trips}", onload(&outcome));
        prop_assert!(outcome.transport.bytes_down > body);
        for r in outcome.resources.iter().flatten() {
            prop_assert!(r.wait >= s.network.rtt());
            prop_assert!(r.response_end() <= outcome.finished_at);
        }
    }

    /// Exact if the rate is the bottleneck. If the round-trip time is, the rate still
    /// determines which packets share an acknowledgement, which shifts a round by up to
    /// `max_ack_delay`, 25 ms (RFC 9000, section 18.2).
    #[test]
    fn halving_the_rate_never_helps_a_lossless_sequential_load(
        sizes in prop::collection::vec(500_u64..150_000, 1..15),
        mbit in 2_u64..40,
        rtt_ms in 1_u64..150,
    ) {
        let page = flat_page(&sizes);
        let load = |rate: u64| {
            let network = format!("rate {rate}kbit rtt {rtt_ms}ms queue 10000p");
            onload(&run(&scenario(&page, &network, "sequential"), 1, false).unwrap())
        };
        let wire = Duration::from_nanos(page.body_bytes() * 8 * 1_000 / mbit);
        let bound_by_rate = wire > Duration::from_millis(rtt_ms * 2);
        let slack = if bound_by_rate { Duration::ZERO } else { Duration::from_millis(25) };
        prop_assert!(load(mbit * 500) + slack >= load(mbit * 1_000));
    }

    #[test]
    fn clean_links_drop_only_at_the_queue(
        sizes in prop::collection::vec(500_u64..200_000, 1..10),
        mbit in 1_u64..50,
        queue in 3_u64..60,
    ) {
        let network = format!("rate {mbit}mbit rtt 50ms queue {queue}p");
        let s = scenario(&flat_page(&sizes), &network, "round-robin");
        let t = run(&s, 3, false).unwrap().transport;
        prop_assert_eq!(t.link_losses, 0);
        // Packets declared lost were dropped or, rarely, only late.
        prop_assert!(t.queue_drops > 0 || t.packets_lost == 0, "{:?}", t);
        let wide = format!("rate {mbit}mbit rtt 50ms queue 100000p");
        let t = run(&scenario(&s.page, &wide, "round-robin"), 3, false).unwrap().transport;
        prop_assert_eq!((t.queue_drops, t.packets_lost, t.retransmitted_bytes), (0, 0, 0));
        prop_assert_eq!(t.hol_blocked_bytes, 0);
    }
}

#[test]
fn every_byte_arrives_once_on_the_wire_trace() {
    let s = scenario(
        &hundred(),
        "rate 10mbit rtt 60ms loss 1% queue 1bdp",
        "round-robin",
    );
    let outcome = run(&s, 5, true).unwrap();
    let trace = outcome.trace.unwrap();
    let mut first = vec![0_u64; s.page.resources.len()];
    let mut again = 0;
    for f in &trace.frames {
        let end = f.offset + u64::from(f.length);
        let high = &mut first[f.resource.index()];
        assert!(f.offset <= *high, "first transmissions leave no hole");
        again += end.min(*high).saturating_sub(f.offset);
        assert_eq!(f.retransmission, f.offset < *high);
        *high = (*high).max(end);
    }
    for (r, sent) in s.page.resources.iter().zip(&first) {
        // The body is preceded by header fields and frame headers.
        let head = sent - r.body_bytes;
        assert!((100..600).contains(&head), "{head} bytes of head");
    }
    assert_eq!(again, outcome.transport.retransmitted_bytes);
    assert!(again > 0);
    let lost = outcome.transport.link_losses + outcome.transport.queue_drops;
    assert_eq!(trace.drops.len() as u64, lost);
}

#[test]
fn more_distance_and_more_loss_cost_time() {
    let page = hundred();
    let load =
        |network: &str| onload(&run(&scenario(&page, network, "sequential"), 1, false).unwrap());
    let near = load("rate 10mbit rtt 20ms queue 100000p");
    let far = load("rate 10mbit rtt 200ms queue 100000p");
    let lossy = load("rate 10mbit rtt 20ms loss 3% queue 100000p");
    assert!(far > near + Duration::from_millis(4 * 180));
    assert!(lossy > near);
}

/// Requests exceed the initial window, and the uplink loses many packets. The handshake's
/// last flight must nevertheless get through.
#[test]
fn large_requests_on_a_bad_uplink_do_not_hang() {
    let mut page = flat_page(&[2_000; 3]);
    for r in &mut page.resources {
        r.request_body_bytes = 15_000;
    }
    for network in [
        "rate 9mbit up 1mbit rtt 60ms queue 50p loss 0% loss-up 40%",
        "rate 9mbit up 300kbit rtt 200ms queue 8p loss 20%",
    ] {
        let mut s = scenario(&page, network, "sequential");
        s.settings.name_lookup = pagerace_sim::NameLookup::None;
        for seed in 0..150 {
            let outcome = run(&s, seed, false).unwrap();
            assert_eq!(outcome.failure, None, "{network}, seed {seed}");
            assert!(
                onload(&outcome) < Duration::from_secs(300),
                "{network}, seed {seed}"
            );
        }
    }
}

/// Loss bursts that outlast the handshake's retries close connections. The load then
/// reports that and ends.
#[test]
fn a_lost_connection_is_a_failure_and_not_the_end_of_time() {
    let mut page = flat_page(&[20_000; 6]);
    // The resource is requested once the preceding one has arrived or failed.
    page.resources[6].discovery.trigger = Trigger::After {
        parent: ResourceId(5),
        delay: Duration::from_millis(1),
    };
    let network = "rate 2mbit rtt 100ms loss 2% burst 60";
    let mut failed = 0;
    for seed in 0..150 {
        let mut s = scenario(&page, network, "round-robin");
        s.settings.deadline = Duration::from_secs(7_200);
        let outcome = run(&s, seed, false).unwrap();
        if let Some(reason) = outcome.failure {
            assert!(
                reason.contains("connection was lost"),
                "seed {seed}: {reason}"
            );
            failed += 1;
        }
    }
    assert!(failed > 0, "no connection was lost: the test tests nothing");
}

/// A server whose window is full still acknowledges every second packet (RFC 9000,
/// section 13.2.2; RFC 9002, section 7).
#[test]
fn a_full_window_holds_back_no_acknowledgements() {
    let mut page = flat_page(&[8_000; 99]);
    for r in &mut page.resources {
        // The requests are long, so that they keep arriving while responses are sent.
        r.request_header_bytes = 2_000;
    }
    let (outcome, packets) = run_logged(&scenario(&page, "fast-4g", "fifo"), 1).unwrap();
    assert_eq!(outcome.failure, None);
    let count = |sent: bool, wanted: fn(&Frame<'_>) -> bool| {
        let at_server = packets
            .iter()
            .filter(|p| p.side == Side::Server && p.packet.space == Space::OneRtt)
            .filter(|p| p.packet.sent == sent);
        at_server
            .filter(|p| frames(&p.packet.payload).any(|f| wanted(&f)))
            .count()
    };
    let requests = count(false, |f| matches!(f, Frame::Stream(_)));
    let acknowledgements = count(true, |f| matches!(f, Frame::Ack { .. }));
    assert!(requests > 100, "{requests} packets with requests");
    assert!(
        acknowledgements * 2 >= requests,
        "{acknowledgements} acknowledgements of {requests} packets"
    );
}

/// Chromium acknowledges every tenth packet of a long response, Firefox every second one
/// (docs/transports.md).
#[test]
fn a_browser_that_acknowledges_seldom_still_receives_everything() {
    let acknowledgements = |profile| {
        let page = flat_page(&[800_000]);
        let mut scenario = scenario(&page, "rate 10mbit rtt 60ms queue 1000p", "fifo");
        scenario.browser.profile = profile;
        let (outcome, packets) = run_logged(&scenario, 1).unwrap();
        assert_eq!(outcome.failure, None);
        assert_eq!(outcome.transport.packets_lost, 0);
        let at = |sent: bool, wanted: fn(&Frame<'_>) -> bool| {
            let at_client = packets.iter().filter(|p| p.side == Side::Client);
            let those = at_client.filter(|p| p.packet.space == Space::OneRtt);
            let those = those.filter(|p| p.packet.sent == sent);
            let count = those.filter(|p| frames(&p.packet.payload).any(|f| wanted(&f)));
            count.count()
        };
        let sent = at(true, |f| matches!(f, Frame::Ack { .. }));
        (sent, at(false, |f| matches!(f, Frame::Stream(_))))
    };
    let (often, packets) = acknowledgements(Profile::FIREFOX);
    assert!(packets > 650, "{packets} packets");
    assert!(often.abs_diff(packets / 2) < packets / 20, "{often}");
    let (seldom, packets) = acknowledgements(Profile::CHROME);
    let expected = 50 + (packets - 100) / 10;
    assert!(seldom.abs_diff(expected) < expected / 5, "{seldom}");
}

//! Connections of their own for requests without credentials and for frames of other sites,
//! and look-ups that cross the link.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use pagerace_core::{Destination, Duration};
use pagerace_page::{Page, ResourceId, Trigger};
use pagerace_sim::{NameLookup, Outcome, Scenario, run};

use common::{flat_page, scenario};

/// Returns a page with two images.
fn two_images() -> Page {
    flat_page(&[2_000, 2_000])
}

/// Returns the connection that carried each request.
fn connections(outcome: &Outcome) -> Vec<Option<u32>> {
    let timings = outcome.resources.iter();
    timings
        .map(|t| t.as_ref().and_then(|t| t.connection))
        .collect()
}

fn load(page: &Page, protocol: &str, change: impl Fn(&mut Scenario)) -> Outcome {
    let mut scenario = scenario(page, "rate 10mbit rtt 40ms", "sequential");
    scenario.protocols = protocol.parse().unwrap();
    change(&mut scenario);
    let outcome = run(&scenario, 1, false).unwrap();
    assert_eq!(outcome.failure, None);
    outcome
}

#[test]
fn requests_without_credentials_have_a_connection_of_their_own() {
    for protocol in ["h3", "h2"] {
        let mut page = two_images();
        let together = connections(&load(&page, protocol, |_| {}));
        assert_eq!(together[1], together[2]);
        page.resources[2].anonymous = true;
        let apart = connections(&load(&page, protocol, |_| {}));
        assert_eq!(apart[0], apart[1]);
        assert_ne!(apart[1], apart[2]);
        let single = load(&page, protocol, |s| {
            s.settings.connections = pagerace_sim::Connections::Single;
        });
        let single = connections(&single);
        assert_eq!(
            single[1], single[2],
            "a single connection carries everything"
        );
    }
}

#[test]
fn frames_of_other_sites_share_no_connection_with_the_page() {
    let mut page = two_images();
    let mut other = page.origins[0].clone();
    other.host = "other.example".to_owned();
    other.third_party = true;
    other.connection_group = 1;
    page.origins.push(other);
    // An image and a frame of another site, and an image of that site in the frame.
    for (i, destination) in [(1, Destination::Image), (2, Destination::Iframe)] {
        page.resources[i].origin.0 = 1;
        page.resources[i].third_party = true;
        page.resources[i].destination = destination;
    }
    let mut inside = page.resources[1].clone();
    inside.id = ResourceId(3);
    inside.discovery.trigger = Trigger::Markup {
        parent: ResourceId(2),
        offset: 1,
    };
    page.resources.push(inside);
    let chrome = connections(&load(&page, "h3", |_| {}));
    assert_ne!(chrome[1], chrome[2]);
    assert_eq!(chrome[2], chrome[3], "the frame and its image");
    let firefox = connections(&load(&page, "h3", |s| {
        s.browser.profile = pagerace_browser::Profile::FIREFOX;
    }));
    assert_eq!(firefox[1], firefox[2]);
}

/// Returns the time of the look-up of the document's host.
fn look_up(network: &str) -> Duration {
    let mut scenario = scenario(&two_images(), network, "sequential");
    scenario.settings.name_lookup = NameLookup::RoundTrip;
    let outcome = run(&scenario, 3, false).unwrap();
    outcome.resources[0].as_ref().unwrap().dns
}

#[test]
fn a_look_up_takes_a_round_trip_and_the_time_of_its_datagrams() {
    let idle = look_up("rate 1gbit rtt 100ms").as_millis_f64();
    assert!((100.0..100.1).contains(&idle), "{idle} ms");
    // Two queries of some 60 bytes and two answers cross 80 kbit/s one after the other.
    let slow = look_up("rate 80kbit rtt 100ms").as_millis_f64();
    assert!((110.0..130.0).contains(&slow), "{slow} ms");
}

#[test]
fn a_queue_with_one_place_drops_the_query_for_the_address() {
    // The query for HTTPS leaves first and takes the place.
    let full = look_up("rate 80kbit rtt 100ms queue 1p").as_millis_f64();
    assert!((1_100.0..1_120.0).contains(&full), "{full} ms");
}

#[test]
fn a_lost_look_up_is_repeated_after_a_second() {
    let losses = (0..40).map(|seed| {
        let mut scenario = scenario(&two_images(), "rate 10mbit rtt 40ms loss 30%", "sequential");
        scenario.settings.name_lookup = NameLookup::RoundTrip;
        let outcome = run(&scenario, seed, false).unwrap();
        outcome.resources[0].as_ref().unwrap().dns.as_millis_f64()
    });
    let times: Vec<f64> = losses.collect();
    let at_once = times.iter().filter(|ms| **ms < 100.0).count();
    let repeated = times
        .iter()
        .filter(|ms| (1_000.0..1_200.0).contains(*ms))
        .count();
    // The address arrives with the first query in 0.7 x 0.7 of the look-ups.
    assert!((8..=32).contains(&at_once), "{at_once} of 40: {times:?}");
    assert!(repeated > 2, "{repeated} of 40: {times:?}");
}

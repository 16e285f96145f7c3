//! Requests without a response transfer nothing, and delay everything that waits for
//! them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, scenario};
use pagerace_core::{Destination, Duration, RequestPriority, Words};
use pagerace_page::{NoResponse, Origin, OriginId, Page};
use pagerace_sim::{NameLookup, Outcome, run};

/// Returns a document with a blocking script on an unreachable host in its head, followed
/// by two images. Without `no_response`, an image replaces the script.
fn page(no_response: Option<NoResponse>) -> Page {
    let mut page = flat_page(&[0, 5_000, 5_000]);
    page.origins.push(Origin {
        host: "gone.example".to_owned(),
        connection_group: 1,
        ..page.origins[0].clone()
    });
    if no_response.is_some() {
        let script = &mut page.resources[1];
        script.destination = Destination::Script;
        script.priority = RequestPriority::High;
        script.render_blocking = true;
        script.in_viewport = false;
        script.origin = OriginId(1);
        script.status = 0;
        script.no_response = no_response;
    }
    page
}

fn after(ms: u64) -> NoResponse {
    NoResponse::After(Duration::from_millis(ms))
}

fn load(page: &Page, protocol: &str, look_up: NameLookup) -> Outcome {
    let mut s = scenario(page, "rate 10mbit rtt 100ms", "sequential");
    s.protocols = protocol.parse().unwrap();
    s.settings.name_lookup = look_up;
    let outcome = run(&s, 1, true).unwrap();
    assert_eq!(outcome.failure, None);
    outcome
}

#[test]
fn a_script_that_cannot_be_reached_holds_the_parser_and_transfers_nothing() {
    for protocol in ["h1", "h2", "h3"] {
        let parsed = |outcome: &Outcome| outcome.load.dom_content_loaded.unwrap().as_millis_f64();
        let without = load(&page(None), protocol, NameLookup::RoundTrip);
        let at_once = load(&page(Some(after(0))), protocol, NameLookup::RoundTrip);
        let failing = page(Some(after(500)));
        let with = load(&failing, protocol, NameLookup::RoundTrip);
        let held = parsed(&with) - parsed(&at_once);
        assert!((499.0..501.0).contains(&held), "{protocol}: {held} ms");
        assert!(with.transport.bytes_up < without.transport.bytes_up);
        assert_eq!(with.resources[1], None, "no server saw it");
        let known = load(&failing, protocol, NameLookup::None);
        let sooner = parsed(&with) - parsed(&known);
        // The name lookups of the document and of the script.
        assert!((190.0..210.0).contains(&sooner), "{protocol}: {sooner} ms");
    }
}

/// Returns the milliseconds until the load event of a document with `images` images on a host
/// without an address.
fn loaded_without_address(images: usize, protocol: &str, browser: &str) -> f64 {
    loaded_without(flat_page(&vec![0; images]), protocol, browser)
}

/// The same for the images of this page.
fn loaded_without(mut page: Page, protocol: &str, browser: &str) -> f64 {
    page.origins.push(Origin {
        host: "gone.example".to_owned(),
        connection_group: 1,
        ..page.origins[0].clone()
    });
    for image in &mut page.resources[1..] {
        image.origin = OriginId(1);
        image.status = 0;
        image.priority = RequestPriority::Low;
        image.no_response = Some(NoResponse::NoAddress);
    }
    let mut s = scenario(&page, "rate 10mbit rtt 100ms", "sequential");
    s.protocols = protocol.parse().unwrap();
    s.settings.name_lookup = NameLookup::RoundTrip;
    s.browser.profile = Words::of_word(browser).unwrap();
    let outcome = run(&s, 1, true).unwrap();
    assert_eq!(outcome.failure, None);
    outcome.load.onload.unwrap().as_millis_f64()
}

/// Asserts that more images on a host without an address take so many more look-ups.
#[track_caller]
fn assert_look_ups(protocol: &str, browser: &str, images: usize, look_ups: u32) {
    let held = loaded_without_address(images, protocol, browser)
        - loaded_without_address(0, protocol, browser);
    // The image's request leaves some milliseconds after its discovery, and the event waits for
    // the document in both loads.
    let expected = 100.0 * f64::from(look_ups);
    assert!(
        (held - expected).abs() < 30.0,
        "{protocol}, {browser}, {images} images: {held} ms instead of {expected}"
    );
}

#[test]
fn chromium_asks_two_resolvers_for_a_missing_name_and_again_for_quic() {
    assert_look_ups("h1", "chrome", 1, 2);
    assert_look_ups("h2", "chrome", 1, 2);
    assert_look_ups("h3", "chrome", 1, 4);
    assert_look_ups("h2", "firefox", 1, 1);
    assert_look_ups("h3", "safari", 1, 1);
}

#[test]
fn six_requests_to_a_missing_name_fail_at_a_time_and_the_next_look_it_up_again() {
    assert_look_ups("h2", "chrome", 6, 2);
    assert_look_ups("h2", "chrome", 7, 4);
    assert_look_ups("h2", "chrome", 13, 6);
    assert_look_ups("h3", "chrome", 7, 8);
    assert_look_ups("h2", "firefox", 7, 2);
}

#[test]
fn images_of_one_url_share_a_request_that_has_not_failed() {
    let mut page = flat_page(&[0; 13]);
    for image in &mut page.resources[1..] {
        "https://gone.example/one.png".clone_into(&mut image.url);
    }
    let alike = loaded_without(page, "h2", "chrome");
    let none = loaded_without_address(0, "h2", "chrome");
    assert!((alike - none - 200.0).abs() < 30.0, "{} ms", alike - none);
}

#[test]
fn a_lost_query_for_a_missing_name_is_sent_again_after_a_second() {
    let mut page = flat_page(&[0, 0]);
    let image = &mut page.resources[1];
    (image.status, image.no_response) = (0, Some(NoResponse::NoAddress));
    let mut s = scenario(&page, "rate 10mbit rtt 100ms loss 30%", "sequential");
    s.settings.name_lookup = NameLookup::RoundTrip;
    let late = (1..=40).any(|seed| {
        let load = run(&s, seed, true).unwrap().load;
        load.onload.is_some_and(|at| at.as_millis_f64() > 1_000.0)
    });
    assert!(late, "no query of forty loads was lost");
    for seed in 1..=40 {
        let outcome = run(&s, seed, true).unwrap();
        assert!(outcome.load.onload.is_some() || outcome.failure.is_some());
    }
}

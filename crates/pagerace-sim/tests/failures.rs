//! Requests without a response transfer nothing, and delay everything that waits for
//! them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, scenario};
use pagerace_core::{Destination, Duration, RequestPriority};
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

fn after(ms: u64) -> Option<NoResponse> {
    Some(NoResponse::After(Duration::from_millis(ms)))
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
        let at_once = load(&page(after(0)), protocol, NameLookup::RoundTrip);
        let failing = page(after(500));
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

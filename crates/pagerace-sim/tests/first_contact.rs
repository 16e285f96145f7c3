//! A browser that does not know yet that a server speaks HTTP/2 opens a connection for each
//! request, and closes all but the first that is ready.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeSet;

use common::{flat_page, scenario};
use pagerace_page::Page;
use pagerace_sim::{Connections, Outcome, Scenario, Visit, run};
use pagerace_transport::tls::ClientHello;

/// Returns a page with `images` images of another host, named at its beginning.
fn with_images_elsewhere(images: usize) -> Page {
    let mut page = flat_page(&vec![2_000; images]);
    let mut other = page.origins[0].clone();
    "images.example".clone_into(&mut other.host);
    other.third_party = true;
    other.connection_group = 1;
    page.origins.push(other);
    for image in &mut page.resources[1..] {
        image.origin.0 = 1;
        image.third_party = true;
        image.url = format!("https://images.example/{}", image.id.0);
    }
    page
}

fn load(page: &Page, change: impl Fn(&mut Scenario)) -> Outcome {
    let mut scenario = scenario(page, "rate 10mbit up 1.5mbit rtt 40ms", "sequential");
    scenario.protocols = "h2".parse().unwrap();
    change(&mut scenario);
    let outcome = run(&scenario, 1, false).unwrap();
    assert_eq!(outcome.failure, None);
    outcome
}

/// Returns the number of connections that were opened, and of those that carried responses.
fn connections(outcome: &Outcome) -> (u64, usize) {
    let used = outcome.resources.iter().flatten();
    let used: BTreeSet<_> = used.filter_map(|r| r.connection).collect();
    (outcome.transport.connections, used.len())
}

#[test]
fn each_request_opens_a_connection_and_one_carries_all() {
    for (images, opened) in [(1, 1), (4, 4), (9, 6)] {
        let outcome = load(&with_images_elsewhere(images), |_| {});
        assert_eq!(connections(&outcome), (1 + opened, 2), "{images} images");
    }
}

#[test]
fn the_documents_host_is_known_from_the_document() {
    assert_eq!(connections(&load(&flat_page(&[2_000; 9]), |_| {})), (1, 1));
}

#[test]
fn a_known_server_has_one_connection() {
    let page = with_images_elsewhere(9);
    let returning = load(&page, |s| s.visit = Visit::Resumed);
    assert_eq!(connections(&returning), (2, 2));
    let mut unvisited = page.clone();
    unvisited.origins[1].unvisited = true;
    let first = load(&unvisited, |s| s.visit = Visit::Resumed);
    assert_eq!(
        connections(&first),
        (7, 2),
        "the visit before had no images"
    );
    let over_h3 = load(&page, |s| s.protocols = "h3".parse().unwrap());
    assert_eq!(connections(&over_h3), (2, 2));
    let single = load(&page, |s| s.settings.connections = Connections::Single);
    assert_eq!(connections(&single), (1, 1));
}

#[test]
fn requests_without_credentials_know_what_others_have_learned() {
    let mut page = with_images_elsewhere(8);
    for image in &mut page.resources[5..] {
        image.anonymous = true;
    }
    let together = load(&page, |_| {});
    assert_eq!(connections(&together), (1 + 4 + 4, 3));
    // The document's own host is known.
    for image in &mut page.resources[1..] {
        image.origin.0 = 0;
    }
    assert_eq!(connections(&load(&page, |_| {})), (2, 2));
}

#[test]
fn all_handshakes_begin_and_one_ends() {
    let bytes = |images: usize| {
        let outcome = load(&with_images_elsewhere(images), |s| {
            s.settings.client_hello = ClientHello::Browser;
        });
        (outcome.transport.bytes_up, outcome.transport.bytes_down)
    };
    let (one, six) = (bytes(1), bytes(6));
    // A SYN, acknowledgements and a ClientHello of 1.9 kB for each further connection.
    let (up, down) = ((six.0 - one.0) / 5, (six.1 - one.1) / 5);
    assert!((2_100..2_600).contains(&up), "{up} for each");
    // The image, and what had been sent of the server's flight of 2.4 kB.
    assert!((2_300..5_300).contains(&down), "{down} for each");
}

#[test]
fn whichever_connection_is_ready_takes_all_requests() {
    let page = with_images_elsewhere(6);
    let mut scenario = scenario(
        &page,
        "rate 10mbit up 1.5mbit rtt 40ms loss 10% loss-up 10%",
        "sequential",
    );
    scenario.protocols = "h2".parse().unwrap();
    let mut carriers = BTreeSet::new();
    for seed in 0..200 {
        let outcome = run(&scenario, seed, false).unwrap();
        assert_eq!(outcome.failure, None, "{seed}");
        assert!(outcome.unanswered.is_empty(), "{seed}");
        let images = outcome.resources[1..].iter().flatten();
        let used: BTreeSet<_> = images.filter_map(|r| r.connection).collect();
        assert_eq!(used.len(), 1, "{seed}");
        carriers.extend(used);
    }
    // Lost handshakes let several others win.
    assert!(carriers.len() >= 4, "{carriers:?}");
}

/// Chromium 156 on the emulated link: 503 bytes for a document, 148 to 167 for the first style
/// sheet and script, 77 to 79 for further ones (TCP's payload).
#[test]
fn later_requests_refer_to_the_fields_of_earlier_ones() {
    let mut page = flat_page(&[2_000; 9]);
    for resource in &mut page.resources {
        resource.request_header_bytes = 700;
        resource.url = format!(
            "https://site.example/assets/img/picture-{}.jpg",
            resource.id.0
        );
    }
    let bytes_up = |page: &Page, protocol: &str| {
        let outcome = load(page, |s| s.protocols = protocol.parse().unwrap());
        outcome.transport.bytes_up
    };
    let with = |images: usize, protocol: &str| {
        let mut part = page.clone();
        part.resources.truncate(1 + images);
        bytes_up(&part, protocol)
    };
    let of_first = with(1, "h2") - with(0, "h2");
    let of_later = (with(9, "h2") - with(1, "h2")) / 8;
    // With the headers of IP and TCP, and acknowledgements of the image.
    assert!((250..400).contains(&of_first), "{of_first}");
    assert!((110..190).contains(&of_later), "{of_later}");
    let over_h3 = (with(9, "h3") - with(1, "h3")) / 8;
    assert!(over_h3 > 400, "{over_h3}: QPACK without a dynamic table");
}

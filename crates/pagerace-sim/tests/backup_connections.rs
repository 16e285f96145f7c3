//! Browsers open another connection to a server if the first one over TCP is not established in
//! 250 ms, look-up of the name included.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, scenario};
use pagerace_core::Words;
use pagerace_page::Page;
use pagerace_sim::{NameLookup, Outcome, run};

fn load(page: &Page, protocol: &str, browser: &str, network: &str, seed: u64) -> Outcome {
    let mut s = scenario(page, network, "sequential");
    s.protocols = protocol.parse().unwrap();
    s.settings.name_lookup = NameLookup::RoundTrip;
    s.browser.profile = Words::of_word(browser).unwrap();
    run(&s, seed, true).unwrap()
}

/// Returns the number of connections of a page with nothing but a document.
fn connections(protocol: &str, browser: &str, rtt_ms: u32) -> u64 {
    let network = format!("rate 10mbit rtt {rtt_ms}ms");
    let outcome = load(&flat_page(&[]), protocol, browser, &network, 1);
    assert_eq!(outcome.failure, None);
    outcome.transport.connections
}

#[test]
fn a_look_up_and_a_handshake_of_more_than_250_ms_have_a_second_connection() {
    for protocol in ["h1", "h2"] {
        assert_eq!(connections(protocol, "chrome", 120), 1, "{protocol}");
        assert_eq!(connections(protocol, "chrome", 130), 2, "{protocol}");
        assert_eq!(connections(protocol, "firefox", 130), 2, "{protocol}");
        assert_eq!(connections(protocol, "safari", 130), 1, "{protocol}");
        // The look-up takes longer than the patience, which then begins anew.
        assert_eq!(connections(protocol, "chrome", 300), 2, "{protocol}");
    }
    assert_eq!(connections("h3", "chrome", 300), 1);
}

#[test]
fn over_http1_the_second_connection_takes_the_first_request_that_the_document_makes() {
    let mut page = flat_page(&[5_000]);
    page.resources[0].body_bytes = 300_000;
    let image = |rtt_ms: u32| {
        let network = format!("rate 2mbit rtt {rtt_ms}ms");
        let outcome = load(&page, "h1", "chrome", &network, 1);
        let image = outcome.resources[1].unwrap();
        assert_eq!(image.connection, Some(1), "the document occupies the first");
        image.connect.as_millis_f64()
    };
    assert!(image(120) > 240.0, "a handshake of two round trips");
    assert!(image(150) < 1.0, "the connection was ready");
}

/// In 26 live loads of three pages, the request left before all new connections eight times.
#[test]
fn the_second_connections_request_and_new_connections_leave_in_either_order() {
    let mut page = flat_page(&[5_000; 5]);
    page.resources[0].body_bytes = 300_000;
    let mut s = scenario(&page, "rate 2mbit rtt 150ms", "sequential");
    s.protocols = "h1".parse().unwrap();
    s.settings.name_lookup = NameLookup::RoundTrip;
    s.browser.jitter = 0.1;
    let leaves_first = |seed: &u64| {
        let outcome = run(&s, *seed, true).unwrap();
        let mut images = outcome.resources.iter().skip(1).flatten();
        let first = images.next().unwrap();
        assert_eq!(first.connection, Some(1));
        // A connection opens as soon as the next image is requested.
        images.all(|r| first.request_start() + r.blocked + r.connect < r.request_start())
    };
    let first = (0..100).filter(leaves_first).count();
    assert!((15..50).contains(&first), "{first} of 100");
}

#[test]
fn a_lost_syn_costs_250_ms_instead_of_a_second() {
    // Milliseconds of the look-up, and until the request leaves.
    let ready = |protocol: &str, browser: &str, seed: u64| {
        let outcome = load(
            &flat_page(&[]),
            protocol,
            browser,
            "rate 10mbit rtt 40ms loss 10%",
            seed,
        );
        let document = outcome.resources[0].unwrap();
        let dns = document.dns.as_millis_f64();
        let rest = document.blocked + document.connect;
        (dns, dns + rest.as_millis_f64())
    };
    for protocol in ["h1", "h2"] {
        // A look-up and two round trips, one of them after the retransmission timeout.
        let lost_a_syn = |seed: &u64| {
            let (dns, ready) = ready(protocol, "safari", *seed);
            dns < 60.0 && (1_110.0..1_130.0).contains(&ready)
        };
        let seeds: Vec<u64> = (0..400).filter(lost_a_syn).collect();
        assert!(seeds.len() >= 20, "{protocol}: {} seeds", seeds.len());
        let mut times: Vec<f64> = seeds
            .iter()
            .map(|seed| ready(protocol, "chrome", *seed).1)
            .collect();
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        // 250 ms, the round trips of TCP and TLS, and the transfer of the certificates.
        assert!(
            (330.0..340.0).contains(&median),
            "{protocol}: {median} ms in the median of {times:?}"
        );
    }
}

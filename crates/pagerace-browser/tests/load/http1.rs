//! Chromium's limits on requests over HTTP/1.1. The CPU takes no time, a round trip takes
//! 100 ms, and bodies arrive at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::common::{KIB, Network, document, in_markup, load, no_cpu, page, script, visible_image};
use pagerace_browser::{Action, Profile};
use pagerace_core::{Destination, Instant, Protocol, RequestPriority, ScriptMode};
use pagerace_page::model::{NoResponse, OriginId, Page, Resource};

/// The number of origins of the hand-made pages.
const ORIGINS: usize = 3;

/// Returns a page of a document with these children.
fn site(children: Vec<Resource>) -> Arc<Page> {
    let mut resources = vec![document(10 * KIB)];
    resources.extend(children);
    let mut page = page(resources);
    let page_mut = Arc::make_mut(&mut page);
    let first = page_mut.origins[0].clone();
    page_mut.origins = vec![first; ORIGINS];
    page
}

/// Returns an image of the body, below the fold.
fn image(origin: u32) -> Resource {
    Resource {
        origin: OriginId(origin),
        ..in_markup(Destination::Image, 2_000, 9_000)
    }
}

fn over(protocol: Protocol) -> Network {
    Network {
        protocols: vec![protocol; ORIGINS],
        ..Network::default()
    }
}

/// Returns the number of requests that leave at each time in milliseconds.
fn waves(page: &Arc<Page>, profile: &'static Profile, network: &Network) -> Vec<(f64, usize)> {
    let l = load(page, &no_cpu(profile), network, 1);
    assert!(l.done);
    let mut waves = BTreeMap::new();
    for (at, action) in &l.actions {
        if matches!(action, Action::Fetch { .. }) {
            *waves.entry(*at).or_default() += 1;
        }
    }
    let wave = |(at, count): (Instant, usize)| (at.as_millis_f64(), count);
    waves.into_iter().map(wave).collect()
}

#[test]
fn six_images_of_one_server_at_a_time() {
    let p = site((0..14).map(|_| image(1)).collect());
    let h1 = waves(&p, Profile::CHROME, &over(Protocol::H1));
    assert_eq!(h1, [(0.0, 1), (100.0, 6), (200.0, 6), (300.0, 2)]);
    for protocol in [Protocol::H2, Protocol::H3] {
        let one = waves(&p, Profile::CHROME, &over(protocol));
        assert_eq!(one, [(0.0, 1), (100.0, 14)], "{protocol}");
    }
}

/// No server tells that it supports priorities.
#[test]
fn six_images_of_a_host_without_an_address_at_a_time_over_any_protocol() {
    let missing = || Resource {
        no_response: Some(NoResponse::NoAddress),
        ..image(1)
    };
    let p = site((0..14).map(|_| missing()).collect());
    for protocol in [Protocol::H1, Protocol::H2, Protocol::H3] {
        let network = Network {
            fails: p.resources[1..].iter().map(|image| image.id).collect(),
            ..over(protocol)
        };
        let waves = waves(&p, Profile::CHROME, &network);
        assert_eq!(
            waves,
            [(0.0, 1), (100.0, 6), (200.0, 6), (300.0, 2)],
            "{protocol}"
        );
    }
}

#[test]
fn ten_images_in_all() {
    let p = site((0..15).map(|n| image(n % 3)).collect());
    let h1 = waves(&p, Profile::CHROME, &over(Protocol::H1));
    assert_eq!(h1, [(0.0, 1), (100.0, 10), (200.0, 5)]);
}

#[test]
fn servers_that_know_priorities_are_exempt_and_do_not_count() {
    let p = site((0..24).map(|n| image(n % 3)).collect());
    // Each server has eight images. The two HTTP/1.1 servers take turns up to ten
    // requests in all, and the other server gets eight at once.
    let network = Network {
        protocols: vec![Protocol::H1, Protocol::H1, Protocol::H2],
        ..Network::default()
    };
    let waves = waves(&p, Profile::CHROME, &network);
    assert_eq!(waves, [(0.0, 1), (100.0, 10 + 8), (200.0, 6)]);
}

#[test]
fn urgent_requests_are_not_delayable() {
    let urgent = |_| Resource {
        origin: OriginId(1),
        ..script(ScriptMode::Async, RequestPriority::High, 1_000, 9_000)
    };
    let p = site((0..14).map(urgent).collect());
    let h1 = waves(&p, Profile::CHROME, &over(Protocol::H1));
    assert_eq!(h1, [(0.0, 1), (100.0, 14)]);
}

#[test]
fn other_browsers_are_not_known_to_limit_more() {
    let p = site((0..14).map(|_| image(1)).collect());
    for profile in [Profile::FIREFOX, Profile::SAFARI] {
        let h1 = waves(&p, profile, &over(Protocol::H1));
        let h3 = waves(&p, profile, &over(Protocol::H3));
        assert_eq!(h1, h3, "{profile:?}");
    }
}

#[test]
fn an_image_that_layout_finds_in_view_leaves_at_once() {
    // Twelve large images below the fold are requested first; layout finds the last image.
    let mut children: Vec<Resource> = (0..12)
        .map(|_| Resource {
            body_bytes: 50_000,
            ..image(1)
        })
        .collect();
    children.push(Resource {
        origin: OriginId(1),
        ..visible_image(5_000, 9_500)
    });
    let p = site(children);
    // At 1 MB/s, six images take 300 ms.
    let network = Network {
        rate: 1_000_000,
        ..over(Protocol::H1)
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    let asked = l.asked(13).expect("requested");
    let rank = l.fetch_order().iter().position(|&r| r == 13);
    assert_eq!(rank, Some(7), "after the document and six images");
    // The first layout begins with the first piece (1.2 ms), before the image is known.
    // The next one begins a frame later.
    assert!((asked - (101.2 + 50.0 / 3.0)).abs() < 1e-3, "{asked}");
}

#[test]
fn an_image_that_is_raised_in_flight_frees_its_place_at_the_next_end() {
    let mut children: Vec<Resource> = (0..12)
        .map(|n| Resource {
            body_bytes: 20_000,
            ..image(n % 3)
        })
        .collect();
    children[1] = Resource {
        origin: OriginId(1),
        ..visible_image(20_000, 9_000)
    };
    let p = site(children);
    // At 1 MB/s each image takes 20 ms, and the first one arrives after 230 ms. The
    // layout that raises the second one ends long before.
    let network = Network {
        rate: 1_000_000,
        ..over(Protocol::H1)
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    assert!(l.new_signal(2).is_some_and(|(at, _)| at < 150.0), "raised");
    let ended = l.ends[&crate::common::id(1)].as_millis_f64();
    assert_eq!([l.asked(11), l.asked(12)], [Some(ended); 2], "both places");
}

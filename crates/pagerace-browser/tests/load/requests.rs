//! The times at which requests leave, and their signals, computed by hand.
//!
//! Unless a test says otherwise, the CPU takes no time, so that only round trips (100 ms)
//! and frames (60 per second) count.

use crate::common::{
    KIB, Network, blocking_sheet, document, head_script, id, in_markup, load, ms, no_cpu, page,
    script, visible_image,
};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_page::Trigger;
use pagerace_page::model::Resource;

#[test]
fn nothing_below_high_leaves_chrome_before_the_body_while_two_are_in_flight() {
    let async_script = script(ScriptMode::Async, RequestPriority::Low, 1_000, 900);
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(5_000, 500),
        head_script(5_000, 800),
        async_script.clone(),
        Resource {
            priority: RequestPriority::Medium,
            ..visible_image(20_000, 2_000)
        },
        Resource {
            priority: RequestPriority::Medium,
            ..visible_image(20_000, 2_100)
        },
        Resource {
            priority: RequestPriority::Medium,
            ..visible_image(20_000, 2_200)
        },
        in_markup(Destination::Fetch, 100, 9_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(
        [1, 2, 4, 5].map(|r| l.asked(r)),
        [Some(100.0); 4],
        "High, and two Medium"
    );
    assert_eq!(
        [3, 6].map(|r| l.asked(r)),
        [Some(200.0); 2],
        "until the parser is in the body"
    );
    assert_eq!(l.found(3), Some(100.0), "known all the time");
    assert_eq!(
        l.asked(7),
        Some(200.0),
        "an inline script's fetch waits for the parser only"
    );
    // `Medium` before `Low`, then in document order.
    assert_eq!(l.fetch_order(), [0, 1, 2, 4, 5, 6, 3, 7]);
}

#[test]
fn with_free_places_chrome_asks_for_low_ones_too() {
    let p = page(vec![
        document(10 * KIB),
        head_script(5_000, 800),
        script(ScriptMode::Async, RequestPriority::Low, 1_000, 900),
        script(ScriptMode::Async, RequestPriority::Low, 1_000, 901),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(
        [1, 2, 3].map(|r| l.asked(r)),
        [Some(100.0), Some(100.0), Some(200.0)]
    );
}

#[test]
fn images_wait_for_the_head_in_firefox_and_safari() {
    for profile in [Profile::FIREFOX, Profile::SAFARI] {
        let p = page(vec![
            document(10 * KIB),
            blocking_sheet(5_000, 500),
            visible_image(20_000, 2_000),
            in_markup(Destination::Font, 20_000, 600),
        ]);
        let l = load(&p, &no_cpu(profile), &Network::default(), 1);
        assert_eq!(
            [1, 2, 3].map(|r| l.asked(r)),
            [Some(100.0), Some(200.0), Some(100.0)],
            "{profile:?}"
        );
    }
}

#[test]
fn an_image_in_the_viewport_is_boosted_once_laid_out() {
    // At 100 kB/s the image takes 2 s.
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    let p = page(vec![document(KIB), visible_image(200_000, 500)]);
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(2, true)));
    let (at, priority) = l.new_signal(1).expect("boosted");
    assert_eq!(priority, Priority::new(1, true));
    // The document is complete after 10.24 ms of sending.
    assert!((at - 110.24).abs() < 1e-3, "{at}");

    let l = load(&p, &no_cpu(Profile::FIREFOX), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(5, true)));
    assert_eq!(l.new_signal(1).expect("boosted").1, Priority::new(3, true));

    let l = load(&p, &no_cpu(Profile::SAFARI), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(3, true)));
    assert_eq!(l.new_signal(1), None);
}

#[test]
fn the_scanner_runs_ahead_of_a_blocked_parser() {
    // At 10 kB/s, byte 5,000 of the document arrives after 600 ms.
    let network = Network {
        rate: 10_000,
        ..Network::default()
    };
    let p = page(vec![
        document(10_000),
        head_script(100, 100),
        visible_image(1_000, 6_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    // The script arrives after the document on this link.
    assert_eq!(l.browser.metrics().dom_content_loaded, Some(ms(1_110.0)));
    assert_eq!(
        l.found(2),
        Some(100.0 + 600.0),
        "with the piece that holds its byte"
    );
}

#[test]
fn a_preload_is_never_used_before_its_own_place() {
    // Only the parser finds videos. It must not wait for this one's target before it.
    let video = Resource {
        used_at: Some(100),
        ..in_markup(Destination::Media, 1_000, 900)
    };
    let mut target = script(ScriptMode::Blocking, RequestPriority::High, 1_000, 0);
    target.discovery.trigger = Trigger::Redirect { parent: id(1) };
    let page = page(vec![document(KIB), video, target]);
    let l = load(&page, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert!(l.ends.contains_key(&id(2)), "the page loads to its end");
}

#[test]
fn a_preloaded_script_blocks_the_parser_where_it_is_used() {
    let found = |used_at| {
        let preloaded = Resource {
            used_at,
            ..script(ScriptMode::Blocking, RequestPriority::High, 100_000, 100)
        };
        // Only the parser finds frames.
        let page = page(vec![
            document(KIB),
            preloaded,
            in_markup(Destination::Iframe, 1_000, 500),
        ]);
        let l = load(
            &page,
            &no_cpu(Profile::CHROME),
            &Network {
                rate: 100_000,
                ..Network::default()
            },
            1,
        );
        let arrived = l.ends[&id(1)].as_millis_f64();
        (l.found(2).expect("the frame is found"), arrived)
    };
    let (frame, arrived) = found(None);
    assert!(frame >= arrived, "{frame} {arrived}");
    let (frame, arrived) = found(Some(900));
    assert!(frame < arrived, "{frame} {arrived}");
}

#[test]
fn vector_graphics_keep_the_main_thread_busy() {
    let onload = |mime_type: &str| {
        let image = Resource {
            mime_type: mime_type.into(),
            ..in_markup(Destination::Image, KIB, 500)
        };
        let p = page([vec![document(KIB)], vec![image; 20]].concat());
        let config = BrowserConfig {
            profile: Profile::CHROME,
            cpu: 1.0,
            jitter: 0.0,
        };
        let l = load(&p, &config, &Network::default(), 1);
        l.browser
            .metrics()
            .onload
            .expect("it loads")
            .as_millis_f64()
    };
    // The thread takes each in 1 ms. A graphic takes 2.3 ms more, and 0.1 ms for its KiB, one after
    // the other. The last arrives 19 times 1.2 ms after the first.
    let more = onload("image/svg+xml") - onload("image/png");
    let expected = 20.0 * (1.0 + 2.4) - (19.0 * 1.2 + 1.0);
    assert!((more - expected).abs() < 1e-6, "{more}");
}

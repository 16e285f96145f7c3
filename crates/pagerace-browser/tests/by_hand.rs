//! Small pages whose times are computed by hand.
//!
//! Unless a test says otherwise the CPU takes no time, so that only round
//! trips (100 ms) and layout count; layout costs half of 10 ms + 0.2 ms/KiB
//! the first time and half of 5 ms afterwards.

mod common;

use common::{document, id, in_markup, load, ms, no_cpu, page, resource, script, Network};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, Priority, RequestPriority, ScriptMode};
use pagerace_page::model::{Resource, Trigger};

const KIB: u64 = 1024;

fn blocking_sheet(bytes: u64, offset: u64) -> Resource {
    Resource { render_blocking: true, ..in_markup(Destination::Style, bytes, offset) }
}

fn head_script(bytes: u64, offset: u64) -> Resource {
    Resource {
        render_blocking: true,
        ..script(ScriptMode::Blocking, RequestPriority::High, bytes, offset)
    }
}

fn visible_image(bytes: u64, offset: u64) -> Resource {
    Resource {
        in_viewport: true,
        priority: RequestPriority::High,
        ..in_markup(Destination::Image, bytes, offset)
    }
}

#[test]
fn a_head_delays_the_first_paint_by_one_round_trip() {
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(5_000, 500),
        head_script(5_000, 800),
        visible_image(20_000, 5_000),
    ]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert!(l.done);
    let m = l.browser.metrics();
    assert_eq!(m.ttfb, Some(ms(100.0)));
    for r in 1..=3 {
        assert_eq!(l.asked(r), Some(100.0), "resource {r}");
    }
    // Head done at 200; first layout (10 + 10 x 0.2) / 2 = 6 ms; the image
    // (100,000 px, larger than a paragraph) waits for the next frame,
    // 16.67 ms after the first began, and costs 2.5 ms.
    assert_eq!(m.fcp, Some(ms(206.0)));
    assert_eq!(m.lcp, Some(Duration::from_nanos(219_166_667)));
    assert_eq!(l.browser.lcp_image(), Some(id(3)));
    assert_eq!(m.dom_content_loaded, Some(ms(200.0)));
    // The load event's task waits for the layout that began at 200.
    assert_eq!(m.onload, Some(ms(206.0)));
    // No long task, and nothing in flight after 200.
    assert_eq!(m.tti, Some(ms(206.0)));
    assert_eq!(m.tbt, Some(Duration::ZERO));
    // Text is 0.3 of the viewport at 206; the image 100,000 px of it.
    let text = 0.3 * 1350.0 * 940.0;
    let si = 206.0 + 13.166_667 * 100_000.0 / (text + 100_000.0);
    let measured = m.speed_index.expect("painted").as_millis_f64();
    assert!((measured - si).abs() < 1e-3, "{measured} against {si}");
    // 10 KiB at 100 ms, 30,000 bytes at 200 ms.
    let bi = (10_240.0 * 100.0 + 30_000.0 * 200.0) / 40_240.0;
    let measured = m.byte_index.expect("bytes").as_millis_f64();
    assert!((measured - bi).abs() < 1e-3, "{measured} against {bi}");
}

#[test]
fn nothing_below_high_leaves_chrome_before_the_body_while_two_are_in_flight() {
    let async_script = script(ScriptMode::Async, RequestPriority::Low, 1_000, 900);
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(5_000, 500),
        head_script(5_000, 800),
        async_script.clone(),
        Resource { priority: RequestPriority::Medium, ..visible_image(20_000, 2_000) },
        Resource { priority: RequestPriority::Medium, ..visible_image(20_000, 2_100) },
        Resource { priority: RequestPriority::Medium, ..visible_image(20_000, 2_200) },
        in_markup(Destination::Fetch, 100, 9_000),
    ]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!([1, 2, 4, 5].map(|r| l.asked(r)), [Some(100.0); 4], "High, and two Medium");
    assert_eq!([3, 6].map(|r| l.asked(r)), [Some(200.0); 2], "until the parser is in the body");
    assert_eq!(l.found(3), Some(100.0), "known all the time");
    assert_eq!(l.asked(7), Some(200.0), "an inline script's fetch waits for the parser only");
    // Medium before Low, then in order.
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
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!([1, 2, 3].map(|r| l.asked(r)), [Some(100.0), Some(100.0), Some(200.0)]);
}

#[test]
fn images_wait_for_the_head_in_firefox_and_safari() {
    for profile in [Profile::Firefox, Profile::Safari] {
        let p = page(vec![
            document(10 * KIB),
            blocking_sheet(5_000, 500),
            visible_image(20_000, 2_000),
            in_markup(Destination::Font, 20_000, 600),
        ]);
        let l = load(&p, &no_cpu(profile), &Network::default(), 1);
        assert_eq!([1, 2, 3].map(|r| l.asked(r)), [Some(100.0), Some(200.0), Some(100.0)], "{profile:?}");
    }
}

#[test]
fn an_image_in_the_viewport_is_boosted_once_laid_out() {
    // 100 kB/s: the image is on its way for 2 s.
    let network = Network { rate: 100_000, ..Network::default() };
    let p = page(vec![document(KIB), visible_image(200_000, 500)]);
    let l = load(&p, &no_cpu(Profile::Chrome), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(2, true)));
    let (at, priority) = l.new_signal(1).expect("boosted");
    assert_eq!(priority, Priority::new(1, true));
    // Document complete after 10.24 ms of sending, layout 5.1 ms (1 KiB).
    assert!((at - (110.24 + 5.1)).abs() < 1e-3, "{at}");

    let l = load(&p, &no_cpu(Profile::Firefox), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(5, true)));
    assert_eq!(l.new_signal(1).expect("boosted").1, Priority::new(3, true));

    let l = load(&p, &no_cpu(Profile::Safari), &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(3, true)));
    assert_eq!(l.new_signal(1), None);
}

#[test]
fn the_scanner_runs_ahead_of_a_blocked_parser() {
    // 10 kB/s: byte 5,000 of the document arrives after 600 ms.
    let network = Network { rate: 10_000, ..Network::default() };
    let p = page(vec![document(10_000), head_script(100, 100), visible_image(1_000, 6_000)]);
    let l = load(&p, &no_cpu(Profile::Chrome), &network, 1);
    // The script is behind the document on this link.
    assert_eq!(l.browser.metrics().dom_content_loaded, Some(ms(1_110.0)));
    assert_eq!(l.found(2), Some(100.0 + 600.0), "with the piece that holds its byte");
}

#[test]
fn scripts_wait_for_earlier_sheets_only() {
    let sheet = |offset| Resource { cpu_time: Some(ms(40.0)), ..blocking_sheet(1_000, offset) };
    let measured = Resource { cpu_time: Some(ms(7.0)), ..head_script(1_000, 500) };
    let config = BrowserConfig { profile: Profile::Chrome, cpu: 1.0, jitter: 0.0 };
    let free = Resource { cpu_time: Some(Duration::ZERO), ..document(KIB) };
    let sheet_behind = |parent| {
        resource(Destination::Style, 1_000, Trigger::Redirect { parent: id(parent) })
    };
    let child = || {
        resource(Destination::Fetch, 10, Trigger::Script { parent: id(2), delay: Duration::ZERO })
    };
    let before = page(vec![free.clone(), sheet(400), measured.clone(), child()]);
    // A sheet that comes later in the document, and only after a redirect.
    let hop = in_markup(Destination::Style, 0, 600);
    let after = page(vec![free, hop, measured, child(), sheet_behind(1)]);
    let l = load(&before, &config, &Network::default(), 1);
    assert_eq!(l.found(3), Some(200.0 + 40.0 + 7.0));
    // At 200 that sheet is on its way; only an earlier one is waited for.
    let l = load(&after, &config, &Network::default(), 1);
    assert_eq!(l.found(3), Some(200.0 + 7.0));
}

#[test]
fn deferred_scripts_run_in_order_after_parsing_async_ones_when_they_arrive() {
    let costs = |r: Resource| Resource { cpu_time: Some(ms(10.0)), ..r };
    let low = RequestPriority::Low;
    let p = page(vec![
        Resource { cpu_time: Some(Duration::ZERO), ..document(KIB) },
        costs(script(ScriptMode::Defer, low, 1_000, 100)),
        costs(script(ScriptMode::Defer, low, 1_000, 101)),
        costs(script(ScriptMode::Async, low, 1_000, 102)),
        resource(Destination::Fetch, 10, Trigger::Script { parent: id(2), delay: ms(3.0) }),
        resource(Destination::Fetch, 10, Trigger::Script { parent: id(3), delay: ms(3.0) }),
    ]);
    let config = BrowserConfig { profile: Profile::Chrome, cpu: 1.0, jitter: 0.0 };
    let l = load(&p, &config, &Network::default(), 1);
    // All four leave the thread at once, for the body begins early; the first
    // layout (10.2 ms from 100) is over when they arrive, one script after the
    // other: defer, then what was queued while it ran (async), then defer.
    let arrived = 200.0;
    assert_eq!(l.found(5), Some(arrived + 20.0 + 3.0));
    assert_eq!(l.found(4), Some(arrived + 30.0 + 3.0));
    let m = l.browser.metrics();
    assert_eq!(m.dom_content_loaded, Some(ms(arrived + 30.0)));
    // The first fetch held the load event, so the second could, too.
    assert_eq!(m.onload, Some(ms(arrived + 33.0 + 100.0)));
}

#[test]
fn what_a_script_asks_for_before_the_load_event_holds_it() {
    let p = page(vec![
        document(KIB),
        script(ScriptMode::Blocking, RequestPriority::High, 1_000, 100),
        resource(Destination::Image, 1_000, Trigger::Script { parent: id(1), delay: Duration::ZERO }),
    ]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!(l.browser.metrics().onload, Some(ms(300.0)));
}

#[test]
fn fonts_are_found_by_layout_and_hold_text_for_three_seconds_at_most() {
    let font = resource(Destination::Font, 20_000, Trigger::Style { parent: id(1) });
    let p = page(vec![document(10 * KIB), blocking_sheet(5_000, 500), font]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    // Sheet at 200, layout until 206, font at 306, a frame of 2.5 ms.
    assert_eq!(l.asked(2), Some(206.0));
    assert_eq!(l.browser.metrics().fcp, Some(ms(308.5)));

    // At 4 kB/s the font would take another 5 s.
    let slow = Network { rate: 4_000, ..Network::default() };
    let l = load(&p, &no_cpu(Profile::Chrome), &slow, 1);
    let layout = l.asked(2).expect("asked for");
    let fcp = l.browser.metrics().fcp.expect("painted").as_millis_f64();
    assert!((fcp - (layout + 3_000.0 + 2.5)).abs() < 1e-3, "{fcp}, font asked for at {layout}");
}

#[test]
fn imports_are_asked_for_at_once_and_block_like_their_parent() {
    let import = Resource {
        render_blocking: true,
        ..resource(Destination::Style, 1_000, Trigger::Style { parent: id(1) })
    };
    let p = page(vec![document(10 * KIB), blocking_sheet(1_000, 500), import, head_script(10, 600)]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!(l.asked(2), Some(200.0));
    assert_eq!(l.browser.metrics().dom_content_loaded, Some(ms(300.0)), "the script waited");
}

#[test]
fn a_redirect_is_followed_with_its_head() {
    let p = page(vec![
        document(0),
        Resource {
            discovery: resource(Destination::Document, 0, Trigger::Redirect { parent: id(0) }).discovery,
            ..document(KIB)
        },
        resource(Destination::Script, 10, Trigger::Markup { parent: id(1), offset: 10 }),
        resource(Destination::Script, 10, Trigger::Redirect { parent: id(2) }),
    ]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!([1, 2, 3].map(|r| l.asked(r)), [Some(100.0), Some(200.0), Some(300.0)]);
    let m = l.browser.metrics();
    assert_eq!(m.ttfb, Some(ms(200.0)), "of the document that is shown");
    assert_eq!(m.dom_content_loaded, Some(ms(400.0)), "the redirected script blocks the parser");
}

#[test]
fn an_after_trigger_waits_for_the_end_and_its_delay() {
    let p = page(vec![
        document(KIB),
        resource(Destination::Fetch, 10, Trigger::After { parent: id(0), delay: ms(50.0) }),
    ]);
    let l = load(&p, &no_cpu(Profile::Chrome), &Network::default(), 1);
    assert_eq!(l.asked(1), Some(150.0));
    assert!(l.done && l.ended.as_millis_f64() >= 250.0, "the load is over only with the last response");
}

#[test]
fn failures_block_nothing() {
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(1_000, 500),
        head_script(1_000, 600),
        resource(Destination::Image, 1_000, Trigger::Script { parent: id(2), delay: Duration::ZERO }),
        resource(Destination::Font, 1_000, Trigger::Style { parent: id(1) }),
    ]);
    let network = Network { fails: vec![id(1), id(2)], ..Network::default() };
    let l = load(&p, &no_cpu(Profile::Chrome), &network, 1);
    assert!(l.done);
    assert_eq!(l.browser.metrics().fcp, Some(ms(206.0)));
    assert_eq!(l.browser.metrics().onload, Some(ms(206.0)));
    assert_eq!([3, 4].map(|r| l.asked(r)), [None; 2]);
}

#[test]
fn a_document_that_breaks_off_is_shown_as_far_as_it_came() {
    let p = page(vec![document(10 * KIB), visible_image(10_000, 2 * KIB), visible_image(10_000, 9 * KIB)]);
    let network = Network { breaks: vec![id(0)], ..Network::default() };
    let l = load(&p, &no_cpu(Profile::Chrome), &network, 1);
    assert!(l.done);
    assert!(l.browser.metrics().lcp.is_some());
    assert_eq!((l.asked(1), l.asked(2)), (Some(100.0), None));
}

#[test]
fn without_a_document_the_load_is_over_and_nothing_was_measured() {
    let p = page(vec![document(KIB), visible_image(1_000, 10)]);
    let network = Network { fails: vec![id(0)], ..Network::default() };
    let l = load(&p, &no_cpu(Profile::Chrome), &network, 1);
    assert!(l.done);
    let m = l.browser.metrics();
    assert_eq!((m.ttfb, m.fcp, m.onload, m.tti), (None, None, None, None));
    assert!(l.browser.visual_progress().is_empty());
}

#[test]
fn a_frame_of_another_site_does_not_keep_the_page_busy() {
    let frame = |third_party| Resource {
        third_party,
        ..in_markup(Destination::Iframe, KIB, 100)
    };
    let busy = Resource {
        cpu_time: Some(ms(500.0)),
        ..resource(Destination::Script, 1_000, Trigger::Markup { parent: id(1), offset: 10 })
    };
    let config = BrowserConfig { profile: Profile::Chrome, cpu: 1.0, jitter: 0.0 };
    let tbt = |third_party, profile| {
        let p = page(vec![document(KIB), frame(third_party), busy.clone()]);
        let l = load(&p, &BrowserConfig { profile, ..config.clone() }, &Network::default(), 1);
        assert!(l.done);
        assert!(l.browser.metrics().onload.expect("fired") > ms(800.0), "it holds the load event");
        l.browser.metrics().tbt
    };
    assert_eq!(tbt(true, Profile::Chrome), Some(Duration::ZERO));
    assert_eq!(tbt(false, Profile::Chrome), Some(ms(450.0)));
    assert_eq!(tbt(true, Profile::Safari), Some(ms(450.0)), "Safari has one process for a page");
}

#[test]
fn costs_follow_the_stated_model() {
    // 100 KiB of script at 0.25 ms, 10 KiB of markup at 0.15 ms, twice as slow.
    let p = page(vec![document(10 * KIB), script(ScriptMode::Defer, RequestPriority::Low, 100 * KIB, 10)]);
    let config = BrowserConfig { profile: Profile::Chrome, cpu: 2.0, jitter: 0.0 };
    let l = load(&p, &config, &Network::default(), 1);
    let scan = 2.0 * (0.2 + 10.0 * 0.01);
    let expected = 200.0 + scan + 2.0 * 25.0;
    let dcl = l.browser.metrics().dom_content_loaded.expect("fired").as_millis_f64();
    assert!((dcl - expected).abs() < 1e-3, "{dcl} against {expected}");
}

#[test]
fn jitter_is_drawn_by_resource_and_seed() {
    let p = page(vec![document(10 * KIB), script(ScriptMode::Defer, RequestPriority::Low, 100 * KIB, 10)]);
    let config = BrowserConfig { profile: Profile::Chrome, cpu: 4.0, jitter: 0.3 };
    let dcl = |seed| load(&p, &config, &Network::default(), seed).browser.metrics().dom_content_loaded;
    assert_eq!(dcl(1), dcl(1));
    assert_ne!(dcl(1), dcl(2));
}

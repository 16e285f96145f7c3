//! Painting, failures, frames and costs on small pages, with times computed by hand.
//!
//! Unless a test says otherwise, the CPU takes no time, so that only round trips (100 ms)
//! and frames (60 per second) count.

use std::sync::Arc;

use crate::common::{
    KIB, Network, blocking_sheet, desktop, document, head_script, id, in_markup, load, ms, no_cpu,
    page, resource, script, visible_image,
};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::model::{Content, FontDisplay, FontUse, Page, Resource, Trigger};

#[test]
fn a_head_delays_the_first_paint_by_one_round_trip() {
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(5_000, 500),
        head_script(5_000, 800),
        visible_image(200_000, 5_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert!(l.done);
    let m = l.browser.metrics();
    assert_eq!(m.ttfb, Some(ms(100.0)));
    for r in 1..=3 {
        assert_eq!(l.asked(r), Some(100.0), "resource {r}");
    }
    // The head is done at 200 ms. The image (a tenth of the viewport, larger than a paragraph)
    // waits for the next frame, 16.67 ms after the first.
    assert_eq!(m.fcp, Some(ms(200.0)));
    assert_eq!(m.lcp, Some(Duration::from_nanos(216_666_667)));
    assert_eq!(l.browser.lcp_image(), Some(id(3)));
    assert_eq!(m.dom_content_loaded, Some(ms(200.0)));
    assert_eq!(m.onload, Some(ms(200.0)));
    // There is no long task, and nothing is in flight after 200 ms.
    assert_eq!(m.tti, Some(ms(200.0)));
    assert_eq!(m.tbt, Some(Duration::ZERO));
    // Text covers 0.3 of the viewport at 200 ms; the image adds 0.6. Text is then a third of the
    // picture, and counts as 33 %.
    let si = 200.0 + 16.666_667 * 0.67;
    let measured = m.speed_index.expect("painted").as_millis_f64();
    assert!((measured - si).abs() < 1e-3, "{measured} against {si}");
    // 10 KiB arrive at 100 ms, 210,000 bytes at 200 ms.
    let bi = (10_240.0 * 100.0 + 210_000.0 * 200.0) / 220_240.0;
    let measured = m.byte_index.expect("bytes").as_millis_f64();
    assert!((measured - bi).abs() < 1e-3, "{measured} against {bi}");
}

#[test]
fn fonts_are_found_by_layout_and_hold_text_until_their_block_period_ends() {
    let font = resource(Destination::Font, 20_000, Trigger::Style { parent: id(1) });
    let p = page(vec![document(10 * KIB), blocking_sheet(5_000, 500), font]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    // The sheet arrives at 200 ms, and the font at 300 ms.
    assert_eq!(l.asked(2), Some(200.0));
    let metrics = l.browser.metrics();
    assert_eq!(metrics.lcp, Some(ms(300.0)));
    assert_eq!(metrics.fcp, Some(ms(200.0)), "invisible text counts");

    // At 4 kB/s the font would take another 5 s, and the layout comes after 4 s.
    let slow = |rate, display: Option<FontDisplay>| {
        let mut p = (*p).clone();
        p.guess_mut().expect("no layout").content = Some(Content {
            text: vec![5_000],
            fonts: display
                .map(|display| FontUse {
                    font: id(2),
                    display,
                })
                .into_iter()
                .collect(),
            ..Content::default()
        });
        let network = Network {
            rate,
            ..Network::default()
        };
        let l = load(&p.into(), &no_cpu(Profile::CHROME), &network, 1);
        let lcp = l.browser.metrics().lcp.expect("painted").as_millis_f64();
        (lcp, l.asked(2).expect("asked for"))
    };
    let (lcp, layout) = slow(4_000, Some(FontDisplay::Block));
    assert!((lcp - (layout + 3_000.0)).abs() < 1e-3, "{lcp}, {layout}");
    let (lcp, layout) = slow(4_000, None);
    assert!((lcp - layout).abs() < 1e-3, "{lcp}, {layout}: too late");
    let (lcp, layout) = slow(10_000, None);
    assert!((lcp - 2_000.0).abs() < 1e-3 && layout < lcp, "{lcp}");
}

#[test]
fn text_waits_for_the_next_source_of_a_font() {
    let mut first = resource(Destination::Font, 0, Trigger::Style { parent: id(1) });
    first.status = 404;
    let delay = Duration::from_millis(2);
    let next = Trigger::After {
        parent: id(2),
        delay,
    };
    let next = resource(Destination::Font, 20_000, next);
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(5_000, 500),
        first,
        next,
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    // The first source is known to fail at 300 ms, and the next one arrives 102 ms later.
    assert_eq!(l.asked(3), Some(302.0));
    assert_eq!(l.browser.metrics().lcp, Some(ms(402.0)));

    // Text does not wait for a font that follows one that arrived.
    let mut arrived = p.resources.clone();
    arrived[2].status = 200;
    let l = load(
        &page(arrived),
        &no_cpu(Profile::CHROME),
        &Network::default(),
        1,
    );
    assert_eq!(l.browser.metrics().lcp, Some(ms(300.0)));
}

#[test]
fn failures_block_nothing() {
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(1_000, 500),
        head_script(1_000, 600),
        resource(
            Destination::Image,
            1_000,
            Trigger::Script {
                parent: id(2),
                delay: Duration::ZERO,
            },
        ),
        resource(Destination::Font, 1_000, Trigger::Style { parent: id(1) }),
    ]);
    let network = Network {
        fails: vec![id(1), id(2)],
        ..Network::default()
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    assert!(l.done);
    assert_eq!(l.browser.metrics().fcp, Some(ms(200.0)));
    assert_eq!(l.browser.metrics().onload, Some(ms(200.0)));
    assert_eq!([3, 4].map(|r| l.asked(r)), [None; 2]);
}

#[test]
fn a_document_that_breaks_off_is_shown_as_far_as_it_came() {
    let p = page(vec![
        document(10 * KIB),
        visible_image(10_000, 2 * KIB),
        visible_image(10_000, 9 * KIB),
    ]);
    let network = Network {
        breaks: vec![id(0)],
        ..Network::default()
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    assert!(l.done);
    assert!(l.browser.metrics().lcp.is_some());
    assert_eq!((l.asked(1), l.asked(2)), (Some(100.0), None));
}

#[test]
fn without_a_document_the_load_is_over_and_nothing_was_measured() {
    let p = page(vec![document(KIB), visible_image(1_000, 10)]);
    let network = Network {
        fails: vec![id(0)],
        ..Network::default()
    };
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
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
        ..resource(
            Destination::Script,
            1_000,
            Trigger::Markup {
                parent: id(1),
                offset: 10,
            },
        )
    };
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let tbt = |third_party, profile| {
        let p = page(vec![document(KIB), frame(third_party), busy.clone()]);
        let l = load(
            &p,
            &BrowserConfig {
                profile,
                ..config.clone()
            },
            &Network::default(),
            1,
        );
        assert!(l.done);
        assert!(
            l.browser.metrics().onload.expect("fired") > ms(800.0),
            "it holds the load event"
        );
        l.browser.metrics().tbt
    };
    assert_eq!(tbt(true, Profile::CHROME), Some(Duration::ZERO));
    assert_eq!(tbt(false, Profile::CHROME), Some(ms(450.0)));
    assert_eq!(
        tbt(true, Profile::SAFARI),
        Some(ms(450.0)),
        "Safari has one process for a page"
    );
}

#[test]
fn costs_follow_the_stated_model() {
    // 100 KiB of script at 0.06 ms/KiB, twice as slow.
    let p = page(vec![
        document(10 * KIB),
        script(ScriptMode::Defer, RequestPriority::Low, 100 * KIB, 10),
    ]);
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 2.0,
        jitter: 0.0,
    };
    let l = load(&p, &config, &Network::default(), 1);
    let scan = 2.0 * (0.2 + 10.0 * 0.01);
    // The browser commits the document, prepares its first request, and writes it. The script
    // reaches the thread after 1.3 ms, and costs it one more.
    let overheads = 2.0 * (16.0 + 14.0 + 1.0 + 1.3 + 1.0);
    let expected = 200.0 + overheads + scan + 2.0 * 6.0;
    let dcl = l
        .browser
        .metrics()
        .dom_content_loaded
        .expect("fired")
        .as_millis_f64();
    assert!((dcl - expected).abs() < 1e-3, "{dcl} against {expected}");
}

#[test]
fn the_first_layout_delays_the_paint_and_requests_the_font() {
    let timed = |resource| Resource {
        cpu_time: Some(ms(1.0)),
        ..resource
    };
    let font = resource(Destination::Font, 20_000, Trigger::Style { parent: id(1) });
    let with = |slowdown| {
        let resources = vec![
            timed(document(10 * KIB)),
            timed(blocking_sheet(5_000, 500)),
            font.clone(),
        ];
        let mut p = Page::clone(&page(resources));
        p.recorded.slowdown = Some(slowdown);
        let l = load(&Arc::new(p), &desktop(), &Network::default(), 1);
        let metrics = l.browser.metrics();
        let [fcp, onload] = [metrics.fcp, metrics.onload].map(|m| m.unwrap().as_millis_f64());
        (fcp, l.found(2).expect("found"), onload)
    };
    let ((fcp, found, onload), (later_fcp, later_found, _)) = (with(1.0), with(3.0));
    // The presentation takes 30 ms more.
    assert!((found - (fcp - 30.0)).abs() < 1e-3, "{found} {fcp}");
    assert!(
        onload > found + 100.0,
        "the load event waits for the font: {onload} {found}"
    );
    // Without a font, the task of the load event waits for the layout that has begun.
    let bare = page(vec![
        timed(document(10 * KIB)),
        timed(blocking_sheet(5_000, 500)),
    ]);
    let l = load(&bare, &desktop(), &Network::default(), 1);
    let metrics = l.browser.metrics();
    assert!(metrics.onload.unwrap() + ms(30.0) >= metrics.fcp.unwrap());
    // Layout takes 12 ms + 10 x 0.5 ms, the commit 11 ms more for each slow-down beyond 1, and the
    // receipt of the sheet 1 ms more.
    let later = 2.0 * (17.0 + 11.0 + 1.0);
    assert!((later_fcp - fcp - later).abs() < 2.5, "{fcp} {later_fcp}");
    assert!(
        (later_found - found - later).abs() < 2.5,
        "{found} {later_found}"
    );
}

#[test]
fn jitter_is_drawn_by_resource_and_seed() {
    let p = page(vec![
        document(10 * KIB),
        script(ScriptMode::Defer, RequestPriority::Low, 100 * KIB, 10),
    ]);
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 4.0,
        jitter: 0.3,
    };
    let dcl = |seed| {
        load(&p, &config, &Network::default(), seed)
            .browser
            .metrics()
            .dom_content_loaded
    };
    assert_eq!(dcl(1), dcl(1));
    assert_ne!(dcl(1), dcl(2));
}

#[test]
fn images_become_visible_once_a_second_unless_their_format_forbids() {
    // At 100 kB/s the image takes 4 s, beginning at 1 kB / rate = 10 ms.
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    let steps = |mime: &str| {
        let image = Resource {
            mime_type: mime.to_owned(),
            ..visible_image(400_000, 500)
        };
        let l = load(
            &page(vec![document(1_000), image]),
            &no_cpu(Profile::CHROME),
            &network,
            1,
        );
        assert_eq!(l.browser.lcp_image(), Some(id(1)));
        (l.browser.visual_progress().len(), l.browser.metrics())
    };
    let ((jpeg, seen_early), (avif, seen_late)) = (steps("image/jpeg"), steps("image/avif"));
    // Progress has the start, the text, the first rows, three flushes and the end, or the
    // whole image at once.
    assert_eq!((jpeg, avif), (7, 3));
    assert!(seen_early.speed_index < seen_late.speed_index);
    assert_eq!(
        seen_early.lcp, seen_late.lcp,
        "the largest paint is that of the complete image"
    );
}

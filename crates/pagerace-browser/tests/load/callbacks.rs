//! Resources that scripts request in callbacks, and pages that were hidden in their
//! recording, with times computed by hand. The CPU takes no time except for layout; a
//! round trip takes 100 ms.

use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::model::{PaintFit, Resource, ResourceId, Trigger, Wait};
use pagerace_page::{Content, FontDisplay, FontUse, RecordedPage};

use crate::common::{
    KIB, Network, desktop, document, id, in_markup, load, ms, no_cpu, page, resource, script,
};

/// Returns a document, an asynchronous script that arrives at 200 ms, its data, requested
/// at once, and an image that the script requests 10 ms after `wait`.
fn resources(wait: Wait) -> Vec<Resource> {
    let by_script = |destination, delay| {
        let parent = id(1);
        resource(destination, 1_000, Trigger::Script { parent, delay })
    };
    let mut image = by_script(Destination::Image, ms(10.0));
    image.discovery.wait = Some(wait);
    image.blocks_load = false;
    let data = by_script(Destination::Fetch, Duration::ZERO);
    vec![
        document(KIB),
        Resource {
            cpu_time: Some(Duration::ZERO),
            ..script(ScriptMode::Async, RequestPriority::Low, 1_000, 100)
        },
        data,
        image,
    ]
}

#[test]
fn a_callback_comes_after_what_it_waits_for() {
    let found = |wait, network: &Network| {
        let page = page(resources(wait));
        let l = load(&page, &no_cpu(Profile::CHROME), network, 1);
        (l.found(2), l.found(3), l.browser.metrics().onload)
    };
    let data = Wait::Resource { id: id(2) };
    let (asked, called, _) = found(data, &Network::default());
    // The data take a round trip, and the callback another 10 ms.
    assert_eq!(called, asked.map(|at| at + 100.0 + 10.0));
    let (.., onload) = found(data, &Network::default());
    let (_, called, loaded) = found(Wait::Loaded, &Network::default());
    assert_eq!(
        loaded, onload,
        "what comes after the load event holds it not"
    );
    assert_eq!(called, loaded.map(|at| at.as_millis_f64() + 10.0));
    let (asked, called, _) = found(Wait::ContentLoaded, &Network::default());
    assert_eq!(
        called,
        asked.map(|at| at + 10.0),
        "the document was there before"
    );
}

#[test]
fn a_join_is_over_when_all_of_it_has_come() {
    let called = |slow: usize, fails: Vec<ResourceId>| {
        let mut all = resources(Wait::Join { join: 0 });
        all.insert(3, all[2].clone());
        let (parent, delay) = (id(1), ms(500.0));
        all[slow].discovery.trigger = Trigger::Script { parent, delay };
        let mut page = (*page(all)).clone();
        page.joins = vec![vec![id(2), id(3)]];
        let network = Network {
            fails,
            ..Network::default()
        };
        let l = load(&page.into(), &no_cpu(Profile::CHROME), &network, 1);
        assert!(l.done);
        let at = |id| l.found(id).expect("requested");
        (at(4) - at(slow as u32)).round() as u32
    };
    // The later data take a round trip, and the callback another 10 ms.
    assert_eq!(called(2, vec![]), 110);
    assert_eq!(called(3, vec![]), 110);
    assert_eq!(called(2, vec![id(3)]), 110, "failed data are over, too");
}

#[test]
fn a_synchronous_request_keeps_the_thread() {
    let measured = |priority| {
        let by_script = |delay, wait| {
            let parent = id(1);
            let mut data = resource(Destination::Fetch, 1_000, Trigger::Script { parent, delay });
            data.discovery.wait = wait;
            data.priority = priority;
            data.blocks_load = false;
            data
        };
        let first = Wait::Resource { id: id(2) };
        let page = page(vec![
            document(KIB),
            Resource {
                cpu_time: Some(Duration::ZERO),
                ..script(ScriptMode::Async, RequestPriority::Low, 1_000, 100)
            },
            by_script(Duration::ZERO, None),
            by_script(ms(20.0), Some(first)),
        ]);
        let l = load(&page, &no_cpu(Profile::CHROME), &Network::default(), 1);
        assert!(l.done);
        let metrics = l.browser.metrics();
        (l.asked(2), l.asked(3), metrics.onload, metrics.tbt)
    };
    // The script runs at 200 ms. Its two requests take a round trip each, with 20 ms between
    // them, and the load event waits for the thread: one task of 220 ms.
    assert_eq!(
        measured(RequestPriority::VeryHigh),
        (Some(200.0), Some(320.0), Some(ms(420.0)), Some(ms(170.0)))
    );
    assert_eq!(
        measured(RequestPriority::High),
        (
            Some(200.0),
            Some(320.0),
            Some(ms(200.0)),
            Some(Duration::ZERO)
        )
    );
}

#[test]
fn what_a_timer_requests_waits_for_the_thread() {
    let asked = |busy| {
        let task = |ms| Some(Duration::from_millis_f64(ms));
        let mut all = resources(Wait::ContentLoaded);
        all[0].cpu_time = task(0.0);
        all[3].discovery.wait = None;
        // Another script arrives with the first one and runs next.
        all.push(Resource {
            cpu_time: task(busy),
            ..script(ScriptMode::Async, RequestPriority::Low, 1_000, 200)
        });
        let l = load(&page(all), &desktop(), &Network::default(), 1);
        l.found(3).expect("requested") - l.found(2).expect("requested")
    };
    let timeout = asked(0.0);
    assert!((timeout - 10.0).abs() < 1e-6, "{timeout}");
    let late = asked(80.0);
    assert!((75.0..=90.0).contains(&late), "{late}");
}

#[test]
fn a_failed_synchronous_request_gives_the_thread_back() {
    let mut all = resources(Wait::Resource { id: id(2) });
    all[2].priority = RequestPriority::VeryHigh;
    let fails = Network {
        fails: vec![id(2)],
        ..Network::default()
    };
    let l = load(&page(all), &no_cpu(Profile::CHROME), &fails, 1);
    assert!(l.done);
    assert_eq!(l.browser.metrics().onload, Some(ms(300.0)));
}

#[test]
fn a_callback_comes_although_what_it_waits_for_failed() {
    let page = page(resources(Wait::Resource { id: id(2) }));
    let fails = Network {
        fails: vec![id(2)],
        ..Network::default()
    };
    let l = load(&page, &no_cpu(Profile::CHROME), &fails, 1);
    assert!(l.found(3).is_some());
    assert!(l.browser.is_done());
}

#[test]
fn nothing_appears_before_what_held_the_recording() {
    let fcp = |fit: Option<PaintFit>| {
        let image = in_markup(Destination::Image, 20_000, 900);
        let mut page = (*page(vec![document(KIB), image])).clone();
        page.guess_mut().expect("no layout").fit = fit;
        let l = load(
            &page.into(),
            &no_cpu(Profile::CHROME),
            &Network::default(),
            1,
        );
        l.browser.metrics().fcp.unwrap().as_millis_f64()
    };
    let free = fcp(None);
    let fit = |delay| {
        Some(PaintFit {
            after: Wait::ContentLoaded,
            delay,
            swaps_fonts: false,
            largest: None,
        })
    };
    assert!((fcp(fit(None)) - free).abs() < 1e-9);
    let held = fcp(fit(Some(ms(300.0))));
    // `DOMContentLoaded` is at 100 ms, and the first layout takes as long as before.
    assert!(
        (held - (100.0 + 300.0 + (free - 100.0))).abs() < 1.0,
        "{free} {held}"
    );
}

#[test]
fn text_that_does_not_wait_for_fonts_does_not_wait_for_broken_ones() {
    let ended = |swaps_fonts| {
        let font = in_markup(Destination::Font, 20_000, 100);
        let mut page = (*page(vec![document(KIB), font])).clone();
        page.guess_mut().expect("no layout").fit = Some(PaintFit {
            after: Wait::ContentLoaded,
            delay: None,
            swaps_fonts,
            largest: None,
        });
        let network = Network {
            spoilt: vec![id(1)],
            ..Network::default()
        };
        let l = load(&page.into(), &no_cpu(Profile::CHROME), &network, 1);
        assert!(l.done);
        l.ended.as_millis_f64()
    };
    assert!(ended(false) >= 2_000.0, "after the block period");
    assert!(ended(true) < 1_000.0);
}

#[test]
fn asynchronous_scripts_wait_until_the_parser_reaches_them() {
    let found = |offset| {
        let by_script = Trigger::Script {
            parent: id(1),
            delay: Duration::ZERO,
        };
        // The parser waits for this script until 600 ms.
        let blocking = in_markup(Destination::Script, 40_000, 500);
        let page = page(vec![
            document(KIB),
            script(ScriptMode::Async, RequestPriority::Low, 1_000, offset),
            blocking,
            resource(Destination::Image, 1_000, by_script),
        ]);
        let slow = Network {
            rate: 100_000,
            ..Network::default()
        };
        let l = load(&page, &no_cpu(Profile::CHROME), &slow, 1);
        let found = l.found(3).expect("the script ran");
        (found, l.ends[&id(2)].as_millis_f64())
    };
    let (before, blocked_until) = found(100);
    assert!(before < blocked_until, "{before} {blocked_until}");
    let (behind, blocked_until) = found(900);
    assert!(behind >= blocked_until, "{behind} {blocked_until}");
}

#[test]
fn scripts_of_other_sites_run_when_chromium_has_nothing_else_to_do_or_after_a_second() {
    let run = |profile, third_party, work: f64| {
        let by_script = Trigger::Script {
            parent: id(1),
            delay: Duration::ZERO,
        };
        let page = page(vec![
            Resource {
                cpu_time: Some(ms(work)),
                ..document(160 * KIB)
            },
            Resource {
                third_party,
                cpu_time: Some(Duration::ZERO),
                ..script(ScriptMode::Async, RequestPriority::Low, 1_000, 100)
            },
            resource(Destination::Image, 1_000, by_script),
        ]);
        let config = BrowserConfig {
            profile,
            cpu: 1.0,
            jitter: 0.0,
        };
        let l = load(&page, &config, &Network::default(), 1);
        let parsed = l.browser.metrics().dom_content_loaded.expect("it loads");
        let arrived = l.ends[&id(1)].as_millis_f64();
        let ran = l.found(2).expect("the script ran");
        (ran - arrived, parsed.as_millis_f64() - arrived)
    };
    // Ten tasks of 100 ms parse the document: the parser's next one is always ready.
    let (waited, parsing) = run(Profile::CHROME, true, 1_000.0);
    assert!(waited >= parsing && parsing > 500.0, "{waited} {parsing}");
    // Ten tasks of 300 ms. The first reaches the script; a second later, the script is next.
    let (waited, parsing) = run(Profile::CHROME, true, 3_000.0);
    assert!((1_000.0..1_520.0).contains(&waited), "{waited} {parsing}");
    for (profile, third_party) in [(Profile::CHROME, false), (Profile::FIREFOX, true)] {
        let (waited, _) = run(profile, third_party, 1_000.0);
        assert!(waited <= 210.0, "{waited}");
    }
}

#[test]
fn a_resource_that_the_recording_requested_later_delays_the_event_if_it_comes_before() {
    let onload = |delay| {
        let mut late = resource(
            Destination::Script,
            1_000,
            Trigger::After {
                parent: id(0),
                delay: ms(delay),
            },
        );
        late.blocks_load = false;
        late.blocks_load_if_early = true;
        let image = in_markup(Destination::Image, 100_000, 100);
        let mut page = (*page(vec![document(KIB), image, late])).clone();
        page.recorded = RecordedPage {
            on_load: Some(ms(1.0)),
            ..RecordedPage::default()
        };
        let network = Network::default();
        let l = load(&page.into(), &no_cpu(Profile::CHROME), &network, 1);
        (
            l.browser.metrics().onload.unwrap().as_millis_f64(),
            l.found(2).unwrap(),
        )
    };
    let (early, found) = onload(50.0);
    assert!(early >= found + 100.0, "{early} {found}");
    let (late, found) = onload(5_000.0);
    assert!(late < found, "{late} {found}");
}

#[test]
fn text_appears_as_the_bodies_tell() {
    let load = |content: Option<Content>| {
        let font = in_markup(Destination::Font, 20_000, 100);
        let mut page = (*page(vec![document(KIB), font])).clone();
        page.guess_mut().expect("no layout").content = content;
        let l = load(
            &page.into(),
            // Chromium would hold the first frame for the preloaded font.
            &no_cpu(Profile::FIREFOX),
            &Network::default(),
            1,
        );
        let metrics = l.browser.metrics();
        let [fcp, lcp] = [metrics.fcp, metrics.lcp].map(|m| m.unwrap().as_millis_f64());
        assert!(l.done);
        (fcp, lcp)
    };
    let (fcp, hidden) = load(None);
    assert!(
        hidden > fcp + 90.0,
        "text waits for the font: {fcp} {hidden}"
    );
    let content = |display, icons| Content {
        body_start: Some(0),
        text: vec![400, 500, 600, 700],
        inline_scripts: vec![],
        fonts: vec![FontUse {
            font: id(1),
            display,
        }],
        icons,
        ..Content::default()
    };
    let lcp = |display, icons| load(Some(content(display, icons))).1;
    assert!((lcp(FontDisplay::Block, vec![]) - hidden).abs() < 1.0);
    assert!(lcp(FontDisplay::Swap, vec![]) < hidden - 90.0);
    assert!(
        lcp(FontDisplay::Block, vec![id(1)]) < hidden - 90.0,
        "a font of icons"
    );
}

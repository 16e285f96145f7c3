//! Scripts, sheets and redirects: dependencies, with times computed by hand.
//!
//! Unless a test says otherwise, the CPU takes no time, so that only round trips (100 ms)
//! and frames (60 per second) count.

use std::sync::Arc;

use crate::common::{
    KIB, Network, blocking_sheet, document, head_script, id, in_markup, load, ms, no_cpu, page,
    resource, script,
};
use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::Content;
use pagerace_page::model::{Page, Resource, Trigger};

#[test]
fn scripts_wait_for_earlier_sheets_only() {
    let sheet = |offset| Resource {
        cpu_time: Some(ms(40.0)),
        ..blocking_sheet(1_000, offset)
    };
    let measured = Resource {
        cpu_time: Some(ms(7.0)),
        ..head_script(1_000, 500)
    };
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let free = Resource {
        cpu_time: Some(Duration::ZERO),
        ..document(KIB)
    };
    let sheet_behind = |parent| {
        resource(
            Destination::Style,
            1_000,
            Trigger::Redirect { parent: id(parent) },
        )
    };
    let child = || {
        resource(
            Destination::Fetch,
            10,
            Trigger::Script {
                parent: id(2),
                delay: Duration::ZERO,
            },
        )
    };
    let before = page(vec![free.clone(), sheet(400), measured.clone(), child()]);
    // A sheet that is later in the document, and behind a redirect.
    let hop = in_markup(Destination::Style, 0, 600);
    let after = page(vec![free, hop, measured, child(), sheet_behind(1)]);
    let l = load(&before, &config, &Network::default(), 1);
    // The document is committed after 16 ms, and its first request leaves 15 ms later.
    let arrived = 200.0 + 16.0 + 15.0;
    // The sheet reaches the thread after 0.3 ms, and the thread takes it, then the script, in 1 ms.
    assert_eq!(l.found(3), Some(arrived + 0.3 + 1.0 + 40.0 + 1.0 + 7.0));
    // At 200 ms that sheet is still loading, but scripts wait only for earlier sheets.
    let l = load(&after, &config, &Network::default(), 1);
    assert_eq!(l.found(3), Some(arrived + 1.3 + 1.0 + 7.0));
}

#[test]
fn inline_scripts_that_request_nothing_wait_for_earlier_sheets() {
    let content_loaded = |offset| {
        let mut p = Page::clone(&page(vec![document(1_000), blocking_sheet(1_000, 400)]));
        p.guess_mut().expect("no layout").content = Some(Content {
            inline_scripts: vec![offset],
            ..Content::default()
        });
        let l = load(
            &Arc::new(p),
            &no_cpu(Profile::CHROME),
            &Network::default(),
            1,
        );
        let sheet = l.found(1).expect("found") + 100.0;
        (
            sheet,
            l.browser
                .metrics()
                .dom_content_loaded
                .expect("reached")
                .as_millis_f64(),
        )
    };
    let (sheet, before) = content_loaded(300);
    assert!(before < sheet, "{before} {sheet}");
    let (sheet, after) = content_loaded(500);
    assert!(after >= sheet, "{after} {sheet}");
}

#[test]
fn requests_of_inline_scripts_wait_for_the_parser_and_earlier_sheets() {
    let parsed = Resource {
        cpu_time: Some(ms(10.0)),
        ..document(1_000)
    };
    let inline = |offset| {
        let parent = id(0);
        let trigger = Trigger::Inline { parent, offset };
        resource(Destination::Font, 1_000, trigger)
    };
    let sheet = Resource {
        cpu_time: Some(ms(40.0)),
        ..blocking_sheet(1_000, 400)
    };
    let blocking = Resource {
        cpu_time: Some(ms(7.0)),
        ..head_script(1_000, 500)
    };
    let resources = vec![
        parsed,
        inline(300),
        sheet,
        inline(450),
        blocking,
        inline(600),
    ];
    let p = page(resources);
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let l = load(&p, &config, &Network::default(), 1);
    let sheet = l.found(2).unwrap();
    // The document is committed after 16 ms, and its first request leaves 15 ms later.
    assert!(l.found(4) < Some(117.0), "the preload scanner finds it");
    assert_eq!(l.found(1), Some(119.0), "the parser reaches it");
    let after_sheet = sheet + 15.0 + 100.0 + 0.3 + 1.0 + 40.0;
    assert_eq!(l.found(3), Some(after_sheet));
    // The thread takes the script and the first font, which have arrived meanwhile. Half a
    // millisecond of parsing leads to the script, it runs, and parsing takes a millisecond to the
    // next request.
    assert_eq!(l.found(5), Some(after_sheet + 2.0 + 0.5 + 7.0 + 1.0));
    // The parser's requests come after the scanner's.
    assert_eq!(l.fetch_order(), [0, 2, 4, 1, 3, 5]);
}

#[test]
fn deferred_scripts_run_in_order_after_parsing_async_ones_when_they_arrive() {
    let costs = |r: Resource| Resource {
        cpu_time: Some(ms(10.0)),
        ..r
    };
    let low = RequestPriority::Low;
    let p = page(vec![
        Resource {
            cpu_time: Some(Duration::ZERO),
            ..document(KIB)
        },
        costs(script(ScriptMode::Defer, low, 1_000, 100)),
        costs(script(ScriptMode::Defer, low, 1_000, 101)),
        costs(script(ScriptMode::Async, low, 1_000, 102)),
        resource(
            Destination::Fetch,
            10,
            Trigger::Script {
                parent: id(2),
                delay: ms(3.0),
            },
        ),
        resource(
            Destination::Fetch,
            10,
            Trigger::Script {
                parent: id(3),
                delay: ms(3.0),
            },
        ),
    ]);
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let l = load(&p, &config, &Network::default(), 1);
    // Three requests leave 1.2 ms apart, because the body begins early. The first layout (12.5 ms
    // from 100 ms) is over when they arrive. The first deferred script reaches the thread after
    // 1.3 ms, is taken in 1 ms, and runs. The other two, which arrive meanwhile, are taken, and run
    // in the same order.
    let first_ran = 200.0 + 16.0 + 15.0 + 1.3 + 1.0 + 10.0;
    let (second_ran, third_ran) = (first_ran + 2.0 + 10.0, first_ran + 2.0 + 20.0);
    // The second script's request after 3 ms waits for the third script.
    assert_eq!(l.found(4), Some(third_ran));
    assert_eq!(l.found(5), Some(third_ran + 3.0));
    let m = l.browser.metrics();
    assert_eq!(m.dom_content_loaded, Some(ms(second_ran)));
    // The first fetch delayed the load event, so that the second could delay it too.
    // It leaves 2 ms after it is known, and its response is taken 1.3 ms after the last byte.
    assert_eq!(m.onload, Some(ms(third_ran + 3.0 + 2.0 + 100.0 + 1.3)));
}

#[test]
fn the_recorded_load_event_does_not_slip_through_a_gap() {
    let image = resource(
        Destination::Image,
        1_000,
        Trigger::Script {
            parent: id(1),
            delay: ms(400.0),
        },
    );
    let resources = vec![
        document(KIB),
        Resource {
            cpu_time: Some(Duration::ZERO),
            ..script(ScriptMode::Blocking, RequestPriority::High, 1_000, 100)
        },
        image,
    ];
    let onload = |page: &Arc<Page>| {
        let l = load(page, &no_cpu(Profile::CHROME), &Network::default(), 1);
        assert!(l.done);
        l.browser.metrics().onload.expect("fired")
    };
    // No load event is recorded, and the timer fires after the load event.
    let silent = page(resources);
    assert!(onload(&silent) < ms(250.0));
    // The recorded load event came after the image: 200 + 400 + 100.
    let mut recorded = Page::clone(&silent);
    recorded.recorded.on_load = Some(ms(5_000.0));
    assert_eq!(onload(&Arc::new(recorded.clone())), ms(700.0));
    // If it came before the image, the image does not delay it.
    recorded.resources[2].blocks_load = false;
    assert!(onload(&Arc::new(recorded)) < ms(250.0));
}

#[test]
fn what_a_script_asks_for_before_the_load_event_holds_it() {
    let p = page(vec![
        document(KIB),
        script(ScriptMode::Blocking, RequestPriority::High, 1_000, 100),
        resource(
            Destination::Image,
            1_000,
            Trigger::Script {
                parent: id(1),
                delay: Duration::ZERO,
            },
        ),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(l.browser.metrics().onload, Some(ms(300.0)));
}

#[test]
fn imports_are_asked_for_at_once_and_block_like_their_parent() {
    let import = Resource {
        render_blocking: true,
        ..resource(Destination::Style, 1_000, Trigger::Style { parent: id(1) })
    };
    let p = page(vec![
        document(10 * KIB),
        blocking_sheet(1_000, 500),
        import,
        head_script(10, 600),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(l.asked(2), Some(200.0));
    assert_eq!(
        l.browser.metrics().dom_content_loaded,
        Some(ms(300.0)),
        "the script waited"
    );
}

#[test]
fn a_redirect_is_followed_with_its_head() {
    let p = page(vec![
        document(0),
        Resource {
            discovery: resource(
                Destination::Document,
                0,
                Trigger::Redirect { parent: id(0) },
            )
            .discovery,
            ..document(KIB)
        },
        resource(
            Destination::Script,
            10,
            Trigger::Markup {
                parent: id(1),
                offset: 10,
            },
        ),
        resource(Destination::Script, 10, Trigger::Redirect { parent: id(2) }),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(
        [1, 2, 3].map(|r| l.asked(r)),
        [Some(100.0), Some(200.0), Some(300.0)]
    );
    let m = l.browser.metrics();
    assert_eq!(m.ttfb, Some(ms(200.0)), "of the document that is shown");
    assert_eq!(
        m.dom_content_loaded,
        Some(ms(400.0)),
        "the redirected script blocks the parser"
    );
}

#[test]
fn an_after_trigger_waits_for_the_end_and_its_delay() {
    let p = page(vec![
        document(KIB),
        resource(
            Destination::Fetch,
            10,
            Trigger::After {
                parent: id(0),
                delay: ms(50.0),
            },
        ),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(l.asked(1), Some(150.0));
    assert!(
        l.done && l.ended.as_millis_f64() >= 250.0,
        "the load is over only with the last response"
    );
}

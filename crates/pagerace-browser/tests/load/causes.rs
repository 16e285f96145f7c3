//! The causes of events, computed by hand, and properties of the causes of any load.

use crate::common::{
    KIB, Loaded, Network, blocking_sheet, desktop, document, head_script, id, in_markup, load, ms,
    no_cpu, page, resource, script, visible_image,
};
use pagerace_browser::{Browser, BrowserConfig, Cause, Moment, Profile};
use pagerace_core::{Destination, Duration, Instant, RequestPriority, ScriptMode};
use pagerace_page::model::{Page, Resource, Trigger};

/// Returns the cause as (resource, ended, milliseconds).
fn told(cause: Option<Cause>) -> Option<(u32, bool, f64)> {
    cause.map(|c| (c.resource.0, c.ended, c.at.as_millis_f64()))
}

#[test]
fn what_the_scanner_finds_waited_for_the_bytes_that_name_it() {
    // At 10 kB/s, 1,200 bytes take 120 ms.
    let network = Network {
        rate: 10_000,
        ..Network::default()
    };
    let p = page(vec![document(5_000), visible_image(1_000, 2_000)]);
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    let cause = l
        .browser
        .discovery_cause(id(1))
        .expect("not the navigation");
    assert_eq!(
        (cause.resource, cause.received, cause.ended),
        (id(0), 2_400, false)
    );
    assert_eq!(cause.at, Instant::ZERO + ms(100.0 + 240.0));
    assert_eq!(l.browser.discovery_cause(id(0)), None);
}

#[test]
fn what_stands_behind_a_blocking_script_waited_for_the_script() {
    let p = page(vec![
        document(10 * KIB),
        head_script(1_000, 500),
        // Only the parser finds a frame.
        in_markup(Destination::Iframe, 1_000, 4_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(
        told(l.browser.discovery_cause(id(2))),
        Some((1, true, 200.0))
    );
}

#[test]
fn a_script_that_waits_for_a_sheet_has_the_later_of_both_as_cause() {
    let frame = in_markup(Destination::Iframe, 1_000, 1_500);
    let import = Resource {
        render_blocking: true,
        ..resource(Destination::Style, 1_000, Trigger::Style { parent: id(1) })
    };
    let sheet = blocking_sheet(1_000, 300);
    let alone = vec![document(2_000), sheet, head_script(1_000, 500), frame];
    let mut importing = alone.clone();
    importing.insert(3, import);
    for (resources, last, at) in [(alone, 2, 200.0), (importing, 3, 300.0)] {
        let framed = id(resources.len() as u32 - 1);
        let l = load(
            &page(resources),
            &no_cpu(Profile::CHROME),
            &Network::default(),
            1,
        );
        let cause = l.browser.discovery_cause(framed);
        assert_eq!(told(cause), Some((last, true, at)));
    }
}

#[test]
fn a_delay_keeps_the_cause_that_it_began_with() {
    let late = |delay| Trigger::After {
        parent: id(1),
        delay: Duration::from_millis(delay),
    };
    let p = page(vec![
        document(10 * KIB),
        visible_image(1_000, 5_000),
        resource(Destination::Fetch, 100, late(700)),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(l.found(2), Some(900.0));
    assert_eq!(
        told(l.browser.discovery_cause(id(2))),
        Some((1, true, 200.0))
    );
    // The resource delays the load event once it is found, so the event waited for its end.
    let onload = l.browser.metric_cause(Moment::Onload);
    assert_eq!(told(onload).map(|c| c.0), Some(1), "fired long before");
}

#[test]
fn work_of_a_busy_thread_is_no_cause() {
    let slow = Resource {
        cpu_time: Some(Duration::from_millis(400)),
        ..script(ScriptMode::Async, RequestPriority::High, 1_000, 500)
    };
    let p = page(vec![
        document(10 * KIB),
        slow,
        in_markup(Destination::Fetch, 100, 10_000),
    ]);
    // With the costs of a desktop, the script occupies the thread while nothing arrives.
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let l = load(&p, &config, &Network::default(), 1);
    let m = l.browser.metrics();
    assert!(m.onload > Some(ms(600.0)), "{m:?}");
    for moment in [Moment::Onload, Moment::Tti] {
        let cause = l.browser.metric_cause(moment).expect("a cause");
        assert_eq!((cause.resource, cause.ended), (id(1), true));
        assert_eq!(cause.at, l.ends[&id(1)]);
    }
}

#[test]
fn paint_waited_for_the_sheet_and_the_largest_for_the_image() {
    // At 100 kB/s the image takes 3.5 s.
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    let p = page(vec![
        document(2_000),
        blocking_sheet(10_000, 300),
        visible_image(350_000, 1_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &network, 1);
    let end = |r| l.ends[&id(r)].as_millis_f64();
    let cause = |moment| told(l.browser.metric_cause(moment));
    assert_eq!(cause(Moment::Ttfb), Some((0, false, 100.0)));
    assert_eq!(cause(Moment::Fcp), Some((1, true, end(1))));
    assert_eq!(cause(Moment::Lcp), Some((2, true, end(2))));
    assert_eq!(cause(Moment::DomContentLoaded), Some((0, true, end(0))));
    assert_eq!(cause(Moment::Onload), Some((2, true, end(2))));
    // Parts of the image are painted with its first bytes, then once a second.
    let paints = l.browser.paint_causes();
    let parts = paints
        .iter()
        .filter(|p| told(p.2).is_some_and(|(r, ended, _)| r == 2 && !ended));
    assert_eq!(parts.count(), 4);
}

#[test]
fn text_waits_for_its_font_or_for_the_end_of_the_block_period() {
    let font = |bytes| {
        page(vec![
            document(2_000),
            blocking_sheet(1_000, 300),
            resource(Destination::Font, bytes, Trigger::Style { parent: id(1) }),
        ])
    };
    let network = Network {
        rate: 10_000,
        ..Network::default()
    };
    let quick = load(&font(1_000), &no_cpu(Profile::CHROME), &network, 1);
    let lcp = quick.browser.metric_cause(Moment::Lcp);
    assert_eq!(lcp.map(|c| (c.resource, c.ended)), Some((id(2), true)));
    // The font takes 4 s, so text appears without it.
    let slow = load(&font(40_000), &no_cpu(Profile::CHROME), &network, 1);
    let lcp = slow.browser.metric_cause(Moment::Lcp);
    assert_eq!(lcp.map(|c| (c.resource, c.ended)), Some((id(2), false)));
}

#[test]
fn text_after_the_block_period_waited_for_its_font_until_then() {
    // At 10 kB/s the body begins in the first 1,200 bytes. The font arrives after 5 s,
    // and text appears two seconds after the start.
    let network = Network {
        rate: 10_000,
        ..Network::default()
    };
    let p = page(vec![
        document(10 * KIB),
        in_markup(Destination::Font, 40_000, 100),
    ]);
    let l = load(&p, &desktop(), &network, 1);
    let paints = l.browser.paint_causes();
    assert_eq!(paints.len(), 4, "blocks of text");
    for (at, _, cause) in paints {
        let cause = cause.expect("a cause");
        assert_eq!((cause.resource, cause.ended), (id(1), false));
        assert_eq!(cause.at, Instant::ZERO + ms(2_000.0));
        assert!(at < cause.at + ms(50.0));
    }
}

#[test]
fn an_image_that_is_there_before_the_sheets_waited_for_them() {
    let p = page(vec![
        document(2_000),
        blocking_sheet(1_000, 300),
        Resource {
            render_blocking: true,
            ..resource(Destination::Style, 1_000, Trigger::Style { parent: id(1) })
        },
        visible_image(200_000, 1_000),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(l.browser.lcp_image(), Some(id(3)));
    let lcp = l.browser.metric_cause(Moment::Lcp);
    assert_eq!(told(lcp), Some((2, true, 300.0)));
}

#[test]
fn a_held_request_keeps_the_cause_of_its_discovery() {
    let p = page(vec![
        document(10 * KIB),
        head_script(1_000, 500),
        script(ScriptMode::Async, RequestPriority::Low, 1_000, 600),
        script(ScriptMode::Async, RequestPriority::Low, 1_000, 700),
    ]);
    let l = load(&p, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!((l.found(3), l.asked(3)), (Some(100.0), Some(200.0)));
    assert_eq!(told(l.browser.discovery_cause(id(3))).map(|c| c.0), Some(0));
}

/// A browser on a desktop that receives arrivals at given times in milliseconds.
struct ByHand(Browser);

impl ByHand {
    fn new(resources: Vec<Resource>) -> Self {
        let config = BrowserConfig {
            profile: Profile::CHROME,
            cpu: 1.0,
            jitter: 0.0,
        };
        let mut browser = Browser::new(page(resources), &config, 1);
        browser.start(Instant::ZERO);
        Self(browser)
    }

    fn body(&mut self, at: u64, resource: u32, received: u64) {
        let at = Instant::ZERO + Duration::from_millis(at);
        self.0.handle_body(at, id(resource), received);
    }

    fn end(&mut self, at: u64, resource: u32) {
        let at = Instant::ZERO + Duration::from_millis(at);
        self.0.handle_response_end(at, id(resource));
    }

    /// Runs until no task or timer is left.
    fn rest(&mut self) {
        while let Some(at) = self.0.poll_timeout() {
            self.0.handle_timeout(at);
        }
    }
}

/// Returns a script that occupies the thread for 300 ms.
fn slow_script() -> Resource {
    Resource {
        cpu_time: Some(Duration::from_millis(300)),
        ..script(ScriptMode::Async, RequestPriority::Low, 1_000, 500)
    }
}

#[test]
fn a_task_behind_another_keeps_its_own_cause() {
    let quick = script(ScriptMode::Async, RequestPriority::Low, 1_000, 600);
    let delay = Duration::ZERO;
    let fetch = |parent| resource(Destination::Fetch, 100, Trigger::Script { parent, delay });
    let mut b = ByHand::new(vec![document(900), slow_script(), quick, fetch(id(2))]);
    b.end(100, 0);
    b.end(200, 1);
    b.end(300, 2);
    b.rest();
    let cause = told(b.0.discovery_cause(id(3)));
    assert_eq!(cause, Some((2, true, 300.0)));
    assert!(b.0.discovered_at(id(3)) > Some(Instant::ZERO + ms(500.0)));
}

#[test]
fn a_parser_that_waited_for_the_thread_takes_what_came_meanwhile() {
    let frame = |offset| in_markup(Destination::Iframe, 100, offset);
    let mut b = ByHand::new(vec![
        document(9_000),
        slow_script(),
        frame(2_500),
        frame(4_000),
    ]);
    b.body(100, 0, 1_000);
    b.end(150, 1);
    b.body(200, 0, 3_000);
    b.body(300, 0, 5_000);
    b.rest();
    // The first task, which was queued at 200 ms, ends at the first stop.
    let causes = [2, 3].map(|r| b.0.discovery_cause(id(r)).expect("a cause"));
    assert_eq!(causes.map(|c| c.resource), [id(0); 2]);
    assert_eq!(causes.map(|c| c.received), [3_000, 3_000]);
    assert!(b.0.discovered_at(id(2)) > Some(Instant::ZERO + ms(450.0)));

    // Without an earlier stop, the task parses all bytes that have arrived.
    let mut b = ByHand::new(vec![document(9_000), slow_script(), frame(4_000)]);
    b.body(100, 0, 1_000);
    b.end(150, 1);
    b.body(200, 0, 3_000);
    b.body(300, 0, 5_000);
    b.rest();
    let cause = b.0.discovery_cause(id(2)).expect("a cause");
    assert_eq!(
        (cause.received, cause.at),
        (5_000, Instant::ZERO + ms(300.0))
    );
}

#[test]
fn a_font_waited_for_the_later_of_its_sheet_and_the_layout() {
    let late_sheet = in_markup(Destination::Style, 1_000, 4_000);
    let font = resource(Destination::Font, 1_000, Trigger::Style { parent: id(2) });
    let mut b = ByHand::new(vec![
        document(9_000),
        slow_script(),
        late_sheet,
        font,
        visible_image(5_000, 5_000),
    ]);
    b.end(100, 0);
    // The thread is busy from 200 to 500 ms. The parsing of the sheet waits, and so does
    // the layout that the image needs after it.
    b.end(200, 1);
    b.end(250, 2);
    b.end(300, 4);
    b.rest();
    let cause = told(b.0.discovery_cause(id(3)));
    assert_eq!(cause, Some((2, true, 250.0)));
}

/// Checks the properties of the causes of a load.
pub(crate) fn check(page: &Page, l: &Loaded) -> Result<(), String> {
    let browser = &l.browser;
    for r in &page.resources {
        let found = browser.discovered_at(r.id);
        if let Some(cause) = browser.discovery_cause(r.id) {
            let what = format!("discovery of {}", r.id.0);
            check_one(page, l, &what, cause, found.ok_or("never found")?)?;
        }
    }
    let metrics = browser.metrics();
    for moment in Moment::ALL {
        match (browser.metric_cause(moment), metrics.at(moment)) {
            (Some(cause), Some(at)) => {
                check_one(page, l, moment.name(), cause, Instant::ZERO + at)?;
            }
            (Some(_), None) => return Err(format!("{moment} did not come but has a cause")),
            (None, _) => {}
        }
    }
    let paints = browser.paint_causes();
    for &(at, _, cause) in &paints {
        if let Some(cause) = cause {
            check_one(page, l, "a paint", cause, at)?;
        }
    }
    let index: f64 = paints.iter().map(|p| p.0.as_millis_f64() * p.1).sum();
    let speed = metrics.speed_index.map_or(0.0, Duration::as_millis_f64);
    if (index - speed).abs() > 1e-3 {
        return Err(format!("paints give a Speed Index of {index}, not {speed}"));
    }
    Ok(())
}

/// Checks that the cause arrived at its time, that its effect is not earlier, and that
/// following causes ends at the navigation.
fn check_one(
    page: &Page,
    l: &Loaded,
    what: &str,
    cause: Cause,
    effect: Instant,
) -> Result<(), String> {
    let fail = |why: &str| Err(format!("{what} at {effect:?}: {why}: {cause:?}"));
    if cause.at > effect {
        return fail("comes before its cause");
    }
    let r = cause.resource;
    let is_font = page.resources[r.index()].destination == Destination::Font;
    let arrived = if is_font && !cause.ended {
        // The end of the font's block period.
        l.ends.get(&r).is_none_or(|end| *end >= cause.at)
    } else if cause.ended {
        l.ends.get(&r) == Some(&cause.at)
    } else if cause.received == 0 {
        l.heads.get(&r) == Some(&cause.at)
    } else {
        let pieces = l.arrivals.get(&r).map_or(&[][..], |pieces| pieces);
        pieces.contains(&(cause.at, cause.received))
    };
    if !arrived {
        return fail("nothing like that arrived");
    }
    let mut step = Some(cause);
    for _ in 0..=page.resources.len() {
        let Some(cause) = step else { return Ok(()) };
        match l.browser.discovered_at(cause.resource) {
            Some(found) if found <= cause.at => {}
            _ => return fail("it comes from what was not known before"),
        }
        step = l.browser.discovery_cause(cause.resource);
    }
    fail("the walk back does not end")
}

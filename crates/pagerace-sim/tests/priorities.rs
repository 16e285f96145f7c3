//! Values that servers read in the `priority` fields of requests whose priority Chromium
//! raises. A request leaves with its priority at that moment, as Chromium's network logs
//! show.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{flat_page, scenario};
use pagerace_core::{Destination, Duration, Priority, RequestPriority};
use pagerace_page::{
    Origin, OriginId, Page, PageLayout, Paints, RenderingTime, ResourceId, Trigger,
};
use pagerace_sim::{Reprioritisation, run};

/// Returns a page whose first layout requests two visible backgrounds and whose parser
/// waits for two scripts of the body. One of each pair is on the document's host, whose
/// connection is ready, and one on a host of its own.
fn page(recorded_layout: bool) -> Page {
    let mut page = flat_page(&[2_000, 20_000, 20_000, 2_000, 2_000]);
    for (i, host) in [(1, "images.example"), (2, "scripts.example")] {
        page.origins.push(Origin {
            host: host.to_owned(),
            connection_group: i,
            ..page.origins[0].clone()
        });
    }
    let [_, sheet, near, far, script_far, script_near] = &mut page.resources[..] else {
        unreachable!()
    };
    sheet.destination = Destination::Style;
    sheet.priority = RequestPriority::VeryHigh;
    sheet.render_blocking = true;
    for image in [near, &mut *far] {
        image.discovery.trigger = Trigger::Style {
            parent: ResourceId(1),
        };
    }
    far.origin = OriginId(1);
    for script in [&mut *script_far, script_near] {
        script.destination = Destination::Script;
        script.priority = RequestPriority::Medium;
        script.in_viewport = false;
        script.discovery.trigger = Trigger::Markup {
            parent: ResourceId(0),
            offset: 800,
        };
    }
    script_far.origin = OriginId(2);
    let layout = recorded_layout.then(|| PageLayout {
        viewport: (1000, 1000),
        elements: vec![],
        body_start: Some(400),
        rendering: Some(RenderingTime {
            first: Duration::from_millis(40),
            first_style: None,
            later: Some(Duration::from_millis(3)),
            presentation: None,
            later_presentation: None,
        }),
        ..PageLayout::default()
    });
    page.paints = layout.map(Paints::Recorded).unwrap_or_default();
    page
}

#[test]
fn requests_leave_with_the_priority_of_that_moment() {
    for recorded_layout in [false, true] {
        for protocols in ["h2", "h3"] {
            for reprioritisation in [
                Reprioritisation::Update,
                Reprioritisation::Chromium,
                Reprioritisation::Hints,
            ] {
                let page = page(recorded_layout);
                let mut s = scenario(&page, "rate 10mbit rtt 100ms", "sequential");
                s.protocols = protocols.parse().unwrap();
                s.settings.reprioritisation = reprioritisation;
                let outcome = run(&s, 1, true).unwrap();
                assert_eq!(outcome.failure, None);
                let read: Vec<_> = outcome.resources.iter().flatten().collect();
                let read: Vec<_> = read.iter().map(|r| r.priority.unwrap()).collect();
                let expected = [
                    Priority::new(0, true),
                    Priority::new(0, false),
                    // Left before the end of the layout.
                    Priority::new(3, true),
                    // Raised while the request waited for its connection.
                    Priority::new(1, true),
                    Priority::new(1, false),
                    // The parser, which costs nothing here, found it before the scanner.
                    Priority::new(1, false),
                ];
                assert_eq!(read, expected, "{protocols}, {recorded_layout}");
            }
        }
    }
}

#[test]
fn hints_put_images_in_the_viewport_first() {
    let mut page = flat_page(&[60_000, 60_000]);
    for (i, is_seen) in [(1, false), (2, true)] {
        page.resources[i].destination = Destination::Image;
        page.resources[i].priority = RequestPriority::Low;
        page.resources[i].in_viewport = is_seen;
    }
    let first_is_seen = |reprioritisation| {
        let mut s = scenario(&page, "rate 1mbit rtt 100ms", "sequential");
        s.settings.reprioritisation = reprioritisation;
        let outcome = run(&s, 1, false).unwrap();
        let end = |i: usize| outcome.resources[i].as_ref().unwrap().response_end();
        end(2) < end(1)
    };
    assert!(first_is_seen(Reprioritisation::Hints));
    assert!(!first_is_seen(Reprioritisation::Chromium));
}

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;

use super::*;
use crate::cause::{Cause, Ready};

/// The size of a block of text in the assumed layout.
fn text() -> Size {
    Size {
        area: text_area(4),
        element: PARAGRAPH,
        contentful: true,
    }
}

/// The size of an image, or of a part of an image if `element` is zero.
fn size(area: f64, element: f64) -> Size {
    Size {
        area,
        element,
        contentful: element > 0.0,
    }
}

/// Ready since the start, with the navigation as cause.
const READY: Ready = Ready::new(Instant::ZERO, None);

fn at(millis: u64) -> Instant {
    Instant::from_nanos(millis * 1_000_000)
}

#[test]
fn the_largest_paint_is_the_first_of_the_largest() {
    let mut screen = Screen::new(IMAGE_ROOM);
    screen.paint(at(10), None, text(), READY);
    assert_eq!(screen.largest(), Some(at(10)));
    screen.paint(
        at(20),
        Some(ResourceId(1)),
        size(PARAGRAPH / 2.0, PARAGRAPH / 2.0),
        READY,
    );
    assert_eq!(
        screen.largest(),
        Some(at(10)),
        "smaller elements change nothing"
    );
    screen.paint(
        at(30),
        Some(ResourceId(2)),
        size(PARAGRAPH * 2.0, PARAGRAPH * 2.0),
        READY,
    );
    screen.paint(
        at(40),
        Some(ResourceId(3)),
        size(PARAGRAPH * 2.0, PARAGRAPH * 2.0),
        READY,
    );
    assert_eq!(
        (screen.largest(), screen.largest_image()),
        (Some(at(30)), Some(ResourceId(2)))
    );
    assert_eq!(screen.first(), Some(at(10)));
}

#[test]
fn progress_is_by_area_and_speed_index_lies_above_it() {
    let mut screen = Screen::new(IMAGE_ROOM);
    screen.paint(at(100), None, text(), READY);
    screen.paint(
        at(300),
        Some(ResourceId(1)),
        size(text_area(4) * 3.0, text_area(4) * 3.0),
        READY,
    );
    assert_eq!(
        screen.progress(Instant::ZERO),
        vec![(at(0), 0.0), (at(100), 0.25), (at(300), 1.0)]
    );
    // Nothing is visible for 100 ms, and three quarters are missing for 200 ms.
    assert_eq!(
        screen.speed_index(Instant::ZERO),
        Some(Duration::from_millis(250))
    );
}

#[test]
fn images_never_crowd_text_out() {
    let mut screen = Screen::new(IMAGE_ROOM);
    for _ in 0..TEXT_BLOCKS {
        screen.paint(at(100), None, text(), READY);
    }
    for image in 0..50 {
        screen.paint(
            at(200),
            Some(ResourceId(image)),
            size(VIEWPORT * IMAGE_SHARE_MAX, VIEWPORT * IMAGE_SHARE_MAX),
            READY,
        );
    }
    let shown = screen.progress(Instant::ZERO)[1].1;
    assert!((shown - TEXT_SHARE).abs() < 1e-9, "{shown}");
}

#[test]
fn beacons_are_invisible() {
    assert_eq!(image_area(IMAGE_BYTES_MIN - 1), None);
    assert_eq!(image_area(20_000), Some(100_000.0));
    assert_eq!(image_area(u64::MAX), Some(VIEWPORT * IMAGE_SHARE_MAX));
}

#[test]
fn elements_are_smaller_than_backgrounds_and_large_files_have_one_size() {
    assert!((element_size(20_000) - 13_000.0).abs() < 1e-9);
    assert!((element_size(1_000_000) - element_size(200_000)).abs() < 1e-9);
}

#[test]
fn nothing_painted_nothing_measured() {
    let screen = Screen::new(IMAGE_ROOM);
    assert_eq!(
        (
            screen.first(),
            screen.largest(),
            screen.speed_index(Instant::ZERO)
        ),
        (None, None, None)
    );
}

#[test]
fn parts_of_an_image_are_progress_but_no_contentful_paint() {
    let mut screen = Screen::new(IMAGE_ROOM);
    screen.paint(at(100), Some(ResourceId(1)), size(25_000.0, 0.0), READY);
    assert_eq!((screen.first(), screen.largest()), (None, None));
    screen.paint(
        at(200),
        Some(ResourceId(1)),
        size(75_000.0, 100_000.0),
        READY,
    );
    assert_eq!(
        (screen.first(), screen.largest()),
        (Some(at(200)), Some(at(200)))
    );
    assert_eq!(screen.progress(Instant::ZERO)[1], (at(100), 0.25));
}

#[test]
fn shares_times_times_are_the_speed_index() {
    let mut screen = Screen::new(IMAGE_ROOM);
    screen.paint(at(100), None, text(), READY);
    screen.paint(
        at(300),
        Some(ResourceId(1)),
        size(VIEWPORT, VIEWPORT),
        READY,
    );
    screen.paint(
        at(450),
        Some(ResourceId(2)),
        size(VIEWPORT, VIEWPORT),
        READY,
    );
    let causes = screen.causes();
    let shares: f64 = causes.iter().map(|c| c.1).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    let sum: f64 = causes.iter().map(|c| c.0.as_millis_f64() * c.1).sum();
    let index = screen.speed_index(Instant::ZERO).expect("painted");
    assert!((sum - index.as_millis_f64()).abs() < 1e-5, "{sum}");
}

#[test]
fn progress_is_in_whole_per_cent_rounded_down() {
    let mut screen = Screen::new(IMAGE_ROOM);
    for (millis, area) in [(100, 299.0), (200, 597.0), (300, 104.0)] {
        screen.paint(at(millis), None, size(area, 0.0), READY);
    }
    let progress = screen.progress(Instant::ZERO).into_iter();
    let per_mille = progress.map(|(at, share)| (at, (share * 1e3).round() as u32));
    assert_eq!(
        per_mille.collect::<Vec<_>>(),
        [(at(0), 0), (at(100), 290), (at(200), 890), (at(300), 1000)]
    );
}

#[test]
fn the_first_paint_waited_for_what_was_ready_first() {
    let ready = |resource, millis| {
        let cause = Cause {
            resource: ResourceId(resource),
            received: 0,
            ended: true,
            at: at(millis),
        };
        Ready::new(at(millis), Some(cause))
    };
    let mut screen = Screen::new(IMAGE_ROOM);
    // A part of an image is not contentful.
    screen.paint(at(50), Some(ResourceId(9)), size(10.0, 0.0), ready(9, 10));
    screen.paint(at(100), None, text(), ready(0, 90));
    screen.paint(at(100), Some(ResourceId(1)), size(1e6, 1e6), ready(1, 80));
    screen.paint(at(200), Some(ResourceId(2)), size(10.0, 10.0), ready(2, 20));
    assert_eq!(screen.first_cause(), ready(1, 80).cause);
    assert_eq!(screen.largest_cause(), ready(1, 80).cause);
}

//! Elements that scripts put on the page: their events, failures, and motions.

use std::sync::Arc;

use pagerace_browser::Profile;
use pagerace_core::Destination;
use pagerace_page::{Element, Wait};

use crate::common::{Network, blocking_sheet, document, id, in_markup, load, ms, no_cpu, page};
use crate::recorded_layout::{image, loaded, text, with_layout};

#[test]
fn elements_that_scripts_make_wait_for_their_event_and_take_their_time_to_move() {
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        in_markup(Destination::Image, 20_000, 2_000),
    ]);
    let load = |late: Element| {
        let elements = vec![text(100.0, Some(3_000), &[]), late];
        loaded(with_layout(&made, elements), &Network::default())
    };
    for element in [text(300.0, None, &[]), image(2, 300.0)] {
        let after = |after, delay| Element {
            after,
            delay: Some(delay),
            ..element.clone()
        };
        let waits = |event| {
            let l = load(after(event, ms(400.0)));
            (
                l.browser.metrics().lcp.expect("painted"),
                l.browser.metrics(),
            )
        };
        let (lcp, metrics) = waits(Wait::Loaded);
        let begin = metrics.onload.expect("loaded") + ms(400.0);
        assert!((begin..begin + ms(20.0)).contains(&lcp), "{lcp} {begin}");
        let (lcp, metrics) = waits(Wait::ContentLoaded);
        let begin = metrics.dom_content_loaded.expect("parsed") + ms(400.0);
        assert!((begin..begin + ms(20.0)).contains(&lcp), "{lcp} {begin}");

        let still = load(after(Wait::Loaded, ms(1.0))).browser.metrics();
        let moving = Element {
            motion: ms(250.0),
            ..after(Wait::Loaded, ms(1.0))
        };
        let moving = load(moving).browser.metrics();
        assert_eq!(moving.lcp, still.lcp);
        // The element covers the other one. It is in place 250 ms after the event, not after the
        // next frame.
        let index = |m: pagerace_browser::LoadMetrics| m.speed_index.expect("painted");
        let later = index(moving).saturating_sub(index(still)).as_millis_f64();
        assert!((230.0..250.0).contains(&later), "{later}");
    }
}

/// Loads a page whose image of `bytes` bytes waits for `after` and then moves. `change` changes the
/// network.
fn with_moving_image(
    bytes: u64,
    after: Wait,
    change: impl Fn(&mut Network),
) -> pagerace_browser::LoadMetrics {
    let made = page(vec![
        document(4_000),
        in_markup(Destination::Script, 1_000, 1_000),
        in_markup(Destination::Image, bytes, 2_000),
    ]);
    let image = Element {
        after,
        motion: ms(3_000.0),
        ..image(2, 300.0)
    };
    let elements = vec![text(100.0, Some(3_000), &[]), image];
    let mut network = Network {
        rate: 100_000,
        ..Network::default()
    };
    change(&mut network);
    let page = Arc::new(with_layout(&made, elements));
    let l = load(&page, &no_cpu(Profile::CHROME), &network, 1);
    assert!(l.done);
    l.browser.metrics()
}

#[test]
fn a_motion_takes_the_same_time_however_late_its_image_arrives() {
    let index = |bytes| with_moving_image(bytes, Wait::ContentLoaded, |_| ()).speed_index;
    assert_eq!(index(20_000), index(60_000));
    assert!(
        index(20_000) < index(600_000),
        "it arrives when nothing moves any more"
    );
}

#[test]
fn an_image_whose_script_fails_is_shown_nevertheless() {
    let script = Wait::Resource { id: id(1) };
    let shown = with_moving_image(20_000, script, |_| ());
    let failed = with_moving_image(20_000, script, |network| network.fails.push(id(1)));
    let [lcp, other] = [failed.lcp, shown.lcp].map(|lcp| lcp.expect("painted").as_millis_f64());
    assert!((lcp - other).abs() < 50.0, "{lcp} {other}");
    let fcp = failed.fcp.expect("painted").as_millis_f64();
    assert!(lcp > fcp + 50.0, "it is the image");
    // A truncated script must not improve a metric.
    let broken = with_moving_image(20_000, script, |network| network.spoilt.push(id(1)));
    assert_eq!((broken.lcp, broken.speed_index), (None, None));
}

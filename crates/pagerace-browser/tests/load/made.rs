//! Elements that scripts put on the page: their events, failures, and motions.

use std::sync::Arc;

use pagerace_browser::Profile;
use pagerace_core::{Destination, ScriptMode};
use pagerace_page::{Element, Page, ResourceId, Trigger, Wait};

use crate::common::{
    Network, blocking_sheet, document, id, in_markup, load, ms, no_cpu, page, resource,
};
use crate::recorded_layout::{image, loaded, paints, text, with_layout};

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

/// Chromium notes what a style sheet fades in from nothing when the fade ends (docs/evidence.md).
#[test]
fn a_fade_from_nothing_counts_when_it_ends() {
    for element in [text(300.0, None, &[]), image(2, 300.0)] {
        let lcp = |fade| {
            let made = page(vec![
                document(4_000),
                blocking_sheet(1_000, 400),
                in_markup(Destination::Image, 5_000, 2_000),
            ]);
            let fading = Element {
                after: Wait::Loaded,
                delay: Some(ms(1.0)),
                motion: fade,
                fade,
                ..element.clone()
            };
            let elements = vec![text(100.0, Some(3_000), &[]), fading];
            let l = loaded(with_layout(&made, elements), &Network::default());
            let metrics = l.browser.metrics();
            let painted = [metrics.fcp, metrics.lcp];
            painted.map(|at| at.expect("painted").as_millis_f64())
        };
        let ([first, still], [later_first, later]) = (lcp(ms(0.0)), lcp(ms(500.0)));
        assert!((later_first - first).abs() < 1e-6, "of the other element");
        assert!((500.0..520.0).contains(&(later - still)), "{later} {still}");
    }
}

#[test]
fn an_image_that_arrives_during_its_fade_counts_at_once() {
    let lcp = |fade| {
        let made = page(vec![
            document(4_000),
            blocking_sheet(1_000, 400),
            in_markup(Destination::Image, 60_000, 2_000),
        ]);
        let image = Element {
            offset: Some(2_000),
            motion: fade,
            fade,
            ..image(2, 300.0)
        };
        let elements = vec![text(100.0, Some(3_000), &[]), image];
        let network = Network {
            rate: 100_000,
            ..Network::default()
        };
        let l = load(
            &Arc::new(with_layout(&made, elements)),
            &no_cpu(Profile::CHROME),
            &network,
            1,
        );
        assert!(l.done);
        l.browser.metrics().lcp.expect("painted")
    };
    assert_eq!(lcp(ms(3_000.0)), lcp(ms(0.0)));
}

#[test]
fn a_layout_requests_a_font_once_there_is_text_in_it() {
    let sheet = Trigger::Style { parent: id(1) };
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        resource(Destination::Font, 20_000, sheet),
    ]);
    let asked = |of_markup: &[u32], of_script: &[u32]| {
        let by_script = Element {
            after: Wait::Loaded,
            delay: Some(ms(400.0)),
            ..text(300.0, None, of_script)
        };
        let elements = vec![text(100.0, Some(3_000), of_markup), by_script];
        let l = loaded(with_layout(&made, elements), &Network::default());
        let onload = l.browser.metrics().onload.expect("loaded");
        (l.asked(2).expect("asked"), onload.as_millis_f64())
    };
    let (early, onload) = asked(&[2], &[2]);
    assert!(early < onload + 20.0, "{early} {onload}");
    let (late, onload) = asked(&[], &[2]);
    assert!(
        (onload + 400.0..onload + 420.0).contains(&late),
        "{late} {onload}"
    );
    // A font of which no text is known is requested by the first layout.
    assert!((asked(&[], &[]).0 - early).abs() < 1.0);
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

#[test]
fn what_scripts_make_waits_for_the_scripts() {
    let script = |mode, delay| {
        let script = pagerace_page::Resource {
            script_mode: mode,
            ..in_markup(Destination::Script, 5_000, 3_000)
        };
        let made = page(vec![document(4_000), script]);
        let by_script = Element {
            delay,
            ..text(900.0, None, &[])
        };
        let elements = vec![text(10.0, Some(1_500), &[]), by_script];
        paints(&loaded(with_layout(&made, elements), &Network::default()))
    };
    let (fcp, lcp) = script(ScriptMode::Defer, None);
    assert!((100.0..110.0).contains(&fcp), "{fcp}");
    assert!((200.0..212.0).contains(&lcp), "{lcp}");
    let (_, later) = script(ScriptMode::Defer, Some(ms(300.0)));
    assert!((500.0..512.0).contains(&later), "{later}");
}

/// Returns a page whose text is in the document, except for the largest, which a script
/// creates 10 ms after `after`. Resource 2 is the script's data.
fn with_made_text(after: Wait) -> Page {
    let script = Trigger::Markup {
        parent: id(0),
        offset: 1_000,
    };
    let data = Trigger::Script {
        parent: id(1),
        delay: ms(0.0),
    };
    let made = page(vec![
        document(4_000),
        resource(Destination::Script, 1_000, script),
        resource(Destination::Fetch, 1_000, data),
    ]);
    let late = Element {
        after,
        delay: Some(ms(10.0)),
        ..text(500.0, None, &[])
    };
    let elements = vec![text(100.0, Some(3_000), &[]), late];
    with_layout(&made, elements)
}

const OF_DATA: Wait = Wait::Resource { id: ResourceId(2) };

#[test]
fn text_that_a_script_makes_of_its_data_waits_for_the_data() {
    let lcp = |after| paints(&loaded(with_made_text(after), &Network::default())).1;
    let (parsed, data) = (lcp(Wait::ContentLoaded), lcp(OF_DATA));
    // The data take a round trip of 100 ms.
    assert!((90.0..110.0).contains(&(data - parsed)), "{parsed} {data}");
}

#[test]
fn text_of_data_that_fails_is_not_shown_and_of_broken_data_never_rightly() {
    let fails = Network {
        fails: vec![id(2)],
        ..Network::default()
    };
    let (first, largest) = paints(&loaded(with_made_text(OF_DATA), &fails));
    assert!(largest <= first, "the other text: {first} {largest}");
    let spoilt = Network {
        spoilt: vec![id(2)],
        ..Network::default()
    };
    let broken = Arc::new(with_made_text(OF_DATA));
    let broken = load(&broken, &no_cpu(Profile::CHROME), &spoilt, 1)
        .browser
        .metrics();
    assert_eq!(broken.lcp, None, "what was to be larger is missing");
    assert!(broken.fcp.is_some());
}

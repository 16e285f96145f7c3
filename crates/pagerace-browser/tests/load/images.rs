//! Images that are shown while they load, and overlays that hide the page.

use std::sync::Arc;

use pagerace_browser::Cached;
use pagerace_core::{Destination, Duration};
use pagerace_page::{
    Element, ImageBytes, ImageCoding, ImageShare, Overlay, PictureShares, Resource, Wait,
};

use crate::common::{
    Network, desktop, document, head_script, id, in_markup, load, ms, page, visible_image,
};
use crate::recorded_layout::{image, loaded, paints, text, with_layout};

/// Returns visual progress, with times relative to the end, of an image of 320 kB at
/// 100 kB/s whose size is known after 20 kB.
fn slow_image(coding: ImageCoding, rows: Option<[u64; 11]>) -> Vec<(f64, f64)> {
    slow_image_of(coding, rows, None)
}

/// The same with the parts of the picture that tenths of the rows add.
fn slow_image_of(
    coding: ImageCoding,
    rows: Option<[u64; 11]>,
    parts: Option<[f64; 9]>,
) -> Vec<(f64, f64)> {
    let image_bytes = ImageBytes {
        coding,
        head: 20_000,
        rows,
    };
    let photo = Resource {
        image: image_bytes,
        ..visible_image(320_000, 500)
    };
    let page = with_layout(
        &page(vec![document(1_000), photo]),
        vec![text(1000.0, Some(900), &[]), image(1, 1000.0)],
    );
    let mut page = page;
    page.layout_mut().expect("recorded").shares = Some(PictureShares {
        canvas: 0.0,
        canvas_scripted: false,
        images: vec![ImageShare {
            image: id(1),
            share: 1.0,
            rows: parts,
        }],
        other_images: 0.0,
    });
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    let l = loaded(page, &network);
    let end = l.ends[&id(1)].as_millis_f64();
    let progress = l.browser.visual_progress().into_iter();
    let points = progress.map(|(at, share)| {
        (
            at.since(pagerace_core::Instant::ZERO).as_millis_f64() - end,
            share,
        )
    });
    points.filter(|(_, share)| *share > 0.0).collect()
}

#[test]
fn a_loading_image_is_looked_at_once_a_second_from_when_its_size_is_known() {
    // The image takes 3 s: two flushes, then the end.
    let points = slow_image(ImageCoding::TopDown, None);
    let rows: Vec<f64> = points.iter().map(|p| (p.1 * 10.0).round() / 10.0).collect();
    assert_eq!(rows, [0.3, 0.7, 1.0], "{points:?}");
    let times: Vec<f64> = points
        .iter()
        .map(|p| (p.0 / 100.0).round() / 10.0)
        .collect();
    assert_eq!(times, [-2.0, -1.0, 0.0], "{points:?}");
}

#[test]
fn a_busy_thread_shows_what_has_arrived_of_an_image_meanwhile() {
    // The size of the image is known while the script runs.
    let shown = |busy: f64| {
        let script = Resource {
            cpu_time: Some(ms(busy)),
            ..head_script(1_000, 400)
        };
        let photo = Resource {
            image: ImageBytes {
                coding: ImageCoding::TopDown,
                head: 20_000,
                rows: None,
            },
            ..visible_image(420_000, 900)
        };
        let page = page(vec![document(4_000), script, photo]);
        let elements = vec![text(10.0, Some(3_900), &[]), image(2, 1000.0)];
        let network = Network {
            rate: 100_000,
            ..Network::default()
        };
        let page = Arc::new(with_layout(&page, elements));
        let l = load(&page, &desktop(), &network, 1);
        let progress = l.browser.visual_progress();
        let mut shown = progress.iter().filter(|(_, share)| *share > 0.02);
        let (at, share) = *shown.next().expect("shown");
        (
            at.since(pagerace_core::Instant::ZERO).as_millis_f64(),
            share,
        )
    };
    let (at, share) = shown(1.0);
    assert!(
        (1_300.0..1_500.0).contains(&at),
        "{at}: a second after its size"
    );
    assert!((0.2..0.3).contains(&share), "{share}");
    let (at, share) = shown(900.0);
    assert!((1_000.0..1_200.0).contains(&at), "{at}: after the script");
    assert!((0.15..0.25).contains(&share), "{share}");
}

#[test]
fn rows_of_a_loading_image_take_their_own_bytes_and_add_their_own_parts() {
    // About 120 and 220 kB are there at the flushes, after five and seven tenths of the rows.
    let rows = [20, 25, 30, 40, 50, 115, 160, 210, 260, 300, 320].map(|kb| kb * 1_000);
    let shown = |parts| {
        let points = slow_image_of(ImageCoding::TopDown, Some(rows), parts);
        points.iter().map(|p| p.1).collect::<Vec<_>>()
    };
    let plain = shown(None);
    assert!((0.50..0.53).contains(&plain[0]), "{plain:?}");
    assert!((0.71..0.75).contains(&plain[1]), "{plain:?}");
    // The lower four tenths are below the viewport.
    let cut = shown(Some([0.1, 0.2, 0.4, 0.6, 0.9, 1.0, 1.0, 1.0, 1.0]));
    assert!((0.90..0.93).contains(&cut[0]), "{cut:?}");
    assert!(cut[1] > 0.999, "{cut:?}");
}

#[test]
fn a_progressive_image_is_there_after_its_first_scan() {
    let shown = |end: Option<u64>| {
        let rows = end.map(|end| std::array::from_fn(|k| 20_000 + (end - 20_000) * k as u64 / 10));
        let points = slow_image(ImageCoding::Progressive, rows);
        let seconds = |ms: f64| (ms / 100.0).round() / 10.0;
        let tenths = points.iter().filter(|p| p.1 >= 0.1);
        let tenths = tenths.map(|p| (seconds(p.0), (p.1 * 10.0).floor()));
        tenths.collect::<Vec<_>>()
    };
    // About 20, 120 and 220 kB are there at the flushes. The frame at the end adds nothing.
    assert_eq!(shown(Some(40_000))[0], (-2.0, 10.0));
    assert_eq!(shown(Some(150_000))[..2], [(-2.0, 7.0), (-1.0, 10.0)]);
    assert_eq!(shown(None), [(0.0, 10.0)]);
}

#[test]
fn an_image_is_contentful_once_its_size_is_known() {
    for coding in [ImageCoding::TopDown, ImageCoding::Progressive] {
        let photo = Resource {
            image: ImageBytes {
                coding,
                head: 20_000,
                rows: None,
            },
            ..visible_image(320_000, 500)
        };
        let page = page(vec![document(1_000), photo]);
        let network = Network {
            rate: 100_000,
            ..Network::default()
        };
        let l = loaded(with_layout(&page, vec![image(1, 1000.0)]), &network);
        let (m, end) = (l.browser.metrics(), l.ends[&id(1)].as_millis_f64());
        let (fcp, lcp) = (m.fcp.expect("painted"), m.lcp.expect("painted"));
        assert!(lcp.as_millis_f64() >= end);
        // 300 of its 320 kB follow its header.
        let early = end - fcp.as_millis_f64();
        assert!((2_900.0..=3_000.0).contains(&early), "{coding:?}: {early}");
    }
}

#[test]
fn an_image_is_shown_once_the_parser_has_reached_it() {
    // The script holds the parser. The preload scanner has found the image, which is in the cache.
    let shown = |offset| {
        let script = Resource {
            render_blocking: false,
            ..head_script(1_000, 2_000)
        };
        let page = page(vec![document(4_000), visible_image(1_000, offset), script]);
        let network = Network {
            cached: vec![Cached::No, Cached::Fresh, Cached::No],
            ..Network::default()
        };
        let element = Element {
            offset: Some(offset),
            ..image(1, 1000.0)
        };
        let mut page = with_layout(&page, vec![element]);
        page.layout_mut().expect("just given").body_start = Some(500);
        let l = loaded(page, &network);
        let (fcp, _) = paints(&l);
        fcp - l.ends[&id(2)].as_millis_f64()
    };
    let (before, behind) = (shown(1_900), shown(2_100));
    assert!(before < -50.0, "{before}");
    assert!((0.0..=50.0).contains(&behind), "{behind}");
}

#[test]
fn an_overlay_hides_paints_from_visual_progress_only() {
    let page = page(vec![
        document(4_000),
        in_markup(Destination::Image, 50_000, 200),
    ]);
    let metrics = |overlay: Option<Overlay>| {
        let mut page = with_layout(&page, vec![text(100.0, Some(2_000), &[])]);
        page.layout_mut().expect("just given").overlay = overlay;
        loaded(page, &Network::default()).browser.metrics()
    };
    let overlay = |after| {
        let delay = ms(400.0);
        metrics(Some(Overlay {
            after,
            delay,
            limit: None,
        }))
    };
    let free = metrics(None);
    assert_eq!(free.speed_index, free.fcp);
    let presented = |event: Option<Duration>| event.map(|at| at + ms(400.0));
    let (content, load) = (overlay(Wait::ContentLoaded), overlay(Wait::Loaded));
    assert_eq!(content.speed_index, presented(free.dom_content_loaded));
    assert_eq!(load.speed_index, presented(free.onload));
    for hidden in [content, load] {
        assert_eq!((hidden.fcp, hidden.lcp), (free.fcp, free.lcp));
    }
    // One that is gone before the first paint hides nothing.
    let after = Wait::Resource { id: id(0) };
    let delay = Duration::ZERO;
    assert_eq!(
        metrics(Some(Overlay {
            after,
            delay,
            limit: None,
        })),
        free
    );
}

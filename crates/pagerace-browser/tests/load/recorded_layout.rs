//! Pages with a recorded layout: text waits for its own fonts, areas are real, and lazy
//! images wait for layout.

use std::sync::Arc;

use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};
use pagerace_page::{
    Callback, Content, Element, ElementKind, FontDisplay, FontUse, ImageShare, InlineScript,
    Largest, Overlay, Page, PageLayout, Paints, PictureShares, Rect, RenderingTime, Resource,
    ResourceId, Trigger, Wait,
};

use crate::causes;
use crate::common::{
    Loaded, Network, blocking_sheet, desktop, document, id, in_markup, load, ms, no_cpu, page,
    resource, script, visible_image,
};

const STYLE: Trigger = Trigger::Style {
    parent: ResourceId(1),
};

pub(crate) fn text(width: f32, offset: Option<u64>, fonts: &[u32]) -> Element {
    Element {
        kind: ElementKind::Text {
            fonts: fonts.iter().map(|&f| id(f)).collect(),
        },
        rect: Rect {
            x: 0.0,
            y: 0.0,
            width,
            height: 10.0,
        },
        offset,
        contentful: true,
        ..Element::default()
    }
}

pub(crate) fn image(resource: u32, width: f32) -> Element {
    let resource = id(resource);
    Element {
        kind: ElementKind::Image { resource },
        ..text(width, None, &[])
    }
}

pub(crate) fn with_layout(page: &Arc<Page>, elements: Vec<Element>) -> Page {
    let rendering = RenderingTime {
        first: ms(8.0),
        first_style: None,
        later: Some(ms(2.0)),
        presentation: None,
        later_presentation: None,
    };
    Page {
        paints: Paints::Recorded(PageLayout {
            viewport: (1000, 1000),
            elements,
            rendering: Some(rendering),
            ..PageLayout::default()
        }),
        ..Page::clone(page)
    }
}

pub(crate) fn loaded(page: Page, network: &Network) -> Loaded {
    let page = Arc::new(page);
    let l = load(&page, &no_cpu(Profile::CHROME), network, 1);
    assert!(l.done);
    causes::check(&page, &l).expect("causes are in order");
    l
}

pub(crate) fn paints(l: &Loaded) -> (f64, f64) {
    let m = l.browser.metrics();
    let at = |d: Option<Duration>| d.expect("painted").as_millis_f64();
    (at(m.fcp), at(m.lcp))
}

/// Loads a page whose sheet arrives at 200 ms. The first layout requests a font of the sheet, which
/// arrives at 300 ms at the earliest.
fn with_font(display: Option<FontDisplay>, rtt: Duration) -> (f64, f64) {
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        resource(Destination::Font, 20_000, STYLE),
    ]);
    let elements = vec![
        text(100.0, Some(2_000), &[]),
        text(500.0, Some(3_000), &[2]),
    ];
    let mut made = with_layout(&made, elements);
    let layout = made.layout_mut().expect("just given");
    layout.fonts.extend(display.map(|display| FontUse {
        font: id(2),
        display,
    }));
    paints(&loaded(
        made,
        &Network {
            rtt,
            ..Network::default()
        },
    ))
}

/// Returns the first paint of a page that preloads a font at this offset; its body begins at 500.
fn with_preload(profile: &'static Profile, offset: u64, network: &Network) -> f64 {
    let made = page(vec![
        document(4_000),
        in_markup(Destination::Font, 20_000, offset),
    ]);
    let mut made = with_layout(&made, vec![text(500.0, Some(1_000), &[1])]);
    let layout = made.layout_mut().expect("just given");
    layout.body_start = Some(500);
    layout.fonts.push(FontUse {
        font: id(1),
        display: FontDisplay::Swap,
    });
    let made = Arc::new(made);
    let l = load(&made, &no_cpu(profile), network, 1);
    causes::check(&made, &l).expect("causes are in order");
    paints(&l).0
}

#[test]
fn fonts_that_the_head_preloads_hold_the_first_frame_for_a_while() {
    let network = |rtt, rate| Network {
        rtt: ms(rtt),
        rate,
        ..Network::default()
    };
    let held = |profile, network: &Network| {
        with_preload(profile, 100, network) - with_preload(profile, 600, network)
    };
    let near = |value: f64, wanted: f64| {
        assert!((value - wanted).abs() < 2.0, "{value} ms, not {wanted} ms");
    };
    // The font arrives a round trip after the document, and over the slow link 200 ms after it.
    near(held(Profile::CHROME, &network(50.0, 0)), 50.0);
    near(held(Profile::CHROME, &network(50.0, 100_000)), 100.0);
    near(held(Profile::FIREFOX, &network(50.0, 0)), 0.0);
    // No font holds a frame 1.5 s after the start.
    near(held(Profile::CHROME, &network(1_450.0, 0)), 50.0);
    near(held(Profile::CHROME, &network(1_600.0, 0)), 0.0);
}

/// Loads a page whose sheet arrives last and takes some time to be parsed, with a text before a
/// script and one behind it. Returns the metrics, and how long the script would delay the first
/// text.
fn with_script(inline: bool, sheet_cost: Duration) -> (pagerace_browser::LoadMetrics, Duration) {
    let cost = ms(80.0);
    let mut resources = vec![
        Resource {
            cpu_time: Some(if inline { cost } else { Duration::ZERO }),
            ..document(9_000)
        },
        Resource {
            cpu_time: Some(sheet_cost),
            ..blocking_sheet(90_000, 400)
        },
    ];
    if !inline {
        resources.push(Resource {
            cpu_time: Some(cost),
            ..in_markup(Destination::Script, 1_000, 5_000)
        });
    }
    let mut made = with_layout(
        &page(resources),
        vec![text(50.0, Some(3_000), &[]), text(500.0, Some(8_000), &[])],
    );
    let layout = made.layout_mut().expect("just given");
    layout.body_start = Some(500);
    if inline {
        let offset = 5_000;
        layout.inline_scripts = vec![InlineScript { offset, cost }];
    }
    let config = BrowserConfig {
        profile: Profile::CHROME,
        cpu: 1.0,
        jitter: 0.0,
    };
    let l = load(&Arc::new(made), &config, &Network::default(), 1);
    (l.browser.metrics(), cost)
}

#[test]
fn the_first_frame_comes_before_scripts_that_wait_for_the_same_sheet() {
    for inline in [true, false] {
        let (metrics, cost) = with_script(inline, ms(5.0));
        let (first, largest) = (metrics.fcp.expect("painted"), metrics.lcp.expect("painted"));
        assert!(
            largest >= first + cost,
            "{first} {largest}, inline: {inline}"
        );
    }
    // Asking for the frame takes longer than parsing a sheet without content.
    let (metrics, _) = with_script(true, Duration::ZERO);
    assert_eq!(metrics.fcp, metrics.lcp);
}

#[test]
fn text_below_the_viewport_is_a_contentful_paint_but_not_the_largest() {
    let cost = ms(80.0);
    let resources = vec![
        document(9_000),
        blocking_sheet(90_000, 400),
        Resource {
            cpu_time: Some(cost),
            ..in_markup(Destination::Script, 1_000, 5_000)
        },
    ];
    let made = page(resources);
    let paints = |below: Option<f32>| {
        let below = below.map(|y| {
            let mut below = text(50.0, Some(3_000), &[]);
            below.rect.y = y;
            below
        });
        let seen = text(40.0, Some(8_000), &[]);
        let elements = below.into_iter().chain([seen]).collect();
        let config = BrowserConfig {
            cpu: 1.0,
            ..no_cpu(Profile::CHROME)
        };
        let page = Arc::new(with_layout(&made, elements));
        paints(&load(&page, &config, &Network::default(), 1))
    };
    let (first, largest) = paints(Some(1_500.0));
    assert!(largest >= first + 80.0, "{first} {largest}");
    let close = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-9;
    let without = paints(None);
    // Two frames up to the first content take the recorded 8 ms together. After a frame with
    // content, another one takes its own 2 ms.
    let sooner = largest - 2.0;
    assert!(close(without, (sooner, sooner)), "{without:?} {largest}");
    assert!(close(without, paints(Some(9_000.0))));
}

#[test]
fn hidden_elements_are_laid_out_and_make_no_paint() {
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        resource(Destination::Font, 20_000, STYLE),
        in_markup(Destination::Image, 50_000, 2_000),
    ]);
    let elements = vec![text(100.0, Some(2_500), &[2]), image(3, 50.0)];
    let load = |hidden: Option<Overlay>| {
        let mut page = with_layout(&made, elements.clone());
        page.layout_mut().expect("just given").hidden = hidden;
        loaded(page, &Network::default())
    };
    let shown = load(None);
    let until = |after| {
        let delay = ms(400.0);
        load(Some(Overlay {
            after,
            delay,
            limit: None,
        }))
    };
    let later = |event: Option<Duration>| event.map(|at| at + ms(400.0));
    for after in [Wait::ContentLoaded, Wait::Loaded] {
        let hidden = until(after);
        let metrics = hidden.browser.metrics();
        let event = match after {
            Wait::Loaded => metrics.onload,
            _ => metrics.dom_content_loaded,
        };
        assert_eq!((metrics.fcp, metrics.lcp), (later(event), later(event)));
        // Layout requests the font as if nothing was hidden.
        let font = |l: &Loaded| l.browser.requested_at(id(2)).expect("requested");
        assert_eq!(font(&hidden), font(&shown));
    }
    // An event before the first paint hides nothing.
    let after = Wait::Resource { id: id(0) };
    let delay = Duration::ZERO;
    let gone = load(Some(Overlay {
        after,
        delay,
        limit: None,
    }));
    assert_eq!(gone.browser.metrics(), shown.browser.metrics());
}

#[test]
fn a_hidden_page_is_shown_by_its_script_or_at_the_limit() {
    let made = page(vec![
        document(4_000),
        script(ScriptMode::Async, RequestPriority::Low, 1_000, 400),
    ]);
    let fcp = |limit| {
        let mut page = with_layout(&made, vec![text(100.0, Some(2_500), &[])]);
        page.layout_mut().expect("just given").hidden = Some(Overlay {
            after: Wait::Resource { id: id(1) },
            delay: Duration::ZERO,
            limit,
        });
        let load = loaded(page, &Network::default());
        assert!(load.browser.is_done());
        load.browser.metrics().fcp.expect("shown").as_millis_f64()
    };
    let by_script = fcp(None);
    assert!(by_script >= 200.0, "{by_script}: two round trips");
    assert!((fcp(Some(ms(5_000.0))) - by_script).abs() < 1e-9);
    let at_limit = fcp(Some(ms(60.0)));
    assert!((160.0..by_script).contains(&at_limit), "{at_limit}");
}

#[test]
fn an_image_counts_where_it_is_before_others_move_it() {
    // The lower image arrives first. Below the upper one, a fifth of it is in the viewport.
    let lcp = |unreserved| {
        let made = page(vec![
            document(4_000),
            visible_image(20_000, 1_000),
            visible_image(90_000, 2_000),
        ]);
        let place = |id, y: f32, height: f32| Element {
            rect: Rect {
                x: 0.0,
                y,
                width: 1000.0,
                height,
            },
            offset: Some(1_000),
            unreserved,
            ..image(id, 1000.0)
        };
        let elements = vec![place(2, 0.0, 800.0), place(1, 800.0, 1000.0)];
        let mut made = with_layout(&made, elements);
        made.resources[2].image.head = 80_000;
        made.layout_mut().expect("just given").largest = Some(Largest {
            size: 800_000.0,
            image: Some(id(2)),
            text: None,
            rebuilt: false,
        });
        let network = Network {
            rate: 100_000,
            ..Network::default()
        };
        let l = loaded(made, &network);
        let largest = l.browser.metrics().lcp.expect("painted");
        (largest.as_millis_f64(), l.ends[&id(2)].as_millis_f64())
    };
    let (largest, upper) = lcp(false);
    assert!(largest >= upper, "{largest} {upper}");
    let (largest, upper) = lcp(true);
    assert!(largest < upper - 100.0, "{largest} {upper}");
}

#[test]
fn text_waits_for_its_own_fonts_as_they_say() {
    let rtt = ms(100.0);
    let (fcp, lcp) = with_font(Some(FontDisplay::Block), rtt);
    assert!(
        (200.0..210.0).contains(&fcp),
        "other text does not wait: {fcp}"
    );
    assert!(
        (300.0..315.0).contains(&lcp),
        "the font is there after a round trip: {lcp}"
    );
    for display in [FontDisplay::Swap, FontDisplay::Optional] {
        let (fcp, lcp) = with_font(Some(display), rtt);
        assert!(
            (fcp - lcp).abs() < 1e-9,
            "{display:?} hides nothing: {fcp} {lcp}"
        );
    }
}

#[test]
fn a_block_in_two_fonts_appears_with_the_first() {
    // The second font is larger and arrives later.
    let network = Network {
        rate: 10_000_000,
        ..Network::default()
    };
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        resource(Destination::Font, 20_000, STYLE),
        resource(Destination::Font, 2_000_000, STYLE),
    ]);
    let lcp = |fonts: &[u32]| {
        let elements = vec![
            text(100.0, Some(2_000), &[]),
            text(500.0, Some(3_000), fonts),
        ];
        paints(&loaded(with_layout(&made, elements), &network)).1
    };
    let (first, second, both) = (lcp(&[2]), lcp(&[3]), lcp(&[3, 2]));
    assert!(first + 10.0 < second, "{first} {second}");
    assert!((both - first).abs() < 1e-9, "{both} {first}");
}

#[test]
fn invisible_text_appears_in_time() {
    // Every response takes 5 s, so the sheet arrives at 10 s.
    let late = ms(5_000.0);
    let after = |display| {
        let (fcp, lcp) = with_font(display, late);
        lcp - fcp
    };
    let block = after(Some(FontDisplay::Block));
    assert!(
        (2_990.0..3_010.0).contains(&block),
        "three seconds: {block}"
    );
    let fallback = after(Some(FontDisplay::Fallback));
    assert!(
        (95.0..120.0).contains(&fallback),
        "a tenth of a second: {fallback}"
    );
    for auto in [None, Some(FontDisplay::Auto)] {
        let hidden = after(auto);
        assert!(
            hidden < 1e-9,
            "Chromium's limit of 2 s was over before: {hidden}"
        );
    }
    // The sheet arrives at 1.6 s, 0.4 s before the limit.
    let (fcp, lcp) = with_font(None, ms(800.0));
    assert!((1_600.0..1_610.0).contains(&fcp), "{fcp}");
    assert!((2_000.0..2_020.0).contains(&lcp), "{lcp}");
}

#[test]
fn a_preloaded_font_that_is_there_hides_nothing() {
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        in_markup(Destination::Font, 20_000, 300),
    ]);
    let made = with_layout(&made, vec![text(500.0, Some(3_000), &[2])]);
    let (fcp, lcp) = paints(&loaded(made, &Network::default()));
    assert!(
        (200.0..210.0).contains(&fcp) && (fcp - lcp).abs() < 1e-9,
        "{fcp} {lcp}"
    );
}

#[test]
fn the_larger_image_is_the_largest_paint_whatever_its_bytes() {
    let made = page(vec![
        document(4_000),
        visible_image(90_000, 2_000),
        visible_image(5_000, 3_000),
    ]);
    let elements = vec![
        text(10.0, Some(1_000), &[]),
        image(1, 100.0),
        image(2, 900.0),
    ];
    let guessed = load(&made, &no_cpu(Profile::CHROME), &Network::default(), 1);
    assert_eq!(
        guessed.browser.lcp_image(),
        Some(id(1)),
        "bytes are the guess"
    );
    let l = loaded(with_layout(&made, elements), &Network::default());
    assert_eq!(l.browser.lcp_image(), Some(id(2)));
}

#[test]
fn lazy_images_wait_for_a_layout_and_hold_no_request_before() {
    let made = page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        visible_image(5_000, 2_000),
        visible_image(5_000, 3_000),
    ]);
    let mut made = with_layout(&made, vec![text(10.0, Some(1_000), &[]), image(3, 900.0)]);
    let layout = made.layout_mut().expect("just given");
    layout.by_layout.push(id(3));
    let l = loaded(made, &Network::default());
    assert!(l.asked(2).expect("asked for") < 110.0, "with the scanner");
    let lazy = l.asked(3).expect("asked for");
    assert!(
        (200.0..210.0).contains(&lazy),
        "after the first layout: {lazy}"
    );
}

#[test]
fn images_that_the_body_shows_to_be_styled_or_lazy_wait_for_a_layout() {
    let mut made = Page::clone(&page(vec![
        document(4_000),
        blocking_sheet(1_000, 400),
        visible_image(5_000, 2_000),
        visible_image(5_000, 2_500),
        visible_image(5_000, 3_000),
    ]));
    made.guess_mut().expect("no layout").content = Some(Content {
        styled: vec![id(3)],
        lazy: vec![id(4)],
        ..Content::default()
    });
    let l = loaded(made, &Network::default());
    assert!(l.asked(2).expect("asked for") < 110.0, "with the scanner");
    for image in [3, 4] {
        let at = l.asked(image).expect("asked for");
        assert!((200.0..210.0).contains(&at), "after the first layout: {at}");
    }
}

#[test]
fn the_load_event_does_not_wait_for_requests_of_a_later_layout() {
    // Loads a page whose style sheet takes `parsing` and names a background. Returns the times of
    // the load event and of the background's request.
    let times = |parsing: f64, others: Vec<Resource>, has_layout: bool| {
        let sheet = Resource {
            cpu_time: Some(ms(parsing)),
            ..blocking_sheet(1_000, 400)
        };
        let background = resource(Destination::Image, 5_000, STYLE);
        let resources = [document(4_000), sheet, background].into_iter();
        let mut made = Page::clone(&page(resources.chain(others).collect()));
        if has_layout {
            made = with_layout(&made.into(), vec![text(10.0, Some(1_000), &[])]);
        }
        made.recorded.on_load = Some(Duration::ZERO);
        let network = Network {
            rate: 1_000_000,
            ..Network::default()
        };
        let l = load(&Arc::new(made), &desktop(), &network, 1);
        let onload = l.browser.metrics().onload.expect("loaded");
        (onload.as_millis_f64(), l.asked(2).expect("asked for"))
    };
    // The frame still has to be asked for when the sheet is parsed, so the event comes first.
    let (onload, asked) = times(0.1, vec![], true);
    assert!(onload < asked, "{onload} {asked}");
    // The frame is ready when the sheet is parsed.
    let (onload, asked) = times(5.0, vec![], true);
    assert!(onload > asked + 100.0, "{onload} {asked}");
    // An image of the markup arrives after the layout.
    let (onload, asked) = times(0.1, vec![visible_image(90_000, 2_000)], true);
    assert!(onload > asked + 100.0, "{onload} {asked}");
    // Without a recorded layout, the event waits as the recorded one did.
    let (onload, asked) = times(0.1, vec![], false);
    assert!(onload > asked + 100.0, "{onload} {asked}");
}

#[test]
fn recorded_rendering_takes_its_time() {
    let whole = pagerace_page::Resource {
        mime_type: "image/avif".to_owned(),
        ..visible_image(5_000, 2_000)
    };
    let made = page(vec![document(4_000), whole]);
    let made = with_layout(&made, vec![text(10.0, Some(1_000), &[]), image(1, 900.0)]);
    let with = |first, later| {
        let mut made = made.clone();
        let layout = made.layout_mut().expect("just given");
        let rendering = layout.rendering.as_mut().expect("recorded");
        (rendering.first, rendering.later) = (ms(first), Some(ms(later)));
        paints(&load(&Arc::new(made), &desktop(), &Network::default(), 1))
    };
    let (fcp, lcp) = with(8.0, 2.0);
    let close = |(first, largest): (f64, f64), by: (f64, f64)| {
        (first - fcp - by.0).abs() < 1e-3 && (largest - lcp - by.1).abs() < 1e-3
    };
    assert!(close(with(11.0, 2.0), (3.0, 0.0)), "{fcp} {lcp}");
    assert!(close(with(8.0, 6.0), (0.0, 4.0)), "{fcp} {lcp}");
}

/// Loads a document with a text and two images of 100 kB each, one after the other at 100 kB/s.
fn two_images(shares: Option<PictureShares>) -> Loaded {
    let resources = vec![
        document(1_000),
        visible_image(100_000, 500),
        visible_image(100_000, 600),
    ];
    let text = Element {
        share: 0.1,
        ..text(1000.0, Some(900), &[])
    };
    // The first image covers most of the page; the second is not measured individually.
    let elements = vec![image(1, 1000.0), text, image(2, 10.0)];
    let mut page = with_layout(&page(resources), elements);
    page.layout_mut().expect("recorded").shares = shares;
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    loaded(page, &network)
}

#[test]
fn measured_shares_are_progress_whatever_the_areas() {
    let measured = PictureShares {
        canvas: 0.2,
        canvas_scripted: false,
        images: vec![ImageShare {
            image: id(1),
            share: 0.3,
            rows: None,
        }],
        other_images: 0.4,
    };
    let l = two_images(Some(measured));
    let progress = l.browser.visual_progress();
    let first = progress[1].1;
    assert!((first - 0.3).abs() < 1e-9, "canvas and text: {progress:?}");
    let added = |r| {
        let causes = l.browser.paint_causes();
        let of = causes
            .iter()
            .filter(|c| c.2.is_some_and(|c| c.resource == id(r)));
        of.map(|c| c.1).sum::<f64>()
    };
    assert!((added(1) - 0.3).abs() < 1e-9 && (added(2) - 0.4).abs() < 1e-9);
    let guessed = two_images(None);
    assert_eq!(l.browser.metrics().lcp, guessed.browser.metrics().lcp);
    assert_eq!(l.browser.metrics().fcp, guessed.browser.metrics().fcp);
    assert_ne!(
        l.browser.metrics().speed_index,
        guessed.browser.metrics().speed_index
    );
}

#[test]
fn a_page_without_colour_is_complete_with_its_first_paint() {
    let l = two_images(Some(PictureShares::default()));
    let m = l.browser.metrics();
    assert!((l.browser.visual_progress()[1].1 - 1.0 / 11.0).abs() > 1e-9);
    assert!(m.speed_index.is_some() && m.speed_index <= m.lcp, "{m:?}");
    let white = PageLayout {
        elements: vec![Element {
            share: 0.0,
            ..text(1000.0, Some(900), &[])
        }],
        shares: Some(PictureShares::default()),
        ..with_layout(&page(vec![document(1_000)]), vec![])
            .layout()
            .cloned()
            .expect("recorded")
    };
    let plain = Page {
        paints: Paints::Recorded(white),
        ..Page::clone(&page(vec![document(1_000)]))
    };
    let m = loaded(plain, &Network::default()).browser.metrics();
    assert_eq!(m.speed_index, m.fcp);
}

#[test]
fn a_canvas_that_scripts_colour_comes_with_them() {
    let first = |canvas_scripted| {
        let script = Trigger::Markup {
            parent: id(0),
            offset: 950,
        };
        let made = page(vec![
            document(1_000),
            resource(Destination::Script, 50_000, script),
        ]);
        let text = Element {
            share: 0.5,
            ..text(1000.0, Some(900), &[])
        };
        let mut made = with_layout(&made, vec![text]);
        made.layout_mut().expect("recorded").shares = Some(PictureShares {
            canvas: 0.5,
            canvas_scripted,
            ..PictureShares::default()
        });
        let network = Network {
            rate: 100_000,
            ..Network::default()
        };
        loaded(made, &network).browser.visual_progress()[1].1
    };
    assert!((first(false) - 1.0).abs() < 1e-9);
    assert!((first(true) - 0.5).abs() < 1e-9, "the text alone");
}

#[test]
fn callbacks_occupy_the_main_thread_after_their_events() {
    let with = |callbacks: Vec<Callback>| {
        let shown = vec![text(100.0, Some(1_000), &[])];
        let mut page = with_layout(&page(vec![document(10_000)]), shown);
        if let Some(layout) = page.layout_mut() {
            layout.callbacks = callbacks;
        }
        let l = load(&page.into(), &desktop(), &Network::default(), 1);
        let metrics = l.browser.metrics();
        (metrics.onload.unwrap().as_millis_f64(), metrics.tbt)
    };
    let call = |after, delay, cost| Callback {
        after,
        delay: ms(delay),
        cost: ms(cost),
    };
    let (free, none) = with(vec![]);
    assert_eq!(none, Some(Duration::ZERO));
    let (held, _) = with(vec![call(Wait::ContentLoaded, 0.0, 30.0)]);
    assert!((held - free - 30.0).abs() < 1e-6, "{free} {held}");
    let arrival = Wait::Resource { id: id(0) };
    let (held, _) = with(vec![call(arrival, 0.0, 20.0), call(arrival, 0.0, 10.0)]);
    assert!(
        (held - free - 30.0).abs() < 1e-6,
        "both wait for the document"
    );
    let (after, _) = with(vec![call(Wait::Loaded, 0.0, 30.0)]);
    assert!(
        (after - free).abs() < 1e-6,
        "handlers of the event do not delay it"
    );
    let (.., long) = with(vec![call(Wait::Loaded, 300.0, 80.0)]);
    assert_eq!(long, Some(ms(30.0)), "the part of the task beyond 50 ms");
}

mod scripted;

use pagerace_core::ScriptMode;
use serde_json::{Value, json};

use crate::from_bytes;
use pagerace_core::Duration;
use pagerace_page::{
    ElementKind, Evidence, FontDisplay, FontUse, ImageShare, Largest, Overlay, Page, PictureShares,
    Rect, RenderingTime, ResourceId, Trigger, Wait,
};

/// 200 bytes decoded, 100 encoded; the body begins at byte 40.
fn document() -> String {
    let head = "<!doctype html><head><title>t</title>   ";
    let body = "<body><img src=lazy.png loading=lazy><p>text";
    format!("{:200}", format!("{head}{body}"))
}

fn entry(path: &str, mime: &str, size: u64, own: &Value) -> Value {
    json!({
        "startedDateTime": "2026-11-22T00:00:00.000Z",
        "time": 10,
        "request": {"method": "GET", "url": format!("https://a.test/{path}")},
        "response": {"status": 200, "bodySize": size,
            "content": {"mimeType": mime, "size": 200}},
        "_initiator": {"type": "parser", "url": "https://a.test/", "lineNumber": 0},
        "_pagerace": own,
    })
}

fn import(own: &Value) -> Page {
    import_loaded(own, &json!({}))
}

fn import_loaded(own: &Value, timings: &Value) -> Page {
    let mut html = entry(
        "",
        "text/html",
        100,
        &json!({"cpu": {"parseMs": 2, "scriptMs": 3}}),
    );
    html["_initiator"] = json!({"type": "other"});
    html["response"]["content"]["text"] = json!(document());
    let har = json!({"log": {
        "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z", "_pagerace": own,
            "pageTimings": timings}],
        "entries": [
            html,
            entry("a.js", "text/javascript", 50,
                &json!({"initiatorOffset": 60, "scriptMode": "async", "cpu": {"scriptMs": 7}})),
            entry("a.woff2", "font/woff2", 50, &json!({"fontDisplay": "optional"})),
            entry("big.png", "image/png", 5000, &json!({"cpu": {"decodeMs": 1.5}})),
            entry("below.png", "image/png", 5000, &json!({})),
            entry("lazy.png", "image/png", 5000, &json!({})),
        ],
    }});
    from_bytes(
        "x.page",
        har.to_string().as_bytes(),
        &crate::ImportOptions::default(),
    )
    .expect("a page")
}

fn own() -> Value {
    json!({
        "version": 1,
        "layout": {"viewport": [400, 300], "elements": [
            {"kind": "text", "rect": [10, 10, 100, 20], "fonts": ["https://a.test/a.woff2"],
                "offset": 100},
            {"kind": "image", "rect": [0, 30, 400, 200], "url": "https://a.test/big.png",
                "natural": [800, 400]},
            {"kind": "background", "rect": [0, 300, 400, 200], "url": "https://a.test/below.png"},
            {"kind": "image", "rect": [0, 0, 5, 5], "url": "data:image/gif;base64,AAAA"},
            {"kind": "svg", "rect": [0, 0, 5, 5]},
            {"kind": "image", "rect": [0, 0, 5, 5], "url": "https://a.test/never-requested.png"},
            {"kind": "text", "rect": [0, 0, 0, 5]},
            {"kind": "text", "rect": [0, 0, "wide", 5]},
            {"kind": "text", "rect": [0, 0, 5, 5], "offset": 100_000},
            {"kind": "hologram", "rect": [0, 0, 5, 5]},
        ]},
        "paints": {"fcpMs": 50, "lcpMs": 80, "lcpUrl": "https://a.test/big.png",
            "lcpSize": 80_000, "lcpKind": "image"},
        "mainThread": [
            {"ms": 10, "durationMs": 4, "kind": "layout"},
            {"ms": 20, "durationMs": 2, "kind": "paint"},
            {"ms": 30, "durationMs": 9, "kind": "script"},
            // Ends after the first contentful paint, so it is part of a later frame.
            {"ms": 48, "durationMs": 5, "kind": "layout"},
            {"ms": 60, "durationMs": 3, "kind": "style"},
            {"ms": 70, "durationMs": 1, "kind": "paint"},
        ],
    })
}

#[test]
fn frames_take_the_times_that_the_recording_tells() {
    let mut own = own();
    own["rendering"] = json!({"firstMs": 40, "firstStyleMs": 10, "laterMs": null, "presentationMs": 12.5,
        "laterPresentationMs": "soon"});
    let rendering = import(&own).layout().cloned().expect("recorded").rendering;
    let expected = RenderingTime {
        first: Duration::from_millis(40),
        first_style: Some(Duration::from_millis(10)),
        later: Some(Duration::from_millis(3)),
        presentation: Some(Duration::from_micros(12_500)),
        later_presentation: None,
    };
    assert_eq!(rendering, Some(expected));
}

#[test]
fn elements_are_those_that_can_be_seen() {
    let layout = import(&own()).layout().cloned().expect("recorded");
    assert_eq!(layout.viewport, (400, 300));
    let fonts = vec![ResourceId(2)];
    let (image, background) = (ResourceId(3), ResourceId(4));
    let kinds: Vec<_> = layout.elements.iter().map(|e| e.kind.clone()).collect();
    let expected = [
        ElementKind::Text { fonts },
        ElementKind::Image { resource: image },
        ElementKind::Background {
            resource: background,
        },
        ElementKind::Other,
        ElementKind::Other,
        ElementKind::Text { fonts: vec![] },
    ];
    assert_eq!(kinds, expected);
    let first = &layout.elements[0];
    let rect = Rect {
        x: 10.0,
        y: 10.0,
        width: 100.0,
        height: 20.0,
    };
    assert_eq!(first.rect, rect);
    assert_eq!(
        first.offset,
        Some(50),
        "half of the document is half of its encoded bytes"
    );
    assert_eq!(layout.elements[1].natural, Some((800.0, 400.0)));
    assert_eq!(layout.elements[5].offset, None, "behind the end is nowhere");
}

#[test]
fn a_video_counts_as_content_before_its_poster_arrives() {
    let mut own = own();
    let elements = &mut own["layout"]["elements"];
    *elements = json!([
        {"kind": "video", "rect": [0, 0, 9, 9], "url": "https://a.test/big.png", "offset": 100},
        {"kind": "video", "rect": [0, 0, 9, 9], "offset": 100},
    ]);
    let layout = import(&own).layout().cloned().expect("recorded");
    let [poster, player] = &layout.elements[..] else {
        panic!(
            "a video without a poster shows nothing: {:?}",
            layout.elements
        );
    };
    let resource = ResourceId(3);
    assert_eq!(poster.kind, ElementKind::Image { resource });
    assert_eq!(
        (&player.kind, player.offset),
        (&ElementKind::Other, Some(50))
    );
    assert!(player.contentful);
}

#[test]
fn scripts_inside_the_document_share_its_script_time_by_length() {
    let html = "<script>var a</script><script src=b.js></script><noscript><script>1</script></noscript>\
        <script type=application/json>{}</script><p>text\
        <script type=module>run(); run()</script><script nomodule>old()</script><p>end";
    let entry = json!({
        "startedDateTime": "2026-11-22T00:00:00.000Z",
        "time": 10,
        "request": {"method": "GET", "url": "https://a.test/"},
        "response": {"status": 200, "bodySize": html.len(),
            "content": {"mimeType": "text/html", "size": html.len(), "text": html}},
        "_pagerace": {"cpu": {"parseMs": 2, "scriptMs": 40}},
    });
    let pages = json!([{"startedDateTime": "2026-11-22T00:00:00.000Z", "_pagerace": own()}]);
    let har = json!({"log": {"pages": pages, "entries": [entry]}}).to_string();
    let options = crate::ImportOptions::default();
    let page = from_bytes("x.page", har.as_bytes(), &options).expect("a page");
    let scripts = &page.layout().expect("recorded").inline_scripts;
    let [first, second] = &scripts[..] else {
        panic!("two run: {scripts:?}");
    };
    assert_eq!(first.cost + second.cost, Duration::from_millis(40));
    assert_eq!(second.cost, first.cost.mul_f64(12.0 / 5.0));
    let behind = |text: &str| html.find(text).map(|at| (at + text.len()) as u64);
    assert_eq!(Some(first.offset), behind("var a"));
    assert_eq!(Some(second.offset), behind("<p>end"), "modules run later");
    assert_eq!(page.resources[0].cpu_time, Some(Duration::from_millis(42)));
}

#[test]
fn a_page_that_was_painted_before_was_not_hidden() {
    let hidden = |fcp: u32| {
        let mut own = own();
        own["layout"]["hidden"] = json!({"after": "domContentLoaded", "ms": 20});
        own["paints"] = json!({"fcpMs": fcp});
        let timings = json!({"onContentLoad": 100});
        import_loaded(&own, &timings)
            .layout()
            .cloned()
            .expect("recorded")
            .hidden
    };
    let found = [120, 112, 108, 90].map(|fcp| hidden(fcp).is_some());
    assert_eq!(found, [true, true, false, false], "the middle decides");
}

#[test]
fn an_overlay_goes_after_its_event() {
    let overlay = |told: Value| {
        let mut own = own();
        own["layout"]["overlay"] = told.clone();
        own["layout"]["hidden"] = told;
        let layout = import(&own).layout().cloned().expect("recorded");
        assert_eq!(layout.hidden, layout.overlay, "told alike");
        layout.overlay
    };
    let of = |after, ms| {
        let delay = Duration::from_millis_f64(ms);
        Some(Overlay {
            after,
            delay,
            limit: None,
        })
    };
    let told = |after, ms| overlay(json!({"after": after, "ms": ms}));
    assert_eq!(told("load", 50.5), of(Wait::Loaded, 50.5));
    assert_eq!(told("domContentLoaded", 0.0), of(Wait::ContentLoaded, 0.0));
    assert_eq!(told("paint", 1.0), None);
    assert_eq!(told("load", -1.0), None);
    assert_eq!(overlay(json!("load")), None);
}

#[test]
fn a_frame_shows_its_document() {
    let mut own = own();
    let elements = &mut own["layout"]["elements"];
    *elements = json!([
        {"kind": "iframe", "rect": [0, 0, 9, 9], "url": "https://a.test/big.png", "offset": 100},
        {"kind": "iframe", "rect": [0, 0, 9, 9], "url": "https://a.test/never-requested"},
    ]);
    let layout = import(&own).layout().cloned().expect("recorded");
    let [frame] = &layout.elements[..] else {
        panic!("{:?}", layout.elements);
    };
    let id = ResourceId(3);
    assert_eq!(
        (&frame.kind, frame.contentful),
        (&ElementKind::Other, false)
    );
    assert_eq!((frame.after, frame.offset), (Wait::Resource { id }, None));
}

#[test]
fn a_frame_looks_as_recorded_once_its_largest_image_is_there() {
    let mut own = own();
    own["layout"]["elements"] =
        json!([{"kind": "iframe", "rect": [0, 0, 9, 9], "url": "https://a.test/frame.html"}]);
    let below = |path: &str, bytes: u64| {
        let mut image = entry(path, "image/png", bytes, &json!({}));
        image["_initiator"]["url"] = json!("https://a.test/frame.html");
        image
    };
    let mut failed = below("failed.png", 9_000);
    failed["response"]["status"] = json!(404);
    let shown = |images: &[Value]| {
        let mut entries = vec![
            entry("", "text/html", 100, &json!({})),
            entry("page.png", "image/png", 9_000, &json!({})),
            entry("frame.html", "text/html", 100, &json!({})),
        ];
        entries.extend_from_slice(images);
        let har = json!({"log": {"pages": [{"_pagerace": own}], "entries": entries}}).to_string();
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.as_bytes(), &options).expect("a page");
        page.layout().cloned().expect("recorded").elements[0].after
    };
    let beacon = below("beacon.png", 43);
    let images = [
        failed,
        beacon.clone(),
        below("small.png", 300),
        below("large.png", 900),
    ];
    assert_eq!(shown(&images), Wait::Resource { id: ResourceId(6) });
    assert_eq!(shown(&[beacon]), Wait::Resource { id: ResourceId(2) });
}

#[test]
fn the_page_has_what_the_fields_say() {
    let page = import(&own());
    let layout = page.layout().expect("recorded");
    assert_eq!(layout.body_start, Some(20));
    assert_eq!(layout.by_layout, [ResourceId(5)]);
    assert_eq!(
        layout.fonts,
        [FontUse {
            font: ResourceId(2),
            display: FontDisplay::Optional
        }]
    );
    assert_eq!(
        layout.largest,
        Some(Largest {
            size: 80_000.0,
            image: Some(ResourceId(3)),
            text: None,
            rebuilt: false,
        })
    );
    // The paint counts as that of a script if it came after `DOMContentLoaded`.
    for (painted, is_late) in [(90, false), (110, true)] {
        let mut own = own();
        own["paints"]["lcpRebuilt"] = json!(true);
        own["paints"]["lcpMs"] = json!(painted);
        let page = import_loaded(&own, &json!({"onContentLoad": 100}));
        let largest = page
            .layout()
            .cloned()
            .expect("recorded")
            .largest
            .expect("recorded");
        assert_eq!(largest.rebuilt, is_late, "painted at {painted} ms");
    }
    let rendering = layout.rendering.expect("recorded");
    assert_eq!(rendering.first, Duration::from_millis(6));
    assert_eq!(
        rendering.later,
        Some(Duration::from_millis(3)),
        "the mean of 5, 3 and 1"
    );
    assert_eq!(rendering.presentation, None);
    let cpu: Vec<_> = page.resources.iter().map(|r| r.cpu_time).collect();
    let ms = |ms| Some(Duration::from_millis_f64(ms));
    assert_eq!(cpu, [ms(5.0), ms(7.0), None, ms(1.5), None, None]);
    let visible: Vec<_> = page.resources.iter().map(|r| r.in_viewport).collect();
    assert_eq!(
        visible,
        [false, false, false, true, false, false],
        "below the fold is below"
    );
    let script = page.resource(ResourceId(1));
    assert_eq!(script.script_mode, ScriptMode::Async);
    let parent = ResourceId(0);
    assert_eq!(
        script.discovery.trigger,
        Trigger::Markup { parent, offset: 30 }
    );
    assert_eq!(script.discovery.evidence, Evidence::Recorded);
    assert!(
        !page.resource(ResourceId(5)).blocks_load,
        "lazy images hold no load event"
    );
    assert_eq!(page.recorded.first_paint, ms(50.0));
    assert_eq!(page.recorded.largest_paint, ms(80.0));
}

#[test]
fn without_a_layout_there_is_none() {
    for own in [
        json!(null),
        json!({"layout": 3}),
        json!({"layout": {"viewport": [0, 10], "elements": []}}),
        json!({"layout": {"elements": []}}),
    ] {
        assert_eq!(import(&own).layout(), None, "{own}");
    }
    let by_device = json!({"device": {"width": 360, "height": 800, "scale": 1.75}, "layout": {}});
    let layout = import(&by_device)
        .layout()
        .cloned()
        .expect("the device says how large");
    assert_eq!((layout.viewport, layout.elements.len()), ((360, 800), 0));
    assert_eq!(layout.scale, Some(1.75));
}

#[test]
fn the_number_of_processors_is_read() {
    let read = |processors: serde_json::Value| {
        let own = json!({"layout": {"viewport": [10, 10]}, "processors": processors});
        import(&own)
            .layout()
            .cloned()
            .expect("there is one")
            .processors
    };
    assert_eq!(read(json!(2)), Some(2));
    for unknown in [json!(null), json!(0), json!(-1), json!("two"), json!(1e9)] {
        assert_eq!(read(unknown.clone()), None, "{unknown}");
    }
}

#[test]
fn a_page_survives_its_own_json() {
    let page = import(&own());
    let json = serde_json::to_string(&page).expect("a page is JSON");
    let back: Page = serde_json::from_str(&json).expect("its own JSON");
    assert_eq!(back, page);
    let old = import(&json!(null));
    let json = serde_json::to_string(&old).expect("a page is JSON");
    assert!(
        !json.contains("layout"),
        "nothing is written where nothing is known"
    );
}

#[test]
fn lazy_images_do_not_delay_the_load_event_even_if_requested_after_it() {
    let late = |path: &str| {
        let own = json!({"initiatorOffset": 76});
        let mut html = entry("", "text/html", 100, &json!({}));
        html["_initiator"] = json!({"type": "other"});
        html["response"]["content"]["text"] = json!(document());
        let mut image = entry(path, "image/png", 5000, &own);
        image["startedDateTime"] = json!("2026-11-22T00:00:00.500Z");
        let har = json!({"log": {
            "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z",
                "pageTimings": {"onLoad": 100},
                "_pagerace": {"layout": {"viewport": [400, 300]}}}],
            "entries": [html, image],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let image = page.resource(ResourceId(1));
        (image.blocks_load, image.blocks_load_if_early)
    };
    assert_eq!(late("lazy.png"), (false, false));
    assert_eq!(late("of-a-style-element.png"), (false, true));
}

#[test]
fn a_delay_after_a_script_begins_when_it_had_run() {
    let mut script = entry(
        "a.js",
        "text/javascript",
        50,
        &json!({"cpu": {"scriptMs": 40}}),
    );
    script["time"] = json!(20);
    let mut asked = entry("data.json", "application/json", 50, &json!({}));
    asked["startedDateTime"] = json!("2026-11-22T00:00:00.300Z");
    asked["_initiator"] = json!({"type": "script", "stack": {"callFrames": [
        {"url": "https://a.test/a.js", "lineNumber": 1, "columnNumber": 2}]}});
    let delay = |tasks: &Value| {
        let har = json!({"log": {
            "pages": [{"startedDateTime": "2026-11-22T00:00:00.000Z",
                "_pagerace": {"mainThread": tasks}}],
            "entries": [entry("", "text/html", 100, &json!({})), script, asked],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        match page.resource(ResourceId(2)).discovery.trigger {
            Trigger::Script { delay, .. } => delay,
            other => panic!("{other:?}"),
        }
    };
    let run = json!([
        {"ms": 100, "durationMs": 50, "kind": "script", "url": "https://a.test/a.js"},
        {"ms": 200, "durationMs": 60, "kind": "script", "url": "https://a.test/a.js"},
    ]);
    assert_eq!(
        delay(&run),
        Duration::from_millis(150),
        "its first task ended at 150 ms"
    );
    assert_eq!(
        delay(&json!([])),
        Duration::from_millis(240),
        "it came at 20 ms and took 40"
    );
}

#[test]
fn what_only_styles_can_have_named_waits_for_layout() {
    let asked = |path: &str, own: &Value| {
        let mut html = entry("", "text/html", 100, &json!({}));
        html["_initiator"] = json!({"type": "other"});
        html["response"]["content"]["text"] = json!(document());
        let har = json!({"log": {
            "pages": [{"_pagerace": {"layout": {"viewport": [400, 300]}}}],
            "entries": [html, entry(path, "image/png", 5000, own)],
        }});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        let by_layout = page.layout().expect("recorded").by_layout.len();
        (by_layout, page.resource(ResourceId(1)).blocks_load)
    };
    assert_eq!(
        asked("lazy.png", &json!({"initiatorOffset": 76})),
        (1, false)
    );
    assert_eq!(
        asked(
            "face.png",
            &json!({"initiatorOffset": 76, "inlineStyle": true})
        ),
        (1, true)
    );
    assert_eq!(
        asked("of-a-style-element.png", &json!({"initiatorOffset": 76})),
        (1, true)
    );
    assert_eq!(asked("no-place.png", &json!({})), (0, true));
}

#[test]
fn an_icon_that_the_browser_asks_for_is_not_the_parsers() {
    let trigger = |own: &Value, document_ends: u32| {
        let mut html = entry("", "text/html", 100, &json!({}));
        html["_initiator"] = json!({"type": "other"});
        html["startedDateTime"] = json!("2026-11-22T00:00:00.000Z");
        html["time"] = json!(document_ends);
        html["response"]["content"]["text"] = json!("<link rel=icon href=favicon.png><p>text");
        let mut icon = entry("favicon.png", "image/png", 900, &json!({}));
        icon["_initiator"] = json!({"type": "other"});
        icon["_resourceType"] = json!("other");
        icon["startedDateTime"] = json!("2026-11-22T00:00:01.000Z");
        let mut page = json!({"startedDateTime": "2026-11-22T00:00:00.000Z",
            "pageTimings": {"onLoad": 500}});
        page["_pagerace"] = own.clone();
        let har = json!({"log": {"pages": [page], "entries": [html, icon]}});
        let options = crate::ImportOptions::default();
        let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
        page.resource(ResourceId(1)).discovery.trigger
    };
    // The second document has just ended.
    for document_ends in [100, 950] {
        let found = trigger(&json!({"version": 1}), document_ends);
        assert!(matches!(found, Trigger::After { .. }), "{found:?}");
    }
    assert!(
        matches!(trigger(&json!(null), 100), Trigger::Markup { .. }),
        "others do not tell"
    );
}

#[test]
fn shares_of_the_picture_are_read_as_far_as_they_make_sense() {
    let mut own = own();
    assert_eq!(
        import(&own).layout().cloned().expect("recorded").shares,
        None
    );
    own["layout"]["elements"][0]["share"] = json!(0.25);
    own["layout"]["elements"][4]["share"] = json!(7);
    own["layout"]["shares"] = json!({"canvas": 0.05, "canvasScripted": true, "otherImages": "much", "images": [
        {"url": "https://a.test/big.png", "share": 0.5,
            "rows": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]},
        {"url": "https://a.test/never-requested.png", "share": 0.1},
        {"url": "https://a.test/below.png", "rows": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 9]},
    ]});
    let layout = import(&own).layout().cloned().expect("recorded");
    let shares: Vec<f64> = layout.elements.iter().map(|e| e.share).take(4).collect();
    assert_eq!(shares, [0.25, 0.0, 0.0, 0.0]);
    let read = PictureShares {
        canvas: 0.05,
        canvas_scripted: true,
        images: vec![
            ImageShare {
                image: ResourceId(3),
                share: 0.5,
                rows: Some([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]),
            },
            ImageShare {
                image: ResourceId(4),
                share: 0.0,
                rows: None,
            },
        ],
        other_images: 0.0,
    };
    assert_eq!(layout.shares, Some(read));
}

#[test]
fn an_image_that_the_browser_asked_for_over_https_is_the_one_that_is_shown() {
    let own = json!({"layout": {"viewport": [400, 300], "elements": [
        {"kind": "video", "rect": [0, 0, 100, 100], "url": "http://a.test/poster.png"},
    ]}});
    let har = json!({"log": {
        "pages": [{"_pagerace": own}],
        "entries": [
            entry("", "text/html", 100, &json!({})),
            entry("poster.png", "image/png", 900, &json!({})),
        ],
    }});
    let options = crate::ImportOptions::default();
    let page = from_bytes("x.page", har.to_string().as_bytes(), &options).expect("a page");
    let elements = page.layout().cloned().expect("recorded").elements;
    let resource = ResourceId(1);
    assert_eq!(elements[0].kind, ElementKind::Image { resource });
}

/// A damaged picture is left out; without the complete one, there are none.
#[test]
fn pictures_are_webp_in_base64() {
    use super::pictures;
    use crate::extension;

    let webp = || "UklGRh4AAABXRUJQ".to_owned();
    let told = |whole: &str| extension::Pictures {
        whole: whole.to_owned(),
        textless: Some("UklGRh4\"><script>".to_owned()),
        imageless: Some(webp()),
        bare: None,
        canvas: Some("iVBORw0KGgo=".to_owned()),
    };
    let read = pictures(Some(&told(&webp())), 7).expect("pictures");
    let there = [read.textless, read.imageless, read.bare, read.canvas];
    assert_eq!(there, [None, Some(webp()), None, None]);
    assert_eq!((read.whole, read.elements), (webp(), 7));
    assert_eq!(pictures(Some(&told("")), 7), None);
    assert_eq!(pictures(None, 7), None);
}

//! Changes that move bytes, elements and hosts.

use pagerace_core::{Destination, Duration, RequestPriority, ScriptMode};

use super::{id, names, page};
use crate::change::{Change, Changes, Edit, KINDS};
use crate::model::{
    CacheUse, EarlyHint, Element, ElementKind, InlineScript, MeasuredSize, Origin, Rect,
};
use crate::{Hint, OriginId, Page, Trigger, Wait};

fn at(offset: u64) -> Trigger {
    Trigger::Markup {
        parent: id(0),
        offset,
    }
}

/// The page with places: a script and a style sheet in the head of a document of 1000 bytes, and
/// an image behind them.
fn placed() -> Page {
    let mut page = page();
    let bytes = [1000, 400, 0, 0, 200, 0, 5000, 0];
    for (resource, bytes) in page.resources.iter_mut().zip(bytes) {
        resource.body_bytes = bytes;
        resource.decoded_bytes = Some(bytes * 3);
    }
    page.resources[1].discovery.trigger = at(100);
    page.resources[1].priority = RequestPriority::High;
    page.resources[1].render_blocking = true;
    page.resources[4].discovery.trigger = at(150);
    page.resources[4].render_blocking = true;
    page.resources[6].discovery.trigger = at(600);
    let layout = page.layout_mut().unwrap();
    layout.body_start = Some(200);
    layout.by_layout = Vec::new();
    for element in &mut layout.elements {
        element.rect = Rect {
            x: 0.0,
            y: 0.0,
            width: 100.0,
            height: 100.0,
        };
    }
    layout.elements[1].offset = Some(500);
    layout.elements[2].offset = Some(600);
    page.check().unwrap();
    page
}

fn changed(page: &Page, text: &str) -> Result<Page, String> {
    let changes: Changes = text.parse().unwrap();
    let changed = changes.apply(page).map_err(|refused| refused.reason)?;
    changed.page.check().unwrap();
    Ok(changed.page)
}

fn after(page: &Page, text: &str) -> Page {
    changed(page, text).unwrap()
}

fn refusal(page: &Page, text: &str) -> String {
    changed(page, text).unwrap_err()
}

#[test]
fn each_kind_has_an_example_that_is_read() {
    for kind in KINDS {
        let change: Change = kind.example().parse().unwrap();
        assert_eq!(change.kind(), kind.name());
        assert_eq!(change.to_string(), kind.example());
        assert!(!kind.summary().ends_with('.'), "{}", kind.name());
    }
}

#[test]
fn a_sheet_inside_the_document_moves_what_is_behind_it() {
    let before = placed();
    let page = after(&before, "inline */a.css");
    assert_eq!(
        names(&page),
        [
            "",
            "app.js",
            "late.jpg",
            "data.json",
            "a.woff2",
            "hero.jpg",
            "beacon"
        ]
    );
    let document = page.resource(id(0));
    assert_eq!(
        (document.body_bytes, document.decoded_bytes),
        (1200, Some(3000))
    );
    assert_eq!(page.resource(id(1)).discovery.trigger, at(100));
    assert_eq!(page.resource(id(5)).discovery.trigger, at(800));
    // The styles inside the document name the font, which still waits for a layout.
    assert_eq!(page.resource(id(4)).discovery.trigger, at(350));
    let layout = page.layout().unwrap();
    assert_eq!(layout.by_layout, [id(4)]);
    assert_eq!(layout.body_start, Some(400));
    assert_eq!(layout.elements[2].offset, Some(800));
    // The coding finds the sheet's text in the document: fewer bytes than outside.
    let mut known = before.clone();
    known.resources[4].measured = vec![MeasuredSize {
        change: "inline".to_owned(),
        bytes: 120,
    }];
    assert_eq!(after(&known, "inline css").resource(id(0)).body_bytes, 1120);
}

#[test]
fn a_script_inside_the_document_leads_to_all_that_it_led_to() {
    let mut before = placed();
    let ms = Duration::from_millis;
    before.resources[0].cpu_time = Some(ms(20));
    before.resources[1].cpu_time = Some(ms(7));
    let page = after(&before, "inline */app.js");
    assert_eq!(page.resources[0].cpu_time, Some(ms(27)));
    let requested = Trigger::Inline {
        parent: id(0),
        offset: 500,
    };
    assert_eq!(
        page.resource(id(1)).discovery.trigger,
        requested,
        "late.jpg"
    );
    let layout = page.layout().unwrap();
    let script = InlineScript {
        offset: 500,
        cost: ms(7),
    };
    assert_eq!(layout.inline_scripts, [script]);
    assert_eq!(layout.elements[0].after, Wait::Resource { id: id(0) });
    let mut later = before.clone();
    later.resources[1].script_mode = ScriptMode::Async;
    assert!(refusal(&later, "inline */app.js").contains("does not run where its element is"));
    assert!(refusal(&before, "inline */hero.jpg").contains("no style sheet and no script"));
    assert!(refusal(&before, "inline */late.jpg").contains("no style sheet and no script"));
}

#[test]
fn two_files_inside_the_document_are_the_same_in_any_order() {
    let mut before = placed();
    before.resources[1].cpu_time = Some(Duration::from_millis(5));
    let both = after(&before, "inline */app.js+*/a.css");
    assert_eq!(both.resource(id(0)).body_bytes, 1600);
    assert_eq!(both, after(&before, "inline */app.js; inline */a.css"));
    assert_eq!(both, after(&before, "inline */a.css; inline */app.js"));
}

#[test]
fn the_needed_part_of_a_sheet_blocks_nothing() {
    let page = after(&placed(), "critical-css=0.5 css");
    let sheet = page.resource(id(4));
    assert!(!sheet.render_blocking && sheet.priority == RequestPriority::VeryLow);
    assert_eq!(sheet.discovery.trigger, at(250));
    assert_eq!(page.resource(id(0)).body_bytes, 1100);
    // The font of the first screen is named by the part inside the document.
    assert_eq!(page.resource(id(5)).discovery.trigger, at(250));
    assert!(refusal(&page, "critical-css=0.5 css").contains("no paint waits for it"));
    // A font of what is below stays in the sheet.
    let mut below = placed();
    below.layout_mut().unwrap().elements[1].rect.y = 5000.0;
    let below = after(&below, "critical-css=0.5 css");
    let font = below.resource(id(5)).discovery.trigger;
    assert_eq!(font, Trigger::Style { parent: id(4) });
}

#[test]
fn a_recording_tells_what_the_first_screen_needs() {
    let before = placed();
    assert!(refusal(&before, "critical-css css").contains("write a share, as in critical-css=0.2"));
    let mut known = before.clone();
    known.resources[4].measured = vec![MeasuredSize {
        change: "critical-css".to_owned(),
        bytes: 100,
    }];
    let page = after(&known, "critical-css css");
    let half = after(&before, "critical-css=0.5 css");
    let placed = |page: &Page| {
        page.resources
            .iter()
            .map(|one| one.discovery)
            .collect::<Vec<_>>()
    };
    assert_eq!(placed(&page), placed(&half));
    assert_eq!(page.resource(id(0)).body_bytes, 1100);
}

#[test]
fn scripts_move_to_the_end_of_the_body_or_become_modules() {
    let page = after(&placed(), "body-end js");
    let script = page.resource(id(1));
    assert_eq!(script.discovery.trigger, at(1000));
    assert_eq!(script.priority, RequestPriority::Medium);
    assert!(!script.render_blocking && script.script_mode == ScriptMode::Blocking);
    assert!(refusal(&page, "body-end js").contains("at the end of the body already"));
    let page = after(&placed(), "module js");
    let script = page.resource(id(1));
    assert_eq!(script.script_mode, ScriptMode::Defer);
    assert_eq!(script.priority, RequestPriority::High);
    assert!(refusal(&page, "module js").contains("no parser waits for it"));
}

/// The page with the sheet and its font on another host.
fn with_cdn() -> Page {
    let mut page = placed();
    page.origins.push(Origin {
        host: "cdn.example".to_owned(),
        connection_group: 1,
        third_party: true,
        recorded_rtt: Some(Duration::from_millis(80)),
        ..page.origins[0].clone()
    });
    page.origins[0].recorded_rtt = Some(Duration::from_millis(10));
    for i in [4, 5] {
        page.resources[i].origin = OriginId(1);
        page.resources[i].third_party = true;
        page.resources[i].url = page.resources[i].url.replace("a.example", "cdn.example");
    }
    page.check().unwrap();
    page
}

#[test]
fn hosts_come_nearer_or_not() {
    let page = with_cdn();
    let near = after(&page, "cdn=20ms cdn.example");
    assert_eq!(
        near.origins[1].recorded_rtt,
        Some(Duration::from_millis(30))
    );
    assert!(refusal(&near, "cdn=20ms cdn.example").contains("as near already"));
    assert!(refusal(&page, "cdn=20ms html").contains("as near already"));
    assert!(refusal(&placed(), "cdn=20ms html").contains("tells no round trip"));
}

#[test]
fn a_hint_serves_the_files_that_stay_on_its_host() {
    let mut page = with_cdn();
    page.hints = vec![Hint {
        of: id(4),
        offset: 50,
        connects: true,
    }];
    let one = after(&page, "self-host */a.css");
    assert_eq!(one.hints[0].of, id(5));
    assert_eq!(after(&page, "self-host cdn.example").hints, []);
    let looked_up = after(&with_cdn(), "dns-prefetch cdn.example");
    assert!(!looked_up.hints[0].connects);
    assert!(refusal(&looked_up, "dns-prefetch cdn.example").contains("looks up its host already"));
    assert!(after(&looked_up, "preconnect cdn.example").hints[0].connects);
    assert!(refusal(&page, "dns-prefetch cdn.example").contains("looks up its host already"));
}

#[test]
fn early_hints_need_a_server_that_thinks() {
    let mut page = with_cdn();
    let refused = refusal(&page, "early-hints=preload css");
    assert!(refused.contains("answers at once"), "{refused}");
    page.resources[0].think_time = Duration::from_millis(300);
    let hinted = after(&page, "early-hints=preload css");
    assert_eq!(hinted.resource(id(4)).early, EarlyHint::Preload);
    let links: Vec<String> = hinted.early_links().collect();
    assert_eq!(
        links,
        ["<https://cdn.example/a.css>; rel=preload; as=style"]
    );
    assert!(refusal(&hinted, "early-hints=preload css").contains("names it already"));
    let host = after(&page, "early-hints=preconnect cdn.example");
    let links: Vec<String> = host.early_links().collect();
    assert_eq!(links, ["<https://cdn.example>; rel=preconnect"]);
    // Data still lead to what the script made of them after it ran.
    let refused = refusal(&page, "early-hints=preload */data.json");
    assert!(refused.contains("no lifetime"), "{refused}");
    for resource in &mut page.resources {
        resource.cache = CacheUse::Fresh;
    }
    let data = after(&page, "early-hints=preload */data.json");
    assert_eq!(
        data.layout().unwrap().elements[3].after,
        Wait::Join { join: 0 }
    );
}

#[test]
fn files_become_one() {
    let mut page = placed();
    let second = crate::Resource {
        body_bytes: 300,
        render_blocking: true,
        ..crate::Resource::new(
            id(8),
            "https://a.example/b.css",
            Destination::Style,
            at(700),
        )
    };
    page.resources.push(second);
    page.check().unwrap();
    let one = after(&page, "bundle css");
    assert_eq!(one.resources.len(), 8);
    assert_eq!(one.resource(id(4)).body_bytes, 500);
    assert_eq!(one.resource(id(4)).discovery.trigger, at(150));
    assert!(refusal(&page, "bundle */a.css").contains("two files or more"));
    assert!(refusal(&page, "bundle css+js").contains("cannot be joined"));
    let selected: Change = "bundle css".parse().unwrap();
    assert_eq!(selected.acted(&page), [id(4), id(8)]);
}

#[test]
fn only_what_a_change_acts_on_is_edited() {
    let page = placed();
    let lazy: Change = "lazy images".parse().unwrap();
    assert_eq!(lazy.selected(&page), [id(2), id(6)]);
    assert_eq!(lazy.acted(&page), [id(6)], "a script requests the other");
    let high: Change = "fetchpriority=high */hero.jpg+*/a.woff2".parse().unwrap();
    assert_eq!(high.acted(&page), [id(6)]);
}

#[test]
fn several_refusals_are_told_with_their_numbers() {
    let reason = refusal(&placed(), "defer images+css");
    assert!(
        reason.contains("late.jpg and 2 more: it is no script"),
        "{reason}"
    );
    let reason = refusal(&placed(), "fetchpriority=high */late.jpg+fonts");
    assert!(
        reason.contains("a script requests it; https://a.example/a.woff2: "),
        "{reason}"
    );
}

#[test]
fn backgrounds_and_motion_change_in_the_layout() {
    let mut page = placed();
    page.resources[6].discovery.trigger = Trigger::Style { parent: id(4) };
    let layout = page.layout_mut().unwrap();
    let hero = Element {
        kind: ElementKind::Background { resource: id(6) },
        motion: Duration::from_millis(500),
        fade: Duration::from_millis(900),
        ..layout.elements[2].clone()
    };
    layout.elements[2] = hero;
    let shown = after(&page, "background-to-img */hero.jpg");
    assert_eq!(shown.resource(id(6)).discovery.trigger, at(600));
    let kind = &shown.layout().unwrap().elements[2].kind;
    assert_eq!(*kind, ElementKind::Image { resource: id(6) });
    assert!(refusal(&shown, "background-to-img */hero.jpg").contains("as its background"));
    for text in ["no-fade */hero.jpg", "no-fade html"] {
        let still = after(&page, text);
        let hero = &still.layout().unwrap().elements[2];
        assert!(hero.motion.is_zero() && hero.fade.is_zero());
        assert!(refusal(&still, text).contains("fades or moves in"));
    }
    // A script makes the element of the other image.
    page.layout_mut().unwrap().elements[0].kind = ElementKind::Background { resource: id(2) };
    assert!(refusal(&page, "background-to-img */late.jpg").contains("a script makes its element"));
}

#[test]
fn images_in_other_formats_have_measured_sizes() {
    let mut page = placed();
    page.resources[2].body_bytes = 500;
    let refused = refusal(&page, "format=avif */late.jpg");
    assert!(refused.contains("is not measured"), "{refused}");
    page.resources[2].measured = vec![
        MeasuredSize {
            change: "format=avif".to_owned(),
            bytes: 40,
        },
        MeasuredSize {
            change: "format=webp".to_owned(),
            bytes: 90_000_000,
        },
    ];
    let small = after(&page, "format=avif */late.jpg");
    let image = small.resource(id(2));
    assert_eq!(image.body_bytes, 40);
    // Nothing of an AVIF image is shown before its end.
    assert_eq!(image.image.rows, Some([40; 11]));
    assert!(refusal(&page, "format=webp */late.jpg").contains("would not be smaller"));
    assert!(refusal(&page, "format=avif js").contains("it is no image"));
}

#[test]
fn sizes_are_measured_or_refused() {
    let mut page = placed();
    assert!(refusal(&page, "compress=br js").contains("is not measured"));
    page.resources[1].measured = vec![MeasuredSize {
        change: "compress=br".to_owned(),
        bytes: 300,
    }];
    let small = after(&page, "compress=br js");
    assert_eq!(small.resource(id(1)).body_bytes, 300);
    assert!(refusal(&small, "compress=br js").contains("would not be smaller"));
    assert!(refusal(&page, "compress=gzip js").contains("is not measured"));
    // Elements keep their places in a document of fewer bytes.
    page.resources[0].measured = vec![MeasuredSize {
        change: "compress=br".to_owned(),
        bytes: 500,
    }];
    let document = after(&page, "compress=br html");
    assert_eq!(document.resource(id(0)).body_bytes, 500);
    assert_eq!(document.resource(id(6)).discovery.trigger, at(300));
    assert_eq!(document.layout().unwrap().body_start, Some(100));
    let parts = after(&page, "split=0.5 js; subset=0.25 fonts");
    assert_eq!(parts.resource(id(1)).body_bytes, 200);
}

#[test]
fn what_comes_on_interaction_is_gone_and_held() {
    let page = placed();
    let gone = after(&page, "facade */app.js");
    assert_eq!(gone, after(&page, "remove */app.js"));
    let edit = |text: &str, i: u32| {
        let change: Change = text.parse().unwrap();
        change.edit(page.resource(id(i)), &page)
    };
    assert_eq!(edit("facade js", 1), Edit::Hold);
    assert_eq!(edit("body-end js", 1), Edit::Move);
    let limited = after(&page, "timeout=2s */app.js");
    assert_eq!(
        limited.resource(id(1)).timeout,
        Some(Duration::from_secs(2))
    );
    assert!(refusal(&limited, "timeout=3s */app.js").contains("waits no longer"));
    let link = r#"<link rel="modulepreload" href="https://a.example/app.js">"#;
    assert_eq!(edit("modulepreload js", 1), Edit::Insert(link.to_owned()));
}

#[test]
fn an_imported_module_is_found_in_the_head_and_runs_with_its_parent() {
    let mut page = placed();
    page.resources[1].script_mode = ScriptMode::Defer;
    page.resources[3].destination = Destination::Script;
    page.resources[3].script_mode = ScriptMode::Inserted;
    assert!(refusal(&page, "preload */data.json").contains("a script inserts it"));
    let loaded = after(&page, "modulepreload */data.json");
    assert_eq!(loaded.resource(id(3)).discovery.trigger, at(100));
    assert_eq!(loaded.joins, [vec![id(1), id(3)]]);
    assert_eq!(
        loaded.layout().unwrap().elements[3].after,
        Wait::Join { join: 0 }
    );
}

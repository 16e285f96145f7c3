mod structure;

use pagerace_core::{Destination, Duration, RequestPriority};

use super::{Change, Changes, Edit};
use crate::model::{
    Element, ElementKind, Evidence, FetchPriority, Origin, PageLayout, Paints, RecordedPage,
};
use crate::{Page, Resource, ResourceId, Trigger, Wait};

fn id(i: u32) -> ResourceId {
    ResourceId(i)
}

fn markup() -> Trigger {
    Trigger::Markup {
        parent: id(0),
        offset: 0,
    }
}

/// A document with a script, the image and the data that the script requests, a style sheet, its
/// font, and an image of the markup.
fn page() -> Page {
    let by = |parent: u32| Trigger::Script {
        parent: id(parent),
        delay: Duration::ZERO,
    };
    let all = [
        ("", Destination::Document, Trigger::Navigation),
        ("app.js", Destination::Script, markup()),
        ("late.jpg", Destination::Image, by(1)),
        ("data.json", Destination::Fetch, by(1)),
        ("a.css", Destination::Style, markup()),
        (
            "a.woff2",
            Destination::Font,
            Trigger::Style { parent: id(4) },
        ),
        ("hero.jpg", Destination::Image, markup()),
        (
            "beacon",
            Destination::Fetch,
            Trigger::After {
                parent: id(3),
                delay: Duration::from_millis(5),
            },
        ),
    ];
    let resource = |(i, (name, destination, trigger)): (usize, (&str, Destination, Trigger))| {
        Resource::new(
            id(i as u32),
            format!("https://a.example/{name}"),
            destination,
            trigger,
        )
    };
    let mut resources: Vec<Resource> = all.into_iter().enumerate().map(resource).collect();
    resources[7].discovery.evidence = Evidence::Timing;
    let element = |kind, after| Element {
        kind,
        after,
        contentful: true,
        ..Element::default()
    };
    let elements = vec![
        element(
            ElementKind::Image { resource: id(2) },
            Wait::Resource { id: id(1) },
        ),
        element(
            ElementKind::Text { fonts: vec![id(5)] },
            Wait::ContentLoaded,
        ),
        element(ElementKind::Image { resource: id(6) }, Wait::ContentLoaded),
        element(ElementKind::Other, Wait::Resource { id: id(3) }),
    ];
    Page {
        name: "a".to_owned(),
        url: "https://a.example/".to_owned(),
        origins: vec![Origin {
            scheme: "https".to_owned(),
            host: "a.example".to_owned(),
            port: 443,
            address: None,
            connection_group: 0,
            third_party: false,
            recorded_rtt: None,
            protocol: None,
            unvisited: false,
        }],
        resources,
        document: id(0),
        joins: Vec::new(),
        hints: Vec::new(),
        recorded: RecordedPage::default(),
        paints: Paints::Recorded(PageLayout {
            viewport: (800, 600),
            elements,
            by_layout: vec![id(2), id(6)],
            ..PageLayout::default()
        }),
        notes: Vec::new(),
    }
}

fn after(text: &str) -> Page {
    let changes: Changes = text.parse().unwrap();
    let changed = changes.apply(&page()).unwrap();
    changed.page.check().unwrap();
    changed.page
}

fn names(page: &Page) -> Vec<&str> {
    let all = page.resources.iter();
    all.map(|one| one.url.rsplit('/').next().unwrap()).collect()
}

fn refusal(text: &str) -> String {
    let changes: Changes = text.parse().unwrap();
    changes.apply(&page()).unwrap_err().reason
}

#[test]
fn texts_are_read_as_they_are_written() {
    for text in [
        "remove ads",
        "fetchpriority=high */hero.jpg; remove third-party-js+fonts",
        "resize=0.5 images; server-time=50ms html; font-display=swap fonts",
        "unchanged",
    ] {
        assert_eq!(text.parse::<Changes>().unwrap().to_string(), text);
    }
    let error = |text: &str| text.parse::<Changes>().unwrap_err().to_string();
    for (text, part) in [
        ("", "`` is no change of a page"),
        ("remove", "`remove` is no change of a page"),
        ("remov ads", "did you mean remove?"),
        ("remove=now ads", "write `remove` without a value"),
        (
            "fetchpriority ads",
            "`fetchpriority=high` or `fetchpriority=low`",
        ),
        ("remove a+", "is not a category"),
        ("resize=2 images", "a share above 0 and below 1"),
        ("server-time=soon html", "a time, as in `server-time=50ms`"),
    ] {
        assert!(error(text).contains(part), "{text}: {}", error(text));
    }
}

#[test]
fn what_only_a_removed_resource_leads_to_goes_with_it() {
    let page = after("remove */app.js");
    assert_eq!(names(&page), ["", "a.css", "a.woff2", "hero.jpg", "beacon"]);
    // Its cause is not known, so it follows what led to the script.
    assert_eq!(page.resources[4].discovery.trigger.parent(), Some(id(0)));
    let layout = page.layout().unwrap().clone();
    let kinds: Vec<ElementKind> = layout.elements.into_iter().map(|one| one.kind).collect();
    let font = ElementKind::Text { fonts: vec![id(2)] };
    assert_eq!(kinds, [font, ElementKind::Image { resource: id(3) }]);
    assert_eq!(layout.by_layout, [id(3)]);
    let page = after("remove fonts");
    let text = &page.layout().unwrap().clone().elements[1].kind;
    assert_eq!(*text, ElementKind::Text { fonts: Vec::new() });
}

#[test]
fn what_waits_for_a_removed_part_of_a_join_goes_with_it() {
    let mut page = page();
    page.joins = vec![vec![id(1), id(4)], vec![id(4), id(6)]];
    let layout = page.layout_mut().unwrap();
    layout.elements[1].after = Wait::Join { join: 0 };
    layout.elements[2].after = Wait::Join { join: 1 };
    let gone = page.resource(id(1)).url.clone();
    let changes: Changes = format!("remove {gone}").parse().unwrap();
    let after = changes.apply(&page).unwrap().page;
    after.check().unwrap();
    let waits: Vec<Wait> = after
        .layout()
        .unwrap()
        .elements
        .iter()
        .map(|e| e.after)
        .collect();
    assert!(!waits.contains(&Wait::Join { join: 0 }), "{waits:?}");
    assert!(waits.contains(&Wait::Join { join: 1 }), "{waits:?}");
}

#[test]
fn outcomes_find_their_places_again() {
    let changes: Changes = "remove */app.js; remove fonts".parse().unwrap();
    let kept = changes.apply(&page()).unwrap().kept;
    assert_eq!(kept.before(), [id(0), id(4), id(6), id(7)]);
    let spread = kept.spread(vec![Some('a'), None, Some('c'), Some('d')]);
    let places: Vec<usize> = (0..8).filter(|i| spread[*i].is_some()).collect();
    assert_eq!(places, [0, 6, 7]);
    assert_eq!(kept.select(&[0, 1, 2, 3, 4, 5, 6, 7]), [0, 4, 6, 7]);
}

#[test]
fn what_follows_for_an_unknown_cause_is_doubtful() {
    let doubtful = |text: &str| {
        let changes: Changes = text.parse().unwrap();
        changes.apply(&page()).unwrap().doubtful
    };
    assert_eq!(doubtful("remove */app.js"), [id(7)]);
    // A script that only times suggest may not be the cause.
    let mut guessed = page();
    guessed.resources[2].discovery.evidence = Evidence::Timing;
    let changes: Changes = "remove */app.js".parse().unwrap();
    let changed = changes.apply(&guessed).unwrap();
    assert_eq!(changed.doubtful, [id(2), id(7)]);
    let delay = Duration::ZERO;
    let trigger = changed.page.resources[1].discovery.trigger;
    assert_eq!(
        trigger,
        Trigger::After {
            parent: id(0),
            delay
        }
    );
    assert_eq!(
        doubtful("remove */hero.jpg"),
        [],
        "an image leads to nothing"
    );
    assert_eq!(doubtful("fetchpriority=high */hero.jpg"), []);
}

#[test]
fn hints_change_the_class() {
    let page = after("fetchpriority=high */hero.jpg; fetchpriority=low */app.js+*/a.css");
    let class = |i: usize| (page.resources[i].priority, page.resources[i].fetch_priority);
    assert_eq!(class(6), (RequestPriority::High, FetchPriority::High));
    assert_eq!(class(1), (RequestPriority::Low, FetchPriority::Low));
    assert_eq!(class(2), (RequestPriority::Low, FetchPriority::Auto));
    let mut urgent = self::page();
    urgent.resources[4].priority = RequestPriority::VeryHigh;
    let low: Changes = "fetchpriority=low css".parse().unwrap();
    let sheet = &low.apply(&urgent).unwrap().page.resources[4];
    assert_eq!(
        sheet.priority,
        RequestPriority::High,
        "a sheet stays before the body"
    );
}

#[test]
fn what_has_no_effect_says_why() {
    for (text, part) in [
        ("remove ads", "selects no request"),
        ("remove html", "is the page's document"),
        ("fetchpriority=high */late.jpg", "a script requests it"),
        ("fetchpriority=high fonts", "a style sheet names it"),
        (
            "fetchpriority=high */beacon",
            "does not tell what requests it",
        ),
        ("remove */app.js; remove */late.jpg", "selects no request"),
    ] {
        assert!(refusal(text).contains(part), "{text}: {}", refusal(text));
    }
}

#[test]
fn changes_of_different_resources_commute() {
    let all = [
        "remove */late.jpg",
        "remove css",
        "fetchpriority=high */hero.jpg",
    ];
    for a in all {
        for b in all.into_iter().filter(|b| *b != a) {
            assert_eq!(
                after(&format!("{a}; {b}")),
                after(&format!("{b}; {a}")),
                "{a}, {b}"
            );
        }
    }
}

#[test]
fn servers_make_the_same_change() {
    let page = page();
    let edit = |text: &str| {
        let change: Change = text.parse().unwrap();
        change.edit(page.resource(id(6)), &page)
    };
    assert_eq!(edit("remove ads"), Edit::Remove);
    let low = Edit::Set("fetchpriority", "low".to_owned());
    assert_eq!(edit("fetchpriority=LOW ads"), low);
    let link = r#"<link rel="preload" href="https://a.example/hero.jpg" as="image">"#;
    assert_eq!(edit("preload ads"), Edit::Insert(link.to_owned()));
    let link = link.replace('>', r#" fetchpriority="high">"#);
    assert_eq!(edit("preload=high ads"), Edit::Insert(link));
    let error = "preload=low ads".parse::<Change>().unwrap_err().to_string();
    assert!(error.contains("`preload` or `preload=high`"), "{error}");
    assert_eq!(edit("resize=0.5 ads"), Edit::Other);
}

#[test]
fn a_background_has_no_fetchpriority() {
    let mut background = page();
    let layout = background.layout_mut().unwrap();
    layout.elements[2].kind = ElementKind::Background { resource: id(6) };
    let refusal = |text: &str| {
        let changes: Changes = text.parse().unwrap();
        changes
            .apply(&background)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refusal("fetchpriority=high */hero.jpg").contains("it is a background"));
    assert!(after("fetchpriority=high */hero.jpg").layout().is_some());
}

#[test]
fn a_preload_is_found_in_the_head() {
    let late = |page: &Page, i: u32| page.resource(id(i)).discovery.trigger;
    let page = after("preload */a.woff2");
    assert_eq!(late(&page, 5), markup());
    // An image that a layout requested is requested by the markup now.
    let page = after("preload */late.jpg");
    assert_eq!(late(&page, 2), markup());
    assert_eq!(page.layout().unwrap().by_layout, [id(6)]);
    // Data are there sooner, and what they lead to still waits for the script that asks for them.
    let page = after("preload=high */late.jpg");
    assert_eq!(page.resources[2].priority, RequestPriority::High);
    assert_eq!(page.resources[2].fetch_priority, FetchPriority::High);
    let page = after("preload */data.json");
    assert_eq!(page.joins, [vec![id(1), id(3)]]);
    let elements = &page.layout().unwrap().elements;
    assert_eq!(elements[3].after, Wait::Join { join: 0 });
    assert!(refusal("preload */hero.jpg").contains("begins with it already"));
    assert!(refusal("preload */app.js").contains("begins with it already"));
}

#[test]
fn scripts_stop_the_parser_no_longer() {
    let mut blocking = page();
    blocking.resources[1].render_blocking = true;
    let changes: Changes = "defer */app.js".parse().unwrap();
    let after = changes.apply(&blocking).unwrap().page;
    let script = after.resource(id(1));
    assert_eq!(script.script_mode, pagerace_core::ScriptMode::Defer);
    assert!(!script.render_blocking && script.priority == RequestPriority::Low);
    let twice: Changes = "async */app.js; defer */app.js".parse().unwrap();
    let reason = twice.apply(&blocking).unwrap_err().reason;
    assert!(reason.contains("no parser waits for it"), "{reason}");
    assert!(refusal("defer */hero.jpg").contains("it is no script"));
}

#[test]
fn style_sheets_hold_the_paint_no_longer() {
    let mut blocking = page();
    blocking.resources[4].render_blocking = true;
    blocking.resources[4].priority = RequestPriority::VeryHigh;
    let changes: Changes = "async css".parse().unwrap();
    let after = changes.apply(&blocking).unwrap().page;
    let sheet = after.resource(id(4));
    assert!(!sheet.render_blocking && sheet.priority == RequestPriority::VeryLow);
    // The font still waits for it.
    assert_eq!(after.resources[5], blocking.resources[5]);
    let again = changes.apply(&after).unwrap_err().reason;
    assert!(again.contains("no paint waits for it"), "{again}");
    let edit = changes.all()[0].edit(blocking.resource(id(4)), &blocking);
    assert!(matches!(edit, Edit::Set("media", value) if value.starts_with("print")));
    // One that is preloaded before stays as urgent.
    blocking.resources[4].used_at = Some(0);
    let after = changes.apply(&blocking).unwrap().page;
    assert_eq!(after.resource(id(4)).priority, RequestPriority::VeryHigh);
}

#[test]
fn an_element_takes_the_place_of_a_snippet() {
    let mut inserted = page();
    let script = &mut inserted.resources[1];
    script.script_mode = pagerace_core::ScriptMode::Inserted;
    script.discovery.trigger = Trigger::Inline {
        parent: id(0),
        offset: 40,
    };
    inserted.resources[0].body_bytes = 100;
    let changes: Changes = "async */app.js".parse().unwrap();
    let after = changes.apply(&inserted).unwrap().page;
    let script = after.resource(id(1));
    assert_eq!(script.script_mode, pagerace_core::ScriptMode::Async);
    assert_eq!(script.discovery.trigger.place(), Some((id(0), 40)));
    assert!(matches!(script.discovery.trigger, Trigger::Markup { .. }));
    let edit = changes.all()[0].edit(inserted.resource(id(1)), &inserted);
    assert_eq!(edit, Edit::Other, "the text of the snippet is not known");
    // A guess tells no place.
    inserted.resources[1].discovery.evidence = Evidence::Timing;
    let reason = changes.apply(&inserted).unwrap_err().reason;
    assert!(reason.contains("no element of the markup"), "{reason}");
}

#[test]
fn images_wait_for_a_layout_or_not() {
    let mut lazy = page();
    lazy.resources[6].blocks_load = false;
    let changes: Changes = "eager */hero.jpg".parse().unwrap();
    let eager = changes.apply(&lazy).unwrap().page;
    assert!(eager.resource(id(6)).blocks_load);
    assert_eq!(eager.layout().unwrap().by_layout, [id(2)]);
    // The element has its place, where the parser finds it, and the class of its kind.
    let mut placed = lazy.clone();
    placed.layout_mut().unwrap().elements[0] = Element {
        kind: ElementKind::Image { resource: id(6) },
        offset: Some(20),
        ..Element::default()
    };
    placed.resources[6].discovery.trigger = Trigger::Markup {
        parent: id(0),
        offset: 90,
    };
    placed.resources[6].in_viewport = true;
    placed.resources[6].priority = RequestPriority::Low;
    let early = changes.apply(&placed).unwrap().page;
    let image = early.resource(id(6));
    assert_eq!(image.discovery.trigger.place(), Some((id(0), 20)));
    assert_eq!(image.priority, RequestPriority::Medium);
    let changes: Changes = "lazy */hero.jpg".parse().unwrap();
    let again = changes.apply(&eager).unwrap().page;
    assert_eq!(again.layout().unwrap().by_layout, [id(2), id(6)]);
    assert!(!again.resource(id(6)).blocks_load);
    assert!(refusal("lazy */late.jpg").contains("no element of the markup"));
}

#[test]
fn what_comes_after_the_load_event_holds_nothing() {
    let page = after("late */app.js");
    let script = page.resource(id(1));
    assert_eq!(script.discovery.wait, Some(Wait::Loaded));
    assert!(!script.blocks_load && !script.render_blocking);
    assert!(refusal("late */late.jpg").contains("another resource leads to it"));
    assert!(refusal("late css").contains("change its looks"));
}

#[test]
fn sizes_hosts_and_times_change_alone() {
    let mut before = page();
    before.resources[6].body_bytes = 100_000;
    before.resources[0].think_time = Duration::from_millis(300);
    let after = |text: &str| {
        let changes: Changes = text.parse().unwrap();
        changes.apply(&before).map(|changed| changed.page)
    };
    assert_eq!(
        after("resize=0.25 */hero.jpg")
            .unwrap()
            .resource(id(6))
            .body_bytes,
        25_000
    );
    let quick = after("server-time=50ms html").unwrap();
    assert_eq!(quick.resource(id(0)).think_time, Duration::from_millis(50));
    let reason = after("server-time=400ms html").unwrap_err().reason;
    assert!(reason.contains("within that time already"), "{reason}");
    assert!(refusal("self-host */hero.jpg").contains("serves it already"));
    assert!(refusal("preconnect */hero.jpg").contains("has a connection already"));
}

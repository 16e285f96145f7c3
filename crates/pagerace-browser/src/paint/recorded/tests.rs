use pagerace_core::Destination;
use pagerace_page::{
    Element, ElementKind, Largest, Page, PageLayout, Paints, RecordedPage, Rect, Resource,
    ResourceId, Trigger,
};

use crate::Profile;
use crate::graph::Graph;
use crate::paint::Layout;

const BODY: u64 = 10_000;

fn resource(id: u32, destination: Destination, bytes: u64) -> Resource {
    let trigger = if id == 0 {
        Trigger::Navigation
    } else {
        Trigger::Markup {
            parent: ResourceId(0),
            offset: 5_000,
        }
    };
    Resource {
        body_bytes: bytes,
        in_viewport: true,
        ..Resource::new(ResourceId(id), String::new(), destination, trigger)
    }
}

fn element(kind: ElementKind, rect: [f32; 4], offset: Option<u64>) -> Element {
    let [x, y, width, height] = rect;
    Element {
        kind,
        rect: Rect {
            x,
            y,
            width,
            height,
        },
        offset,
        contentful: true,
        ..Element::default()
    }
}

fn image(resource: u32, rect: [f32; 4]) -> Element {
    let resource = ResourceId(resource);
    element(ElementKind::Image { resource }, rect, None)
}

fn text(rect: [f32; 4], offset: Option<u64>) -> Element {
    element(
        ElementKind::Text {
            fonts: vec![ResourceId(2)],
        },
        rect,
        offset,
    )
}

/// Returns the layout of a document and two images without a font, on a screen of 1000 x 500.
fn layout(elements: Vec<Element>, largest: Option<Largest>) -> Layout {
    let page = Page {
        name: String::new(),
        url: String::new(),
        origins: vec![],
        resources: vec![
            resource(0, Destination::Document, BODY),
            resource(1, Destination::Image, 20_000),
            resource(2, Destination::Image, 1_000),
        ],
        document: ResourceId(0),
        joins: Vec::new(),
        hints: Vec::new(),
        recorded: RecordedPage::default(),
        paints: Paints::Recorded(PageLayout {
            viewport: (1000, 500),
            elements,
            body_start: Some(700),
            largest,
            ..PageLayout::default()
        }),
        notes: vec![],
    };
    Layout::new(&page, &Graph::new(&page, Profile::CHROME), None)
}

fn elements(layout: &Layout) -> (Vec<f64>, Vec<Option<f64>>) {
    let text = layout.text.iter().map(|b| b.size.element).collect();
    let images = layout
        .images
        .iter()
        .map(|i| i.map(|i| i.size.element))
        .collect();
    (text, images)
}

#[test]
fn rectangles_are_cut_to_the_viewport() {
    let layout = layout(
        vec![
            text([-50.0, 400.0, 100.0, 200.0], Some(3_000)),
            text([0.0, 500.0, 100.0, 10.0], Some(4_000)),
            image(1, [0.0, 450.0, 400.0, 400.0]),
            image(1, [500.0, 450.0, 10.0, 10.0]),
            image(2, [0.0, 600.0, 10.0, 10.0]),
        ],
        None,
    );
    assert_eq!(layout.body_start, 700);
    assert!(layout.image_room.is_infinite());
    assert_eq!(
        elements(&layout),
        (vec![5_000.0, 0.0], vec![None, Some(20_000.0), None])
    );
    let seen = layout.images[1].expect("seen");
    assert!(
        // Areas are whole cells of the screen: 400 x 48 and 16 x 8 pixels.
        (seen.size.area - 19_328.0).abs() < 1e-9,
        "seen twice: {}",
        seen.size.area
    );
    assert_eq!(layout.text[0].fonts, [], "what is no font holds no text");
}

#[test]
fn text_that_can_be_scrolled_to_is_contentful() {
    let at = |x, y| text([x, y, 100.0, 20.0], Some(3_000));
    let background = Element {
        kind: ElementKind::Other,
        contentful: false,
        ..at(0.0, 600.0)
    };
    for (element, painted) in [
        (background, false),
        (text([0.0, 600.0, 100.0, 20.0], None), false),
        (at(0.0, 100.0), true),
        (at(0.0, 500.0), true),
        (at(0.0, 4_490.0), true),
        (at(0.0, 4_510.0), false),
        (at(2_000.0, 0.0), true),
        (at(0.0, -64.0), false),
        (at(-236.0, 0.0), false),
    ] {
        let rect = element.rect;
        let layout = layout(vec![element], None);
        let contentful: Vec<_> = layout.text.iter().map(|b| b.size.contentful).collect();
        assert_eq!(contentful, vec![true; usize::from(painted)], "{rect:?}");
        let seen = rect.visible_area((1000, 500)) > 0.0;
        let sizes = layout.text.iter().map(|b| b.size.area + b.size.element);
        assert_eq!(sizes.sum::<f64>() > 0.0, seen, "{rect:?}");
    }
}

#[test]
fn what_scripts_make_comes_last() {
    let layout = layout(
        vec![
            text([0.0, 0.0, 10.0, 10.0], None),
            text([0.0, 0.0, 20.0, 10.0], Some(8_000)),
            text([0.0, 0.0, 30.0, 10.0], Some(2_000)),
            text([0.0, 0.0, 40.0, 10.0], Some(99_000)),
        ],
        None,
    );
    let ends: Vec<_> = layout.text.iter().map(|b| b.end).collect();
    assert_eq!(ends, [Some(2_000), Some(8_000), Some(BODY), None]);
}

#[test]
fn some_images_are_no_candidates() {
    let all = [0.0, 0.0, 1000.0, 500.0];
    let (_, images) = elements(&layout(vec![image(1, all)], None));
    assert_eq!(images[1], Some(0.0), "it covers the viewport");
    let nearly = [0.0, 0.0, 999.0, 500.0];
    let (_, images) = elements(&layout(vec![image(1, nearly), image(2, nearly)], None));
    assert_eq!(images[1], Some(499_500.0));
    assert_eq!(images[2], Some(0.0), "8,000 bits for half a million pixels");
    let mut enlarged = image(1, [0.0, 0.0, 200.0, 100.0]);
    enlarged.natural = Some((50.0, 100.0));
    let (_, images) = elements(&layout(vec![enlarged], None));
    assert_eq!(images[1], Some(5_000.0), "it counts at its own size");
}

#[test]
fn the_recorded_largest_paint_is_the_largest() {
    let all = || {
        vec![
            text([0.0, 0.0, 100.0, 100.0], Some(2_000)),
            text([0.0, 0.0, 50.0, 100.0], Some(3_000)),
            image(1, [0.0, 0.0, 300.0, 100.0]),
        ]
    };
    let by_text = Largest {
        size: 5_200.0,
        image: None,
        text: Some(1),
        rebuilt: false,
    };
    let (text, images) = elements(&layout(all(), Some(by_text)));
    assert_eq!(text, [5_199.0, 5_200.0]);
    assert_eq!(images[1], Some(5_199.0));
    let by_image = Largest {
        size: 25_000.0,
        image: Some(ResourceId(1)),
        text: None,
        rebuilt: false,
    };
    let (text, images) = elements(&layout(all(), Some(by_image)));
    assert_eq!(text, [10_000.0, 5_000.0]);
    assert_eq!(images[1], Some(25_000.0));
}

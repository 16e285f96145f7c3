use pagerace_page::{Element, ElementKind, PageLayout, Rect, ResourceId};

use super::Pushed;

fn image(id: u32, (x, y, width, height): (f32, f32, f32, f32)) -> Element {
    Element {
        kind: ElementKind::Image {
            resource: ResourceId(id),
        },
        rect: Rect {
            x,
            y,
            width,
            height,
        },
        offset: Some(0),
        contentful: true,
        unreserved: true,
        ..Element::default()
    }
}

#[test]
fn images_side_by_side_move_the_page_by_the_tallest() {
    let elements = vec![
        image(1, (0.0, 0.0, 500.0, 300.0)),
        image(2, (500.0, 0.0, 500.0, 400.0)),
        image(3, (0.0, 400.0, 1000.0, 500.0)),
        image(4, (0.0, 900.0, 1000.0, 500.0)),
    ];
    let layout = PageLayout {
        viewport: (1000, 1000),
        elements,
        ..PageLayout::default()
    };
    assert_eq!(Pushed::new(&layout, 0, 1.0), None);
    let last = Pushed::new(&layout, 3, 1.0).unwrap();
    assert!(last.begins_in_view());
    let size = |there: &[u32]| last.size(|id| there.contains(&id.0));
    // At the top, 100 pixels below it, and behind the row.
    assert_eq!(size(&[]), Some(500_000.0));
    assert_eq!(size(&[1]), Some(500_000.0));
    assert_eq!(size(&[1, 3]), Some(200_000.0));
    assert_eq!(size(&[2, 3]), None);
    // A column of its own is not moved.
    let beside = PageLayout {
        elements: vec![
            image(1, (0.0, 0.0, 500.0, 300.0)),
            image(2, (600.0, 400.0, 300.0, 300.0)),
        ],
        ..layout
    };
    assert_eq!(Pushed::new(&beside, 1, 1.0), None);
}

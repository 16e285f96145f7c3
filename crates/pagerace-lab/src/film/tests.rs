use pagerace_core::{Duration, Instant};
use pagerace_page::timeline::{Paint, Part};
use pagerace_page::{Element, ElementKind, Page, PageLayout, Paints, Pictures, Rect, ResourceId};

use pagerace_report::film::Shot;

use super::{LiveLoad, Load, Stage, live_film, places};
use crate::fake;

fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn paint(ms: u64, part: Part, rows: u16) -> Paint {
    Paint {
        at: at(ms),
        part,
        rows,
        area: 10_000,
    }
}

fn element(kind: ElementKind, [x, y, width, height]: [f32; 4]) -> Element {
    Element {
        kind,
        rect: Rect {
            x,
            y,
            width,
            height,
        },
        contentful: true,
        ..Element::default()
    }
}

fn page() -> Page {
    let image = ElementKind::Image {
        resource: ResourceId(0),
    };
    Page {
        paints: Paints::Recorded(PageLayout {
            viewport: (400, 300),
            elements: vec![
                element(
                    ElementKind::Text { fonts: Vec::new() },
                    [0.0, 0.0, 200.0, 20.0],
                ),
                element(image.clone(), [10.5, -20.0, 100.0, 60.0]),
                element(ElementKind::Other, [0.0, 900.0, 100.0, 60.0]),
                element(image, [300.0, 200.0, 500.0, 500.0]),
                element(ElementKind::Other, [0.0, 0.0, 400.0, 300.0]),
            ],
            pictures: Some(Box::new(Pictures {
                whole: "UklGRg==".to_owned(),
                elements: 4,
                ..Pictures::default()
            })),
            ..PageLayout::default()
        }),
        ..fake::page("news")
    }
}

/// Parts are those in view that the picture shows, cut to the viewport.
#[test]
fn a_scene_has_what_the_picture_shows() {
    let stage = Stage::new(&page(), &[]);
    let kinds: Vec<_> = stage.scene.parts.iter().map(|p| p.kind.letter()).collect();
    assert_eq!(kinds, ["t", "i", "i"]);
    assert_eq!(stage.scene.parts[1].place, [10, 0, 101, 40]);
    assert_eq!(stage.scene.parts[2].place, [300, 200, 100, 100]);
    assert!(stage.scene.pictures.is_some() && !stage.scene.guessed);
}

/// Each live load has its screenshots, and beside it what the model paints.
#[test]
fn a_live_load_stands_beside_its_prediction() {
    let shot = Shot {
        ms: 70.0,
        jpeg: String::new(),
    };
    let mut predicted = fake::outcome(50.0, 1);
    let paints = vec![paint(50, Part::Image(ResourceId(0)), 1000)];
    predicted.trace.get_or_insert_default().paints = paints;
    let load = |predicted| LiveLoad {
        outcome: fake::outcome(60.0, 1),
        shots: vec![shot.clone()],
        predicted,
    };
    let loads = vec![
        ("h2".to_owned(), load(Some(predicted))),
        ("h3".to_owned(), load(None)),
    ];
    let film = live_film(&page(), loads);
    let told = film.runs.iter();
    let told: Vec<_> = told
        .map(|run| (run.name.as_str(), run.shots.len(), run.shows.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("h2: live", 1, 0),
            ("h2: predicted", 0, 3),
            ("h3: live", 1, 0)
        ]
    );
    assert_eq!(film.runs[0].marks, [("lcp".to_owned(), 60.0)]);
}

/// An image appears in stages at all of its places, and what a load never paints comes with its
/// first paint.
#[test]
fn parts_appear_when_they_are_painted() {
    let stage = Stage::new(&page(), &[]);
    let image = Part::Image(ResourceId(0));
    let paints = [
        paint(50, image, 0),
        paint(80, image, 300),
        paint(90, image, 1000),
    ];
    let shows = stage.shows(Load {
        paints: &paints,
        timings: &[],
    });
    let told: Vec<(f64, usize, u8)> = shows.iter().map(|s| (s.ms, s.part, s.level)).collect();
    assert_eq!(
        told,
        [
            (50.0, 0, 100),
            (50.0, 1, 1),
            (50.0, 2, 1),
            (80.0, 1, 30),
            (80.0, 2, 30),
            (90.0, 1, 100),
            (90.0, 2, 100)
        ]
    );
}

/// Assumed parts fill their rectangle, without overlap, by their areas.
#[test]
fn assumed_parts_are_side_by_side() {
    let areas = [
        (Part::Block(0), 100),
        (Part::Block(1), 200),
        (Part::Block(2), 100),
    ];
    let room = Rect {
        width: 40.0,
        height: 10.0,
        ..Rect::default()
    };
    let placed = places(&areas, room);
    let area = |rect: &Rect| rect.width * rect.height;
    let sizes: Vec<f32> = placed.iter().map(|(_, rect)| area(rect).round()).collect();
    assert_eq!(sizes, [100.0, 200.0, 100.0]);
    for (i, (_, one)) in placed.iter().enumerate() {
        for (_, other) in &placed[..i] {
            assert!(one.shared_area(*other) < 0.01, "{one:?} {other:?}");
        }
    }
}

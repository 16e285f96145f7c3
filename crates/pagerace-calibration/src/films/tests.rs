use std::ops::ControlFlow;
use std::sync::Arc;

use pagerace_core::{Duration, Instant};
use pagerace_lab::fake;
use pagerace_lab::plan::Plan;
use pagerace_lab::runner::Progress;
use pagerace_page::timeline::{Paint, Part};
use pagerace_page::{Element, ElementKind, PageLayout, Paints, Rect, ResourceId};
use pagerace_report::film::{PartKind, Raster, ScenePart};
use pagerace_sim::{Outcome, Scenario};

use super::{Beside, Reel, design, fault, likeness, sections, ssim};
use crate::markdown::page;
use crate::observation::Observations;
use crate::samples;

/// Width and height of the frames.
const SIZE: (usize, usize) = (32, 16);
const WHITE: [u8; 3] = [255; 3];

/// A white page with a striped square that begins in this column and is this bright.
fn picture(left: usize, bright: u8) -> Raster {
    let mut pixels = vec![WHITE; SIZE.0 * SIZE.1];
    for (i, pixel) in pixels.iter_mut().enumerate() {
        let (x, y) = (i % SIZE.0, i / SIZE.0);
        if (left..left + 8).contains(&x) && y < 8 {
            *pixel = [if y % 2 == 0 { bright } else { 0 }; 3];
        }
    }
    Raster {
        width: SIZE.0,
        height: SIZE.1,
        pixels,
    }
}

/// Two squares, one after the other.
fn reel(first_ms: f64, second_ms: f64) -> Reel {
    let mut both = picture(16, 90);
    for (pixel, own) in both.pixels.iter_mut().zip(picture(0, 90).pixels) {
        if own != WHITE {
            *pixel = own;
        }
    }
    Reel::of(&[(first_ms, picture(0, 90)), (second_ms, both)], SIZE).expect("it has frames")
}

fn luma(picture: &Raster) -> Vec<u8> {
    picture.luma(SIZE.0, SIZE.1)
}

#[test]
fn similarity_is_one_for_equal_pictures_and_less_the_more_they_differ() {
    let one = luma(&picture(0, 90));
    let of = |other: &Raster| ssim(&one, &luma(other), SIZE.0);
    assert!((of(&picture(0, 90)) - 1.0).abs() < 1e-12);
    let (brighter, elsewhere) = (of(&picture(0, 110)), of(&picture(16, 90)));
    assert!(brighter > 0.95 && brighter < 1.0, "{brighter}");
    assert!(elsewhere < 0.7, "{elsewhere}");
    // By hand: one window of means 0 and 255 without variance or covariance.
    let flat = ssim(&[0; 64], &[255; 64], 8);
    let by_hand = 6.5025 / (255.0 * 255.0 + 6.5025);
    assert!((flat - by_hand).abs() < 1e-12, "{flat}");
    // Stripes and their negative have a covariance of minus their variance.
    let stripes: Vec<u8> = (0..64).map(|i| if i % 2 == 0 { 0 } else { 200 }).collect();
    let negative: Vec<u8> = stripes.iter().map(|v| 200 - v).collect();
    assert!(ssim(&stripes, &negative, 8) < -0.9);
}

#[test]
fn a_reel_has_the_progress_and_the_speed_index_of_its_frames() {
    let reel = reel(100.0, 300.0);
    let shares: Vec<f64> = reel.frames().iter().map(|frame| frame.share).collect();
    assert_eq!(shares, [0.5, 1.0]);
    let seen = |ms| reel.at(ms).map(|frame| frame.ms);
    assert_eq!(
        [seen(99.0), seen(100.0), seen(999.0)],
        [None, Some(100.0), Some(300.0)]
    );
    assert_eq!(reel.with(0.6).map(|frame| frame.ms), Some(300.0));
    let at_once = reel.at_once();
    let indices = vec![reel.speed_index(), at_once.speed_index()];
    assert_eq!(indices, [100.0 + 200.0 * 0.5, 100.0]);
    assert_eq!(at_once.frames().len(), 1);
    assert_eq!(Reel::of(&[], SIZE), None);
}

#[test]
fn a_film_that_is_ahead_is_less_alike_until_the_browser_follows() {
    let (predicted, live) = (reel(100.0, 200.0), reel(100.0, 300.0));
    let own = likeness(&predicted, &live);
    let times: Vec<f64> = own.moments.iter().map(|moment| moment.ms).collect();
    assert_eq!((times[0], times[1], times[10]), (100.0, 120.0, 300.0));
    for moment in &own.moments {
        let apart = (200.0..300.0).contains(&moment.ms);
        assert_eq!(moment.ssim < 0.99, apart, "{moment:?}");
    }
    assert!(own.at_progress.iter().all(|ssim| *ssim > 0.999), "{own:?}");
    assert!(own.finished > 0.999 && own.mean() < 1.0);
    let part = |x| ScenePart {
        kind: PartKind::Image,
        place: [x, 0, 80, 80],
        name: "late.jpg".to_owned(),
    };
    let parts = [part(0), part(160)];
    let worst = own.worst().expect("moments");
    let found = fault(&predicted, &live, worst, &parts, (320, 160));
    assert_eq!((found.ahead_ms, found.part), (Some(100.0), Some(1)));
    let behind = likeness(&live, &predicted).worst().expect("moments");
    let found = fault(&live, &predicted, behind, &parts, (320, 160));
    assert_eq!(found.ahead_ms, Some(-100.0));
}

#[test]
fn a_reel_survives_a_file_and_a_damaged_one_is_refused() {
    let reel = reel(100.25, 300.0);
    let value = serde_json::to_value(&reel).expect("JSON");
    let again: Reel = serde_json::from_value(value.clone()).expect("a reel");
    assert_eq!(again, reel);
    for (field, with) in [
        ("frames", serde_json::json!("iVBORw0KGgo=")),
        ("frames", serde_json::json!("?")),
        ("ms", serde_json::json!([1.0])),
        ("ms", serde_json::json!([2.0, 1.0])),
        ("ms", serde_json::json!([0.0, 1e300])),
        ("progress", serde_json::json!([0, 60000])),
        ("height", serde_json::json!(0)),
        ("more", serde_json::json!(0)),
    ] {
        let mut damaged = value.clone();
        damaged[field] = with;
        let read: Result<Reel, _> = serde_json::from_value(damaged);
        assert!(read.is_err(), "{field}");
    }
}

#[test]
fn networks_take_turns_between_the_versions_of_http() {
    let all = fake::plan(&["sequential", "round-robin"], 3);
    let parts = design(&all);
    assert_eq!(parts.len(), all.pages.len() * all.networks.len());
    let told = parts.iter().map(|part: &Plan| {
        let place = all
            .networks
            .iter()
            .position(|n| n.name == part.networks[0].name);
        (
            place.expect("a network"),
            part.contenders[0].protocols.to_string(),
        )
    });
    for (place, protocol) in told {
        assert_eq!(protocol, ["h2", "h3"][place % 2]);
    }
}

/// A load that paints an image with the seed's last digit as its time.
fn painting(scenario: &Scenario, seed: u64, _record: bool) -> Result<Outcome, String> {
    let mut outcome = fake::load(scenario, seed, true)?;
    let paint = Paint {
        at: Instant::ZERO + Duration::from_millis(100 + seed % 10),
        part: Part::Image(ResourceId(0)),
        rows: 1000,
        area: 100,
    };
    outcome.trace.get_or_insert_default().paints = vec![paint];
    Ok(outcome)
}

/// Loads with screenshots are predicted with the seed of their link.
#[test]
fn live_loads_are_compared_with_their_films() {
    let mut plan = design(&fake::plan(&["sequential"], 2)).remove(0);
    let image = Element {
        kind: ElementKind::Image {
            resource: ResourceId(0),
        },
        rect: Rect {
            width: 160.0,
            height: 80.0,
            ..Rect::default()
        },
        contentful: true,
        ..Element::default()
    };
    Arc::make_mut(&mut plan.pages[0]).paints = Paints::Recorded(PageLayout {
        viewport: (320, 160),
        elements: vec![image],
        ..PageLayout::default()
    });
    let mut seen = samples::observation(&plan.pages[0].name, "sequential", &[500.0, 600.0]);
    for (run, observed) in seen.runs.iter_mut().enumerate() {
        observed.seed = plan.run_seed(run);
    }
    seen.runs[1].reel = Some(reel(100.0, 300.0));
    let go_on = |_: Progress| ControlFlow::Continue(());
    let compared = super::beside(&plan, &seen, 1, &painting, &go_on).expect("loads");
    assert_eq!(compared.len(), 1, "one load has screenshots");
    let own = &compared[0];
    let times: Vec<f64> = own
        .predicted
        .frames()
        .iter()
        .map(|frame| frame.ms)
        .collect();
    assert_eq!(times, [100.0 + (plan.run_seed(1) % 10) as f64]);
    assert_eq!(own.predicted.size(), own.live.size());
    assert_eq!((own.parts.len(), own.viewport), (1, (320, 160)));
}

#[test]
fn the_page_names_the_least_true_film() {
    let one = |page: &str, predicted: Reel| Beside {
        page: page.to_owned(),
        network: "cable".to_owned(),
        protocol: "h3".to_owned(),
        live: reel(100.0, 300.0),
        live_index: Some(200.0),
        predicted,
        predicted_index: Some(210.0),
        parts: vec![ScenePart {
            kind: PartKind::Image,
            place: [160, 0, 80, 80],
            name: "late.jpg".to_owned(),
        }],
        viewport: (320, 160),
    };
    let all = [
        one("good", reel(100.0, 300.0)),
        one("bad", reel(100.0, 500.0)),
        one("bad", reel(100.0, 310.0)),
    ];
    let seen = Observations::new(samples::setting(), Vec::new());
    let (shown, further) = sections(&all, &seen, "pagerace calibrate");
    let text = page(&[shown, further].concat());
    let row = text.lines().find(|line| line.starts_with("| bad | cable"));
    let row = row.unwrap_or_else(|| panic!("{text}"));
    assert!(
        row.contains("the film is 200 ms behind, in the image late.jpg"),
        "{row}"
    );
    assert!(text.contains("| pixels of the film | 3 |"), "{text}");
    assert!(text.contains("another live load"), "{text}");
    assert!(text.ends_with("```\npagerace calibrate\n```\n"), "{text}");
}

use super::{Blame, Stage, blame};
use crate::observation::ResourceTimes;
use crate::samples::{metric, observation, prediction, resource};

const PAGE: &str = "https://a.example/";
const STYLE: &str = "https://a.example/style.css";
const IMAGE: &str = "https://a.example/hero.jpg";

/// The predicted load: a document, its style sheet and the style sheet's image.
fn predicted() -> Vec<ResourceTimes> {
    vec![
        resource(IMAGE, [250.0, 250.0, 300.0, 500.0]),
        resource(PAGE, [0.0, 50.0, 100.0, 150.0]),
        resource(STYLE, [120.0, 120.0, 170.0, 200.0]),
    ]
}

fn blamed(change: impl Fn(&mut Vec<ResourceTimes>)) -> Blame {
    let mut live = predicted();
    change(&mut live);
    let mut seen = observation("news", "h3", &[700.0]);
    seen.resources = live;
    let mut said = prediction("news", "h3", 600.0);
    said.resources = predicted();
    said.paths = vec![(
        metric("lcp"),
        [PAGE, STYLE, IMAGE].map(str::to_owned).into(),
    )];
    blame(&seen, &said, metric("lcp"), 20.0).unwrap()
}

/// Delays all stages of the resource from `first` on by `late`.
fn delay(resource: &mut ResourceTimes, first: usize, late: f64) {
    let times = [
        &mut resource.discovered_ms,
        &mut resource.request_start_ms,
        &mut resource.response_start_ms,
        &mut resource.response_end_ms,
    ];
    for time in times.into_iter().skip(first) {
        *time = time.map(|t| t + late);
    }
}

#[test]
fn each_stage_is_told_apart() {
    let at = |place: usize, stage: usize| {
        let found = blamed(|live| delay(&mut live[place], stage, 50.0));
        (
            found.stage,
            found.url,
            found.predicted_ms,
            found.observed_ms,
        )
    };
    let image = Some(IMAGE.to_owned());
    assert_eq!(
        at(0, 1),
        (Stage::Request, image.clone(), Some(250.0), Some(300.0))
    );
    assert_eq!(
        at(0, 2),
        (Stage::Answer, image.clone(), Some(300.0), Some(350.0))
    );
    assert_eq!(
        at(0, 3),
        (Stage::Transfer, image.clone(), Some(500.0), Some(550.0))
    );
    // The style sheet is complete at 200 ms on both sides; the image is
    // discovered at 300 ms.
    assert_eq!(at(0, 0), (Stage::Cpu, image, Some(250.0), Some(300.0)));
}

#[test]
fn what_is_found_while_its_finder_arrives_is_late_discovery() {
    // The style sheet is discovered at 145 ms, before the document ends at 150 ms.
    let found = blamed(|live| delay(&mut live[2], 0, 25.0));
    assert_eq!(found.stage, Stage::Discovery);
    assert_eq!(found.gap_ms(), Some(25.0));
}

#[test]
fn the_first_on_the_path_is_blamed_and_little_is_nothing() {
    let found = blamed(|live| {
        delay(&mut live[1], 3, 19.0);
        delay(&mut live[2], 2, 21.0);
        delay(&mut live[0], 0, -100.0);
    });
    assert_eq!(
        (found.stage, found.url.as_deref()),
        (Stage::Answer, Some(STYLE))
    );
    assert_eq!(found.gap_ms(), Some(21.0));
}

#[test]
fn where_all_resources_agree_the_rest_is_paint() {
    let found = blamed(|_| {});
    assert_eq!((found.stage, found.url.as_deref()), (Stage::Paint, None));
    assert_eq!(found.gap_ms(), Some(100.0));
}

#[test]
fn a_resource_that_nobody_loaded_is_told() {
    let found = blamed(|live| live.retain(|r| r.url != STYLE));
    assert_eq!(
        (found.stage, found.url.as_deref()),
        (Stage::Absent, Some(STYLE))
    );
    assert_eq!(found.gap_ms(), None);
}

#[test]
fn without_a_path_the_order_of_discovery_counts() {
    let mut seen = observation("news", "h3", &[700.0]);
    seen.resources = predicted();
    delay(&mut seen.resources[0], 3, 30.0);
    delay(&mut seen.resources[2], 3, 30.0);
    seen.resources[2].url.push_str("#part");
    let mut said = prediction("news", "h3", 600.0);
    assert_eq!(blame(&seen, &said, metric("lcp"), 20.0), None);
    said.resources = predicted();
    let found = blame(&seen, &said, metric("tti"), 20.0).unwrap();
    assert_eq!(
        (found.stage, found.url.as_deref()),
        (Stage::Transfer, Some(STYLE))
    );
}

//! The preload scanner: which parts of a document it reads, and what requests signal because
//! of it.

use std::sync::Arc;

use pagerace_browser::{BrowserConfig, Profile};
use pagerace_core::{Destination, Priority, RequestPriority, ScriptMode};
use pagerace_page::{Largest, Page, Resource};

use crate::common::{
    Loaded, Network, desktop, document, id, in_markup, load, no_cpu, page, script,
};
use crate::recorded_layout::{image, paints, text, with_layout};

const MEDIUM: Priority = Priority::new(2, true);
const LOW: Priority = Priority::new(3, true);

fn boosted(offset: u64) -> Resource {
    Resource {
        priority: RequestPriority::Medium,
        ..in_markup(Destination::Image, 500, offset)
    }
}

/// Loads a document that arrives in pieces of 1,200 bytes, 100 ms apart: an image in the first
/// piece, one in the second, a script in the third, and an image behind it in the fourth.
fn in_pieces(profile: &'static Profile) -> Loaded {
    let resources = vec![
        document(4_800),
        boosted(600),
        boosted(2_000),
        script(ScriptMode::Blocking, RequestPriority::Medium, 500, 3_000),
        boosted(4_000),
    ];
    let network = Network {
        rate: 12_000,
        ..Network::default()
    };
    load(&page(resources), &no_cpu(profile), &network, 1)
}

#[test]
fn chromium_boosts_images_that_its_scanner_finds_before_the_parser() {
    let l = in_pieces(Profile::CHROME);
    let at_once = [1, 4];
    for image in at_once {
        assert_eq!(l.signal(image), Some(MEDIUM), "image {image}");
        assert_eq!(l.new_signal(image), None, "image {image}");
    }
    // The parser requests the image of the second piece, and the scanner finds it when the
    // script pauses the parser.
    assert_eq!(l.signal(2), Some(LOW));
    assert_eq!(l.asked(2), Some(300.0));
    assert_eq!(l.new_signal(2), Some((400.0, MEDIUM)));
}

#[test]
fn a_script_that_pauses_the_parser_is_raised_behind_its_request() {
    let high = Priority::new(1, false);
    // While it waits in the browser behind images, it is raised before it leaves.
    let l = in_pieces(Profile::CHROME);
    assert_eq!(l.signal(3), Some(high));
    assert_eq!(l.new_signal(3), None);
    // Otherwise the raise arrives after the request has left.
    let late = script(ScriptMode::Blocking, RequestPriority::Medium, 500, 9_000);
    let config = BrowserConfig {
        cpu: 1.0,
        ..no_cpu(Profile::CHROME)
    };
    let network = Network::default();
    let l = load(&page(vec![document(10_000), late]), &config, &network, 1);
    assert_eq!(l.signal(1), Some(Priority::new(2, false)));
    let (at, signal) = l.new_signal(1).expect("the script is raised");
    assert_eq!((Some(at), signal), (l.asked(1), high));
}

#[test]
fn requests_leave_one_after_another_in_the_order_of_discovery() {
    let images = (0..5).map(|i| in_markup(Destination::Image, 500, 100 + i));
    let resources: Vec<Resource> = std::iter::once(document(1_000)).chain(images).collect();
    let config = BrowserConfig {
        cpu: 1.0,
        ..no_cpu(Profile::FIREFOX)
    };
    for (jitter, seed) in [(0.0, 1), (0.1, 1), (0.1, 2), (0.1, 3)] {
        let config = BrowserConfig { jitter, ..config };
        let l = load(&page(resources.clone()), &config, &Network::default(), seed);
        assert_eq!(l.fetch_order(), [0, 1, 2, 3, 4, 5], "seed {seed}");
        let times: Vec<f64> = (1..6).filter_map(|i| l.asked(i)).collect();
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(gaps.clone().all(|gap| gap > 0.5), "{times:?}");
    }
}

#[test]
fn a_scanner_that_reads_ahead_finds_all_at_their_arrival() {
    let l = in_pieces(Profile::FIREFOX);
    assert_eq!(l.found(2), Some(300.0));
    for image in [1, 2, 4] {
        assert_eq!(l.new_signal(image), None, "image {image}");
    }
}

/// A document with an image, and with a script that takes longer than the image.
fn image_and_script() -> Arc<Page> {
    page(vec![
        document(1_000),
        Resource {
            in_viewport: true,
            ..in_markup(Destination::Image, 9_000, 500)
        },
        script(ScriptMode::Blocking, RequestPriority::High, 90_000, 900),
    ])
}

/// Returns the first and the largest contentful paint, and the ends of the image and the script.
fn painted(page: Page) -> (f64, f64, f64, f64) {
    let network = Network {
        rate: 100_000,
        ..Network::default()
    };
    let l = load(&Arc::new(page), &desktop(), &network, 1);
    let (first, largest) = paints(&l);
    let ended = |index| l.ends[&id(index)].as_millis_f64();
    (first, largest, ended(1), ended(2))
}

#[test]
fn an_image_that_a_script_places_shows_after_the_scripts() {
    let shown = |offset: Option<u64>| {
        let mut picture = image(1, 900.0);
        picture.offset = offset;
        let elements = vec![text(10.0, Some(100), &[]), picture];
        let (_, painted, image, script) = painted(with_layout(&image_and_script(), elements));
        (painted, image, script)
    };
    let (painted, image, script) = shown(Some(500));
    assert!(
        image < painted && painted < script,
        "{painted} {image} {script}"
    );
    let (painted, _, script) = shown(None);
    assert!(painted > script, "{painted} {script}");
}

#[test]
fn an_image_that_a_script_builds_anew_is_the_largest_paint_after_the_scripts() {
    let shown = |rebuilt| {
        let mut picture = image(1, 900.0);
        picture.offset = Some(500);
        let elements = vec![text(10.0, Some(100), &[]), picture];
        let mut page = with_layout(&image_and_script(), elements);
        let layout = page.layout_mut().expect("recorded");
        layout.largest = Some(Largest {
            size: 900.0,
            image: Some(id(1)),
            text: None,
            rebuilt,
        });
        painted(page)
    };
    let (first, largest, image, script) = shown(false);
    assert!(
        image < largest && largest < script,
        "{image} {largest} {script}"
    );
    let (again, largest, ..) = shown(true);
    assert!(again <= first, "it is visible all the time");
    assert!(largest > script, "{largest} {script}");
}

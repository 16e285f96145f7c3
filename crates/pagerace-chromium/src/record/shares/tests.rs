#![allow(clippy::float_cmp, reason = "counts of pixels divide exactly")]

use pagerace_har::extension::Element;
use serde_json::{Value, json};

use super::ink::Ink;
use super::picture::Picture;
use super::rows::{Place, parts};
use super::{Shares, areas, by_size, shares};

const WHITE: [u8; 3] = [255; 3];
const GREY: [u8; 3] = [100; 3];
const RED: [u8; 3] = [200, 0, 0];

/// Returns a picture of ten columns, filled from the top.
fn picture(colours: &[([u8; 3], usize)]) -> Picture {
    let pixels = colours
        .iter()
        .flat_map(|(colour, count)| std::iter::repeat_n(*colour, *count));
    Picture::new(10, pixels.collect()).expect("whole rows")
}

#[test]
fn progress_is_what_histograms_share_and_white_is_nothing() {
    let last = picture(&[(WHITE, 80), (GREY, 15), (RED, 5)]);
    let progress = |now: &[([u8; 3], usize)]| picture(now).progress_to(&last);
    assert_eq!(progress(&[(WHITE, 100)]), 0.0);
    assert_eq!(progress(&[(WHITE, 80), (RED, 20)]), 0.25);
    // The position of a colour does not matter, nor does a surplus of it.
    assert_eq!(progress(&[(GREY, 100)]), 0.75);
    assert_eq!(progress(&[([249; 3], 80), (RED, 5), (GREY, 15)]), 1.0);
    let almost = [248, 255, 255];
    assert!(progress(&[(almost, 80), (GREY, 20)]) > 0.7, "not white");
    let white = picture(&[(WHITE, 100)]);
    assert_eq!(white.progress_to(&white), 1.0);
}

#[test]
fn only_jpegs_are_pictures() {
    assert_eq!(Picture::from_jpeg(b"no image"), None);
    assert_eq!(Picture::new(10, vec![WHITE; 15]), None);
    assert_eq!(Picture::new(0, vec![]), None);
}

fn canvas() -> Picture {
    picture(&[(WHITE, 100)])
}

/// Returns the ink of a ten by ten picture of a viewport of 100: a grey box over the upper half,
/// a red line below it, text of two rows in the box and of one row in the middle.
fn ink() -> Ink {
    let bare = picture(&[(GREY, 50), (WHITE, 40), (RED, 10)]);
    let with_text = picture(&[
        (GREY, 10),
        (WHITE, 20),
        (GREY, 20),
        (RED, 10),
        (WHITE, 30),
        (RED, 10),
    ]);
    Ink::new(&canvas(), &bare, &with_text, (100.0, 100.0))
}

#[test]
fn ink_belongs_to_what_was_painted_last_over_it() {
    let places = [
        (false, [0.0, 0.0, 100.0, 50.0]),
        (false, [0.0, 0.0, 50.0, 20.0]),
        (true, [0.0, 10.0, 100.0, 30.0]),
        (true, [0.0, 50.0, 100.0, 60.0]),
        (true, [0.0, 70.0, 100.0, 80.0]),
        (false, [-500.0, -500.0, -400.0, 5e9]),
    ];
    let (owned, unowned) = ink().owned(&places);
    assert_eq!(unowned, 10.0 / 60.0, "the red line");
    assert_eq!(owned[..2], [40.0 / 60.0, 10.0 / 60.0]);
    let (in_box, on_white) = (20.0 * 3.0 * 155.0, 10.0 * (55.0 + 255.0 + 255.0));
    let text = in_box / (in_box + on_white);
    assert!((owned[2] - text).abs() < 1e-12 && (owned[3] - (1.0 - text)).abs() < 1e-12);
    assert_eq!(owned[4..], [0.0, 0.0]);
    let white = picture(&[(WHITE, 100)]);
    let nothing = Ink::new(&white, &white, &white, (100.0, 100.0));
    assert_eq!(nothing.owned(&places), (vec![0.0; 6], 1.0));
}

fn elements(told: Value) -> Vec<Element> {
    serde_json::from_value(told).expect("elements")
}

fn sum(shares: &Shares) -> f64 {
    shares.text
        + shares.canvas
        + shares.boxes
        + shares.others
        + shares.images.iter().map(|i| i.1).sum::<f64>()
}

#[test]
fn images_divide_what_is_not_there_without_them() {
    let single = || vec![("a".to_owned(), 0.5, None), ("b".to_owned(), 0.1, None)];
    let measured = shares([0.0, 0.1, 0.4], single(), 0.2, ink());
    assert!((sum(&measured) - 1.0).abs() < 1e-12);
    assert!((measured.text - 0.3).abs() < 1e-12 && (measured.boxes - 0.1).abs() < 1e-12);
    assert!((measured.images[0].1 - 0.375).abs() < 1e-12);
    assert!((measured.others - 0.15).abs() < 1e-12);
    // Text that covers matching pixels of boxes adds nothing.
    let covered = shares([0.1, 0.7, 0.5], single(), 0.0, ink());
    assert_eq!(
        (covered.text, covered.canvas, covered.boxes),
        (0.0, 0.1, 0.4)
    );
    let imageless = shares(
        [0.0, 0.2, 0.9],
        vec![("a".to_owned(), 0.0, None)],
        0.0,
        ink(),
    );
    assert!((sum(&imageless) - 1.0).abs() < 1e-12 && imageless.images[0].1 == 0.0);
}

#[test]
fn shares_are_written_beside_what_they_are_of() {
    let mut elements = elements(json!([
        {"kind": "background", "rect": [0, 0, 100, 50]},
        {"kind": "background", "rect": [0, 0, 100, 50], "url": "https://a.test/a.jpg"},
        {"kind": "text", "rect": [0, 10, 100, 50]},
        {"kind": "text", "rect": [0, 90, 100, 10]},
    ]));
    let rows = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0];
    let images = vec![("https://a.test/a.jpg".to_owned(), 0.6, Some(rows))];
    let told = shares([0.1, 0.3, 0.5], images, 0.0, ink()).write(&mut elements, true);
    let found: Vec<f64> = elements.iter().map(|element| element.share.0).collect();
    assert_eq!(found, [0.16667, 0.0, 0.2, 0.0]);
    let images = json!([{"url": "https://a.test/a.jpg", "share": 0.5, "rows": rows}]);
    assert_eq!(
        json!(told),
        json!({"canvas": 0.13333, "canvasScripted": true, "images": images})
    );
}

#[test]
fn images_are_looked_at_in_order_of_what_can_be_seen_of_them() {
    let elements = elements(json!([
        {"kind": "image", "rect": [-50, 0, 100, 10], "url": "a"},
        {"kind": "background", "rect": [0, 0, 100, 100], "url": "b"},
        {"kind": "image", "rect": [0, 90, 10, 100], "url": "a"},
        {"kind": "image", "rect": [0, 100, 10, 100], "url": "below"},
        {"kind": "iframe", "rect": [0, 0, 100, 100], "url": "frame"},
        {"kind": "image", "rect": [0, 0, 100, 100]},
    ]));
    let areas = areas(&elements, (100.0, 100.0));
    assert_eq!(by_size(&areas), [("b", 10_000.0), ("a", 600.0)]);
}

#[test]
fn the_canvas_has_no_ink() {
    let coloured = picture(&[(GREY, 100)]);
    let bare = picture(&[(GREY, 90), (RED, 10)]);
    let places = [(false, [0.0, 90.0, 100.0, 100.0])];
    let ink = Ink::new(&coloured, &bare, &bare, (100.0, 100.0));
    assert_eq!(ink.owned(&places), (vec![1.0], 0.0));
}

#[test]
fn light_grey_on_white_is_ink() {
    let bare = picture(&[([248, 249, 250], 60), (WHITE, 30), (RED, 10)]);
    let places = [
        (false, [0.0, 0.0, 100.0, 60.0]),
        (false, [0.0, 90.0, 100.0, 100.0]),
    ];
    let ink = Ink::new(&canvas(), &bare, &bare, (100.0, 100.0));
    assert_eq!(ink.owned(&places), (vec![60.0 / 70.0, 10.0 / 70.0], 0.0));
}

#[test]
fn rows_add_what_is_seen_of_them() {
    let complete = picture(&[(GREY, 20), (RED, 80)]);
    let without = picture(&[(WHITE, 100)]);
    let of = |told| {
        let places = Place::read(&json!([["a", told]]));
        let places = places.get("a").map_or(&[][..], Vec::as_slice);
        let found = parts(&complete, &without, places, 0.1);
        found.map(|parts| parts.map(|part| (part * 1e3).round() / 1e3))
    };
    let place = |end: u32| json!({"edges": [0, 0, 100, 100], "ends": [0, end]});
    assert_eq!(
        of(place(100)),
        Some([1, 2, 3, 4, 5, 6, 7, 8, 9].map(|k| f64::from(k) / 10.0))
    );
    // Half of the image is below the viewport.
    let cut = of(place(200)).expect("measured");
    assert_eq!(cut[..4], [0.2, 0.4, 0.6, 0.8]);
    assert_eq!(cut[4..], [1.0; 5]);
    for unknown in [
        json!(null),
        json!({"edges": [0, 0, 100], "ends": [0, 100]}),
        place(0),
    ] {
        assert_eq!(of(unknown), None);
    }
    // One place of two is not known.
    let both = Place::read(&json!([["a", place(100)], ["a", null]]));
    assert!(both.is_empty());
    let places = Place::read(&json!([["a", place(100)]]));
    assert_eq!(parts(&complete, &complete, &places["a"], 0.1), None);
}

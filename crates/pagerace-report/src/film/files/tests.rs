use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::super::draw::{PAPER, Painter, Raster};
use super::super::{Film, FilmRun, PartKind, Scene, ScenePart, ScenePictures, Shot, Show};
use super::changed;

fn part(kind: PartKind, place: [i32; 4]) -> ScenePart {
    ScenePart {
        kind,
        place,
        name: "photo.jpg".to_owned(),
    }
}

fn film() -> Film {
    let show = |ms, part, level| Show { ms, part, level };
    let run = |name: &str, late: f64| FilmRun {
        name: name.to_owned(),
        marks: vec![("fcp".to_owned(), 400.0), ("lcp".to_owned(), late)],
        progress: vec![(0.0, 0.0), (400.0, 30.0), (late, 100.0)],
        shows: vec![show(400.0, 0, 100), show(600.0, 1, 40), show(late, 1, 100)],
        shots: Vec::new(),
    };
    Film {
        scene: Scene {
            viewport: (400, 300),
            parts: vec![
                part(PartKind::Text, [0, 0, 200, 40]),
                part(PartKind::Image, [200, 100, 200, 200]),
            ],
            largest: Some(1),
            ..Scene::default()
        },
        runs: vec![run("one", 900.0), run("two", 1_300.0)],
    }
}

/// The rows of an image appear from the top; nothing else changes.
#[test]
fn a_frame_shows_what_is_there() {
    let film = film();
    let painter = Painter::new(&film.scene, 400);
    let shown = |levels: [u8; 2]| {
        let frame = painter.frame(&levels, false);
        let at = |x: usize, y: usize| frame.pixels[y * 400 + x] != PAPER;
        [at(5, 2), at(300, 130), at(300, 280)]
    };
    assert_eq!(shown([0, 0]), [false, false, false]);
    assert_eq!(shown([100, 0]), [true, false, false]);
    assert_eq!(shown([0, 40]), [false, true, false]);
    assert_eq!(shown([100, 100]), [true, true, true]);
}

/// An image that has arrived does not show another one in front of it that has not.
#[test]
fn images_in_front_wait_for_themselves() {
    let (blue, red) = ([0, 0, 200], [200, 0, 0]);
    let webp = |inner: [u8; 3]| {
        let mut picture = Raster::new(40, 30, blue);
        picture.fill([10, 10, 20, 20], inner);
        let mut bytes = Vec::new();
        let encoder = image_webp::WebPEncoder::new(&mut bytes);
        let pixels = picture.pixels.as_flattened();
        let done = encoder.encode(pixels, 40, 30, image_webp::ColorType::Rgb8);
        done.expect("a picture");
        Some(STANDARD.encode(bytes))
    };
    let scene = Scene {
        viewport: (40, 30),
        pictures: Some(ScenePictures {
            whole: webp(red).expect("one"),
            textless: webp(red),
            bare: webp(PAPER),
            ..ScenePictures::default()
        }),
        parts: vec![
            part(PartKind::Image, [0, 0, 40, 30]),
            part(PartKind::Image, [10, 10, 10, 10]),
        ],
        ..Scene::default()
    };
    let painter = Painter::new(&scene, 40);
    let seen = |levels: [u8; 2]| {
        let frame = painter.frame(&levels, false);
        [(5, 5), (15, 12), (15, 18)].map(|(x, y)| frame.pixels[y * 40 + x])
    };
    assert_eq!(seen([100, 0]), [blue, blue, blue]);
    assert_eq!(seen([100, 50]), [blue, red, blue]);
    assert_eq!(seen([0, 100]), [blue, red, red]);
}

/// A grey screenshot of 8 by 6 pixels: JPEG.
const SHOT: &str = "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAYEBQYFBAYGBQYHBwYIChAKCgkJChQODwwQFxQYGBcUFhYaHSUfGhsjHBYWICwgIyYnKSopGR8tMC0oMCUoKSj/wAALCAAGAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AJH//2Q==";

/// A live load shows its screenshots, others what the parts make; equal frames count once.
#[test]
fn frames_are_those_that_differ() {
    let mut film = film();
    let shot = |ms, jpeg: &str| Shot {
        ms,
        jpeg: jpeg.to_owned(),
    };
    film.runs[1].shows.clear();
    film.runs[1].shots = vec![shot(50.0, SHOT), shot(70.0, SHOT), shot(80.0, "damaged")];
    let times = |run: usize| -> Vec<f64> {
        let frames = film.frames(run, 200).into_iter();
        frames.map(|(ms, _)| ms).collect()
    };
    assert_eq!(times(0), [400.0, 600.0, 900.0]);
    assert_eq!(times(1), [50.0]);
    let (_, small) = &film.frames(1, 200)[0];
    assert_eq!((small.width, small.height), (8, 6));
    assert_eq!(small.luma(2, 1), [60, 60]);
    let painter = Painter::new(&film.scene, 40);
    let seen = |ms| painter.at(&film.runs[1], ms).pixels[0];
    assert_eq!(
        [seen(49.0), seen(75.0), seen(80.0)],
        [PAPER, [60; 3], PAPER]
    );
}

/// The strip is a PNG file with one row for each load, and the animation a GIF file that ends with
/// everything visible.
#[test]
fn films_are_files_that_decode() {
    let (mut strip, mut animation) = (Vec::new(), Vec::new());
    film().write_strip(&mut strip).expect("written");
    film().write_gif(&mut animation).expect("written");
    let decoder = png::Decoder::new(std::io::Cursor::new(&strip));
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small file")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert!(info.width > 1_000 && info.height > 300, "{info:?}");
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = decoder.read_info(&animation[..]).expect("a GIF file");
    let (mut frames, mut hundredths) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().expect("a frame") {
        frames += 1;
        hundredths += u32::from(frame.delay);
    }
    assert_eq!(frames, 14, "one for each tenth of a second until 1.3 s");
    assert_eq!(hundredths, 130 + 250);
}

#[test]
fn only_what_changed_is_written_again() {
    let before = Raster::new(20, 10, PAPER);
    let mut after = before.clone();
    assert_eq!(changed(&before, &after), [0, 0, 1, 1]);
    after.fill([4, 2, 9, 5], [0, 0, 0]);
    assert_eq!(changed(&before, &after), [4, 2, 9, 5]);
}

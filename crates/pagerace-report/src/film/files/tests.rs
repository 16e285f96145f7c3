use super::super::draw::{PAPER, Painter, Raster};
use super::super::{Film, FilmRun, PartKind, Scene, ScenePart, Show};
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

use serde_json::{Value, json};

use super::{Frames, Rendering, forced, works};
use crate::record::trace::{Kind, Span};

const PRESENTED: &str = "SubmitCompositorFrameToPresentationCompositorFrame";

fn stage(frames: &mut Frames, name: &str, id: &str, at: f64) {
    let event = json!({"ph": "e", "id2": {"local": id}});
    frames.add(name, (7, 1), at, &event);
}

fn begin(frames: &mut Frames, id: &str, at: f64, state: &str) {
    let event =
        json!({"ph": "b", "id2": {"local": id}, "args": {"frame_reporter": {"state": state}}});
    frames.add("PipelineReporter", (7, 1), at, &event);
}

/// Adds a frame that begins 10 ms before its commit.
fn shown(frames: &mut Frames, id: &str, committed: f64, presented: f64) {
    begin(frames, id, committed - 10_000.0, "STATE_PRESENTED_ALL");
    stage(frames, "Commit", id, committed);
    stage(frames, PRESENTED, id, presented);
}

fn first_paint(frames: &mut Frames, at: f64) {
    let event = json!({"ph": "R", "args": {"frame": "F"}});
    frames.add("firstContentfulPaint", (7, 7), at, &event);
}

fn decoding(frames: &mut Frames, process: i64, at: f64, dur: f64) {
    let event = json!({"ph": "X", "dur": dur});
    frames.add("Decode LazyPixelRef", (process, 9), at, &event);
}

#[test]
fn frames_are_followed_to_the_screen() {
    let mut frames = Frames::default();
    // A frame of the page before; its id is used again.
    shown(&mut frames, "a", 100.0, 900.0);
    first_paint(&mut frames, 900.0);
    // A frame without a change is committed and not presented, and one is superseded by the next.
    begin(&mut frames, "a", 5_000.0, "STATE_NO_UPDATE_DESIRED");
    stage(&mut frames, "Commit", "a", 9_000.0);
    begin(&mut frames, "b", 12_000.0, "STATE_DROPPED");
    stage(&mut frames, "Commit", "b", 15_000.0);
    stage(&mut frames, PRESENTED, "b", 40_000.0);
    shown(&mut frames, "a", 21_000.0, 40_000.0);
    // The compositor presents a frame of its own with it.
    begin(&mut frames, "c", 22_000.0, "STATE_PRESENTED_ALL");
    stage(&mut frames, PRESENTED, "c", 40_000.0);
    first_paint(&mut frames, 40_020.0);
    // Two threads decode images, in part at once, and one goes on after the presentation.
    decoding(&mut frames, 7, 25_000.0, 4_000.0);
    decoding(&mut frames, 7, 27_000.0, 4_000.0);
    decoding(&mut frames, 7, 39_020.0, 9_000.0);
    decoding(&mut frames, 8, 21_000.0, 9_000.0);
    shown(&mut frames, "c", 61_000.0, 64_000.0);
    shown(&mut frames, "a", 71_000.0, 80_000.0);
    shown(&mut frames, "b", 81_000.0, 86_000.0);
    let works = [
        (3_000.0, 4.0),
        (11_000.0, 10.0),
        (46_000.0, 2.0),
        (47_000.0, 0.9),
        (51_000.0, 10.0),
    ];
    let painted = frames.first_shown(7, "F", 1_000.0).expect("painted");
    let found = frames.of_page(7, painted, 1_000.0, &works, &works[..1]);
    let expected = Rendering {
        first: Some(14.0),
        first_style: Some(4.0),
        later: Some(6.0),
        presentation: Some(19.02 - 6.0 - 1.0),
        later_presentation: Some(5.0),
    };
    assert_eq!(found, expected);
    // Another frame has no paint, and another process no such frame.
    assert_eq!(frames.first_shown(7, "G", 1_000.0), None);
    assert_eq!(frames.first_shown(8, "F", 1_000.0), None);
}

fn span(kind: Kind, start: f64, wall: f64, task: bool) -> Span {
    Span {
        thread: (7, 7),
        start,
        wall,
        cost: wall,
        ran: None,
        kind,
        first_run: false,
        task,
        role: None,
        url: None,
        image: None,
        frame: None,
        objects: None,
    }
}

#[test]
fn work_for_frames_counts_by_task() {
    let spans = [
        span(Kind::Other, 1_000.0, 9_000.0, true),
        // A script forces a layout.
        span(Kind::Script, 1_500.0, 2_000.0, false),
        span(Kind::Layout, 2_000.0, 1_000.0, false),
        span(Kind::Layout, 4_000.0, 3_000.0, false),
        span(Kind::Style, 5_000.0, 500.0, false),
        span(Kind::Paint, 8_000.0, 1_000.0, false),
        span(Kind::Other, 12_000.0, 2_000.0, true),
        span(Kind::Script, 12_000.0, 2_000.0, false),
        // This one is in no task.
        span(Kind::Paint, 20_000.0, 1_000.0, false),
    ];
    let mut forced = vec![0.0; spans.len()];
    let expected = [(1_000.0, 4.0), (20_000.0, 1.0)];
    assert_eq!(works(&spans, &forced, 0.0, Kind::is_rendering), expected);
    // The forced layout is the first one for a quarter of its objects.
    forced[2] = 250.0;
    let expected = [(1_000.0, 4.25), (20_000.0, 1.0)];
    assert_eq!(works(&spans, &forced, 0.0, Kind::is_rendering), expected);
    let styles = works(&spans, &forced, 0.0, |kind| kind == Kind::Style);
    assert_eq!(styles, [], "the style inside of a layout is part of that");
}

#[test]
fn a_forced_layout_counts_for_frames_as_far_as_it_is_the_first_of_its_objects() {
    let of = |frame: &str, kind, start, wall, objects| Span {
        frame: Some(frame.to_owned()),
        objects,
        ..span(kind, start, wall, false)
    };
    let style = |start, wall| of("F", Kind::Style, start, wall, None);
    let layout = |start, wall, dirty, all| of("F", Kind::Layout, start, wall, Some((dirty, all)));
    let script = |start| span(Kind::Script, start, 900.0, false);
    let spans = [
        // A frame lays out 20 objects.
        layout(500.0, 100.0, 20.0, 20.0),
        span(Kind::Other, 1_000.0, 5_000.0, true),
        script(1_000.0),
        style(1_100.0, 40.0),
        style(1_200.0, 60.0),
        of("G", Kind::Layout, 1_300.0, 50.0, Some((90.0, 90.0))),
        // The document has 60 more, and 20 have changed.
        layout(1_400.0, 100.0, 80.0, 80.0),
        // Only objects that it has laid out.
        style(1_600.0, 50.0),
        layout(1_700.0, 100.0, 80.0, 80.0),
        script(3_000.0),
        // No layout follows.
        style(3_100.0, 50.0),
        script(4_000.0),
        layout(4_100.0, 100.0, 10.0, 90.0),
        // After the first contentful paint.
        script(9_000.0),
        layout(9_100.0, 100.0, 10.0, 100.0),
    ];
    let mut expected = vec![0.0; spans.len()];
    (expected[3], expected[4], expected[6]) = (30.0, 45.0, 75.0);
    expected[12] = 100.0;
    assert_eq!(forced(&spans, "F", 9_000.0), expected);
}

#[test]
fn events_without_ids_are_left_out() {
    let mut frames = Frames::default();
    for event in [Value::Null, json!({"ph": "e"}), json!({"ph": "e", "id": 3})] {
        frames.add("PipelineReporter", (7, 1), 4.0, &event);
        frames.add("Commit", (7, 1), 5.0, &event);
        frames.add("firstContentfulPaint", (7, 7), 6.0, &event);
    }
    assert_eq!(frames.first_shown(7, "F", 0.0), None);
}

#[test]
fn each_time_has_its_own_median() {
    let load = |first, presentation| Rendering {
        first: Some(first),
        presentation,
        ..Rendering::default()
    };
    let loads = [
        load(9.0, None),
        load(30.0, Some(4.0)),
        load(12.0, Some(2.0)),
    ];
    let mut found = Rendering::medians(&loads);
    assert_eq!(found, load(12.0, Some(2.0)));
    found.slow_down(4.0);
    let slow = load(48.0, Some(2.0));
    assert_eq!(found, slow, "the compositor is not slowed down");
}

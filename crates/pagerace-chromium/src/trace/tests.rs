use super::*;

fn events() -> Vec<Value> {
    let start = |ts: u64, frame: &str, url: &str| json!({"name": "navigationStart", "cat": "blink.user_timing", "ph": "R", "ts": ts, "args": {"frame": frame, "data": {"documentLoaderURL": url, "isOutermostMainFrame": true}}});
    let shot = |ts: u64, image: &str| json!({"name": "Screenshot", "cat": SCREENSHOTS, "ph": "O", "ts": ts, "args": {"snapshot": image}});
    vec![
        shot(90, "before"),
        start(100, "F", "about:blank"),
        shot(300, "second"),
        start(110, "F", "https://a.test/"),
        start(250, "CHILD", "https://b.test/"),
        shot(200, "first"),
    ]
}

#[test]
fn the_page_of_the_main_frame_counts() {
    let trace = read(&events(), "F");
    assert_eq!(trace.navigation_start, Some(110));
    let images: Vec<&str> = trace.screenshots.iter().map(|s| &s.image[..]).collect();
    assert_eq!(images, ["first", "second"]);
    let at = |micros, image: &str| (Duration::from_micros(micros), image.to_owned());
    let since = trace.since_navigation();
    assert_eq!(since, [at(90, "first"), at(190, "second")]);
    assert_eq!(Trace::default().since_navigation(), []);
}

#[test]
fn a_trace_without_room_for_screenshots_is_full() {
    let shots = |count: u64| {
        let shot = |ts| json!({"name": "Screenshot", "ts": ts, "args": {"snapshot": "x"}});
        (0..count).map(shot).collect::<Vec<Value>>()
    };
    for (count, full) in [(449, false), (450, true), (451, false), (1_800, true)] {
        assert_eq!(read(&shots(count), "F").full, full, "{count}");
    }
}

/// Malformed events, with values removed or replaced, are read without a panic.
#[test]
fn broken_events_are_passed_over() {
    let mut rng = pagerace_core::Rng::new(5, "trace");
    let junk = [
        json!(null),
        json!(-1),
        json!(1e300),
        json!("x"),
        json!([[]]),
        json!({"args": 3}),
    ];
    let mut kept = 0;
    for _ in 0..2_000 {
        let mut list = events();
        for _ in 0..=rng.below(3) {
            let which = rng.below(list.len() as u64) as usize;
            let with = junk[rng.below(junk.len() as u64) as usize].clone();
            let field = ["ts", "args", "name", ""][rng.below(4) as usize];
            match list[which].as_object_mut() {
                Some(event) if !field.is_empty() => drop(event.insert(field.into(), with)),
                _ => list[which] = with,
            }
        }
        let trace = read(&list, "F");
        assert!(trace.screenshots.len() <= 3);
        assert!(trace.screenshots.is_sorted_by_key(|shot| shot.at));
        kept += trace.screenshots.len();
    }
    assert!(kept > 2_000, "only {kept} screenshots survived");
}

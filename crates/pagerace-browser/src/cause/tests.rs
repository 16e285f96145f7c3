use super::*;

#[test]
fn moments_are_stored_by_their_names() {
    for moment in Moment::ALL {
        let stored = serde_json::to_string(&moment).expect("a name");
        assert_eq!(stored, format!("\"{moment}\""));
    }
}

#[test]
fn each_moment_has_its_metric() {
    let ms = |n| Some(Duration::from_millis(n));
    let metrics = LoadMetrics {
        ttfb: ms(1),
        fcp: ms(2),
        lcp: ms(3),
        dom_content_loaded: ms(4),
        onload: ms(5),
        tti: ms(6),
        ..LoadMetrics::default()
    };
    let times = Moment::ALL.map(|moment| metrics.at(moment));
    assert_eq!(times, [ms(1), ms(2), ms(3), ms(4), ms(5), ms(6)]);
}

#[test]
fn the_later_of_two_counts() {
    let early = Ready::new(Instant::from_nanos(1), None);
    let late = Ready::new(Instant::from_nanos(2), None);
    assert_eq!((early.and(late), late.and(early)), (late, late));
}

use super::holm;

#[track_caller]
fn check(p: &[Option<f64>], expected: &[Option<f64>]) {
    let got = holm(p);
    assert_eq!(got.len(), expected.len());
    for (g, e) in got.iter().zip(expected) {
        match (g, e) {
            (Some(g), Some(e)) => assert!((g - e).abs() < 1e-12, "{got:?}"),
            _ => assert_eq!(g, e),
        }
    }
}

#[test]
fn as_r_adjusts() {
    // p.adjust(c(.01, .04, .03, .005), "holm")
    check(
        &[Some(0.01), Some(0.04), Some(0.03), Some(0.005)],
        &[Some(0.03), Some(0.06), Some(0.06), Some(0.02)],
    );
}

#[test]
fn never_above_one_and_absent_tests_do_not_count() {
    check(&[Some(0.6), None, Some(0.9)], &[Some(1.0), None, Some(1.0)]);
    check(&[None, Some(0.02)], &[None, Some(0.02)]);
    check(&[], &[]);
}

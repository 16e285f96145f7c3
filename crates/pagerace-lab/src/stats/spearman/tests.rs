#![allow(
    clippy::float_cmp,
    reason = "ranks, counts and order statistics are exact"
)]

use super::spearman;

#[test]
fn the_textbook_example() {
    // Intelligence and hours of television of ten people: rho = -29/165, p = 0.627188.
    let iq = [
        106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0,
    ];
    let tv = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
    let r = spearman(&iq, &tv).unwrap();
    assert!((r.rho + 29.0 / 165.0).abs() < 1e-12, "{r:?}");
    assert!((r.p - 0.627_188).abs() < 1e-6, "{r:?}");
}

#[test]
fn monotone_is_one_whatever_the_shape() {
    let x = [1.0, 2.0, 3.0, 4.0];
    let r = spearman(&x, &x.map(|v: f64| v.powi(5))).unwrap();
    assert_eq!((r.rho, r.p), (1.0, 0.0));
    assert_eq!(spearman(&x, &x.map(|v| -v)).unwrap().rho, -1.0);
}

#[test]
fn nothing_to_correlate() {
    assert_eq!(spearman(&[1.0, 2.0], &[1.0, 2.0]), None);
    assert_eq!(spearman(&[1.0, 1.0, 1.0], &[1.0, 2.0, 3.0]), None);
}

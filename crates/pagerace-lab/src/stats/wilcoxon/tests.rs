#![allow(
    clippy::float_cmp,
    reason = "ranks, counts and order statistics are exact"
)]

use super::signed_rank;

#[track_caller]
fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-10, "{got} is not {expected}");
}

/// Darwin's maize data, from the manual of `scipy.stats.wilcoxon`.
const MAIZE: [f64; 15] = [
    6.0, 8.0, 14.0, 16.0, 23.0, 24.0, 28.0, 29.0, 41.0, -48.0, 49.0, 56.0, 60.0, -67.0, 75.0,
];

#[test]
fn darwins_maize() {
    let r = signed_rank(&MAIZE).unwrap();
    assert_eq!(r.negative, 24.0);
    assert_eq!(r.positive, 96.0);
    close(r.p, 0.041_259_765_625);
}

#[test]
fn all_of_one_sign_is_two_patterns() {
    let d: Vec<f64> = (1..=8).map(f64::from).collect();
    close(signed_rank(&d).unwrap().p, 2.0 / 256.0);
    let d: Vec<f64> = (1..=8).map(|i| -f64::from(i)).collect();
    close(signed_rank(&d).unwrap().p, 2.0 / 256.0);
}

#[test]
fn published_critical_values_at_five_per_cent() {
    // Two-sided critical values at 5 %: n = 6 -> 0, n = 10 -> 8, n = 20 -> 52
    // (Wilcoxon's table).
    for (n, critical) in [(6_usize, 0_usize), (10, 8), (20, 52)] {
        assert!(super::exact_p(critical, n) <= 0.05, "n = {n}");
        assert!(super::exact_p(critical + 1, n) > 0.05, "n = {n}");
    }
}

#[test]
fn ties_and_zeros_use_the_corrected_normal_approximation() {
    // Nonzero differences 1 1 -1 2; ranks 2 2 2 4; tie sum 24; W+ = 8, W- = 2.
    let r = signed_rank(&[0.0, 1.0, 1.0, -1.0, 2.0]).unwrap();
    assert_eq!((r.positive, r.negative), (8.0, 2.0));
    let z = (3.0 - 0.5) / (4.0 * 5.0 * 9.0 / 24.0 - 24.0 / 48.0_f64).sqrt();
    close(r.p, libm::erfc(z / 2.0_f64.sqrt()));
}

#[test]
fn no_differences() {
    assert_eq!(signed_rank(&[]), None);
    assert_eq!(signed_rank(&[0.0; 10]).unwrap().p, 1.0);
}

#[test]
fn infinite_differences_rank_last() {
    let r = signed_rank(&[1.0, 2.0, f64::INFINITY, f64::NEG_INFINITY]).unwrap();
    assert_eq!((r.positive, r.negative), (6.5, 3.5));
}

#[test]
fn exact_and_normal_agree_at_the_seam() {
    let d: Vec<f64> = (1..=50)
        .map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 })
        .collect();
    let r = signed_rank(&d).unwrap();
    let n = 50.0_f64;
    let variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0;
    let z = ((r.positive - r.negative).abs() / 2.0 - 0.5) / variance.sqrt();
    let normal = libm::erfc(z / 2.0_f64.sqrt());
    assert!(
        (r.p - normal).abs() < 0.001,
        "exact {}, normal {normal}",
        r.p
    );
}

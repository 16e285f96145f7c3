#![allow(
    clippy::float_cmp,
    reason = "ranks, counts and order statistics are exact"
)]

use super::{mann_whitney, ways};

#[track_caller]
fn close(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-10, "{got} is not {expected}");
}

#[test]
fn orders_are_counted_right() {
    // Gaussian binomial (4 choose 2): 1 1 2 1 1.
    assert_eq!(ways(2, 2), [1.0, 1.0, 2.0, 1.0, 1.0]);
    // The total number of orders of 20 and 20 values is 40! / 20!².
    assert_eq!(ways(20, 20).iter().sum::<f64>(), 137_846_528_820.0);
}

#[test]
fn exact_tail_of_five_and_five() {
    // Complete separation occurs in 2 of the 252 orders.
    let x = [1.0, 2.0, 3.0, 4.0, 5.0];
    let y = [6.0, 7.0, 8.0, 9.0, 10.0];
    let r = mann_whitney(&x, &y).unwrap();
    assert_eq!(r.u, 0.0);
    close(r.p, 2.0 / 252.0);
    close(mann_whitney(&y, &x).unwrap().p, 2.0 / 252.0);
    // U = 2 is the published two-sided critical value at 5 %: 4 + 4 orders.
    let x = [1.0, 2.0, 3.0, 4.0, 7.5];
    let r = mann_whitney(&x, &y).unwrap();
    assert_eq!(r.u, 2.0);
    close(r.p, 8.0 / 252.0);
}

#[test]
fn example_of_scipys_manual() {
    // scipy.stats.mannwhitneyu, "males" and "females": U = 17, exact p = 1/9.
    let males = [19.0, 22.0, 16.0, 29.0, 24.0];
    let females = [20.0, 11.0, 17.0, 12.0];
    let r = mann_whitney(&males, &females).unwrap();
    assert_eq!(r.u, 17.0);
    close(r.p, 1.0 / 9.0);
}

#[test]
fn ties_use_the_corrected_normal_approximation() {
    // Closed form: ranks 1.5 1.5 3.5 and 3.5 5.5 5.5, tie sum 3 * 6, U = 6.5 - 6,
    // variance 9/12 * (7 - 18/30) = 4.8, z = (|0.5 - 4.5| - 0.5) / sqrt(4.8).
    let r = mann_whitney(&[1.0, 1.0, 2.0], &[2.0, 3.0, 3.0]).unwrap();
    assert_eq!(r.u, 0.5);
    let z = (4.0 - 0.5) / 4.8_f64.sqrt();
    close(r.p, libm::erfc(z / 2.0_f64.sqrt()));
}

#[test]
fn equal_samples_never_differ() {
    assert_eq!(mann_whitney(&[1.0; 30], &[1.0; 30]).unwrap().p, 1.0);
    let inf = [f64::INFINITY; 8];
    assert_eq!(mann_whitney(&inf, &inf).unwrap().p, 1.0);
}

#[test]
fn failed_runs_rank_last() {
    let inf = f64::INFINITY;
    let failing = mann_whitney(&[1.0, inf, inf, inf], &[2.0, 3.0, 4.0, 5.0]).unwrap();
    assert_eq!(failing.u, 12.0);
}

#[test]
fn nothing_to_compare() {
    assert_eq!(mann_whitney(&[], &[1.0]), None);
}

#[test]
fn exact_and_normal_agree_at_the_seam() {
    // The exact test applies to samples of twenty without ties; larger ones use the
    // normal approximation.
    let x: Vec<f64> = (0..20).map(|i| f64::from(i) * 2.0).collect();
    let y: Vec<f64> = (0..20).map(|i| f64::from(i) * 2.0 + 9.0).collect();
    let exact = mann_whitney(&x, &y).unwrap();
    let normal = super::normal_p(exact.u, 20, 20, 0.0);
    assert!(
        (exact.p - normal).abs() < 0.002,
        "exact {}, normal {normal}",
        exact.p
    );
}

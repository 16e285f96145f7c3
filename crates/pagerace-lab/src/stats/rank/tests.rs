#![allow(
    clippy::float_cmp,
    reason = "ranks, counts and order statistics are exact"
)]

use super::midranks;

#[test]
fn distinct_values_get_their_places() {
    let (ranks, ties) = midranks(&[30.0, 10.0, 20.0]);
    assert_eq!(ranks, [3.0, 1.0, 2.0]);
    assert_eq!(ties, 0.0);
}

#[test]
fn equal_values_share_the_mean_place() {
    let (ranks, ties) = midranks(&[1.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    assert_eq!(ranks, [1.0, 2.5, 2.5, 5.0, 5.0, 5.0]);
    assert_eq!(ties, (8.0 - 2.0) + (27.0 - 3.0));
}

#[test]
fn infinities_are_last_and_tied() {
    let (ranks, _) = midranks(&[f64::INFINITY, 1.0, f64::INFINITY]);
    assert_eq!(ranks, [2.5, 1.0, 2.5]);
}

#[test]
fn both_zeros_are_one_value() {
    assert_eq!(midranks(&[0.0, -0.0, 1.0]).0, [1.5, 1.5, 3.0]);
}

#[test]
#[should_panic(expected = "not-a-number")]
fn not_a_number_is_a_bug() {
    midranks(&[1.0, f64::NAN]);
}

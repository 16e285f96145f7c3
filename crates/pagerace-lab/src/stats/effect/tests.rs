use super::{cliffs_delta, matched_pairs_rank_biserial};

#[test]
fn delta_spans_minus_one_to_one() {
    assert_eq!(cliffs_delta(&[1.0, 2.0], &[3.0, 4.0]), Some(-1.0));
    assert_eq!(cliffs_delta(&[3.0, 4.0], &[1.0, 2.0]), Some(1.0));
    assert_eq!(cliffs_delta(&[1.0, 2.0], &[1.0, 2.0]), Some(0.0));
    assert_eq!(cliffs_delta(&[], &[1.0]), None);
}

#[test]
fn delta_counted_by_hand() {
    // Above: (3,1) (3,2). Below: (1,2) (1,4) (3,4). Tie: (1,1). The delta is (2 - 3) / 6.
    assert!((cliffs_delta(&[1.0, 3.0], &[1.0, 2.0, 4.0]).unwrap() + 1.0 / 6.0).abs() < 1e-12);
}

#[test]
fn rank_biserial_counted_by_hand() {
    // The ranks are 1 2 3, the last of them negative: (3 - 3) / 6.
    assert_eq!(matched_pairs_rank_biserial(&[1.0, 2.0, -3.0]), Some(0.0));
    assert_eq!(matched_pairs_rank_biserial(&[-1.0, -2.0]), Some(-1.0));
    assert_eq!(matched_pairs_rank_biserial(&[0.0, 0.0]), None);
    assert_eq!(matched_pairs_rank_biserial(&[]), None);
}

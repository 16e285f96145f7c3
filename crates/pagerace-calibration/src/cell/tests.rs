use super::{coefficient_of_variation, relative_error};

#[test]
fn errors_are_shares_of_what_was_observed() {
    assert_eq!(relative_error(Some(110.0), Some(100.0)), Some(0.1));
    assert_eq!(relative_error(Some(50.0), Some(200.0)), Some(-0.75));
    assert_eq!(relative_error(Some(0.0), Some(5.0)), Some(-1.0));
    assert_eq!(
        relative_error(Some(f64::INFINITY), Some(5.0)),
        Some(f64::INFINITY)
    );
}

#[test]
fn nothing_is_no_share_of_nothing() {
    assert_eq!(relative_error(Some(5.0), Some(0.0)), None);
    assert_eq!(relative_error(Some(5.0), Some(f64::INFINITY)), None);
    assert_eq!(relative_error(None, Some(5.0)), None);
    assert_eq!(relative_error(Some(5.0), None), None);
}

#[test]
fn noise_is_that_of_a_sample() {
    // The mean is 4 and the squares are 4 + 0 + 4, over two: the deviation is 2.
    assert_eq!(coefficient_of_variation(&[2.0, 4.0, 6.0]), Some(0.5));
    let failing = [2.0, f64::INFINITY, 4.0, 6.0];
    assert_eq!(coefficient_of_variation(&failing), Some(0.5));
    assert_eq!(coefficient_of_variation(&[3.0, 3.0]), Some(0.0));
    assert_eq!(coefficient_of_variation(&[3.0]), None);
    assert_eq!(coefficient_of_variation(&[0.0, 0.0]), None);
}

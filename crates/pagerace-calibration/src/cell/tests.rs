use super::{relative_error, repeat_error};

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
fn runs_predict_each_other() {
    // 2 against a median of 5, 4 against 4, 6 against 3: errors of 60, 0 and 100 %.
    let close = |values: &[f64], expected: f64| {
        assert!((repeat_error(values).unwrap() - expected).abs() < 1e-12);
    };
    close(&[2.0, 4.0, 6.0], 1.6 / 3.0);
    close(&[2.0, f64::INFINITY, 4.0, 6.0], 1.6 / 3.0);
    close(&[3.0, 3.0], 0.0);
    // 100 against 80 and 80 against 100: 25 and 20 %.
    close(&[100.0, 80.0], 0.225);
    assert_eq!(repeat_error(&[3.0]), None);
    assert_eq!(repeat_error(&[0.0, 0.0]), None);
}

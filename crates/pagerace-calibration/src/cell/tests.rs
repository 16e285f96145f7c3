use super::{Cell, csv, relative_error, repeat_error};
use crate::samples;

#[test]
fn csv_has_a_line_for_each_cell_with_rounded_numbers_and_empty_fields() {
    let cell = Cell {
        page: "news, old".to_owned(),
        held_out: true,
        ..samples::cell(Some(720.04), Some(800.0))
    };
    let failed = Cell {
        page: "shop".to_owned(),
        held_out: false,
        observed: None,
        predicted: Some(f64::INFINITY),
        repeat: Some(0.015),
        ..cell.clone()
    };
    assert_eq!(
        csv(&[cell, failed]),
        "page,held_out,network,contender,metric,predicted,live,error_percent,repeat_percent,runs,\
         failed\n\
         \"news, old\",true,cable,h3,lcp,720,800,-10,,10,0\n\
         shop,false,cable,h3,lcp,inf,,,1.5,10,0\n"
    );
}

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

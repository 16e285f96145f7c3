use super::{median, quantile};

#[test]
fn type_seven_as_r_prints_it() {
    // quantile(c(1, 2, 4, 8, 16), c(.1, .25, .5, .9)) in R.
    let v = [16.0, 1.0, 8.0, 2.0, 4.0];
    for (p, expected) in [
        (0.0, 1.0),
        (0.1, 1.4),
        (0.25, 2.0),
        (0.5, 4.0),
        (0.9, 12.8),
        (1.0, 16.0),
    ] {
        let got = quantile(&v, p).unwrap();
        assert!((got - expected).abs() < 1e-12, "p={p}: {got}");
    }
}

#[test]
fn median_of_even_and_odd() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    assert_eq!(median(&[7.0]), Some(7.0));
    assert_eq!(median(&[]), None);
}

#[test]
fn a_failed_run_is_later_than_any_other() {
    let inf = f64::INFINITY;
    assert_eq!(median(&[inf, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[inf, inf, 2.0]), Some(inf));
    assert_eq!(median(&[1.0, 2.0, inf, inf]), Some(inf));
}

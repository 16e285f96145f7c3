use super::{median, quantile, weighted_quantile};

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

#[test]
fn values_with_weights_lie_in_the_middle_of_their_shares() {
    let values = [(4.0, 1.0), (1.0, 2.0), (2.0, 1.0)];
    // The middles are at 1/4, 5/8 and 7/8.
    let wanted = [
        (0.0, 1.0),
        (0.25, 1.0),
        (0.4375, 1.5),
        (0.625, 2.0),
        (0.75, 3.0),
        (1.0, 4.0),
    ];
    for (p, wanted) in wanted {
        let got = weighted_quantile(&values, p).unwrap();
        assert!((got - wanted).abs() < 1e-12, "p={p}: {got}");
    }
    assert_eq!(weighted_quantile(&[], 0.5), None);
    let failed = [(1.0, 1.0), (f64::INFINITY, 1.0)];
    assert_eq!(weighted_quantile(&failed, 0.25), Some(1.0));
    assert_eq!(weighted_quantile(&failed, 0.75), Some(f64::INFINITY));
}

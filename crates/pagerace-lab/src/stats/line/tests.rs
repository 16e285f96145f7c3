use super::{Line, line};

/// Points, and their line by statsmodels 0.14 (`OLS`) and `SciPy` 1.16 (`theilslopes`).
const POINTS: [(f64, f64); 6] = [
    (2.0, 1.5),
    (5.0, 4.1),
    (7.0, 3.2),
    (11.0, 9.6),
    (13.0, 8.8),
    (20.0, 31.0),
];

#[test]
fn the_line_is_that_of_other_libraries() {
    let Line {
        intercept,
        slope,
        interval: (low, high),
        robust_slope,
    } = line(&POINTS).unwrap();
    for (found, reference) in [
        (intercept, -5.373_472_67),
        (slope, 1.559_324_76),
        (low, 0.638_463_73),
        (high, 2.480_185_79),
        (robust_slope, 0.916_666_67),
    ] {
        assert!((found - reference).abs() < 1e-8, "{found} {reference}");
    }
}

#[test]
fn points_without_a_line_have_none() {
    assert_eq!(line(&POINTS[..2]), None);
    assert_eq!(line(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    assert_eq!(line(&[(1.0, 1.0), (2.0, f64::INFINITY), (3.0, 3.0)]), None);
}

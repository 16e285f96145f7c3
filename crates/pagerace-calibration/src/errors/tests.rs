use proptest::prelude::*;

use super::Errors;
use crate::cell::Cell;
use crate::samples;

fn cell(predicted: Option<f64>, observed: Option<f64>) -> Cell {
    Cell {
        lighthouse: observed.map(|o| 2.0 * o),
        repeat: Some(0.04),
        ..samples::cell(predicted, observed)
    }
}

#[test]
fn quantiles_by_hand() {
    // The errors are +10, -20, +30, -40 and +50 %; their absolute values are 10 to 50 %.
    let cells: Vec<Cell> = [110.0, 80.0, 130.0, 60.0, 150.0]
        .map(|predicted| cell(Some(predicted), Some(100.0)))
        .into();
    let errors = Errors::of(&cells);
    let close = |value: Option<f64>, expected: f64| {
        assert!((value.unwrap() - expected).abs() < 1e-12, "{value:?}");
    };
    assert_eq!((errors.count, errors.without), (5, 0));
    close(errors.p50, 0.3);
    // The quantiles lie between the fourth and the fifth value, at indices 3.6 and 3.8.
    close(errors.p90, 0.46);
    close(errors.p95, 0.48);
    close(errors.bias, 0.1);
    close(errors.distance, 30.0);
    assert_eq!(errors.repeat_count, 5);
    close(errors.repeat_p50, 0.04);
    close(errors.repeat_p90, 0.04);
    let lighthouse = Errors::of_lighthouse(&cells);
    close(lighthouse.p50, 1.0);
    assert_eq!(lighthouse.bias, None);
}

#[test]
fn cells_without_an_error_are_counted_apart() {
    let cells = [
        cell(Some(5.0), Some(0.0)),
        cell(None, Some(5.0)),
        cell(Some(6.0), Some(5.0)),
    ];
    let errors = Errors::of(&cells);
    assert_eq!((errors.count, errors.without), (1, 2));
    // The distances are 5 (from zero) and 1 (from five); their median is the mean.
    assert_eq!(errors.distance, Some(3.0));
    assert_eq!(Errors::of([]), Errors::default());
}

proptest! {
    #[test]
    fn quantiles_rise_and_stay_within_the_errors(
        pairs in prop::collection::vec((1.0..1e5_f64, 1.0..1e5_f64), 1..60)
    ) {
        let cells: Vec<Cell> = pairs.iter().map(|(p, o)| cell(Some(*p), Some(*o))).collect();
        let errors = Errors::of(&cells);
        let (p50, p90, p95) = (errors.p50.unwrap(), errors.p90.unwrap(), errors.p95.unwrap());
        let all: Vec<f64> = cells.iter().filter_map(Cell::error).collect();
        let most = all.iter().copied().fold(0.0, f64::max);
        prop_assert!(0.0 <= p50 && p50 <= p90 && p90 <= p95 && p95 <= most);
        prop_assert!(errors.bias.unwrap().abs() <= most);
    }
}

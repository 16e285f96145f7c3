use super::mean;

#[test]
fn the_interval_of_a_mean_is_that_of_its_standard_error() {
    let values: Vec<f64> = (0..100).map(|i| f64::from(i % 10)).collect();
    let found = mean(&values);
    assert!((found.mean - 4.5).abs() < 1e-12);
    // The standard deviation is 2.87, that of the mean a tenth of it.
    let (low, high) = found.interval.unwrap();
    assert!((low - (4.5 - 0.563)).abs() < 0.05, "{low}");
    assert!((high - (4.5 + 0.563)).abs() < 0.05, "{high}");
    assert_eq!(mean(&values), found, "the draws are the same");
}

#[test]
fn five_pages_are_too_few() {
    assert_eq!(mean(&[1.0; 5]).interval, None);
    assert_eq!(mean(&[1.0; 6]).interval, Some((1.0, 1.0)));
}

//! Tests of the formulas, the minimum and the backoff.

use pagerace_core::Duration;

use super::RttEstimator;

const RTO_MIN: Duration = Duration::from_millis(200);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

#[test]
fn follows_the_formulas_of_rfc_6298() {
    let mut rtt = RttEstimator::new(RTO_MIN);
    assert_eq!(rtt.timeout(0), ms(1_000));
    rtt.sample(ms(200));
    assert_eq!((rtt.smoothed(), rtt.variance), (Some(ms(200)), ms(100)));
    assert_eq!(rtt.timeout(0), ms(600));
    // RTTVAR = 3/4 * 100 + 1/4 * |200 - 280|, SRTT = 7/8 * 200 + 1/8 * 280.
    rtt.sample(ms(280));
    assert_eq!((rtt.smoothed(), rtt.variance), (Some(ms(210)), ms(95)));
    assert_eq!(rtt.timeout(0), ms(590));
    assert_eq!(rtt.minimum(), ms(200));
}

#[test]
fn the_minimum_bounds_the_variance_term() {
    let mut rtt = RttEstimator::new(RTO_MIN);
    for _ in 0..200 {
        rtt.sample(ms(80));
    }
    assert_eq!(rtt.timeout(0), ms(280));
}

#[test]
fn backs_off_up_to_two_minutes() {
    let mut rtt = RttEstimator::new(RTO_MIN);
    rtt.sample(ms(100));
    assert_eq!(rtt.timeout(3), ms(300 * 8));
    assert_eq!(rtt.timeout(9), ms(120_000));
    assert_eq!(rtt.timeout(60), ms(120_000));
}

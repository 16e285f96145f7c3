use super::hol_with_speed_index;
use crate::fake::{self, times};
use crate::results::Results;

/// `points[s]` holds the blocked bytes and the Speed Index of strategy `s`.
fn race(points: &[(u64, f64)]) -> Results {
    let names = ["sequential", "eps", "fifo", "round-robin", "firefox-tree"];
    let plan = fake::plan(&names[..points.len()], 6);
    fake::results(&plan, |(_, _, s), k| {
        let mut run = times(1000.0, points[s].1 + k as f64, 3000.0);
        run.transport.hol_blocked_bytes = points[s].0 + k as u64;
        run
    })
}

#[test]
fn more_blocking_with_a_later_picture_is_one() {
    let rising = race(&[(0, 900.0), (10, 910.0), (20, 950.0), (30, 999.0)]);
    let found = hol_with_speed_index(&rising, 0, 0).expect("three points");
    assert!((found.rho - 1.0).abs() < 1e-12, "{found:?}");
    let falling = race(&[(0, 900.0), (10, 999.0), (20, 950.0), (30, 910.0)]);
    let found = hol_with_speed_index(&falling, 0, 0).expect("three points");
    assert!((found.rho + 1.0).abs() < 1e-12, "{found:?}");
}

#[test]
fn too_few_or_equal_strategies_have_none() {
    let two = race(&[(0, 900.0), (10, 910.0), (20, 950.0)]);
    assert_eq!(hol_with_speed_index(&two, 0, 0), None);
    let equal = race(&[(5, 900.0), (5, 910.0), (5, 950.0), (5, 960.0)]);
    assert_eq!(hol_with_speed_index(&equal, 0, 0), None);
}

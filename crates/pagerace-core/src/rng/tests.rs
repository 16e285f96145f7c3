use super::*;

#[test]
fn streams_differ_by_name_and_seed_and_repeat() {
    let draw = |s, n| Rng::new(s, n).next_u64();
    assert_eq!(draw(1, "link.down"), draw(1, "link.down"));
    assert_ne!(draw(1, "link.down"), draw(1, "link.up"));
    assert_ne!(draw(1, "link.down"), draw(2, "link.down"));
}

/// Pins the first draw, so that a change of generator shows up here and not only in
/// results.
#[test]
fn the_first_draw_is_fixed() {
    assert_eq!(Rng::new(1, "pin").next_u64(), PINNED);
}
const PINNED: u64 = 9_476_681_756_737_716_421;

#[test]
fn moments() {
    let mut r = Rng::new(7, "moments");
    let n = 200_000;
    let (mut sum, mut squares, mut below_one) = (0.0, 0.0, 0);
    for _ in 0..n {
        let x = r.normal();
        sum += x;
        squares += x * x;
        below_one += u32::from(r.lognormal(0.5) < 1.0);
    }
    let n = f64::from(n);
    assert!((sum / n).abs() < 0.01, "mean {}", sum / n);
    assert!((squares / n - 1.0).abs() < 0.02, "variance {}", squares / n);
    assert!(
        (f64::from(below_one) / n - 0.5).abs() < 0.01,
        "median of the log-normal"
    );
}

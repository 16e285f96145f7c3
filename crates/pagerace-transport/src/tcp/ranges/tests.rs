//! Tests of the new parts of a range, and of the disjointness of ranges.
#![allow(
    clippy::single_range_in_vec_init,
    reason = "sets of one range are meant"
)]

use std::collections::BTreeSet;

use pagerace_core::Rng;

use super::RangeSet;

fn insert(set: &mut RangeSet, range: std::ops::Range<u64>) -> Vec<std::ops::Range<u64>> {
    let mut new = Vec::new();
    set.insert(range, |part| new.push(part));
    new
}

#[test]
fn tells_what_is_new() {
    let mut set = RangeSet::default();
    assert_eq!(insert(&mut set, 10..20), [10..20]);
    assert_eq!(insert(&mut set, 30..40), [30..40]);
    assert_eq!(insert(&mut set, 5..50), [5..10, 20..30, 40..50]);
    assert_eq!(insert(&mut set, 5..50), []);
    assert_eq!(insert(&mut set, 50..50), []);
    assert_eq!(set.0, [5..50]);
    assert_eq!(insert(&mut set, 50..60), [50..60]);
    assert_eq!(set.0, [5..60], "what touches is joined");
    assert_eq!(set.containing(59), Some(5..60));
    assert_eq!(set.containing(60), None);
    set.remove_below(40);
    assert_eq!(set.0, [40..60]);
    set.remove_below(60);
    assert!(set.is_empty());
}

#[test]
fn agrees_with_a_set_of_single_numbers() {
    let mut rng = Rng::new(1, "ranges");
    for _ in 0..200 {
        let (mut set, mut numbers) = (RangeSet::default(), BTreeSet::new());
        for _ in 0..40 {
            let start = rng.below(200);
            let range = start..start + rng.below(20);
            let expected: Vec<u64> = range.clone().filter(|n| numbers.insert(*n)).collect();
            let new: Vec<u64> = insert(&mut set, range).into_iter().flatten().collect();
            assert_eq!(new, expected);
            if rng.chance(0.1) {
                let below = rng.below(200);
                set.remove_below(below);
                numbers.retain(|n| *n >= below);
            }
            let held: Vec<u64> = set.0.iter().cloned().flatten().collect();
            assert!(held.iter().eq(numbers.iter()));
            assert!(set.0.windows(2).all(|w| w[0].end < w[1].start), "{set:?}");
        }
    }
}

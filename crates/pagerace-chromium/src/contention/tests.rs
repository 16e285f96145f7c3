use std::collections::{BTreeMap, BTreeSet};

use super::{Meter, Ours, Process, below, others, totals};

#[test]
fn idle_time_is_not_busy() {
    let stat = "cpu  100 0 50 800 40 5 5 0 0 0\ncpu0 1 2 3\n";
    assert_eq!(totals(stat), Some((1000, 160)));
    assert_eq!(totals("intr 5"), None);
    assert_eq!(totals("cpu  1 2 3"), None);
}

fn one(parent: u32, ticks: u64) -> Process {
    Process {
        parent,
        group: 1,
        ticks,
    }
}

#[test]
fn grandchildren_are_ours() {
    let parents = [(1, 0), (5, 9), (9, 7), (7, 1), (8, 1)];
    let processes = parents.map(|(pid, parent)| (pid, one(parent, 10)));
    let processes = BTreeMap::from(processes);
    assert_eq!(below(&processes, 7), BTreeSet::from([5, 7, 9]));
    assert_eq!(below(&processes, 6), BTreeSet::from([6]));
}

#[test]
fn what_ended_still_counts() {
    let me = std::process::id();
    let (old, new) = (me + 1, me + 2);
    let mut ours = Ours::default();
    ours.look(&BTreeMap::from([(me, one(1, 50)), (old, one(me, 7))]), true);
    ours.look(
        &BTreeMap::from([(me, one(1, 60)), (new, one(me, 9))]),
        false,
    );
    ours.look(&BTreeMap::from([(me, one(1, 61))]), false);
    assert_eq!(ours.ticks(), 11 + 9);
}

#[test]
fn others_are_what_is_left() {
    assert_eq!(others((1000, 100), (1200, 200), 40), Some(0.3));
    assert_eq!(others((1200, 200), (1200, 200), 0), None);
}

#[test]
fn a_child_is_no_other() {
    let Some(meter) = Meter::start() else {
        eprintln!("skipped: there is no /proc");
        return;
    };
    let share = meter.others();
    // No time may have passed in so short a measurement.
    assert!(share.is_none_or(|share| (0.0..=1.0).contains(&share)));
}

use std::collections::BTreeMap;

use super::{Process, Reading, below, process, totals};

#[test]
fn idle_time_is_not_busy() {
    let stat = "cpu  100 0 50 800 40 5 5 0 0 0\ncpu0 1 2 3\n";
    assert_eq!(totals(stat), Some((1000, 160)));
    assert_eq!(totals("intr 5"), None);
    assert_eq!(totals("cpu  1 2 3"), None);
}

#[test]
fn names_may_hold_anything() {
    let stat = "42 (a ) (b) S 7 42 42 0 -1 4194560 1 2 3 4 10 20 30 40 20 0 1 0 99";
    let read = process(stat);
    assert_eq!(
        read,
        Some(Process {
            parent: 7,
            ticks: 100
        })
    );
    assert_eq!(process("42 (a"), None);
    assert_eq!(process("42 (a) S 7"), None);
}

#[test]
fn grandchildren_are_ours() {
    let one = |parent| Process { parent, ticks: 10 };
    let processes = BTreeMap::from([
        (1, one(0)),
        (5, one(9)),
        (9, one(7)),
        (7, one(1)),
        (8, one(1)),
    ]);
    assert_eq!(below(&processes, 7), 30);
    assert_eq!(below(&processes, 6), 0);
}

#[test]
fn others_are_what_is_left() {
    let before = Reading {
        all: 1000,
        busy: 100,
        ours: 50,
    };
    let after = Reading {
        all: 1200,
        busy: 200,
        ours: 90,
    };
    assert_eq!(after.others_since(&before), Some(0.3));
    assert_eq!(before.others_since(&before), None);
}

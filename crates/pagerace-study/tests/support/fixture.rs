//! Rows for tests.

use std::ops::Range;
use std::sync::Arc;

use crate::frame::Frame;
use crate::key::{Dimension, Key};
use crate::row::{Row, metrics};

/// Returns rows of a cell whose digest is `cell`.
pub(crate) fn rows(cell: &str, runs: Range<u32>) -> Vec<Row> {
    let key = Arc::new(Key {
        race: "loss".to_owned(),
        page: format!("{cell}.har"),
        network: "rate 2mbit rtt 100ms loss 1%".to_owned(),
        cell: cell.to_owned(),
        ..Key::default()
    });
    let row = |run| Row {
        key: Arc::clone(&key),
        run,
        seed: 1_000 + u64::from(run),
        values: metrics()
            .enumerate()
            .map(|(i, _)| match (i + run as usize) % 5 {
                0 => None,
                1 => Some(f64::INFINITY),
                more => Some(more as f64 * 0.1),
            })
            .collect(),
        failure: (run % 3 == 2).then(|| "not loaded after 30 min".to_owned()),
    };
    runs.map(row).collect()
}

/// Returns the loads of a contender on a page and network: run `k` has the `k`-th of the
/// values as every metric but the number of broken objects, which is `broken`.
pub(crate) fn loads(
    page: &str,
    network: &str,
    protocol: &str,
    values: &[f64],
    broken: f64,
) -> Vec<Row> {
    let mut key = Key {
        race: "race".to_owned(),
        page: page.to_owned(),
        network: network.to_owned(),
        cell: format!("{page} {network} {protocol}"),
        ..Key::default()
    };
    for (name, value) in [("protocol", protocol), ("strategy", "round-robin")] {
        Dimension::named(name).unwrap().set(&mut key, value);
    }
    let key = Arc::new(key);
    let row = |(run, value): (u32, &f64)| Row {
        key: Arc::clone(&key),
        run,
        seed: u64::from(run),
        values: metrics()
            .map(|metric| match metric.metric().name {
                "broken-objects" => Some(broken),
                _ => Some(*value),
            })
            .collect(),
        failure: None,
    };
    (0..).zip(values).map(row).collect()
}

/// Returns two networks and three pages: on `slow`, `h3` needs 90, 80 and 120 % of the time
/// of `h2`; on `fast`, 50 %.
pub(crate) fn frame() -> Frame {
    let all: Vec<_> = metrics().collect();
    let mut frame = Frame::new(&all);
    let base = [100.0, 102.0, 104.0, 106.0, 108.0, 110.0, 112.0];
    for (page, share) in [("a", 0.9), ("b", 0.8), ("c", 1.2)] {
        for (network, share) in [("slow", share), ("fast", 0.5)] {
            frame.add(&loads(page, network, "h2", &base, 0.0));
            let own = base.map(|value| value * share);
            frame.add(&loads(page, network, "h3", &own, 0.0));
        }
    }
    frame
}

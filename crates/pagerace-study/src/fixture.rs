//! Rows for tests.

use std::sync::Arc;

use crate::row::{Key, Row, metrics};

/// Returns `runs` rows of a cell that is named after its page.
pub(crate) fn rows(page: &str, runs: std::ops::Range<u32>) -> Vec<Row> {
    let key = Arc::new(Key {
        race: "loss".to_owned(),
        page: page.to_owned(),
        network: "rate 2mbit rtt 100ms loss 1%".to_owned(),
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

//! Transfers, one row each.

use comfy_table::{Cell, Table};
use pagerace_lab::bulk::BulkResults;
use pagerace_lab::unit::{Unit, percent, signed_percent};

use super::{add, fits, or_none, table};

/// Characters of a sparkline.
const SPARKS: usize = 24;

/// The transfers on one network; and whether columns were left out because the
/// terminal is narrow.
pub(crate) fn transfers(results: &BulkResults, network: usize) -> (Table, bool) {
    let mut full = with(results, network, true);
    if fits(&mut full) {
        return (full, false);
    }
    (with(results, network, false), true)
}

fn with(results: &BulkResults, network: usize, all: bool) -> Table {
    let plan = &results.plan;
    let count = plan.contenders.len();
    let summaries: Vec<_> = (0..count).map(|i| results.summary(network, i)).collect();
    let first = summaries[0].time_ms;
    let mut header = vec!["variant", "time", "", "goodput", "overhead"];
    if all {
        header.extend([
            "shortest to longest",
            "sent again",
            "lost",
            "throughput over time",
        ]);
    }
    let failing = summaries.iter().any(|s| s.failed > 0);
    if failing {
        header.push("failed");
    }
    let mut table = table(&header, 1);
    let most = (0..count).flat_map(|i| sampled(results, network, i)).max();
    for (i, s) in summaries.iter().enumerate() {
        let relative = s
            .time_ms
            .zip(first)
            .map(|(own, first)| (own - first) / first);
        let ms = |value: f64| Unit::Milliseconds.format(value);
        let mut cells = vec![
            Cell::new(plan.label(i)),
            Cell::new(or_none(s.time_ms.map(ms))),
            Cell::new(if i == 0 {
                String::new()
            } else {
                or_none(relative.map(signed_percent))
            }),
            Cell::new(or_none(
                s.goodput.map(|bits| format!("{:.2} Mbit/s", bits / 1e6)),
            )),
            Cell::new(or_none(s.overhead.map(percent))),
        ];
        if all {
            let range = |(low, high): (f64, f64)| {
                Unit::Milliseconds.scale(high).format_plain_range(low, high)
            };
            let bytes = |value: f64| Unit::Bytes.format(value);
            cells.push(Cell::new(or_none(s.range_ms.map(range))));
            cells.push(Cell::new(or_none(s.retransmitted_bytes.map(bytes))));
            cells.push(Cell::new(or_none(
                s.packets_lost.map(|packets| packets.to_string()),
            )));
            let samples = sampled(results, network, i);
            cells.push(Cell::new(sparkline(&samples, most.unwrap_or(0))));
        }
        if failing {
            cells.push(Cell::new(s.failed));
        }
        add(&mut table, 1, cells);
    }
    table
}

/// Bytes that arrived in the median run, in as many equal spans as a sparkline
/// has characters; all contenders of a network share the time axis.
fn sampled(results: &BulkResults, network: usize, contender: usize) -> Vec<u64> {
    let arrived = |i: usize| {
        let run = results.median_run(network, i);
        &results.cell(network, i)[run].arrived
    };
    let contenders = 0..results.plan.contenders.len();
    let longest = contenders.map(|i| arrived(i).len()).max().unwrap_or(0);
    let width = longest.div_ceil(SPARKS).max(1);
    let chunks = arrived(contender).chunks(width);
    chunks.map(|chunk| chunk.iter().sum()).collect()
}

/// One bar for each value, eight heights up to `most`; a space for nothing.
fn sparkline(values: &[u64], most: u64) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let bar = |value: &u64| match value.checked_mul(8).map(|v| v.div_ceil(most.max(1))) {
        Some(0) | None => ' ',
        Some(height) => BARS[(height as usize).min(8) - 1],
    };
    let line: String = values.iter().map(bar).collect();
    format!("{line:<SPARKS$}")
}

#[cfg(test)]
mod tests {
    use super::{SPARKS, sparkline};

    #[test]
    fn heights() {
        let line = sparkline(&[0, 1, 50, 100], 100);
        assert_eq!(line.trim_end(), " ▁▄█");
        assert_eq!(line.chars().count(), SPARKS);
        assert_eq!(sparkline(&[0], 0).trim(), "");
    }
}

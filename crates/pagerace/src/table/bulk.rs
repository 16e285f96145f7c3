//! Table of large transfers, one row each.

use comfy_table::{Cell, Color, Table};
use pagerace_lab::bulk::BulkResults;
use pagerace_lab::unit::{Unit, percent};
use pagerace_report::bulk::BulkSummary;
use pagerace_sim::{BULK_INTERVAL, BulkOutcome};

use super::{or_none, relative, table, widest_fitting};

/// Number of characters in a sparkline.
const SPARKS: usize = 20;

/// The set of columns to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Columns {
    /// Without ranges, losses and throughput over time.
    Few,
    /// Without ranges and losses.
    Shape,
    All,
}

/// Returns a table of the transfers on one network, with the columns that fit the
/// terminal.
pub(crate) fn transfers(results: &BulkResults, network: usize) -> (Table, Columns) {
    let all = [Columns::All, Columns::Shape, Columns::Few];
    widest_fitting(all, |columns| with(results, network, columns))
}

fn with(results: &BulkResults, network: usize, columns: Columns) -> Table {
    let plan = &results.plan;
    let count = plan.contenders.len();
    let summaries: Vec<_> = (0..count).map(|i| results.summary(network, i)).collect();
    let failing = summaries.iter().any(|s| s.failed_runs > 0);
    let mut header = vec!["variant", "time", ""];
    header.extend(failing.then_some("failed"));
    header.extend(["goodput", "overhead"]);
    if columns == Columns::All {
        header.extend(["shortest to longest", "retransmitted", "lost"]);
    }
    if columns >= Columns::Shape {
        header.push("throughput over time");
    }
    let mut table = table(&header, 1);
    for (i, s) in summaries.iter().enumerate() {
        let mut cells = vec![Cell::new(plan.label(i)), or_none(s.time_ms.map(ms))];
        cells.push(match i {
            0 => Cell::new(""),
            _ => beside(s, &summaries[0]),
        });
        if failing {
            cells.push(failed(s.failed_runs, plan.runs));
        }
        cells.push(or_none(s.goodput_bits_per_second.map(rate)));
        cells.push(or_none(
            s.overhead_percent.map(|percent| share(percent / 100.0)),
        ));
        if columns == Columns::All {
            let bytes = |value: f64| Unit::Bytes.format(value);
            cells.push(or_none(s.time_min_ms.zip(s.time_max_ms).map(range)));
            cells.push(or_none(s.retransmitted_bytes.map(bytes)));
            cells.push(or_none(s.packets_lost.map(packets)));
        }
        if columns >= Columns::Shape {
            let run = &results.cell(network, i)[results.median_run(network, i)];
            cells.push(Cell::new(sparkline(&spans(run))));
        }
        table.add_row(cells);
    }
    table
}

fn ms(value: f64) -> String {
    Unit::Milliseconds.format(value)
}

fn range((low, high): (f64, f64)) -> String {
    if low.is_infinite() {
        return "∞".to_owned();
    }
    let size = if high.is_finite() { high } else { low };
    Unit::Milliseconds.scale(size).format_plain_range(low, high)
}

fn rate(bits: f64) -> String {
    if bits > 0.0 {
        format!("{:.2} Mbit/s", bits / 1e6)
    } else {
        "0 Mbit/s".to_owned()
    }
}

fn packets(value: f64) -> String {
    Unit::Count.format(value).trim_end_matches(".0").to_owned()
}

fn share(value: f64) -> String {
    if value.is_finite() {
        percent(value)
    } else {
        "∞".to_owned()
    }
}

/// Returns how much longer a transfer takes than the first one, if both usually finish.
fn beside(own: &BulkSummary, first: &BulkSummary) -> Cell {
    let times = own.time_ms.zip(first.time_ms);
    relative(times.map(|(own, first)| (own - first) / first))
}

/// Returns the number of failed runs, in red unless zero.
fn failed(count: usize, runs: u32) -> Cell {
    if count == 0 {
        Cell::new("0")
    } else {
        Cell::new(format!("{count} of {runs}")).fg(Color::Red)
    }
}

/// Returns the bytes that arrived in each of [`SPARKS`] equal intervals of the transfer.
/// The bytes of a step of the series count as evenly distributed over it.
fn spans(transfer: &BulkOutcome) -> Vec<f64> {
    let steps = transfer.finished_at.since_start().as_millis_f64() / BULK_INTERVAL.as_millis_f64();
    let end = steps.max(f64::MIN_POSITIVE);
    let each = end / SPARKS as f64;
    let mut sums = vec![0.0; SPARKS];
    for (i, bytes) in transfer.arrived.iter().enumerate() {
        let (from, until) = (i as f64, (i as f64 + 1.0).min(end));
        for (k, sum) in sums.iter_mut().enumerate() {
            let (low, high) = (k as f64 * each, (k as f64 + 1.0) * each);
            let shared = (until.min(high) - from.max(low)).max(0.0);
            *sum += *bytes as f64 * shared / (until - from).max(f64::MIN_POSITIVE);
        }
    }
    sums
}

/// Returns one bar for each value, in eight heights up to the maximum; a space for zero.
fn sparkline(values: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = values.iter().copied().fold(0.0, f64::max);
    let bar = |value: &f64| {
        if *value <= 0.0 {
            return ' ';
        }
        let height = (value / most * 8.0).ceil() as usize;
        BARS[height.clamp(1, 8) - 1]
    };
    values.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use pagerace_core::{Duration, Instant};
    use pagerace_sim::BulkOutcome;

    use super::{SPARKS, failed, packets, range, rate, share, spans, sparkline};

    fn transfer(ms: u64, arrived: Vec<u64>) -> BulkOutcome {
        BulkOutcome {
            finished_at: Instant::ZERO + Duration::from_millis(ms),
            arrived,
            ..BulkOutcome::default()
        }
    }

    #[test]
    fn heights() {
        assert_eq!(sparkline(&[0.0, 1.0, 50.0, 100.0]), " ▁▄█");
        assert_eq!(sparkline(&[0.0; 3]), "   ");
        // The heights are relative to the maximum, however low it is.
        assert_eq!(sparkline(&[0.001, 0.002]), "▄█");
    }

    #[test]
    fn every_row_has_the_same_number_of_characters() {
        // Half a second and a hundred seconds of the same shape.
        let ramp = |steps: u64| (0..steps).map(|i| 1 + i * 1000 / steps).collect::<Vec<_>>();
        let long = spans(&transfer(100_000, ramp(1_000)));
        let short = spans(&transfer(500, ramp(5)));
        for (values, bytes) in [(&long, ramp(1_000)), (&short, ramp(5))] {
            assert_eq!(sparkline(values).chars().count(), SPARKS);
            let (sum, all) = (values.iter().sum::<f64>(), bytes.iter().sum::<u64>() as f64);
            assert!((sum - all).abs() < 1e-6 * all, "{sum} of {all} bytes");
            assert!(values.is_sorted(), "{values:?}");
        }
        assert!(sparkline(&long).starts_with('▁') && sparkline(&long).ends_with('█'));
    }

    #[test]
    fn the_last_step_may_be_cut() {
        // The last 10 ms bring as much as each 100 ms before, which is ten times the
        // rate.
        let values = spans(&transfer(210, vec![100; 3]));
        assert!((values.iter().sum::<f64>() - 300.0).abs() < 1e-9);
        assert!(values[SPARKS - 1] > 9.0 * values[0], "{values:?}");
    }

    #[test]
    fn failures_are_told_and_infinity_has_no_unit() {
        assert_eq!(failed(2, 5).content(), "2 of 5");
        assert_eq!(failed(0, 5).content(), "0");
        let never = f64::INFINITY;
        assert_eq!((share(never), rate(0.0)), ("∞".into(), "0 Mbit/s".into()));
        assert_eq!(range((never, never)), "∞");
        assert_eq!(range((900.0, never)), "900 to ∞ ms");
        assert_eq!(
            (packets(never), packets(7.0), packets(7.5)),
            ("∞".into(), "7".into(), "7.5".into())
        );
    }
}

//! Table of predictions beside measurements.

use comfy_table::{Cell, Color, Table};
use pagerace_calibration::Accuracy;
use pagerace_calibration::cell;
use pagerace_lab::MetricId;
use pagerace_lab::unit::signed_percent;

use super::{NONE, table};

/// Relative error from which a prediction is marked by a colour.
const OFF: f64 = 0.15;

/// Returns a table of measured values, predicted values and relative errors, one row for
/// each page and contender on this network.
pub(crate) fn predicted(accuracy: &Accuracy, network: &str, metrics: &[MetricId]) -> Table {
    let several = accuracy.pages.len() > 1;
    let mut header = if several {
        vec!["page", "variant"]
    } else {
        vec!["variant"]
    };
    let left = header.len();
    for metric in metrics {
        header.extend([metric.metric().name, "predicted", ""]);
    }
    let mut table = table(&header, left);
    for page in &accuracy.pages {
        for (contender, _) in &accuracy.contenders {
            let mut cells = Vec::new();
            if several {
                cells.push(Cell::new(page));
            }
            cells.push(Cell::new(contender));
            for metric in metrics {
                let found = accuracy.cells.iter().find(|cell| {
                    cell.page == *page
                        && cell.network == network
                        && cell.contender == *contender
                        && cell.metric == *metric
                });
                cells.extend(triple(*metric, found));
            }
            table.add_row(cells);
        }
    }
    table
}

fn triple(metric: MetricId, found: Option<&cell::Cell>) -> [Cell; 3] {
    let unit = metric.metric().unit;
    let text = |value: Option<f64>| value.map_or(NONE.to_owned(), |v| unit.format(v));
    let error = found.and_then(cell::Cell::signed_error);
    let shown = Cell::new(error.map_or(NONE.to_owned(), signed_percent));
    [
        Cell::new(text(found.and_then(|cell| cell.observed))),
        Cell::new(text(found.and_then(|cell| cell.predicted))),
        match error {
            Some(error) if error.abs() > OFF => shown.fg(Color::Yellow),
            _ => shown,
        },
    ]
}

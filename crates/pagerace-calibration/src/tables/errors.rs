//! The errors: overall, and by kind of page, network, protocol, strategy and page.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;

use super::{Section, Table, capital, share, signed, title, value};
use crate::accuracy::{Accuracy, Group};
use crate::errors::Errors;

const ERRORS: [&str; 9] = [
    "metric", "cells", "p50", "p90", "p95", "bias", "noise", "distance", "no error",
];

/// The values of the columns [`ERRORS`].
fn error_fields(metric: MetricId, errors: &Errors) -> Vec<String> {
    vec![
        title(metric),
        errors.count.to_string(),
        share(errors.p50),
        share(errors.p90),
        share(errors.p95),
        signed(errors.bias),
        share(errors.noise),
        value(metric, errors.distance),
        errors.without.to_string(),
    ]
}

/// Builds the table of errors over all pages; if `parts`, also by kind of page, network,
/// protocol and strategy.
pub(super) fn errors(accuracy: &Accuracy, parts: bool) -> Section {
    let mut section = Section {
        title: "Relative error".to_owned(),
        text: vec![
            "The distance between the predicted and the live median, as a share of the live \
             median; quantiles over the cells (a cell is a page, network and contender). Bias: \
             median error with its sign, negative where the model is too fast. Noise: median \
             coefficient of variation of the live runs, a floor for the error. Distance: median \
             in the metric's unit. No error: cells in which one side has no value or the live \
             median is zero."
                .to_owned(),
        ],
        ..Section::default()
    };
    for name in distinct(accuracy.overall.iter().map(|g| g.name.as_str())) {
        let mut table = Table::new(&capital(name), 1, &ERRORS);
        for group in accuracy.overall.iter().filter(|g| g.name == name) {
            table.add(error_fields(group.metric, &group.errors));
        }
        section.tables.push(table);
    }
    if parts {
        section.tables.extend([
            apart("By kind of page", "kind", &accuracy.by_kind),
            apart("By network", "network", &accuracy.by_network),
            apart("By protocol", "protocol", &accuracy.by_protocol),
            apart("By strategy over HTTP/3", "strategy", &accuracy.by_strategy),
        ]);
        if !accuracy.elsewhere.is_empty() {
            section.tables.push(apart(
                "The same pages as another recorder would have recorded them: without \
                 Pagerace's own fields, so that paints are guessed (all pages, then by protocol)",
                "pages",
                &accuracy.elsewhere,
            ));
        }
    }
    section
}

const APART: [&str; 9] = [
    "metric",
    "tuned cells",
    "p50",
    "p90",
    "bias",
    "held-out cells",
    "p50",
    "p90",
    "bias",
];

/// Builds a table with tuned and held-out pages in separate columns.
fn apart(caption: &str, column: &str, groups: &[Group]) -> Table {
    let mut header = vec![column];
    header.extend(APART);
    let mut table = Table::new(caption, 2, &header);
    for group in groups {
        let mut row = vec![group.name.clone(), title(group.metric)];
        for errors in [&group.tuned, &group.held_out] {
            row.push(errors.count.to_string());
            row.extend([share(errors.p50), share(errors.p90), signed(errors.bias)]);
        }
        table.add(row);
    }
    table
}

pub(super) fn by_page(accuracy: &Accuracy) -> Section {
    let mut header = vec!["page"];
    header.extend(ERRORS);
    let mut table = Table::new("", 2, &header);
    for group in &accuracy.by_page {
        let held_out = accuracy.held_out.contains(&group.name);
        let mark = if held_out { " (held out)" } else { "" };
        let mut row = vec![format!("{}{mark}", group.name)];
        row.extend(error_fields(group.metric, &group.errors));
        table.add(row);
    }
    Section {
        title: "Relative error by page".to_owned(),
        tables: vec![table],
        ..Section::default()
    }
}

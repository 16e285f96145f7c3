//! The errors: overall, and by kind of page, network, protocol, strategy and page.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;

use super::{NONE, Section, Table, capital, or_none, share, signed, title, value};
use crate::accuracy::{Accuracy, Group};
use crate::errors::Errors;

const ERRORS: [&str; 10] = [
    "metric", "cells", "p50", "p90", "p95", "bias", "live p50", "live p90", "distance", "no error",
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
        share(errors.repeat_p50),
        share(errors.repeat_p90),
        value(metric, errors.distance),
        errors.without.to_string(),
    ]
}

/// Builds the tables of errors over all pages, and over tuned and held-out pages.
pub(super) fn errors(accuracy: &Accuracy) -> Section {
    let mut section = Section {
        title: "Relative error".to_owned(),
        text: vec![
            "The distance between the predicted and the live median, as a share of the live \
             median; quantiles over the cells (a cell is a page, network and contender). Bias: \
             median error with its sign, negative where the model is too fast. Live: the error \
             of one live load as a prediction of the others, where a cell has several. \
             Distance: median in the metric's unit. No error: cells in which one side has no \
             value or the live median is zero."
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
    section
}

/// Selects the errors of tuned or held-out pages.
type Side = fn(&Group) -> &Errors;

/// The ways to group the cells, with their captions and prefixes of their names in one table.
fn parts(accuracy: &Accuracy) -> [(&'static str, &'static str, &[Group]); 5] {
    [
        ("by kind of page", "", &accuracy.by_kind),
        ("by network", "", &accuracy.by_network),
        ("by protocol", "", &accuracy.by_protocol),
        ("by strategy over HTTP/3", "h3 ", &accuracy.by_strategy),
        (
            "the same pages as another recorder would have recorded them, with guessed paints",
            "other recorders: ",
            &accuracy.elsewhere,
        ),
    ]
}

/// Builds one table for held-out and one for tuned pages, with a row for each group of cells
/// and a column for each metric.
pub(super) fn overview(accuracy: &Accuracy) -> Section {
    let mut section = Section {
        title: "Relative error".to_owned(),
        text: vec![
            "Each field: the error that half of the cells do not exceed / that nine of ten do not \
             exceed, and the bias (median error with its sign, negative where the model is too \
             fast), in per cent of the live median. A dash stands for cells without such a value. \
             Other recorders: the same pages without Pagerace's own fields, so that paints are \
             guessed."
                .to_owned(),
        ],
        ..Section::default()
    };
    let sides: [(&str, Side); 2] = [
        ("Held-out pages", |group| &group.held_out),
        ("Tuned pages", |group| &group.tuned),
    ];
    for (caption, errors) in sides {
        let metrics = accuracy.metrics.iter();
        let mut header = vec![String::new(), "cells".to_owned()];
        header.extend(metrics.map(|metric| title(*metric)));
        let mut table = Table {
            caption: caption.to_owned(),
            header,
            words: 1,
            rows: Vec::new(),
        };
        let all = accuracy.overall.iter();
        let all: Vec<Group> = all.filter(|g| g.name == "all pages").cloned().collect();
        rows(&mut table, accuracy, "", &all, errors);
        for (_, prefix, groups) in parts(accuracy) {
            rows(&mut table, accuracy, prefix, groups, errors);
        }
        if !table.rows.is_empty() {
            section.tables.push(table);
        }
    }
    section
}

/// Adds a row for each name of `groups` that has cells.
fn rows(table: &mut Table, accuracy: &Accuracy, prefix: &str, groups: &[Group], errors: Side) {
    for name in distinct(groups.iter().map(|g| g.name.as_str())) {
        let of = |metric: &MetricId| {
            let mut here = groups.iter().filter(|g| g.name == name);
            here.find(|g| g.metric == *metric).map(errors)
        };
        let all: Vec<Option<&Errors>> = accuracy.metrics.iter().map(of).collect();
        let cells = all.iter().flatten().map(|e| e.count + e.without).max();
        if cells.unwrap_or(0) == 0 {
            continue;
        }
        let mut row = vec![
            format!("{prefix}{name}"),
            or_none(cells.map(|n| n.to_string())),
        ];
        row.extend(
            all.into_iter()
                .map(|e| e.map_or_else(|| NONE.to_owned(), brief)),
        );
        table.add(row);
    }
}

/// Formats errors in one field: "3.3 / 11, bias -1.2".
fn brief(errors: &Errors) -> String {
    let number = |text: String| text.trim_end_matches([' ', '%']).to_owned();
    match (errors.p50, errors.p90) {
        (None, _) | (_, None) => NONE.to_owned(),
        _ => format!(
            "{} / {}, {}",
            number(share(errors.p50)),
            number(share(errors.p90)),
            number(signed(errors.bias))
        ),
    }
}

/// Builds the tables with all metrics of all groups.
pub(super) fn groups(accuracy: &Accuracy) -> Section {
    let parts = parts(accuracy).into_iter();
    let tables = parts.filter(|(_, _, groups)| !groups.is_empty());
    Section {
        title: "Relative error by group".to_owned(),
        tables: tables
            .map(|(caption, _, groups)| apart(&capital(caption), groups))
            .collect(),
        ..Section::default()
    }
}

const APART: [&str; 10] = [
    "",
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
fn apart(caption: &str, groups: &[Group]) -> Table {
    let mut table = Table::new(caption, 2, &APART);
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

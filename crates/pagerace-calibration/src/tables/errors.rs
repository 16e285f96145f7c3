//! The errors: overall, and by kind of page, network, protocol and strategy.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;
use pagerace_report::sections::{Section, Table, columns};

use super::{NONE, capital, or_none, pair, share, signed, title, unitless, value};
use crate::accuracy::{Accuracy, Group};
use crate::errors::Errors;

const ERRORS: &str =
    "metric | cells | p50 | p90 | p95 | bias | live p50 | live p90 | distance | no error";

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
    let section = Section::new("Relative error").say(
        "The distance between the predicted and the live median, as a share of the live \
             median; quantiles over the cells (a cell is a page, network and contender). Bias: \
             median error with its sign, negative where the model is too fast. Live: the error \
             of one live load as a prediction of the others, where a cell has several. \
             Distance: median in the metric's unit. No error: cells in which one side has no \
             value or the live median is zero.",
    );
    let names = distinct(accuracy.overall.iter().map(|g| g.name.as_str()));
    names.into_iter().fold(section, |section, name| {
        let groups = accuracy.overall.iter().filter(|g| g.name == name);
        let rows = groups.map(|group| error_fields(group.metric, &group.errors));
        section.table(Table::new(columns(ERRORS), 1, rows).captioned(capital(name)))
    })
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
    let section = Section::new("Relative error").say(
        "Each field: the error that half of the cells do not exceed / that nine of ten do not \
             exceed, and the bias (median error with its sign, negative where the model is too \
             fast), in per cent of the live median. A dash stands for cells without such a value. \
             Other recorders: the same pages without Pagerace's own fields, so that paints are \
             guessed, and recorded without a network. HARs that hold a network's delays are off by \
             more.",
    );
    let sides: [(&str, Side); 2] = [
        ("Held-out pages", |group| &group.held_out),
        ("Tuned pages", |group| &group.tuned),
    ];
    let tables = sides.map(|(caption, errors)| {
        let metrics = accuracy.metrics.iter();
        let mut header = vec![String::new(), "cells".to_owned()];
        header.extend(metrics.map(|metric| title(*metric)));
        let all = accuracy.overall.iter();
        let all: Vec<Group> = all.filter(|g| g.name == "all pages").cloned().collect();
        let mut rows = rows(accuracy, "", &all, errors);
        for (_, prefix, groups) in parts(accuracy) {
            rows.extend(self::rows(accuracy, prefix, groups, errors));
        }
        Table::new(header, 1, rows).captioned(caption)
    });
    let filled = tables.into_iter().filter(|table| !table.rows.is_empty());
    filled.fold(section, Section::table)
}

/// Adds a row for each name of `groups` that has cells.
fn rows(accuracy: &Accuracy, prefix: &str, groups: &[Group], errors: Side) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
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
        row.extend(all.into_iter().map(|e| or_none(e.map(brief))));
        rows.push(row);
    }
    rows
}

/// Formats errors in one field, without the unit: "3.3 / 11, -1.2".
pub(super) fn brief(errors: &Errors) -> String {
    match (errors.p50, errors.p90) {
        (None, _) | (_, None) => NONE.to_owned(),
        (p50, p90) => format!("{}, {}", pair(p50, p90), unitless(&signed(errors.bias))),
    }
}

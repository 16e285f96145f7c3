//! How large the errors are: overall, and by network, protocol and page.

use super::{Section, Table, capital, share, signed, title, value};
use crate::calibrate::accuracy::Accuracy;
use crate::calibrate::errors::Errors;
use crate::metric::MetricId;
use crate::results::distinct;

const ERRORS: [&str; 9] = [
    "metric", "cells", "p50", "p90", "p95", "bias", "noise", "distance", "no error",
];

/// The fields of [`ERRORS`].
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

pub(super) fn errors(accuracy: &Accuracy, full: bool) -> Section {
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
    if full {
        let mark = |page: &str| accuracy.held_out.iter().any(|name| name == page);
        for (caption, column, groups) in [
            ("By network", "network", &accuracy.by_network),
            ("By protocol", "protocol", &accuracy.by_protocol),
            ("By page", "page", &accuracy.by_page),
        ] {
            let mut header = vec![column];
            header.extend(ERRORS);
            let mut table = Table::new(caption, 2, &header);
            for group in groups {
                let held_out = column == "page" && mark(&group.name);
                let mark = if held_out { " (held out)" } else { "" };
                let mut row = vec![format!("{}{mark}", group.name)];
                row.extend(error_fields(group.metric, &group.errors));
                table.add(row);
            }
            section.tables.push(table);
        }
    }
    section
}

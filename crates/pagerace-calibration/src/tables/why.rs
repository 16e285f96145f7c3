//! The locations and causes of the model's errors.

use pagerace_core::Words as _;
use pagerace_lab::unit::Unit;

use super::{NONE, Section, Table, or_none, signed, title, value};
use crate::accuracy::{Accuracy, Worst};
use crate::blame::Blame;

pub(super) fn why(accuracy: &Accuracy) -> Section {
    let mut causes = Table::new(
        "Where predictions that are off by more than 5 % first part from reality",
        2,
        &["metric", "at", "cells", "median gap (live less predicted)"],
    );
    for cause in &accuracy.causes {
        causes.add(vec![
            title(cause.metric),
            cause.stage.word().to_owned(),
            cause.cells.to_string(),
            or_none(cause.gap_ms.map(gap)),
        ]);
    }
    let mut worst = Table::new(
        "The worst cells of each metric",
        5,
        &[
            "metric",
            "page",
            "network",
            "contender",
            "parts at",
            "predicted",
            "live",
            "error",
        ],
    );
    for Worst { cell, blame } in &accuracy.worst {
        worst.add(vec![
            title(cell.metric),
            cell.page.clone(),
            cell.network.clone(),
            cell.contender.clone(),
            blame.as_ref().map_or_else(|| NONE.to_owned(), blamed),
            value(cell.metric, cell.predicted),
            value(cell.metric, cell.observed),
            signed(cell.signed_error()),
        ]);
    }
    Section {
        title: "Where the model is wrong, and why".to_owned(),
        text: vec![
            "The median simulated load beside the median live one, resource by resource along the \
             predicted critical path of the metric: the first moment at which they differ by more \
             than the threshold is blamed. What follows from it is not told apart from it."
                .to_owned(),
        ],
        tables: vec![causes, worst],
        ..Section::default()
    }
}

/// Formats a gap in milliseconds with its sign.
fn gap(ms: f64) -> String {
    let unit = Unit::Milliseconds;
    unit.scale(ms).format_signed(ms)
}

/// Formats a divergence: "transfer of app.js: predicted 310 ms, live 402 ms (+92 ms)".
fn blamed(blame: &Blame) -> String {
    let unit = Unit::Milliseconds;
    let of = blame
        .url
        .as_deref()
        .map_or_else(String::new, |url| format!(" of {url}"));
    let times = match (blame.predicted_ms, blame.observed_ms, blame.gap_ms()) {
        (Some(p), Some(o), Some(late)) if late.is_finite() => {
            format!(
                ": predicted {}, live {} ({})",
                unit.format(p),
                unit.format(o),
                gap(late)
            )
        }
        _ => String::new(),
    };
    format!("{}{of}{times}", blame.stage.phrase())
}

//! The locations and causes of the model's errors.

use pagerace_core::Words as _;
use pagerace_lab::unit::Unit;
use pagerace_report::sections::{Section, Table, columns};

use super::{or_none, signed, title, value};
use crate::accuracy::{Accuracy, Worst};
use crate::blame::Blame;

pub(super) fn why(accuracy: &Accuracy) -> Section {
    let causes = accuracy.causes.iter().map(|cause| {
        vec![
            title(cause.metric),
            cause.stage.word().to_owned(),
            cause.cells.to_string(),
            or_none(cause.gap_ms.map(gap)),
        ]
    });
    let worst = accuracy.worst.iter().map(|Worst { cell, blame }| {
        vec![
            title(cell.metric),
            cell.page.clone(),
            cell.network.clone(),
            cell.contender.clone(),
            or_none(blame.as_ref().map(blamed)),
            value(cell.metric, cell.predicted),
            value(cell.metric, cell.observed),
            signed(cell.signed_error()),
        ]
    });
    let parting = columns("metric | at | cells | median gap (live less predicted)");
    let cells =
        columns("metric | page | network | contender | parts at | predicted | live | error");
    Section::new("Where the model is wrong, and why")
        .say(
            "The median simulated load beside the median live one, resource by resource along the \
             predicted critical path of the metric: the first moment at which they differ by more \
             than the threshold is blamed. What follows from it is not told apart from it.",
        )
        .table(
            Table::new(parting, 2, causes).captioned(
                "Where predictions that are off by more than 5 % first part from reality",
            ),
        )
        .table(Table::new(cells, 5, worst).captioned("The worst cells of each metric"))
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

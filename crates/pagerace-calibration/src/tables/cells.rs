//! The table of all cells.

use pagerace_report::sections::{Section, Table, columns};

use super::{share, signed, title, value};
use crate::accuracy::Accuracy;

pub(super) fn cells(accuracy: &Accuracy) -> Section {
    let rows = accuracy.cells.iter().map(|cell| {
        vec![
            cell.page.clone(),
            cell.network.clone(),
            cell.contender.clone(),
            title(cell.metric),
            value(cell.metric, cell.predicted),
            value(cell.metric, cell.observed),
            signed(cell.signed_error()),
            share(cell.repeat),
            cell.runs.to_string(),
            cell.failed.to_string(),
        ]
    });
    let header = columns(
        "page | network | contender | metric | predicted | live | error | repeat | runs | failed",
    );
    Section::new("All cells")
        .say(
            "Medians over the runs. Repeat: the mean error of each live run as a prediction of the \
             median of the others.",
        )
        .table(Table::new(header, 4, rows))
}

//! The table of all cells.

use super::{Section, Table, share, signed, title, value};
use crate::accuracy::Accuracy;

pub(super) fn cells(accuracy: &Accuracy) -> Section {
    let mut table = Table::new(
        "",
        4,
        &[
            "page",
            "network",
            "contender",
            "metric",
            "predicted",
            "live",
            "error",
            "repeat",
            "runs",
            "failed",
        ],
    );
    for cell in &accuracy.cells {
        table.add(vec![
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
        ]);
    }
    Section {
        title: "All cells".to_owned(),
        text: vec![
            "Medians over the runs. Repeat: the mean error of each live run as a prediction of the \
             median of the others."
                .to_owned(),
        ],
        tables: vec![table],
        ..Section::default()
    }
}

//! Every cell, and every pair of contenders that reality tells apart.

use super::{Section, Table, or_none, share, signed, title, value};
use crate::calibrate::accuracy::Accuracy;
use crate::unit::probability;

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
            "noise",
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
            share(cell.noise),
            cell.runs.to_string(),
            cell.failed.to_string(),
        ]);
    }
    let mut duels = Table::new(
        "Sure pairs (differences: the second contender's median less the first's, as a share of \
         the lower)",
        5,
        &[
            "page",
            "network",
            "metric",
            "first",
            "second",
            "live",
            "predicted",
            "p",
            "outcome",
        ],
    );
    for duel in accuracy.duels.iter().filter(|duel| duel.is_sure()) {
        let [first, second] = duel.contenders.clone();
        duels.add(vec![
            duel.page.clone(),
            duel.network.clone(),
            title(duel.metric),
            first,
            second,
            signed(duel.observed),
            signed(duel.predicted),
            or_none(duel.p.map(probability)),
            duel.outcome.label().to_owned(),
        ]);
    }
    Section {
        title: "All cells".to_owned(),
        text: vec!["Medians over the runs.".to_owned()],
        tables: vec![table, duels],
        ..Section::default()
    }
}

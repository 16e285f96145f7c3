//! The errors of predicted differences between contenders.

use super::{Section, Table, share, signed, title, value};
use crate::accuracy::Accuracy;
use crate::differences::DifferenceErrors;

pub(super) fn differences(accuracy: &Accuracy) -> Section {
    let mut tables = vec![table("All pages", &accuracy.model_errors)];
    if !accuracy.model_errors_held_out.is_empty() {
        tables.push(table("Held-out pages", &accuracy.model_errors_held_out));
    }
    Section {
        title: "Error of differences".to_owned(),
        text: vec![
            "Pairs of contenders that differ in one thing, on one page and network. Significant: \
             Welch's test of the live runs is below 0.05, without correction for the number of \
             pairs. Sign right: of those, pairs whose predicted difference has the live one's \
             sign (goal: 95 %). Errors: the distance between the predicted and the live \
             difference, as a share of the baseline's live median; bias is positive where the \
             second contender is predicted too slow against the first. Evidence: how the page's \
             paints are known; guessed are the same pages without Pagerace's own fields, as \
             other recorders would have recorded them."
                .to_owned(),
        ],
        tables,
        ..Section::default()
    }
}

fn table(caption: &str, errors: &[DifferenceErrors]) -> Table {
    let mut table = Table::new(
        caption,
        4,
        &[
            "differ in",
            "metric",
            "networks",
            "evidence",
            "pairs",
            "significant",
            "sign right",
            "p50",
            "p95",
            "bias",
            "distance",
        ],
    );
    for error in errors {
        let right = error.sign_right as f64 / error.significant as f64;
        table.add(vec![
            error.kind.name().to_owned(),
            title(error.metric),
            if error.lossy { "lossy" } else { "lossless" }.to_owned(),
            error.evidence.to_string(),
            error.pairs.to_string(),
            error.significant.to_string(),
            share((error.significant > 0).then_some(right)),
            share(error.p50),
            share(error.p95),
            signed(error.bias),
            value(error.metric, error.distance),
        ]);
    }
    table
}

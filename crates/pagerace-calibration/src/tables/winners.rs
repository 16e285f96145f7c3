//! Agreement on the winners between model and reality.

use super::{Section, Table, or_none, share, title};
use crate::accuracy::{Accuracy, Winners};

pub(super) fn winners(accuracy: &Accuracy) -> Section {
    let mut duels = Table::new(
        "Pairs of contenders",
        2,
        &[
            "pages",
            "metric",
            "pairs",
            "sure",
            "≥ 1 %",
            "right",
            "wrong",
            "tie",
            "no value",
            "share right",
            "same sign",
        ],
    );
    let mut ranks = Table::new(
        "Best contender and ranks",
        2,
        &[
            "pages",
            "metric",
            "rankings",
            "same best",
            "as good",
            "another",
            "correlated",
            "median rho",
        ],
    );
    for Winners {
        name,
        metric,
        score,
        share_right,
        ranks: r,
    } in &accuracy.winners
    {
        let mut row = vec![name.clone(), title(*metric)];
        row.extend(
            [
                score.pairs,
                score.sure(),
                score.decided(),
                score.right,
                score.wrong,
                score.tie,
                score.no_prediction,
            ]
            .map(|n| n.to_string()),
        );
        row.push(share(*share_right));
        row.push(format!("{} of {}", score.same_sign, score.sure()));
        duels.add(row);
        let mut row = vec![name.clone(), title(*metric)];
        row.extend([r.rankings, r.same, r.as_good, r.other, r.correlated].map(|n| n.to_string()));
        row.push(or_none(r.rho.map(|rho| format!("{rho:.2}"))));
        ranks.add(row);
    }
    Section {
        title: "Winners".to_owned(),
        text: vec![
            "For each page and network, every pair of contenders. Sure: Mann-Whitney's test of the \
             live runs, corrected by Holm's method over the pairs of that page, network and \
             metric, is below 0.05. Of those whose live medians differ by at least 1 %: right if \
             the model picks the same one, wrong if the other, tie if it sees less than 1 %. Same \
             sign: of all sure pairs, those whose predicted difference, whatever its size, has the \
             sign of the live one. As good: the model's best is another, but the live runs do not \
             tell it from the best, or only by less than 1 %. Rho: Spearman's correlation of the \
             contenders' medians."
                .to_owned(),
        ],
        tables: vec![duels, ranks],
        ..Section::default()
    }
}

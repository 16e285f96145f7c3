//! Groups of cells: sets of pages, networks, protocols, single pages.

use pagerace_lab::metric::MetricId;
use pagerace_lab::results::distinct;

use super::{Group, Rival};
use crate::cell::Cell;
use crate::errors::Errors;

/// The sets of pages that are reported separately; `None` selects all pages.
const SETS: [(&str, Option<bool>); 3] = [
    ("all pages", None),
    ("tuned pages", Some(false)),
    ("held-out pages", Some(true)),
];

/// Returns the non-empty sets of pages with their selectors. Tuned and held-out
/// pages are separate only if some pages are held out.
fn sets(cells: &[Cell]) -> impl Iterator<Item = (&'static str, Option<bool>)> {
    let apart = cells.iter().any(|cell| cell.held_out);
    let tuned = cells.iter().any(|cell| !cell.held_out);
    SETS.into_iter().filter(move |(_, set)| match set {
        None => true,
        Some(false) => apart && tuned,
        Some(true) => apart,
    })
}

/// Groups cells by set of pages.
pub(super) fn overall(metrics: &[MetricId], cells: &[Cell]) -> Vec<Group> {
    let mut groups = Vec::new();
    for (name, set) in sets(cells) {
        for metric in metrics {
            let here = cells.iter().filter(|cell| cell.metric == *metric);
            let here = here.filter(|cell| set.is_none_or(|set| cell.held_out == set));
            groups.push(group(name, *metric, here));
        }
    }
    groups
}

/// Computes the errors of `cells`: over all pages, tuned pages and held-out pages.
fn group<'a>(name: &str, metric: MetricId, cells: impl Iterator<Item = &'a Cell>) -> Group {
    let cells: Vec<&Cell> = cells.collect();
    let [tuned, held_out] = Errors::apart(&cells);
    Group {
        name: name.to_owned(),
        metric,
        errors: Errors::of(cells),
        tuned,
        held_out,
    }
}

/// Groups the predictions for pages as another recorder would have recorded
/// them, by protocol.
pub(super) fn elsewhere(metrics: &[MetricId], cells: &[Cell]) -> Vec<Group> {
    let cells = cells.iter().filter(|cell| cell.elsewhere.is_some());
    let cells: Vec<Cell> = cells
        .map(|cell| Cell {
            predicted: cell.elsewhere,
            ..cell.clone()
        })
        .collect();
    let mut all = overall(metrics, &cells);
    all.retain(|group| group.name == "all pages");
    all.extend(groups(metrics, &cells, |cell| vec![&cell.protocol]));
    all.retain(|group| group.errors.count > 0);
    all
}

/// Groups cells by the names that `of` returns, in order of appearance. A cell
/// may be in several groups.
pub(super) fn groups(
    metrics: &[MetricId],
    cells: &[Cell],
    of: fn(&Cell) -> Vec<&str>,
) -> Vec<Group> {
    let mut groups = Vec::new();
    for name in distinct(cells.iter().flat_map(of)) {
        for metric in metrics {
            let here = cells
                .iter()
                .filter(|cell| cell.metric == *metric && of(cell).contains(&name));
            groups.push(group(name, *metric, here));
        }
    }
    groups
}

/// Compares the errors of this model and Lighthouse on the cells that both predict.
pub(super) fn rivals(metrics: &[MetricId], cells: &[Cell]) -> Vec<Rival> {
    let mut rivals = Vec::new();
    for (name, set) in sets(cells) {
        for metric in metrics {
            let both: Vec<&Cell> = cells
                .iter()
                .filter(|cell| cell.metric == *metric)
                .filter(|cell| set.is_none_or(|set| cell.held_out == set))
                .filter(|cell| cell.lighthouse_error().is_some() && cell.error().is_some())
                .collect();
            if !both.is_empty() {
                rivals.push(Rival {
                    name: name.to_owned(),
                    metric: *metric,
                    ours: Errors::of(both.iter().copied()),
                    lighthouse: Errors::of_lighthouse(both.iter().copied()),
                });
            }
        }
    }
    rivals
}

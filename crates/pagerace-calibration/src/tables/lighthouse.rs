//! The comparison with Lighthouse.

use pagerace_lab::metric::MetricId;
use pagerace_report::sections::{Section, Table, columns};

use super::{NONE, share, title};
use crate::accuracy::{Accuracy, Group};
use crate::errors::Errors;
use crate::lighthouse::published;

pub(super) fn lighthouse(accuracy: &Accuracy) -> Option<Section> {
    let mut rows = Vec::new();
    let row = |name: &str, metric: MetricId, of: &str, cells: String, p: [Option<f64>; 3]| {
        let mut row = vec![name.to_owned(), title(metric), of.to_owned(), cells];
        row.extend(p.map(share));
        row
    };
    let quantiles = |e: &Errors| [e.p50, e.p90, e.p95];
    for &metric in &accuracy.metrics {
        let Some(known) = published(metric) else {
            continue;
        };
        let ours = accuracy.overall.iter().find(|g| g.metric == metric);
        if let Some(Group { name, errors, .. }) = ours {
            let p = quantiles(errors);
            rows.push(row(name, metric, "Pagerace", errors.count.to_string(), p));
        }
        let (pages, cells) = ("its own pages", NONE.to_owned());
        let p = known.map(Some);
        rows.push(row(pages, metric, "Lighthouse, as published", cells, p));
    }
    for rival in &accuracy.lighthouse {
        for (of, errors) in [
            ("Pagerace, same cells", &rival.ours),
            ("Lighthouse, simulated", &rival.lighthouse),
        ] {
            let (name, cells) = (&rival.name, errors.count.to_string());
            rows.push(row(name, rival.metric, of, cells, quantiles(errors)));
        }
    }
    if rows.is_empty() {
        return None;
    }
    let section = Section::new("Beside Lighthouse").say(
        "Lighthouse publishes the accuracy of its own simulation on pages and machines of its own \
         (core/test/fixtures/lantern-baseline-accuracy.json of its repository): the same form, \
         other data.",
    );
    let section = if accuracy.lighthouse.is_empty() {
        section
    } else {
        section.say(
            "Its simulated predictions for the pages and networks measured here stand beside ours \
             on the same cells. It knows neither protocol nor congestion controller, so that one \
             prediction stands beside every contender.",
        )
    };
    let header = columns("pages | metric | of | cells | p50 | p90 | p95");
    Some(section.table(Table::new(header, 3, rows)))
}

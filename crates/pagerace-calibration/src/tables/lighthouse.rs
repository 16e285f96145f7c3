//! The comparison with Lighthouse.

use pagerace_lab::metric::MetricId;

use super::{NONE, Section, Table, share, title};
use crate::accuracy::{Accuracy, Group};
use crate::errors::Errors;
use crate::lighthouse::published;

pub(super) fn lighthouse(accuracy: &Accuracy) -> Option<Section> {
    let header = ["pages", "metric", "of", "cells", "p50", "p90", "p95"];
    let mut table = Table::new("", 3, &header);
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
            table.add(row(name, metric, "Pagerace", errors.count.to_string(), p));
        }
        let (pages, cells) = ("its own pages", NONE.to_owned());
        let p = known.map(Some);
        table.add(row(pages, metric, "Lighthouse, as published", cells, p));
    }
    for rival in &accuracy.lighthouse {
        for (of, errors) in [
            ("Pagerace, same cells", &rival.ours),
            ("Lighthouse, simulated", &rival.lighthouse),
        ] {
            let (name, cells) = (&rival.name, errors.count.to_string());
            table.add(row(name, rival.metric, of, cells, quantiles(errors)));
        }
    }
    if table.rows.is_empty() {
        return None;
    }
    let mut text = vec![
        "Lighthouse publishes the accuracy of its own simulation on pages and machines of its own \
         (core/test/fixtures/lantern-baseline-accuracy.json of its repository): the same form, \
         other data."
            .to_owned(),
    ];
    if !accuracy.lighthouse.is_empty() {
        text.push(
            "Its simulated predictions for the pages and networks measured here stand beside ours \
             on the same cells. It knows neither protocol nor congestion controller, so that one \
             prediction stands beside every contender."
                .to_owned(),
        );
    }
    Some(Section {
        title: "Beside Lighthouse".to_owned(),
        text,
        tables: vec![table],
        ..Section::default()
    })
}

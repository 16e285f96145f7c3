//! Table of Lighthouse's results.

use comfy_table::{Cell, Table};
use pagerace_chromium::node::Lighthouse;
use pagerace_core::Duration;
use pagerace_lab::Plan;
use pagerace_lab::unit::Unit;

use super::{or_none, table};

/// Returns a table of the metrics that Lighthouse reports, one row for each variant.
pub(crate) fn observed(plan: &Plan, opinions: &[(usize, Lighthouse)]) -> Table {
    let metrics = ["fcp", "lcp", "speed-index", "tti", "tbt", "cls"];
    let header = ["page", "network", "variant"].into_iter().chain(metrics);
    let mut table = table(&header.collect::<Vec<_>>(), 3);
    for (variant, said) in opinions {
        let (page, network, contender) = plan.variant_parts(*variant);
        let time = |value: Option<Duration>| {
            let text = value.map(|v| Unit::Milliseconds.format(v.as_millis_f64()));
            or_none(text)
        };
        let mut cells = vec![
            Cell::new(&plan.pages[page].name),
            Cell::new(&plan.networks[network].name),
            Cell::new(plan.label(contender)),
        ];
        cells.extend([said.fcp, said.lcp, said.speed_index, said.tti, said.tbt].map(time));
        let cls = said.cls.map(|score| Unit::Score.format(score));
        cells.push(or_none(cls));
        table.add_row(cells);
    }
    table
}

//! Table of delivered objects.

use comfy_table::{Cell, Table};
use pagerace_lab::Results;
use pagerace_lab::stats::median;
use pagerace_lab::unit::Unit;
use pagerace_report::sections::columns;
use pagerace_sim::TransportCounters;

use super::table;

/// Returns the deliveries of each contender on one network, as medians of the runs summed
/// over all pages; `None` if no object was sent in datagrams.
pub(crate) fn deliveries(results: &Results, network: usize) -> Option<Table> {
    let plan = &results.plan;
    let sums = |contender: usize, count: fn(&TransportCounters) -> u64| -> f64 {
        let of_page = |page: usize| {
            let runs = &results.variant(page, network, contender).runs;
            let counts: Vec<f64> = runs.iter().map(|r| count(&r.transport) as f64).collect();
            median(&counts).unwrap_or_default()
        };
        (0..plan.pages.len()).map(of_page).sum()
    };
    let all = 0..plan.contenders.len();
    if all.clone().all(|i| sums(i, |t| t.datagram_objects) == 0.0) {
        return None;
    }
    let rest = "in datagrams |  | repaired | in part | broken | data lost |  | fetched again";
    let mut table = table(&columns(&format!("{} | {rest}", plan.noun().one())), 1);
    for i in all {
        let (sent, lost) = (
            sums(i, |t| t.datagram_bytes),
            sums(i, |t| t.data_lost_bytes),
        );
        let share = if sent > 0.0 {
            format!("{:.1} %", lost / sent * 100.0)
        } else {
            super::NONE.to_owned()
        };
        let count = |count: fn(&TransportCounters) -> u64| Cell::new(sums(i, count));
        let cells = vec![
            Cell::new(plan.label(i)),
            count(|t| t.datagram_objects),
            Cell::new(Unit::Bytes.format(sent)),
            count(|t| t.repaired_objects),
            count(|t| t.partial_objects),
            count(|t| t.broken_objects),
            Cell::new(Unit::Bytes.format(lost)),
            Cell::new(share),
            Cell::new(Unit::Bytes.format(sums(i, |t| t.repaired_bytes))),
        ];
        table.add_row(cells);
    }
    Some(table)
}

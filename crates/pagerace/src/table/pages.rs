//! The pages of one contender beside each other.

use comfy_table::{Cell, Table};
use pagerace_lab::unit::{Scale, Unit};

use super::{or_none, relative, table};

/// The values of a page on one network, without those of loads that have none.
pub(crate) struct PageValues<'a> {
    pub(crate) name: &'a str,
    /// Infinite if more than half of the loads failed.
    pub(crate) median: Option<f64>,
    /// The lowest and the highest value.
    pub(crate) range: Option<(f64, f64)>,
    /// Difference of the medians from the first page's, and the same as a share of that.
    pub(crate) difference: Option<f64>,
    pub(crate) relative: Option<f64>,
}

/// Returns a table with a line for each page. `metric` is the name of the metric.
pub(crate) fn beside(pages: &[PageValues<'_>], metric: &str, unit: Unit) -> Table {
    let largest = |value: &dyn Fn(&PageValues<'_>) -> Option<f64>| -> Scale {
        let finite = pages.iter().filter_map(value).filter(|v| v.is_finite());
        unit.scale(finite.fold(0.0_f64, |most, v| most.max(v.abs())))
    };
    let values = largest(&|page| page.median);
    let differences = largest(&|page| page.difference);
    let mut table = table(&["page", metric, "lowest to highest", "difference", ""], 1);
    for page in pages {
        let range = |(low, high)| format!("{} to {}", values.format(low), values.format(high));
        table.add_row([
            Cell::new(page.name),
            or_none(page.median.map(|median| values.format(median))),
            or_none(page.range.map(range)),
            or_none(page.difference.map(|d| differences.format_signed(d))),
            relative(page.relative),
        ]);
    }
    table
}

//! The answer of a race with one contender and several pages: the pages are compared.

use std::io::{self, Write};

use pagerace_lab::Results;
use pagerace_lab::analysis::{NOTICEABLE, relative};
use pagerace_lab::metric::Wording;
use pagerace_lab::stats::median;
use pagerace_lab::unit::percent;
use pagerace_report::input::Provenance;

use crate::table::{self, pages::PageValues};
use crate::text::{headed, say, stress};

/// Note on what the verdicts of races between contenders have, and this comparison lacks.
const CAREFUL: &str = "The model's error is not measured for differences between pages, so only the \
                       runs speak here. Name two contenders, as in --protocol h2,h3, to compare \
                       deliveries on each page.";

/// Maximum number of pages that are put into words.
const SENTENCES_MAX: usize = 5;

/// Compares the pages on one network with the first of them, if there are several and one
/// contender. Returns false, and prints nothing, otherwise.
pub(super) fn answer(out: &mut impl Write, results: &Results, network: usize) -> io::Result<bool> {
    let plan = &results.plan;
    let ([first, _, ..], [_]) = (plan.pages.as_slice(), plan.contenders.as_slice()) else {
        return Ok(false);
    };
    let (link, metric) = (&plan.networks[network], plan.metric.metric());
    let values: Vec<PageValues<'_>> = values(results, network);
    writeln!(out)?;
    headed(out, &link.name, &link.describe())?;
    let with = plan.label(0);
    let text = format!(
        "One contender, {with}: the pages are compared with the first, {}.",
        first.name
    );
    say(out, &text)?;
    table::print(
        out,
        &table::pages::beside(&values, metric.name, metric.unit),
    )?;
    if let Some(table) = table::objects::deliveries(results, network) {
        writeln!(out)?;
        headed(out, "Objects", "medians of the runs, summed over the pages")?;
        table::print(out, &table)?;
    }
    writeln!(out)?;
    if values.len() <= SENTENCES_MAX {
        for page in &values[1..] {
            let text = sentence(page, &values[0], metric.wording);
            stress(out, &format!("{}: {text}", link.name))?;
        }
    }
    if results.provenance == Provenance::Simulated && network + 1 == plan.networks.len() {
        say(out, CAREFUL)?;
    }
    Ok(true)
}

/// Returns the values of each page.
fn values(results: &Results, network: usize) -> Vec<PageValues<'_>> {
    let plan = &results.plan;
    let all = |page| -> Vec<f64> {
        let values = results.variant(page, network, 0).values(plan.metric);
        values.into_iter().flatten().collect()
    };
    let base = median(&all(0));
    let of = |page: usize| {
        let values = all(page);
        let median = median(&values);
        let ends = [f64::min, f64::max].map(|end| values.iter().copied().reduce(end));
        let pair = median.zip(base).filter(|_| page > 0);
        let difference = pair.map(|(own, base)| own - base);
        let difference = difference.filter(|difference| difference.is_finite());
        PageValues {
            name: &plan.pages[page].name,
            median,
            range: ends[0].zip(ends[1]),
            difference,
            relative: relative(difference, base),
        }
    };
    (0..plan.pages.len()).map(of).collect()
}

/// Returns how a page compares with the first.
fn sentence(page: &PageValues<'_>, first: &PageValues<'_>, wording: Wording) -> String {
    let (name, base) = (page.name, first.name);
    let (Some(share), Some(own), Some(other)) = (page.relative, page.range, first.range) else {
        return format!("{name} cannot be compared with {base}.");
    };
    if share.abs() < NOTICEABLE {
        return format!(
            "{name} and {base} differ by less than {}.",
            percent(NOTICEABLE)
        );
    }
    let size = percent(share.abs());
    let (less, more) = match wording {
        Wording::Moment(_) => ("sooner", "later"),
        Wording::Amount(_) => ("less", "more"),
    };
    let side = if share < 0.0 { less } else { more };
    let does = match wording {
        Wording::Moment(does) => format!("{does} {size} {side} than {base}"),
        Wording::Amount(what) => format!("has {size} {side} {what} than {base}"),
    };
    let runs = if own.1 < other.0 || own.0 > other.1 {
        "in every run"
    } else {
        "in the median; some runs say otherwise"
    };
    format!("{name} {does} {runs}.")
}

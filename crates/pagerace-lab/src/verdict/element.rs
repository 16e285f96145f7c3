//! The part of a verdict that depends on which element is the largest.

use std::collections::BTreeMap;

use super::words::join;
use crate::analysis::NOTICEABLE;
use crate::metric::{MetricId, Wording};
use crate::results::Results;
use crate::stats::{crossed, median};

/// The fewest runs with an element that say something about it.
const RUNS_MIN: usize = 3;

/// Says on which of the elements that may be the largest a difference depends: "It depends on the
/// largest element: HTTP/3 is sooner if it is hero.jpg (18 of 30 runs), and later if it is text
/// (9)." `None` if all of them agree, or the recording tells which it is.
pub(super) fn by_element(
    results: &Results,
    page: usize,
    network: usize,
    contender: usize,
    metric: MetricId,
) -> Option<String> {
    let plan = &results.plan;
    let [own, base] = [contender, plan.baseline].map(|i| results.variant(page, network, i));
    let mut elements: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for run in 0..own.runs.len() {
        let draw = plan.world(network, run).largest?;
        let (element, _) = plan.pages[page].drawn_largest(draw)?;
        let candidates = plan.pages[page].largest_candidates().iter();
        let place = candidates.take_while(|one| one.element != element).count();
        elements.entry(place).or_default().push(run);
    }
    let (mut sooner, mut later) = (Vec::new(), Vec::new());
    for (place, runs) in elements.iter().filter(|(_, runs)| runs.len() >= RUNS_MIN) {
        let values = |variant: &crate::results::Variant| -> Vec<(f64, usize)> {
            let all = variant.values(metric);
            let here = runs.iter().filter_map(|run| all[*run]);
            here.map(|value| (value, 0)).collect()
        };
        let (own_values, base_values) = (values(own), values(base));
        let middle = median(
            &base_values
                .iter()
                .map(|(value, _)| *value)
                .collect::<Vec<f64>>(),
        )?;
        let difference = median(&crossed(&own_values, &base_values))? / middle;
        let element = plan.pages[page].largest_candidates()[*place].element;
        let name = plan.pages[page].element_in_words(element);
        let told = format!("{name} ({} of {} runs)", runs.len(), own.runs.len());
        if difference <= -NOTICEABLE {
            sooner.push(told);
        } else if difference >= NOTICEABLE {
            later.push(told);
        }
    }
    if sooner.is_empty() || later.is_empty() {
        return None;
    }
    let (less, more) = match metric.metric().wording {
        Wording::Moment(_) => ("sooner", "later"),
        Wording::Amount(_) => ("lower", "higher"),
    };
    Some(format!(
        "It depends on the largest element, which the recording does not tell: {} is {less} if it \
         is {}, and {more} if it is {}.",
        plan.spoken(contender),
        join(&sooner),
        join(&later)
    ))
}

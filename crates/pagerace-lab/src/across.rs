//! Comparison over several pages: how many pages gain, how many lose, and by how much.
//!
//! Counting follows Sander 2022: per page, the difference of the medians is taken relative
//! to the baseline's median. A page gains or loses if this exceeds five per cent.

use crate::analysis::relative;
use crate::metric::{MetricId, Wording};
use crate::results::Results;
use crate::stats::median;
use crate::unit::signed_percent;

/// The share of the baseline's median beyond which a page gains or loses.
pub const GAIN: f64 = 0.05;

/// A metric on one network, over all pages.
#[derive(Clone, Debug, PartialEq)]
pub struct AcrossPages {
    /// The metric that is compared.
    pub metric: MetricId,
    /// Index into the plan's networks.
    pub network: usize,
    /// One row per contender except the baseline, in the plan's order.
    pub rows: Vec<AcrossRow>,
    /// A plain sentence that begins with the network's name.
    pub sentence: String,
}

/// One contender over all pages.
#[derive(Clone, Debug, PartialEq)]
pub struct AcrossRow {
    /// Index into the plan's contenders.
    pub contender: usize,
    /// Per page: the difference of the medians as a share of the baseline's median.
    /// Infinite if only this contender mostly fails. `None` if one side has no median,
    /// the baseline's median is zero or infinite, or a lower median comes with more
    /// broken objects.
    pub relative: Vec<Option<f64>>,
    /// Pages that gain more than five per cent.
    pub gain: usize,
    /// Pages that lose more than five per cent, or on which most loads fail.
    pub lose: usize,
    /// Pages that change by at most five per cent.
    pub same: usize,
    /// Pages that cannot be compared.
    pub missing: usize,
    /// Median of `relative`.
    pub median: Option<f64>,
}

/// Counts gains and losses over all pages of `results` on one network.
pub fn across_pages(results: &Results, network: usize, metric: MetricId) -> AcrossPages {
    let plan = &results.plan;
    let baseline = plan.baseline;
    let medians = |contender: usize| -> Vec<Option<f64>> {
        (0..plan.pages.len())
            .map(|page| {
                let values = results.variant(page, network, contender).values(metric);
                median(&values.into_iter().flatten().collect::<Vec<_>>())
            })
            .collect()
    };
    let reference = medians(baseline);
    // A page with more broken objects has gained nothing, even if its median is lower.
    let honest = |contender: usize| -> Vec<Option<f64>> {
        let breaks = |page: usize| {
            let broken = |contender| results.variant(page, network, contender).broken();
            broken(contender) > broken(baseline)
        };
        let all = medians(contender).into_iter().enumerate();
        all.map(|(page, value)| value.filter(|v| !breaks(page) || reference[page] <= Some(*v)))
            .collect()
    };
    let rows: Vec<AcrossRow> = (0..plan.contenders.len())
        .filter(|&contender| contender != baseline)
        .map(|contender| count(contender, &honest(contender), &reference))
        .collect();
    let sentence = sentence(results, network, metric, &rows);
    AcrossPages {
        metric,
        network,
        rows,
        sentence,
    }
}

fn count(contender: usize, medians: &[Option<f64>], reference: &[Option<f64>]) -> AcrossRow {
    let relative: Vec<Option<f64>> = medians
        .iter()
        .zip(reference)
        .map(|(value, base)| relative(value.zip(*base).map(|(v, b)| v - b), *base))
        .collect();
    let comparable: Vec<f64> = relative.iter().copied().flatten().collect();
    let gain = comparable.iter().filter(|share| **share < -GAIN).count();
    let lose = comparable.iter().filter(|share| **share > GAIN).count();
    AcrossRow {
        contender,
        gain,
        lose,
        same: comparable.len() - gain - lose,
        missing: relative.len() - comparable.len(),
        median: median(&comparable),
        relative,
    }
}

/// Describes the contender with the most pages gained less pages lost.
fn sentence(results: &Results, network: usize, metric: MetricId, rows: &[AcrossRow]) -> String {
    let plan = &results.plan;
    let (name, pages) = (&plan.networks[network].name, plan.pages.len());
    let net = |row: &AcrossRow| row.gain as i64 - row.lose as i64;
    let Some(best) = rows.iter().max_by(|a, b| {
        // `max_by` returns the last of equals: prefer the lower median, then the plan's
        // order.
        let median = |row: &AcrossRow| row.median.unwrap_or(f64::INFINITY);
        net(a)
            .cmp(&net(b))
            .then(median(b).total_cmp(&median(a)))
            .then(b.contender.cmp(&a.contender))
    }) else {
        return format!("{name}: {} raced alone.", plan.label(plan.baseline));
    };
    let (contender, baseline) = (plan.label(best.contender), plan.label(plan.baseline));
    let noun = plan.noun().one();
    let middle = best.median.map_or_else(String::new, |share| {
        format!("; the median page changes by {}", signed_percent(share))
    });
    // The noun follows the first count; the second count is a bare number.
    let on = format!(
        "on {} {}",
        best.gain,
        if best.gain == 1 { "page" } else { "pages" }
    );
    let lose = best.lose;
    let beaten = best.gain > best.lose;
    let counts = match (beaten, metric.metric().wording) {
        (true, Wording::Moment(does)) => format!(
            "{contender} {does} more than 5 % sooner than {baseline} {on} and more than 5 % later \
             on {lose}"
        ),
        (true, Wording::Amount(what)) => format!(
            "with {contender}, {what} is more than 5 % lower than with {baseline} {on} and more \
             than 5 % higher on {lose}"
        ),
        (false, Wording::Moment(does)) => format!(
            "no {noun} beats {baseline}; the closest, {contender}, {does} more than 5 % sooner \
             {on} and more than 5 % later on {lose}"
        ),
        (false, Wording::Amount(what)) => format!(
            "no {noun} beats {baseline}; with the closest, {contender}, {what} is more than 5 % \
             lower {on} and more than 5 % higher on {lose}"
        ),
    };
    format!("{name}: over {pages} pages, {counts}{middle}.")
}

#[cfg(test)]
mod tests;

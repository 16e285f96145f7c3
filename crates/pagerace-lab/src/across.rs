//! Comparison over several pages: on how many pages a contender wins and loses, by the same
//! verdicts as on one page, and by how much the pages change.

use crate::analysis::{Mark, analyse, relative};
use crate::metric::{MetricId, Wording};
use crate::results::Results;
use crate::stats::median;
use crate::unit::signed_percent;

/// The share of the baseline's median beyond which studies count a page as better or worse, as
/// Sander 2022 does.
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
    /// Per page: the conclusion.
    pub marks: Vec<Mark>,
    /// Median of `relative`.
    pub median: Option<f64>,
}

impl AcrossRow {
    /// Returns the number of pages with one of these conclusions.
    pub fn count(&self, wanted: &[Mark]) -> usize {
        self.marks
            .iter()
            .filter(|mark| wanted.contains(mark))
            .count()
    }

    /// Returns the number of pages on which the contender wins, surely or probably.
    pub fn gains(&self) -> usize {
        self.count(&[Mark::Better, Mark::ProbablyBetter])
    }

    /// Returns the number of pages on which it loses, surely or probably.
    pub fn losses(&self) -> usize {
        self.count(&[Mark::Worse, Mark::ProbablyWorse])
    }

    /// Returns the number of pages without a difference that matters.
    pub fn same(&self) -> usize {
        self.count(&[Mark::NoDifference, Mark::TooSmall])
    }

    /// Returns the number of pages that remain open.
    pub fn open(&self) -> usize {
        self.count(&[Mark::Open, Mark::TooFewRuns])
    }

    /// Returns the number of pages that cannot be compared.
    pub fn missing(&self) -> usize {
        self.count(&[Mark::Undefined, Mark::Broken])
    }
}

/// Compares all contenders with the baseline over all pages of `results` on one network.
pub fn across_pages(results: &Results, network: usize, metric: MetricId) -> AcrossPages {
    let plan = &results.plan;
    let pages = 0..plan.pages.len();
    let analyses: Vec<_> = pages
        .map(|page| analyse(results, page, network, metric))
        .collect();
    let row = |contender: usize| {
        let relative: Vec<Option<f64>> = analyses
            .iter()
            .map(|analysis| {
                let row = &analysis.rows[contender];
                let base = analysis.rows[plan.baseline].median;
                let change = relative(row.median.zip(base).map(|(v, b)| v - b), base);
                // A page with more broken objects has gained nothing, even if its median is lower.
                change.filter(|change| !row.breaks || *change >= 0.0)
            })
            .collect();
        let comparable: Vec<f64> = relative.iter().copied().flatten().collect();
        AcrossRow {
            contender,
            marks: analyses
                .iter()
                .map(|one| one.rows[contender].mark)
                .collect(),
            median: median(&comparable),
            relative,
        }
    };
    let others = (0..plan.contenders.len()).filter(|&contender| contender != plan.baseline);
    let rows: Vec<AcrossRow> = others.map(row).collect();
    let sentence = sentence(results, network, metric, &rows);
    AcrossPages {
        metric,
        network,
        rows,
        sentence,
    }
}

/// Describes the contender with the most pages won less pages lost: "On cable, over 20 pages,
/// HTTP/3 shows the largest element sooner than HTTP/2 on 9 (probably on 3 of them), later on 2,
/// without a difference that matters on 4, and 5 are open; the median page changes by -6.1 %."
fn sentence(results: &Results, network: usize, metric: MetricId, rows: &[AcrossRow]) -> String {
    let plan = &results.plan;
    let (name, pages) = (&plan.networks[network].name, plan.pages.len());
    let net = |row: &AcrossRow| row.gains() as i64 - row.losses() as i64;
    let Some(best) = rows.iter().max_by(|a, b| {
        // `max_by` returns the last of equals: prefer the lower median, then the plan's
        // order.
        let median = |row: &AcrossRow| row.median.unwrap_or(f64::INFINITY);
        net(a)
            .cmp(&net(b))
            .then(median(b).total_cmp(&median(a)))
            .then(b.contender.cmp(&a.contender))
    }) else {
        return format!("On {name}, {} raced alone.", plan.label(plan.baseline));
    };
    let (contender, baseline) = (plan.spoken(best.contender), plan.spoken(plan.baseline));
    let probably = |count: usize| match count {
        0 => String::new(),
        count => format!(" (probably on {count} of them)"),
    };
    let gains = format!(
        "on {}{}",
        best.gains(),
        probably(best.count(&[Mark::ProbablyBetter]))
    );
    let losses = format!(
        "on {}{}",
        best.losses(),
        probably(best.count(&[Mark::ProbablyWorse]))
    );
    let mut told = match metric.metric().wording {
        Wording::Moment(does) => {
            format!("{contender} {does} sooner than {baseline} {gains}, later {losses}")
        }
        Wording::Amount(what) => {
            format!(
                "{what} is lower with {contender} than with {baseline} {gains}, higher {losses}"
            )
        }
    };
    let rest = [
        (best.same(), "without a difference that matters"),
        (best.open(), "open"),
        (best.missing(), "not comparable"),
    ];
    for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
        told = format!("{told}, {count} {what}");
    }
    let lead = if rows.len() > 1 && net(best) <= 0 {
        format!("no {} beats {baseline} on most; ", plan.noun().one())
    } else {
        String::new()
    };
    let middle = best.median.map_or_else(String::new, |share| {
        format!("; the median page changes by {}", signed_percent(share))
    });
    format!("On {name}, over {pages} pages, {lead}{told}{middle}.")
}

#[cfg(test)]
mod tests;

//! The result of a comparison in plain sentences.
//!
//! Over plausible worlds, ranges of differences decide: see [`crate::model_error`] and the
//! module `worlds`. In one world and live, a contender counts as better or worse only if the
//! 95 % interval of the paired differences excludes zero, the signed-rank test corrected over
//! all contenders is significant, and the difference is at least one per cent.

use pagerace_report::input::VerdictKind;

use crate::analysis::{Analysis, Comparison, LEVEL, Mark, NOTICEABLE, analyse, compare};
use crate::contender::Noun;
use crate::metric::{MetricId, Wording};
use crate::results::{Results, Variant};
use crate::stats::holm;

mod element;
mod no_winner;
mod words;
mod worlds;

use no_winner::without_winner;
use words::{amount, by, join};
pub use worlds::record;

/// The verdict for one page on one network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The kind of the verdict.
    pub kind: VerdictKind,
    /// The best contender (index into the plan's): the first in the ranking that is
    /// better than the baseline, or else the first that does not break more objects than
    /// it. `None` if no contender has a value.
    pub winner: Option<usize>,
    /// One or more plain sentences that begin with the network's name.
    pub sentence: String,
    /// The first of these sentences.
    pub answer: String,
}

/// A page and network, with the names used in the sentences.
struct Case<'a> {
    results: &'a Results,
    page: usize,
    place: usize,
    network: &'a str,
    contenders: Vec<String>,
    noun: Noun,
}

/// Returns the verdict on `analysis`, which compares the contenders of `results` on this
/// page and network.
pub fn verdict(results: &Results, page: usize, network: usize, analysis: &Analysis) -> Verdict {
    let case = Case {
        results,
        page,
        place: network,
        network: &results.plan.networks[network].name,
        contenders: results.plan.labels(),
        noun: results.plan.noun(),
    };
    if results.over_worlds() {
        return worlds::verdict(&case, analysis);
    }
    let best = analysis
        .ranking
        .iter()
        .copied()
        .find(|&i| analysis.rows[i].mark == Mark::Better);
    let (kind, mut sentences) = if let Some(best) = best {
        let mut sentences = vec![lead(&case, analysis, best)];
        let (equals, unsure) = as_good(&case, analysis, best);
        let labels = |some: &[usize]| -> Vec<String> {
            some.iter().map(|&i| case.contenders[i].clone()).collect()
        };
        if !equals.is_empty() {
            let verb = if equals.len() == 1 { "does" } else { "do" };
            sentences.push(format!("{} {verb} as well.", join(&labels(&equals))));
        }
        if !unsure.is_empty() {
            let (who, runs) = (join(&labels(&unsure)), analysis.rows[best].pairs);
            sentences.push(format!("{who} may do as well: {runs} runs cannot decide."));
        }
        sentences.extend(worse(&case, analysis));
        sentences.extend(price(&case, analysis, best));
        (VerdictKind::Better, sentences)
    } else {
        without_winner(&case, analysis)
    };
    sentences.extend(torn(&case, analysis));
    sentences.extend(broken(&case, analysis));
    sentences.extend(failures(&case));
    let whole = |&&i: &&usize| !analysis.rows[i].breaks;
    let ranked = analysis.ranking.iter().find(whole).copied();
    let winner = best.or(ranked.filter(|&i| analysis.rows[i].median.is_some()));
    Verdict {
        kind,
        winner,
        answer: sentences[0].clone(),
        sentence: sentences.join(" "),
    }
}

impl Case<'_> {
    fn variant(&self, contender: usize) -> &Variant {
        self.results.variant(self.page, self.place, contender)
    }
}

/// Formats the lead: "fast-4g: A shows the largest element 120 ms (8 %) sooner than B
/// (95 % interval ...)."
fn lead(case: &Case<'_>, analysis: &Analysis, best: usize) -> String {
    let row = &analysis.rows[best];
    let (network, winner) = (case.network, &case.contenders[best]);
    let baseline = &case.contenders[analysis.baseline];
    if row.difference.is_some_and(f64::is_infinite) {
        let what = match analysis.metric.metric().wording {
            Wording::Moment(does) => does,
            Wording::Amount(_) => "finishes",
        };
        let fails = if analysis.rows[analysis.baseline].failed > 0 {
            "fails"
        } else {
            "never does"
        };
        return format!("{network}: {winner} {what} where {baseline} mostly {fails}.");
    }
    let by = amount(analysis.metric, row);
    let interval = row.interval.map_or_else(String::new, |interval| {
        let unit = analysis.metric.metric().unit;
        // Both ends are negative here; the sentence states the gain.
        let gain = |low: f64, high: f64| {
            let size = if low.is_finite() { -low } else { -high };
            unit.scale(size).format_plain_range(-high, -low)
        };
        let runs = gain(interval.low, interval.high);
        format!(" (95 % interval {runs})")
    });
    match analysis.metric.metric().wording {
        Wording::Moment(does) => {
            format!("{network}: {winner} {does} {by} sooner than {baseline}{interval}.")
        }
        Wording::Amount(what) => {
            format!(
                "{network}: with {winner}, {what} is {by} lower than with {baseline}{interval}."
            )
        }
    }
}

/// Returns the better contenders that do not differ noticeably from the best, and those
/// for which this is uncertain.
fn as_good(case: &Case<'_>, analysis: &Analysis, best: usize) -> (Vec<usize>, Vec<usize>) {
    let rivals: Vec<usize> = analysis
        .ranking
        .iter()
        .copied()
        .filter(|&i| analysis.rows[i].mark == Mark::Better)
        .collect();
    let variants: Vec<_> = rivals.iter().map(|&i| case.variant(i)).collect();
    let place = rivals
        .iter()
        .position(|&i| i == best)
        .expect("the best is better");
    let against_best = compare(case.results, &variants, place, analysis.metric);
    let marked = |wanted: &[Mark]| -> Vec<usize> {
        let rows = rivals.iter().zip(&against_best.rows);
        let rows = rows.filter(|(_, row)| wanted.contains(&row.mark));
        rows.map(|(i, _)| *i).collect()
    };
    (
        marked(&[Mark::NoDifference, Mark::TooSmall]),
        marked(&[Mark::Open]),
    )
}

/// Formats the worse contenders, worst first: "Later: A by 310 ms (12 %), B by 200 ms
/// (8 %) and 2 more."
fn worse(case: &Case<'_>, analysis: &Analysis) -> Option<String> {
    const NAMED_MAX: usize = 3;
    let size = |i: usize| analysis.rows[i].difference.unwrap_or(0.0);
    let mut worse: Vec<usize> = (0..analysis.rows.len())
        .filter(|&i| analysis.rows[i].mark == Mark::Worse)
        .collect();
    worse.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    let mut parts: Vec<String> = worse
        .iter()
        .take(NAMED_MAX)
        .map(|&i| {
            let row = &analysis.rows[i];
            format!("{} {}", case.contenders[i], by(analysis.metric, row))
        })
        .collect();
    if worse.len() > NAMED_MAX {
        parts.push(format!("{} more", worse.len() - NAMED_MAX));
    }
    let word = match analysis.metric.metric().wording {
        Wording::Moment(_) => "Later",
        Wording::Amount(_) => "Higher",
    };
    (!parts.is_empty()).then(|| format!("{word}: {}.", join(&parts)))
}

/// Explains contenders that are open despite a small p-value, because the interval of
/// the median includes zero.
fn torn(case: &Case<'_>, analysis: &Analysis) -> Option<String> {
    let all = analysis.rows.iter().enumerate();
    let torn = all.filter(|(_, row)| {
        row.mark == Mark::Open && row.signed_rank_p_holm.is_some_and(|p| p < LEVEL)
    });
    let torn: Vec<String> = torn.map(|(i, _)| case.contenders[i].clone()).collect();
    (!torn.is_empty()).then(|| {
        let verb = if torn.len() == 1 { "is" } else { "are" };
        format!(
            "{} {verb} open despite a small p: the interval of the median includes zero.",
            join(&torn)
        )
    })
}

/// Lists the times of the load that are worse with the winner.
fn price(case: &Case<'_>, analysis: &Analysis, best: usize) -> Option<String> {
    let others: Vec<(MetricId, Comparison)> = MetricId::times()
        .filter(|metric| *metric != analysis.metric)
        .map(|metric| {
            (
                metric,
                analyse(case.results, case.page, case.place, metric)
                    .rows
                    .swap_remove(best),
            )
        })
        .collect();
    // The tests of one contender by several metrics need a correction.
    let corrected = holm(
        &others
            .iter()
            .map(|(_, row)| row.signed_rank_p)
            .collect::<Vec<_>>(),
    );
    let parts: Vec<String> = others
        .iter()
        .zip(corrected)
        .filter(|((_, row), p)| {
            p.is_some_and(|p| p < LEVEL)
                && row.interval.is_some_and(|interval| interval.low > 0.0)
                && row.relative.is_none_or(|share| share >= NOTICEABLE)
        })
        .map(|((metric, row), _)| format!("{} {}", metric.metric().title, by(*metric, row)))
        .collect();
    let winner = &case.contenders[best];
    (!parts.is_empty()).then(|| format!("Worse with {winner}: {}.", join(&parts)))
}

/// Formats the broken objects: "Broken objects, in the median run: A 8 of 161 and B 1;
/// a saving by broken objects is not a gain."
fn broken(case: &Case<'_>, analysis: &Analysis) -> Option<String> {
    let objects = case.results.plan.pages[case.page].resources.len();
    let mut gains = false;
    let mut parts: Vec<String> = Vec::new();
    for (i, name) in case.contenders.iter().enumerate() {
        let variant = case.variant(i);
        let counts: Vec<f64> = variant
            .runs
            .iter()
            .map(|run| run.transport.broken_objects as f64)
            .collect();
        let Some(median) = crate::stats::median(&counts).filter(|_| variant.broken() > 0) else {
            continue;
        };
        gains |= analysis.rows[i].mark == Mark::Broken;
        parts.push(match parts.len() {
            0 => format!("{name} {median} of {objects}"),
            _ => format!("{name} {median}"),
        });
    }
    let judgement = if gains {
        "; a saving by broken objects is not a gain"
    } else {
        ""
    };
    (!parts.is_empty()).then(|| {
        format!(
            "Broken objects, in the median run: {}{judgement}.",
            join(&parts)
        )
    })
}

/// Formats the failures: "Failed loads (they count as later than any other): A 2 of 30."
fn failures(case: &Case<'_>) -> Option<String> {
    let parts: Vec<String> = case
        .contenders
        .iter()
        .enumerate()
        .map(|(i, name)| (name, case.variant(i)))
        .filter(|(_, variant)| variant.failed() > 0)
        .map(|(name, variant)| format!("{name} {} of {}", variant.failed(), variant.runs.len()))
        .collect();
    (!parts.is_empty()).then(|| {
        format!(
            "Failed loads (they count as later than any other): {}.",
            join(&parts)
        )
    })
}

#[cfg(test)]
mod tests;

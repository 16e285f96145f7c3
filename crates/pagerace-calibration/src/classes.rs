//! The classes of comparisons that verdicts rely on, and how often they were right.
//!
//! A range of simulated differences holds the difference of live medians or does not, and
//! names a winner or does not. Where the bare range holds too few live differences, it is
//! widened by the least share that holds enough. The counts of a page rest on a widening
//! that was found on all other pages.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pagerace_core::Words as _;
use pagerace_lab::analysis::{NOTICEABLE, SMALL, is_same};
use pagerace_lab::model_error::{Class, DifferenceKind, HEADER, PAIRS_MIN};
use pagerace_page::PaintEvidence;

use crate::differences::{Difference, has_symmetric_kind};

/// The probabilities with which a range holds the live difference.
const LEVELS: [f64; 2] = [0.95, 0.8];

/// How ranges of a class are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    paired: bool,
    widened: bool,
}

impl Form {
    /// Two live loads share neither queue nor noise, and differences between all runs hold
    /// their difference without widening, on recorded layouts. Random loss makes them far
    /// too wide, and changes of one page share the model's error: there, paired runs tell.
    fn of(kind: DifferenceKind, lossy: bool, evidence: PaintEvidence) -> Self {
        let change = !has_symmetric_kind(kind);
        let paired = lossy || change;
        Self {
            paired,
            widened: paired || evidence != PaintEvidence::Recorded,
        }
    }
}

/// Returns the classes of these differences, in a fixed order.
pub fn classes<'a>(differences: impl IntoIterator<Item = &'a Difference>) -> Vec<Class> {
    grouped(differences)
        .into_values()
        .map(|all| {
            class(&all, |one| {
                all.iter().filter(|o| o.page != one.page).copied().collect()
            })
        })
        .collect()
}

/// Returns the classes of held-out pages, whose ranges are widened as on tuned pages.
pub(crate) fn held_out_classes(differences: &[Difference]) -> Vec<Class> {
    let mut classes = Vec::new();
    for all in grouped(differences).into_values() {
        let [tuned, held_out] = [false, true].map(|set| {
            let here = all.iter().filter(|one| one.held_out == set);
            here.copied().collect::<Vec<&Difference>>()
        });
        if !held_out.is_empty() {
            classes.push(class(&held_out, |_| tuned.clone()));
        }
    }
    classes
}

type Key = (DifferenceKind, pagerace_lab::MetricId, bool, PaintEvidence);

fn grouped<'a>(
    differences: impl IntoIterator<Item = &'a Difference>,
) -> BTreeMap<Key, Vec<&'a Difference>> {
    let mut groups = BTreeMap::<Key, Vec<&Difference>>::new();
    for one in differences {
        let key = (one.kind, one.metric, one.lossy, one.evidence);
        groups.entry(key).or_default().push(one);
    }
    groups
}

/// Returns the class of `all` differences. `others` gives those by which the range of one
/// is widened.
fn class<'a>(all: &[&'a Difference], others: impl Fn(&Difference) -> Vec<&'a Difference>) -> Class {
    let first = all[0];
    let form = Form::of(first.kind, first.lossy, first.evidence);
    let mut class = Class {
        kind: first.kind,
        metric: first.metric,
        lossy: first.lossy,
        evidence: first.evidence,
        paired: form.paired,
        wider: form
            .widened
            .then(|| LEVELS.map(|level| widening(all, form, level))),
        pairs: all.len() as u32,
        held: [0; 2],
        named: [0; 2],
        right: [0; 2],
        same: [0; 2],
    };
    // The pages follow each other, and share their widening.
    let mut of_page: Option<(&str, [f64; 2])> = None;
    for one in all {
        let wider = match of_page {
            _ if !form.widened => [0.0; 2],
            Some((page, wider)) if page == one.page => wider,
            _ => {
                let others = others(one);
                LEVELS.map(|level| widening(&others, form, level))
            }
        };
        of_page = Some((&one.page, wider));
        let live = one.observed / one.baseline;
        let spread = one.simulated.of(form.paired);
        let (low, high) = range(one, form, 1);
        let probable = (low - wider[1], high + wider[1]);
        if is_same(
            Some(spread.middle),
            Some(one.simulated.paired.central80),
            Some(probable),
        ) {
            class.same[0] += 1;
            class.same[1] += u32::from(live.abs() <= SMALL);
        }
        for (level, wider) in wider.into_iter().enumerate() {
            let (low, high) = range(one, form, level);
            let (low, high) = (low - wider, high + wider);
            class.held[level] += u32::from((low..=high).contains(&live));
            let middle = one.simulated.of(form.paired).middle;
            if (low > 0.0 || high < 0.0) && middle.abs() >= NOTICEABLE {
                class.named[level] += 1;
                class.right[level] += u32::from(middle * live > 0.0);
            }
        }
    }
    class
}

/// Returns the range before it is widened.
fn range(one: &Difference, form: Form, level: usize) -> (f64, f64) {
    let spread = one.simulated.of(form.paired);
    if form.widened {
        spread.central90
    } else {
        [spread.central95, spread.central80][level]
    }
}

/// Returns the least widening at which the ranges hold this share of the live differences;
/// at least zero.
fn widening(all: &[&Difference], form: Form, level: f64) -> f64 {
    let mut beyond: Vec<f64> = all
        .iter()
        .map(|one| {
            let live = one.observed / one.baseline;
            let (low, high) = range(one, form, 0);
            (low - live).max(live - high)
        })
        .collect();
    beyond.sort_by(f64::total_cmp);
    // One more than there are, because the next pair is none of them.
    let place = (level * (beyond.len() + 1) as f64).ceil() as usize;
    let Some(last) = beyond.last() else {
        return f64::INFINITY;
    };
    beyond.get(place - 1).unwrap_or(last).max(0.0)
}

/// Formats the classes that have enough pairs as CSV after `comments`, each of which becomes a
/// line beginning with `#`.
pub fn csv(classes: &[Class], comments: &[String]) -> String {
    let mut out = String::new();
    for comment in comments {
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "# {comment}");
    }
    out.push_str(HEADER);
    out.push('\n');
    for class in classes.iter().filter(|class| class.pairs >= PAIRS_MIN) {
        let wider = |level: usize| {
            let wider = class.wider.map(|wider| wider[level]);
            wider.map_or_else(String::new, |share| format!("{:.2}", share * 100.0))
        };
        let _ = writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            class.kind.word(),
            class.metric.metric().name,
            if class.lossy { "lossy" } else { "lossless" },
            class.evidence,
            if class.paired { "paired" } else { "crossed" },
            class.pairs,
            wider(0),
            wider(1),
            class.held[0],
            class.held[1],
            class.named[0],
            class.right[0],
            class.named[1],
            class.right[1],
            class.same[0],
            class.same[1],
        );
    }
    out
}

#[cfg(test)]
mod tests;

//! Errors of simulated differences, compared with differences in a real browser.
//!
//! `model_error/table.csv` has the format that `pagerace calibrate --model-errors`
//! writes; its first lines state the source of its numbers. For each kind of comparison,
//! metric, class of networks and evidence of paints, the table holds quantiles of
//! |predicted difference − live difference| as a share of the live median of the pair's
//! baseline. A verdict allows for the 95th percentile. If a combination was never
//! measured, the verdict allows for twice the nearest measured value, and says so.

use pagerace_core::{Words as _, words};
use pagerace_net::Network;
use pagerace_page::intervention::{Effect, Intervention};
use pagerace_page::{Interventions, PaintEvidence};
use serde::Serialize;

use crate::metric::MetricId;
use crate::plan::Plan;

/// The errors measured for this version.
const TABLE: &str = include_str!("model_error/table.csv");

/// The header of the table.
pub const HEADER: &str = "kind,metric,network,evidence,pairs,significant,sign_right,p50_percent,\
                      p95_percent,bias_percent";

/// Minimum number of pairs for a 95th percentile.
const PAIRS_MIN: u32 = 10;

/// Factor that widens the interval if another comparison stands in for one that was never
/// measured.
const STAND_IN: f64 = 2.0;

words! {
    /// The respect in which two contenders differ.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum DifferenceKind {
        /// The version of HTTP.
        Protocol = "protocol": "protocols",
        /// The order in which servers send responses.
        Strategy = "strategy": "strategies",
        /// The congestion controller.
        Controller = "controller": "congestion controllers",
        /// Requests that are blocked.
        Block = "block": "blocked requests",
        /// Responses that are delayed.
        Delay = "delay": "late answers",
    }
}

/// Measured errors of differences; empty if nothing was measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelErrors {
    rows: Vec<Row>,
}

/// A line of the table, with the fields that verdicts use.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    kind: DifferenceKind,
    metric: MetricId,
    lossy: bool,
    evidence: PaintEvidence,
    pairs: u32,
    p95: f64,
}

/// The uncertainty of a simulated difference.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelError {
    /// The uncertainty in either direction, in percent of the baseline's median.
    pub percent: f64,
    /// The basis of the estimate: "for protocols on recorded layouts".
    pub basis: String,
}

/// The properties of a comparison that determine the model's error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The respects in which the contenders differ.
    pub kinds: Vec<DifferenceKind>,
    /// Properties of the comparison that were never measured, in words.
    pub unmeasured: Vec<&'static str>,
    /// The metric that is compared.
    pub metric: MetricId,
    /// True if packets are lost at random.
    pub lossy: bool,
    /// The evidence for the page's paints.
    pub evidence: PaintEvidence,
}

impl ModelErrors {
    /// Returns the errors measured for this version.
    ///
    /// # Panics
    /// Never panics in practice, because a test reads the table.
    pub fn embedded() -> Self {
        Self::read(TABLE).expect("the table is well-formed")
    }

    /// Parses a table; lines that begin with `#` are comments.
    ///
    /// # Errors
    /// The line number and a description of the error.
    pub fn read(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
        let mut lines = lines.filter(|(_, line)| !line.starts_with('#') && !line.is_empty());
        match lines.next() {
            None => return Ok(Self::default()),
            Some((_, HEADER)) => {}
            Some((n, found)) => return Err(format!("line {n}: `{found}` is not `{HEADER}`")),
        }
        let rows = lines.map(|(n, line)| Row::read(line).map_err(|e| format!("line {n}: {e}")));
        Ok(Self {
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the model's uncertainty; `None` if the metric was never measured.
    pub fn of(&self, question: &Question) -> Option<ModelError> {
        let rows = || {
            let all = self.rows.iter();
            all.filter(|row| row.metric == question.metric && row.pairs >= PAIRS_MIN)
        };
        let evidence = if question.metric.metric().name == "ttfb" {
            // TTFB precedes all paints, so their evidence does not matter.
            PaintEvidence::Recorded
        } else {
            question.evidence
        };
        let fits = |row: &&Row| row.lossy == question.lossy && row.evidence == evidence;
        let measured: Vec<Option<f64>> = question
            .kinds
            .iter()
            .map(|kind| {
                let row = rows().filter(fits).find(|row| row.kind == *kind);
                row.map(|row| row.p95)
            })
            .collect();
        let people: Vec<&str> = question.kinds.iter().map(|kind| kind.phrase()).collect();
        let place = place(evidence, question.lossy);
        if !measured.is_empty() && question.unmeasured.is_empty() && !measured.contains(&None) {
            return Some(ModelError {
                percent: widest(measured.into_iter().flatten())?,
                basis: format!("for {} {place}", people.join(" and ")),
            });
        }
        // Fall back to the same kind of comparison elsewhere, and then to any comparison.
        let near = |lossy: bool| {
            let kinds = rows().filter(|row| question.kinds.contains(&row.kind));
            widest(kinds.filter(|row| row.lossy == lossy).map(|row| row.p95))
        };
        let same = question
            .unmeasured
            .is_empty()
            .then(|| near(question.lossy).or_else(|| near(!question.lossy)));
        let any = |lossy: bool| widest(rows().filter(|row| row.lossy == lossy).map(|row| row.p95));
        let other = || any(question.lossy).or_else(|| any(!question.lossy));
        let percent = STAND_IN * same.flatten().or_else(other)?;
        let (what, why) = if question.unmeasured.is_empty() {
            (people, "too few measurements")
        } else {
            (question.unmeasured.clone(), "never measured")
        };
        Some(ModelError {
            percent,
            basis: format!("assumed for {} {place}, {why}", what.join(" and ")),
        })
    }
}

impl Row {
    fn read(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [kind, metric, network, evidence, pairs, .., p95, _] = fields[..] else {
            return Err(format!("`{line}` has {} fields", fields.len()));
        };
        let known = |name: &str| format!("`{name}` is not known");
        Ok(Self {
            kind: DifferenceKind::of_word(kind).ok_or_else(|| known(kind))?,
            metric: metric.parse().map_err(|_| known(metric))?,
            lossy: match network {
                "lossless" => false,
                "lossy" => true,
                other => return Err(known(other)),
            },
            evidence: match evidence {
                "recorded" => PaintEvidence::Recorded,
                "fitted" => PaintEvidence::Fitted,
                "guessed" => PaintEvidence::Guessed,
                other => return Err(known(other)),
            },
            pairs: pairs.parse().map_err(|_| known(pairs))?,
            p95: p95.parse().map_err(|_| known(p95))?,
        })
    }
}

impl ModelError {
    /// Formats the uncertainty: "±15 % for protocols on recorded layouts".
    pub fn text(&self) -> String {
        format!("±{:.0} % {}", self.percent, self.basis)
    }
}

impl Question {
    /// Describes the comparison of a pair of contenders on this page and network.
    pub fn of(
        plan: &Plan,
        page: usize,
        network: usize,
        pair: [usize; 2],
        metric: MetricId,
    ) -> Self {
        let [a, b] = pair.map(|i| &plan.contenders[i]);
        let (a_what, b_what) = (split(&a.interventions), split(&b.interventions));
        let strategies = a.strategy != b.strategy && a.has_choice() && b.has_choice();
        let differs = [
            (a.protocols != b.protocols, DifferenceKind::Protocol),
            (strategies, DifferenceKind::Strategy),
            (a.congestion != b.congestion, DifferenceKind::Controller),
            (a_what.0 != b_what.0, DifferenceKind::Block),
            (a_what.1 != b_what.1, DifferenceKind::Delay),
        ];
        let kinds = differs.into_iter().filter(|(differs, _)| *differs);
        let policies = a.effective_reliability() != b.effective_reliability();
        let browser = plan.browser.profile;
        let never = [
            (a.visit != b.visit, "earlier visits"),
            (policies, "reliability policies"),
            (!browser.measured, browser.title),
        ];
        let never = never.into_iter().filter(|(differs, _)| *differs);
        Self {
            kinds: kinds.map(|(_, kind)| kind).collect(),
            unmeasured: never.map(|(_, what)| what).collect(),
            metric,
            lossy: is_lossy(&plan.networks[network]),
            evidence: plan.pages[page].paint_evidence(),
        }
    }
}

/// Splits interventions into those that block and those that delay.
fn split(interventions: &Interventions) -> (Vec<&Intervention>, Vec<&Intervention>) {
    let all = interventions.all().iter();
    all.partition(|one| matches!(one.effect, Effect::Block(_)))
}

/// Returns true if the network itself loses packets, apart from queue overflows.
pub fn is_lossy(network: &Network) -> bool {
    [&network.down, &network.up]
        .iter()
        .any(|link| link.loss.mean() > 0.0)
}

/// Formats the conditions: "on recorded layouts with loss".
fn place(evidence: PaintEvidence, lossy: bool) -> String {
    let evidence = match evidence {
        PaintEvidence::Recorded => "on recorded layouts",
        PaintEvidence::Fitted => "on fitted paints",
        PaintEvidence::Guessed => "on guessed paints",
    };
    let loss = if lossy { " with loss" } else { "" };
    format!("{evidence}{loss}")
}

fn widest(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}

#[cfg(test)]
mod tests;

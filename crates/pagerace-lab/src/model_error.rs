//! The errors of simulated differences, from comparison with a real browser.
//!
//! `model_error/table.csv` has the format that `pagerace calibrate --model-errors`
//! writes, and `model_error/changes.csv` that of `pagerace calibrate --changes --model-errors`;
//! their first lines state the source of their numbers. They have a line for each class of
//! comparisons: the respect in which contenders differ, the metric, random loss, and the
//! evidence of paints. A line says of which differences a range is made, by how much it is
//! widened so that it holds the live difference in 95 and in 80 % of cases, and how often
//! a winner that was named this way won live.
//!
//! A class that was never measured uses the nearest one that was, and says so. More evidence
//! of paints never makes a range wider.

use pagerace_core::{Words as _, words};
use pagerace_net::Network;
use pagerace_page::intervention::{Effect, Intervention};
use pagerace_page::{Interventions, LargestElement, Page, PaintEvidence, ResourceId};
use serde::Serialize;

use crate::analysis::SMALL;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::stats::quantile;
use crate::unit::percent;

/// The classes measured for this version.
const TABLES: [&str; 2] = [
    include_str!("model_error/table.csv"),
    include_str!("model_error/changes.csv"),
];

/// The header of the table.
pub const HEADER: &str = "kind,metric,network,evidence,differences,pairs,wider95_percent,\
                          wider80_percent,held95,held80,named95,right95,named80,right80,same,same_right";

/// Minimum number of pairs of a class.
pub const PAIRS_MIN: u32 = 10;

/// Share of the named winners that must have won live: for those named as sure, and for
/// those named as probable.
const RIGHT_MIN: [f64; 2] = [0.9, 0.8];

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
        /// Changes of the page.
        Change = "change": "changes of a page",
    }
}

/// The classes of comparisons that were measured; empty if none was.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelErrors {
    classes: Vec<Class>,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Class {
    /// The respect in which the contenders differ.
    pub kind: DifferenceKind,
    /// The metric that is compared.
    pub metric: MetricId,
    /// True if packets are lost at random.
    pub lossy: bool,
    /// The evidence for the paints of the page.
    pub evidence: PaintEvidence,
    /// True if ranges are made of the differences of paired runs, and false if of all
    /// differences between a run of one and a run of the other.
    pub paired: bool,
    /// By how much the central 90 % of the differences are widened on both sides, as a share
    /// of the baseline's median, so that they hold the live difference in 95 and in 80 % of
    /// the pairs. `None` if the central 95 and 80 % need no widening.
    pub wider: Option<[f64; 2]>,
    /// Pairs of contenders on a page and network that were measured live.
    pub pairs: u32,
    /// Pairs whose live difference lay in the range, for 95 and 80 %.
    pub held: [u32; 2],
    /// Pairs for which the range named a winner, for 95 and 80 %.
    pub named: [u32; 2],
    /// Pairs of these whose named winner won live.
    pub right: [u32; 2],
    /// Pairs that were said not to differ, and those of them whose live difference was at most
    /// [`SMALL`].
    pub same: [u32; 2],
}

/// How the range of a difference is made, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust {
    /// True if the range is made of paired differences: see [`Class::paired`].
    pub paired: bool,
    /// See [`Class::wider`].
    pub wider: Option<[f64; 2]>,
    /// True if sure winners are named, because enough of those that were named won live.
    pub names_winners: bool,
    /// True if probable winners are named.
    pub names_probable: bool,
    /// Winners that were named in calibration, and those of them that won live, for 95 and
    /// 80 %. `None` if nothing was measured.
    pub record: Option<[(u32, u32); 2]>,
    /// Pairs that were said not to differ in calibration, and those of them that hardly did live.
    pub same: [u32; 2],
    /// The comparisons that were measured: "protocols on recorded layouts".
    pub basis: String,
    /// Why this class stands in for another one; empty if it does not.
    pub instead_of: String,
    /// See [`Question::inferred`]. Nothing is sure then.
    pub inferred: Option<ResourceId>,
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
    /// A resource of which only times tell what requests it, if the metric depends on it, and one
    /// contender delays, blocks or changes what may lead to it.
    pub inferred: Option<ResourceId>,
}

impl ModelErrors {
    /// Returns the classes measured for this version.
    ///
    /// # Panics
    /// Never panics in practice, because a test reads the table.
    pub fn embedded() -> Self {
        let all = TABLES.map(|table| Self::read(table).expect("the table is well-formed"));
        Self {
            classes: all.into_iter().flat_map(|one| one.classes).collect(),
        }
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
        let classes =
            lines.map(|(n, line)| Class::read(line).map_err(|e| format!("line {n}: {e}")));
        Ok(Self {
            classes: classes.collect::<Result<_, _>>()?,
        })
    }

    /// Returns what is known of the differences that `question` describes. Of several kinds,
    /// the one with the widest range counts.
    pub fn of(&self, question: &Question) -> Trust {
        let kinds = match question.kinds.as_slice() {
            // Contenders that differ in nothing measured are compared as protocols are,
            // which differ most.
            [] => &[DifferenceKind::Protocol][..],
            kinds => kinds,
        };
        let each = kinds.iter().map(|kind| self.of_kind(*kind, question));
        let width = |trust: &Trust| trust.wider.map_or(0.0, |[sure, _]| sure);
        let mut trust = each
            .max_by(|a, b| width(a).total_cmp(&width(b)))
            .expect("there is a kind");
        if let Some(what) = question.unmeasured.first() {
            (*what).clone_into(&mut trust.instead_of);
        }
        trust.inferred = question.inferred;
        trust.names_winners &= question.inferred.is_none();
        trust
    }

    fn of_kind(&self, kind: DifferenceKind, question: &Question) -> Trust {
        // TTFB precedes all paints, so their evidence does not matter.
        let evidence = match question.metric.metric().name {
            "ttfb" => PaintEvidence::Recorded,
            _ => question.evidence,
        };
        let found = |kind, lossy, evidence| {
            let mut all = self.classes.iter();
            all.find(|class| {
                (class.kind, class.metric, class.lossy) == (kind, question.metric, lossy)
                    && class.evidence == evidence
                    && class.pairs >= PAIRS_MIN
            })
        };
        let lossy = question.lossy;
        let measured = found(kind, lossy, evidence);
        // Less evidence first, because a range of more evidence might be too narrow.
        let weaker = weaker(evidence);
        let nearest = measured
            .or_else(|| weaker.iter().find_map(|e| found(kind, lossy, *e)))
            .or_else(|| found(kind, lossy, PaintEvidence::Recorded))
            .or_else(|| found(DifferenceKind::Protocol, lossy, evidence))
            .or_else(|| {
                weaker
                    .iter()
                    .find_map(|e| found(DifferenceKind::Protocol, lossy, *e))
            })
            .or_else(|| found(DifferenceKind::Protocol, lossy, PaintEvidence::Recorded))
            .or_else(|| found(DifferenceKind::Protocol, false, PaintEvidence::Recorded));
        let Some(class) = nearest else {
            return Trust::unmeasured();
        };
        let mut trust = Trust::of(class);
        for evidence in weaker {
            if let Some(other) = found(kind, lossy, *evidence) {
                trust.narrow(other);
            }
        }
        if measured.is_none() {
            trust.instead_of = format!("{} {}", kind.phrase(), place(evidence, lossy));
        }
        trust
    }
}

/// Returns the kinds of evidence that tell less of the paints, from the nearest on.
fn weaker(evidence: PaintEvidence) -> &'static [PaintEvidence] {
    match evidence {
        PaintEvidence::Recorded => &[PaintEvidence::Fitted, PaintEvidence::Guessed],
        PaintEvidence::Fitted => &[PaintEvidence::Guessed],
        PaintEvidence::Guessed => &[],
    }
}

impl Class {
    fn read(line: &str) -> Result<Self, String> {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [
            kind,
            metric,
            network,
            evidence,
            differences,
            pairs,
            rest @ ..,
        ] = fields.as_slice()
        else {
            return Err(format!("`{line}` has {} fields", fields.len()));
        };
        let [wider95, wider80, counts @ ..] = rest else {
            return Err(format!("`{line}` has {} fields", fields.len()));
        };
        let known = |name: &str| format!("`{name}` is not known");
        let number = |text: &&str| text.parse::<u32>().map_err(|_| known(text));
        let counts: Vec<u32> = counts.iter().map(number).collect::<Result<_, _>>()?;
        let [
            held95,
            held80,
            named95,
            right95,
            named80,
            right80,
            same,
            same_right,
        ] = counts[..]
        else {
            return Err(format!("`{line}` has {} fields", fields.len()));
        };
        let share = |text: &str| match text {
            "" => Ok(None),
            text => text
                .parse::<f64>()
                .map_or_else(|_| Err(known(text)), |v| Ok(Some(v / 100.0))),
        };
        Ok(Self {
            kind: DifferenceKind::of_word(kind).ok_or_else(|| known(kind))?,
            metric: metric.parse().map_err(|_| known(metric))?,
            lossy: match *network {
                "lossless" => false,
                "lossy" => true,
                other => return Err(known(other)),
            },
            evidence: match *evidence {
                "recorded" => PaintEvidence::Recorded,
                "fitted" => PaintEvidence::Fitted,
                "guessed" => PaintEvidence::Guessed,
                other => return Err(known(other)),
            },
            paired: match *differences {
                "paired" => true,
                "crossed" => false,
                other => return Err(known(other)),
            },
            wider: share(wider95)?
                .zip(share(wider80)?)
                .map(|(sure, probable)| [sure, probable]),
            pairs: number(pairs)?,
            held: [held95, held80],
            named: [named95, named80],
            right: [right95, right80],
            same: [same, same_right],
        })
    }
}

impl Trust {
    /// Central 95 and 80 % of all differences: nothing was measured.
    pub fn unmeasured() -> Self {
        Self {
            paired: false,
            wider: None,
            names_winners: true,
            names_probable: true,
            record: None,
            same: [0, 0],
            basis: String::new(),
            instead_of: String::new(),
            inferred: None,
        }
    }

    fn of(class: &Class) -> Self {
        let names = |level: usize| {
            let (named, right) = (f64::from(class.named[level]), f64::from(class.right[level]));
            right >= RIGHT_MIN[level] * named
        };
        Self {
            paired: class.paired,
            wider: class.wider,
            names_winners: names(0),
            names_probable: names(1),
            record: Some([0, 1].map(|level| (class.named[level], class.right[level]))),
            same: class.same,
            basis: format!(
                "{} {}",
                class.kind.phrase(),
                place(class.evidence, class.lossy)
            ),
            instead_of: String::new(),
            inferred: None,
        }
    }

    /// Formats the record: "in live Chromium, 199 of 201 sure winners and 85 of 93 probable ones
    /// won that were named this way (protocols on recorded layouts)".
    pub fn in_words(&self) -> String {
        let Some([sure, probable]) = self.record else {
            return "nothing was measured of such differences, and ranges are those of the simulated \
                    loads"
                .to_owned();
        };
        let told = |(named, right): (u32, u32), who: &str| format!("{right} of {named} {who}");
        let mut parts = Vec::new();
        if self.names_winners && sure.0 > 0 {
            parts.push(told(sure, "sure winners"));
        }
        let sure = if self.names_winners { sure } else { (0, 0) };
        let only = (probable.0 - sure.0, probable.1 - sure.1);
        if self.names_probable && only.0 > 0 {
            parts.push(told(
                only,
                if parts.is_empty() {
                    "probable winners"
                } else {
                    "probable ones"
                },
            ));
        }
        let basis = self.basis_in_words();
        if parts.is_empty() && (self.names_winners || self.names_probable) {
            return format!(
                "no such range named a winner when it was compared with live Chromium, and each was \
                 widened to hold the live difference ({basis})"
            );
        }
        if parts.is_empty() {
            return format!(
                "in live Chromium, too few of the winners won that such ranges name ({basis}), so none \
                 is named"
            );
        }
        format!(
            "in live Chromium, {} won that were named this way ({basis})",
            parts.join(" and ")
        )
    }

    /// Formats the record of differences that are said not to matter: "in live Chromium, 90 of 97
    /// pairs that were said not to differ were within 10 % (protocols on recorded layouts)".
    pub(crate) fn same_in_words(&self) -> String {
        match self.same {
            [0, _] => "no such pair was compared with live Chromium".to_owned(),
            [same, right] => format!(
                "in live Chromium, {right} of {same} pairs that were said not to differ were within {} \
                 ({})",
                percent(SMALL),
                self.basis_in_words()
            ),
        }
    }

    fn basis_in_words(&self) -> String {
        match self.instead_of.as_str() {
            "" => self.basis.clone(),
            instead => format!(
                "{}, the nearest to {instead}, which was never measured",
                self.basis
            ),
        }
    }

    /// Narrows the range where pages with less evidence have a narrower one.
    fn narrow(&mut self, weaker: &Class) {
        if self.paired == weaker.paired
            && let (Some(own), Some(other)) = (&mut self.wider, weaker.wider)
        {
            own[0] = own[0].min(other[0]);
            own[1] = own[1].min(other[1]);
        }
    }

    /// Returns the range that holds a live difference with a probability of 95 %, given
    /// simulated differences and the median of the baseline.
    pub fn sure(&self, differences: &[f64], base: Option<f64>) -> Option<(f64, f64)> {
        self.range(differences, base, 0)
    }

    /// The same with a probability of 80 %.
    pub fn probable(&self, differences: &[f64], base: Option<f64>) -> Option<(f64, f64)> {
        self.range(differences, base, 1)
    }

    fn range(&self, differences: &[f64], base: Option<f64>, level: usize) -> Option<(f64, f64)> {
        let (beyond, open) = match self.wider {
            None => ([0.025, 0.1][level], 0.0),
            Some(wider) => {
                let base = base.filter(|base| base.is_finite())?;
                (0.05, wider[level] * base)
            }
        };
        let low = quantile(differences, beyond)?;
        Some((low - open, quantile(differences, 1.0 - beyond)? + open))
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
            (a.changes != b.changes, DifferenceKind::Change),
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
        let follows_causes = a.interventions != b.interventions || a.changes != b.changes;
        let inferred = follows_causes.then(|| inferred(&plan.pages[page], metric));
        Self {
            kinds: kinds.map(|(_, kind)| kind).collect(),
            unmeasured: never.map(|(_, what)| what).collect(),
            metric,
            lossy: is_lossy(&plan.networks[network]),
            evidence: plan.pages[page].paint_evidence(),
            inferred: inferred.flatten(),
        }
    }
}

/// Returns a resource that a paint metric depends on, of which only times tell what requests it.
fn inferred(page: &Page, metric: MetricId) -> Option<ResourceId> {
    let decisive: Vec<ResourceId> = match metric.metric().name {
        "fcp" => {
            let blocking = page.resources.iter().filter(|one| one.render_blocking);
            blocking.map(|one| one.id).collect()
        }
        "lcp" => page.layout().map_or_else(
            || {
                let likely = page.largest_candidates().first().map(|one| one.element);
                match likely {
                    Some(LargestElement::Image { id }) => vec![id],
                    _ => Vec::new(),
                }
            },
            |layout| {
                let text = layout.largest.and_then(|largest| largest.text);
                let after = text.map(|text| layout.elements[text].after);
                let awaited = after.into_iter().flat_map(|wait| page.awaited(wait));
                let image = layout.largest.and_then(|largest| largest.image);
                awaited.chain(image).collect()
            },
        ),
        _ => Vec::new(),
    };
    decisive.into_iter().find_map(|id| page.guessed_cause(id))
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

#[cfg(test)]
mod tests;

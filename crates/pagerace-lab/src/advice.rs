//! Advice on a page: ideas that follow from what its paints wait for, tried one by one
//! and together, each in many plausible worlds.
//!
//! An effect is a paired difference: both loads take place in the same world. Ideas are found with
//! one set of worlds, and judged in another.

mod ideas;
mod record;

use std::collections::BTreeSet;

use pagerace_page::{Changes, ResourceId};

use crate::analysis::central;
use crate::error::LabError;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::Results;
use crate::runner::{OnProgress, Runner, run_all, run_race};
use crate::stats::{finite, median};
use crate::why::{Explainer, explainable};

pub use ideas::{Idea, ideas};
pub use record::{Record, record};

/// Runs in which each idea is tried.
const SCREENED: u32 = 6;
/// Maximum number of ideas that are judged.
const JUDGED: usize = 12;
/// Runs in which they are judged.
const RUNS: u32 = 24;
/// Maximum number of changes that are made together.
const TOGETHER: usize = 3;
/// The share of the metric that an effect has to exceed: smaller ones are not worth a change, and
/// two loads in a browser differ by as much.
const WORTH: f64 = 0.03;

/// The effect of changes on a metric over one network, in milliseconds. Negative is sooner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Median without the changes.
    pub before: f64,
    /// Median of the paired differences.
    pub difference: f64,
    /// The central 80 % of them.
    pub range: (f64, f64),
    /// Median with the changes.
    pub after: f64,
    /// The central 80 % of the times with the changes.
    pub after_range: (f64, f64),
}

/// The worth of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Worth {
    /// Sooner in nine of ten worlds, by 3 % or more.
    Gains,
    /// Too small, or not the same in all worlds.
    Nothing,
    /// Later in nine of ten worlds, by 3 % or more.
    Harms,
}

/// Changes and their effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The idea.
    pub idea: Idea,
    /// The effect on the metric over each network; `None` where it has no value.
    pub effects: Vec<Option<Effect>>,
    /// Other metrics that come later, with the network.
    pub costs: Vec<(MetricId, usize, Effect)>,
}

/// The advice for a page.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The loads of the page as it is, in the worlds in which ideas were judged.
    pub results: Results,
    /// The resources that the metric waits for on some network, in page order.
    pub awaited: Vec<ResourceId>,
    /// The ideas that were judged, the best first.
    pub judged: Vec<Tried>,
    /// The ideas that were tried in few worlds and did nothing.
    pub idle: Vec<Idea>,
    /// The best ideas made together, each with what it adds to those before. Empty if no idea
    /// gains.
    pub together: Vec<Tried>,
    /// The effect of all of those on the page as it is.
    pub sum: Vec<Option<Effect>>,
}

impl Effect {
    /// Returns what the effect amounts to.
    pub fn worth(&self) -> Worth {
        let least = WORTH * self.before;
        if self.difference <= -least && self.range.1 < 0.0 {
            Worth::Gains
        } else if self.difference >= least && self.range.0 > 0.0 {
            Worth::Harms
        } else {
            Worth::Nothing
        }
    }
}

impl Idea {
    /// Returns the changes for people: of many alike, the first and their number.
    pub fn brief(&self) -> String {
        match self.changes.all() {
            [first, .., last] if self.changes.all().len() > 3 && first.kind() == last.kind() => {
                format!("{first} and {} more", self.changes.all().len() - 1)
            }
            _ => self.changes.to_string(),
        }
    }
}

impl Tried {
    /// Returns what the change amounts to over all networks: it gains if it does on one and harms
    /// on none.
    pub fn worth(&self) -> Worth {
        let mut all = self.effects.iter().flatten().map(Effect::worth);
        match all.clone().max() {
            Some(Worth::Harms) => Worth::Harms,
            _ if all.any(|one| one == Worth::Gains) => Worth::Gains,
            _ => Worth::Nothing,
        }
    }

    /// Returns the mean over the networks of the median difference, as a share of the metric.
    pub fn mean(&self) -> f64 {
        mean(&self.effects)
    }
}

fn mean(effects: &[Option<Effect>]) -> f64 {
    let shares = effects.iter().flatten();
    let sum: f64 = shares.map(|one| one.difference / one.before).sum();
    sum / effects.len().max(1) as f64
}

/// Tries what could be changed about the only page of `plan`, whose only contender delivers it.
///
/// # Errors
/// The plan cannot be run, or `progress` stops it.
pub fn advise(
    plan: &Plan,
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<Advice, LabError> {
    let (screening, judging) = (plan.seed, plan.seed.wrapping_add(1));
    let metric = plan.metric;
    let page = &plan.pages[0];
    let networks = plan.networks.len();
    let of = |seed: u64, runs: u32, all: &[Changes]| {
        let mut plan = plan.clone();
        (plan.seed, plan.runs, plan.adaptive) = (seed, runs, false);
        let own = plan.contenders[0].clone();
        plan.contenders.extend(all.iter().map(|changes| {
            let mut one = own.clone();
            one.changes = changes.clone();
            one
        }));
        plan
    };
    let race = |plan: &Plan| run_race(plan, jobs, runner, progress);

    let alone = of(screening, SCREENED, &[]);
    let loads = race(&alone)?;
    let asked = explainable(metric)?;
    let path = |network: usize| {
        let run = loads.variant(0, network, 0).median_run(metric);
        let scenario = alone.scenario(alone.variant_index(0, network, 0), run);
        explainer(&scenario, alone.run_seed(run), asked)
    };
    let paths = run_all(jobs, networks, &path, progress)?;
    let steps = paths.into_iter().flatten().flat_map(|one| one.path);
    let awaited: BTreeSet<ResourceId> = steps.map(|step| step.resource).collect();

    let all = ideas(page, &awaited);
    let changes: Vec<Changes> = all.iter().map(|idea| idea.changes.clone()).collect();
    let screened = race(&of(screening, SCREENED, &changes))?;
    let found: Vec<_> = (1..=all.len())
        .map(|contender| effects(&screened, 0, contender, metric))
        .collect();
    let mut ranked: Vec<usize> = (0..all.len()).collect();
    ranked.sort_by(|a, b| mean(&found[*a]).total_cmp(&mean(&found[*b])).then(a.cmp(b)));
    // Gains on one network and losses on another may have a mean of nothing.
    let moves = |one: &Effect| one.difference.abs() >= one.before * WORTH / 3.0;
    let (chosen, idle): (Vec<usize>, Vec<usize>) = ranked
        .into_iter()
        .partition(|i| found[*i].iter().flatten().any(moves));
    let best = chosen.iter().take(JUDGED);
    // Harm is worth knowing, too.
    let worst = chosen.iter().skip(JUDGED).rev().take(JUDGED / 4).rev();
    let chosen: Vec<usize> = best.chain(worst).copied().collect();
    let idle = idle.into_iter().map(|i| all[i].clone()).collect();

    let changes: Vec<Changes> = chosen.iter().map(|i| all[*i].changes.clone()).collect();
    let results = race(&of(judging, RUNS, &changes))?;
    let tried = |results: &Results, base: usize, contender: usize, idea: &Idea| Tried {
        idea: idea.clone(),
        effects: effects(results, base, contender, metric),
        costs: costs(results, base, contender, metric),
    };
    let judged = chosen.iter().enumerate();
    let judged = judged.map(|(place, i)| tried(&results, 0, place + 1, &all[*i]));
    let mut judged: Vec<Tried> = judged.collect();
    judged.sort_by(|a, b| {
        let key = |one: &Tried| (one.worth(), one.mean());
        let ((a, x), (b, y)) = (key(a), key(b));
        a.cmp(&b).then(x.total_cmp(&y))
    });

    let mut together: Vec<Tried> = Vec::new();
    let gains = |one: &&Tried| one.worth() == Worth::Gains && one.idea.is_repair;
    together.extend(judged.iter().find(gains).cloned());
    let mut sum = together
        .first()
        .map_or_else(Vec::new, |one| one.effects.clone());
    while !together.is_empty() && together.len() < TOGETHER {
        let before = combined(together.iter().map(|one| &one.idea));
        let left = judged.iter().filter(gains);
        let left = left.filter(|one| together.iter().all(|other| other.idea != one.idea));
        let fits = |one: &&Tried| {
            let both = [&before, &one.idea.changes].map(|one| one.all().to_vec());
            Changes::new(both.concat()).apply(page).is_ok()
        };
        let left: Vec<&Tried> = left.filter(fits).collect();
        if left.is_empty() {
            break;
        }
        let with = left
            .iter()
            .map(|one| Changes::new([before.all(), one.idea.changes.all()].concat()));
        let all: Vec<Changes> = std::iter::once(before.clone()).chain(with).collect();
        let results = race(&of(judging, RUNS, &all))?;
        let added = left.iter().enumerate();
        let added = added.map(|(place, one)| (place + 2, tried(&results, 1, place + 2, &one.idea)));
        let best = added.min_by(|a, b| a.1.mean().total_cmp(&b.1.mean()));
        let Some((contender, best)) = best.filter(|(_, one)| one.worth() == Worth::Gains) else {
            break;
        };
        sum = effects(&results, 0, contender, metric);
        together.push(best);
    }
    Ok(Advice {
        results,
        awaited: awaited.into_iter().collect(),
        judged,
        idle,
        together,
        sum,
    })
}

/// Returns all changes of the ideas, in order.
pub fn combined<'a>(ideas: impl Iterator<Item = &'a Idea>) -> Changes {
    Changes::new(ideas.flat_map(|idea| idea.changes.all()).cloned().collect())
}

/// Returns the effect of a contender's changes over each network on the first page, compared with
/// the contender `base`.
pub fn effects(
    results: &Results,
    base: usize,
    contender: usize,
    metric: MetricId,
) -> Vec<Option<Effect>> {
    let networks = 0..results.plan.networks.len();
    let effect = |network: usize| {
        let values = |contender| results.variant(0, network, contender).values(metric);
        let (before, after) = (values(base), values(contender));
        let pairs = before.iter().zip(&after);
        let pairs: Vec<f64> = pairs.filter_map(|(a, b)| Some((*b)? - (*a)?)).collect();
        let [before, after] =
            [before, after].map(|values| -> Vec<f64> { values.into_iter().flatten().collect() });
        Some(Effect {
            before: finite(median(&before))?,
            difference: finite(median(&pairs))?,
            range: central(&pairs, 0.8)?,
            after: finite(median(&after))?,
            after_range: central(&after, 0.8)?,
        })
    };
    networks.map(effect).collect()
}

/// Returns the other times of the load that come later.
fn costs(
    results: &Results,
    base: usize,
    contender: usize,
    metric: MetricId,
) -> Vec<(MetricId, usize, Effect)> {
    let others = MetricId::times().filter(|other| *other != metric);
    let mut costs = Vec::new();
    for other in others.filter(|other| explainable(*other).is_ok()) {
        let all = effects(results, base, contender, other).into_iter();
        let worst = all
            .enumerate()
            .filter_map(|(network, effect)| Some((network, effect?)))
            .filter(|(_, effect)| effect.worth() == Worth::Harms)
            .max_by(|a, b| a.1.difference.total_cmp(&b.1.difference));
        costs.extend(worst.map(|(network, effect)| (other, network, effect)));
    }
    costs
}

#[cfg(test)]
mod tests;

//! Advice on a page: ideas that follow from what its paints wait for, tried one by one
//! and together, each in many plausible worlds.
//!
//! An effect is a paired difference: both loads take place in the same world. Ideas and their
//! combination are found with one set of worlds, and judged in another.

mod effect;
mod ideas;
mod record;

use std::collections::BTreeSet;

use pagerace_page::{Changes, Page, ResourceId};

use crate::error::LabError;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::Results;
use crate::runner::{OnProgress, Runner, run_all, run_race};
use crate::why::{Explainer, explainable};

pub use effect::{Effect, Effects, OnUsers, Worth};
pub use ideas::selector;
pub use ideas::{Idea, ideas};
pub use record::{OVER, Record, measured_over, record};

/// Loads of each variant and world while ideas are sought, on all networks together.
const SCREENED: usize = 18;
/// Maximum number of runs on one network while ideas are sought.
const SCREENED_MAX: usize = 6;
/// Maximum number of ideas that are tried in all of these worlds, if there are more: the best in
/// one world, and the worst.
const SIFTED: (usize, usize) = (20, 4);
/// Maximum number of ideas that are judged.
const JUDGED: usize = 12;
/// Loads of each variant in which ideas are judged, on all networks together.
const RUNS: usize = 72;
/// The number of runs on one network, if there are many networks or few.
const RUNS_RANGE: (usize, usize) = (10, 24);
/// Maximum number of changes that are made together.
const TOGETHER: usize = 3;
/// Maximum number of ideas that are tried beside others in each step of a combination.
const BESIDE: usize = 6;

/// A page, those who load it, and what should improve.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// A race of one page and one contender, which delivers it.
    pub plan: &'a Plan,
    /// The metrics that should improve; there is at least one.
    pub goals: &'a [MetricId],
    /// The share of the users on each network of the plan; empty if each network counts by
    /// itself.
    pub shares: &'a [f64],
}

/// Changes and their effects.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The idea.
    pub idea: Idea,
    /// The effects on each goal.
    pub effects: Vec<Effects>,
    /// Other metrics that come later, with the network.
    pub costs: Vec<(MetricId, usize, Effect)>,
}

/// The advice for a page.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The loads of the page as it is, in the worlds in which ideas were judged.
    pub results: Results,
    /// The resources that the goals wait for on some network, in page order.
    pub awaited: Vec<ResourceId>,
    /// The ideas that were judged, the best first.
    pub judged: Vec<Tried>,
    /// The ideas that were tried in few worlds and did nothing.
    pub idle: Vec<Idea>,
    /// The best ideas made together, each with what it adds to those before. Empty if no idea
    /// gains.
    pub together: Vec<Tried>,
    /// The effects of all of those on the page as it is; empty without them.
    pub sum: Vec<Effects>,
}

/// A message of the search for advice.
#[derive(Clone, Copy, Debug)]
pub enum News<'a> {
    /// The next part begins: its name, and the number of its loads.
    Part(&'static str, usize),
    /// The best idea in the few worlds in which ideas are sought.
    First(&'a Idea, &'a [Effects]),
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

impl Advice {
    /// Returns the first goal of the page as it is, as effects of no change.
    pub fn alone(&self, question: Question<'_>) -> Effects {
        Effects::between(&self.results, 0, 0, question.goals[0], question.shares)
    }
}

impl Tried {
    /// Returns what the change amounts to: it gains if it does for one goal and harms none.
    pub fn worth(&self) -> Worth {
        worth(&self.effects)
    }

    /// Returns the mean change of the goals, as a share of each.
    pub fn mean(&self) -> f64 {
        mean(&self.effects)
    }
}

fn worth(effects: &[Effects]) -> Worth {
    let mut all = effects.iter().map(Effects::worth);
    match all.clone().max() {
        Some(Worth::Harms) => Worth::Harms,
        _ if all.any(|one| one == Worth::Gains) => Worth::Gains,
        _ => Worth::Nothing,
    }
}

fn mean(effects: &[Effects]) -> f64 {
    let sum: f64 = effects.iter().map(Effects::mean).sum();
    sum / effects.len().max(1) as f64
}

/// Returns the place of an idea among others: by its mean effect in thousandths, and of equals the one
/// that changes less.
fn rank(effects: &[Effects], idea: &Idea) -> (i64, usize) {
    let thousandths = (mean(effects) * 1000.0).round();
    (thousandths as i64, idea.changes.all().len())
}

/// Loads the page with changes.
struct Laboratory<'a> {
    question: Question<'a>,
    jobs: usize,
    runner: &'a Runner<'a>,
    progress: &'a OnProgress<'a>,
    news: &'a dyn Fn(News<'_>),
}

impl Laboratory<'_> {
    fn page(&self) -> &Page {
        &self.question.plan.pages[0]
    }

    /// Returns the race of the page as it is against each of these changes.
    fn plan(&self, seed: u64, runs: usize, all: &[Changes]) -> Plan {
        let mut plan = self.question.plan.clone();
        (plan.seed, plan.runs, plan.adaptive) = (seed, runs as u32, false);
        let own = plan.contenders[0].clone();
        plan.contenders.extend(all.iter().map(|changes| {
            let mut one = own.clone();
            one.changes = changes.clone();
            one
        }));
        plan
    }

    fn race(&self, name: &'static str, plan: &Plan) -> Result<Results, LabError> {
        (self.news)(News::Part(name, plan.loads()));
        run_race(plan, self.jobs, self.runner, self.progress)
    }

    fn effects(&self, results: &Results, base: usize, contender: usize) -> Vec<Effects> {
        let of = |goal: &MetricId| {
            Effects::between(results, base, contender, *goal, self.question.shares)
        };
        self.question.goals.iter().map(of).collect()
    }

    fn tried(&self, results: &Results, base: usize, contender: usize, idea: &Idea) -> Tried {
        Tried {
            idea: idea.clone(),
            effects: self.effects(results, base, contender),
            costs: costs(results, base, contender, self.question.goals),
        }
    }

    /// Returns the effects of ideas in these worlds, and the ideas by rank.
    fn screen(
        &self,
        name: &'static str,
        all: &[Idea],
        seed: u64,
        runs: usize,
    ) -> Result<(Vec<Vec<Effects>>, Vec<usize>), LabError> {
        let changes: Vec<Changes> = all.iter().map(|idea| idea.changes.clone()).collect();
        let results = self.race(name, &self.plan(seed, runs, &changes))?;
        let found: Vec<Vec<Effects>> = (1..=all.len())
            .map(|contender| self.effects(&results, 0, contender))
            .collect();
        let mut ranked: Vec<usize> = (0..all.len()).collect();
        ranked.sort_by_key(|i| (rank(&found[*i], &all[*i]), *i));
        Ok((found, ranked))
    }

    /// Tries many ideas in one world, and returns those to try in more: the best and the worst, in
    /// their order; and of the others those that move nothing.
    fn sift(&self, all: Vec<Idea>, seed: u64) -> Result<(Vec<Idea>, Vec<Idea>), LabError> {
        let (best, worst) = SIFTED;
        if all.len() <= best + worst {
            return Ok((all, Vec::new()));
        }
        let (found, mut ranked) = self.screen("sifting", &all, seed, 1)?;
        ranked.drain(best..all.len() - worst);
        let (mut kept, mut unmoved) = (Vec::new(), Vec::new());
        for (i, idea) in all.into_iter().enumerate() {
            if ranked.contains(&i) {
                kept.push(idea);
            } else if !found[i].iter().any(Effects::moves) {
                unmoved.push(idea);
            }
        }
        Ok((kept, unmoved))
    }

    /// Returns the places in `all` of ideas that gain together, the best first, as far as the
    /// worlds of `seed` tell. `gaining` are those that gain alone, the best first.
    fn combine(
        &self,
        all: &[Idea],
        gaining: &[usize],
        seed: u64,
        runs: usize,
    ) -> Result<Vec<usize>, LabError> {
        let mut chosen: Vec<usize> = gaining.iter().take(1).copied().collect();
        while !chosen.is_empty() && chosen.len() < TOGETHER {
            let before = combined(chosen.iter().map(|i| &all[*i]));
            let with = |i: usize| Changes::new([before.all(), all[i].changes.all()].concat());
            let fits = |i: &usize| with(*i).apply(self.page()).is_ok();
            let others = gaining.iter().copied().filter(|i| !chosen.contains(i));
            let others: Vec<usize> = others.filter(fits).take(BESIDE).collect();
            if others.is_empty() {
                break;
            }
            let changes = others.iter().map(|i| with(*i));
            let changes: Vec<Changes> = std::iter::once(before.clone()).chain(changes).collect();
            let results = self.race("combining", &self.plan(seed, runs, &changes))?;
            let added = others.iter().enumerate();
            let added = added.map(|(place, i)| (*i, self.effects(&results, 1, place + 2)));
            let best = added.min_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
            match best {
                Some((i, effects)) if worth(&effects) == Worth::Gains => chosen.push(i),
                _ => break,
            }
        }
        Ok(chosen)
    }
}

/// Tries what could be changed about the page of a question.
///
/// # Errors
/// The plan cannot be run, or `progress` stops it.
pub fn advise(
    question: Question<'_>,
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
    news: &dyn Fn(News<'_>),
) -> Result<Advice, LabError> {
    let lab = Laboratory {
        question,
        jobs,
        runner,
        progress,
        news,
    };
    let plan = question.plan;
    let (screening, judging) = (plan.seed, plan.seed.wrapping_add(1));
    let networks = plan.networks.len();
    let screened_runs = (SCREENED / networks).clamp(3, SCREENED_MAX);
    let runs = (RUNS / networks).clamp(RUNS_RANGE.0, RUNS_RANGE.1);

    let awaited = awaited(&lab, screening, screened_runs, explainer)?;
    let (all, unmoved) = lab.sift(ideas(lab.page(), &awaited), screening)?;
    let (found, ranked) = lab.screen("trying", &all, screening, screened_runs)?;
    let (chosen, idle): (Vec<usize>, Vec<usize>) = ranked
        .into_iter()
        .partition(|i| found[*i].iter().any(Effects::moves));
    let gains = |i: &usize| worth(&found[*i]) == Worth::Gains && all[*i].is_repair;
    let mut gaining: Vec<usize> = chosen.iter().copied().filter(gains).collect();
    if let Some(first) = gaining.first() {
        news(News::First(&all[*first], &found[*first]));
    }
    let best = chosen.iter().take(JUDGED);
    // Harm is worth knowing, too.
    let worst = chosen.iter().skip(JUDGED).rev().take(JUDGED / 4).rev();
    let chosen: Vec<usize> = best.chain(worst).copied().collect();
    gaining.retain(|i| chosen.contains(i));
    let idle = idle.into_iter().map(|i| all[i].clone());
    let idle = idle.chain(unmoved).collect();

    let combination = lab.combine(&all, &gaining, screening, screened_runs * 2)?;
    let mut changes: Vec<Changes> = chosen.iter().map(|i| all[*i].changes.clone()).collect();
    // An idea may be the same as others together.
    let beginning = |count: usize| combined(combination[..count].iter().map(|i| &all[*i]));
    for count in 1..=combination.len() {
        if !changes.contains(&beginning(count)) {
            changes.push(beginning(count));
        }
    }
    let results = lab.race("judging", &lab.plan(judging, runs, &changes))?;
    let judged = chosen.iter().enumerate();
    let judged = judged.map(|(place, i)| lab.tried(&results, 0, place + 1, &all[*i]));
    let mut judged: Vec<Tried> = judged.collect();
    // The contender that makes the first changes of the combination.
    let maker = |count: usize| {
        let place = changes.iter().position(|one| *one == beginning(count));
        place.filter(|_| count > 0).map_or(0, |place| place + 1)
    };
    let mut together: Vec<Tried> = Vec::new();
    for (count, i) in combination.iter().enumerate() {
        let added = lab.tried(&results, maker(count), maker(count + 1), &all[*i]);
        if added.worth() != Worth::Gains {
            break;
        }
        together.push(added);
    }
    let mut sum = match together.len() {
        0 => Vec::new(),
        count => lab.effects(&results, 0, maker(count)),
    };
    judged.sort_by_key(|one| (one.worth(), rank(&one.effects, &one.idea)));
    if together.is_empty() {
        // The combination did not last in new worlds; the best single idea that did is an answer.
        let gains = |one: &&Tried| one.worth() == Worth::Gains && one.idea.is_repair;
        together.extend(judged.iter().find(gains).cloned());
        sum.extend(together.iter().flat_map(|one| one.effects.clone()));
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

/// Compares the two contenders of a plan with one page: what the second one changes about the
/// first. `shares` are those of the users on each network; empty if each counts by itself.
///
/// # Errors
/// The plan cannot be run, or `progress` stops it.
pub fn compare(
    plan: &Plan,
    shares: &[f64],
    jobs: usize,
    runner: &Runner<'_>,
    progress: &OnProgress<'_>,
) -> Result<(Results, Effects), LabError> {
    let results = run_race(plan, jobs, runner, progress)?;
    let effects = Effects::between(&results, 0, 1, plan.metric, shares);
    Ok((results, effects))
}

/// Returns the resources on the critical paths of typical loads.
fn awaited(
    lab: &Laboratory<'_>,
    seed: u64,
    runs: usize,
    explainer: &Explainer<'_>,
) -> Result<BTreeSet<ResourceId>, LabError> {
    let alone = lab.plan(seed, runs, &[]);
    let loads = lab.race("loading", &alone)?;
    let networks = alone.networks.len();
    let goals = lab.question.goals.iter();
    let goals: Vec<_> = goals
        .map(|goal| Ok((*goal, explainable(*goal)?)))
        .collect::<Result<_, LabError>>()?;
    let path = |i: usize| {
        let (network, (metric, asked)) = (i % networks, goals[i / networks]);
        let run = loads.variant(0, network, 0).median_run(metric);
        let scenario = alone.scenario(alone.variant_index(0, network, 0), run);
        explainer(&scenario, alone.run_seed(run), asked)
    };
    let total = networks * goals.len();
    (lab.news)(News::Part("explaining", total));
    let paths = run_all(lab.jobs, total, &path, lab.progress)?;
    let steps = paths.into_iter().flatten().flat_map(|one| one.path);
    Ok(steps.map(|step| step.resource).collect())
}

/// Returns all changes of the ideas, in order.
pub fn combined<'a>(ideas: impl Iterator<Item = &'a Idea>) -> Changes {
    Changes::new(ideas.flat_map(|idea| idea.changes.all()).cloned().collect())
}

/// Returns the other times of the load that come later.
pub(crate) fn costs(
    results: &Results,
    base: usize,
    contender: usize,
    goals: &[MetricId],
) -> Vec<(MetricId, usize, Effect)> {
    let others = MetricId::times().filter(|other| !goals.contains(other));
    let mut costs = Vec::new();
    for other in others.filter(|other| explainable(*other).is_ok()) {
        let all = Effects::between(results, base, contender, other, &[]);
        let worst = all
            .networks
            .into_iter()
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

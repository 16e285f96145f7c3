//! The priorities of responses (RFC 9218) with which a page is shown soonest.
//!
//! The search starts from the browser's signals and from what the metric waits for, and changes one
//! response or one group at a time. All assignments are tried in the same worlds; the best one is
//! judged in others, beside all strategies. It is a local search: better assignments may exist. The
//! bound tells how much they could gain at most.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pagerace_core::{Destination, Priority};
use pagerace_delivery::StrategySpec;
use pagerace_page::model::ImageBytes;
use pagerace_page::{Changes, Page, ResourceId};
use pagerace_sim::Explainable;

use crate::advice::{Effect, Effects, News, Worth, costs, selector};
use crate::contender::Contender;
use crate::error::LabError;
use crate::metric::MetricId;
use crate::plan::Plan;
use crate::results::Results;
use crate::runner::{OnProgress, Runner, run_all, run_race};
use crate::stats::median;
use crate::why::{Explainer, explainable};

/// Loads of each assignment on all networks together, during the search.
const SEARCHED: usize = 9;
/// Loads of each variant on all networks together, when it is judged.
const JUDGED: usize = 72;
/// The number of runs on one network, if there are many networks or few.
const JUDGED_RANGE: (usize, usize) = (10, 24);
/// The number of tried assignments after which the search ends.
const TRIED: usize = 250;
/// Responses that the metric does not wait for, and that are moved one by one: the largest.
const SINGLE: usize = 8;
/// The share of the metric that a step of the search has to gain.
const STEP: f64 = 0.002;
/// The share that an entry of the assignment has to gain to be worth its line.
const ENTRY: f64 = 0.001;
/// The strategy that obeys priorities.
const OBEYS: &str = "eps";

/// The priorities that are tried: from the most urgent to the least, and shared ones.
const OPTIONS: [Priority; 6] = [
    Priority::new(0, false),
    Priority::new(2, false),
    Priority::new(4, false),
    Priority::new(7, false),
    Priority::new(3, true),
    Priority::new(7, true),
];

/// The priorities of responses; those without one, and those of other sites, keep the browser's
/// signal.
type Assignment = BTreeMap<ResourceId, Priority>;

/// The best priorities that were found, and what they are worth.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// The judged loads: of each strategy, the first one obeying the browser's signals, and last
    /// of the priorities that were found, if there are any.
    pub results: Results,
    /// The priorities as changes of the page; empty if none gain over the browser's.
    pub changes: Changes,
    /// Their effects on the metric, against the browser's signals.
    pub effects: Effects,
    /// Other metrics that come later, with the network.
    pub costs: Vec<(MetricId, usize, Effect)>,
    /// The median time on each network in which no order of bytes could be sooner: in each world,
    /// that of the soonest strategy, or of a load whose link carries only what the metric waits for.
    pub bounds: Vec<Option<f64>>,
    /// Assignments that were tried.
    pub tried: usize,
}

impl Tuning {
    /// Returns the median of the metric on a network, with the order of a judged contender.
    pub fn time(&self, network: usize, contender: usize) -> Option<f64> {
        let values = self.results.variant(0, network, contender);
        let values = values.values(self.results.plan.metric).into_iter();
        median(&values.flatten().collect::<Vec<_>>())
    }

    /// Returns the share of the gap between the browser's signals and the bound that is left on
    /// a network; `None` without a gap.
    pub fn left(&self, network: usize) -> Option<f64> {
        let last = self.results.plan.contenders.len() - 1;
        let own = if self.changes.is_empty() { 0 } else { last };
        let (before, after) = (self.time(network, 0)?, self.time(network, own)?);
        let bound = self.bounds[network]?;
        (before > bound).then(|| ((after - bound) / (before - bound)).clamp(0.0, 1.0))
    }
}

struct Search<'a> {
    /// The race of the page with one contender.
    plan: &'a Plan,
    jobs: usize,
    runner: &'a Runner<'a>,
    progress: &'a OnProgress<'a>,
    news: &'a dyn Fn(News<'_>),
    runs: usize,
    tried: usize,
}

impl Search<'_> {
    fn page(&self) -> &Page {
        &self.plan.pages[0]
    }

    /// Returns the assignment as changes. Of responses that no selector tells apart, it has none.
    fn changes(&self, assignment: &Assignment) -> Changes {
        let page = self.page();
        let mut seen = BTreeSet::new();
        let entries = assignment.iter().filter_map(|(id, priority)| {
            // Several requests may have one URL.
            let own = selector(page, page.resource(*id)).filter(|own| seen.insert(own.clone()))?;
            let shared = if priority.incremental { "i" } else { "" };
            Some(format!("priority=u{}{shared} {own}", priority.urgency))
        });
        let text = entries.collect::<Vec<_>>().join("; ");
        // Without entries, there are no changes.
        text.parse().unwrap_or_default()
    }

    /// Returns the plan of the page with these contenders.
    fn plan_of(&self, contenders: Vec<Contender>, seed: u64, runs: usize) -> Plan {
        let mut plan = self.plan.clone();
        (plan.contenders, plan.seed, plan.runs) = (contenders, seed, runs as u32);
        (plan.adaptive, plan.baseline) = (false, 0);
        plan
    }

    fn contender(&self, changes: Changes) -> Contender {
        Contender {
            changes,
            strategy: OBEYS.parse().expect("it is in the registry"),
            ..self.plan.contenders[0].clone()
        }
    }

    /// Returns the score of each assignment, lower for sooner: the mean over networks and runs of
    /// the logarithm of the metric.
    fn scores(&mut self, all: &[Assignment]) -> Result<Vec<f64>, LabError> {
        let mut contenders: Vec<Contender> = Vec::new();
        let mut places = Vec::new();
        for assignment in all {
            let one = self.contender(self.changes(assignment));
            let known = contenders.iter().position(|other| *other == one);
            places.push(known.unwrap_or(contenders.len()));
            if known.is_none() {
                contenders.push(one);
            }
        }
        self.tried += contenders.len();
        let plan = self.plan_of(contenders, self.plan.seed, self.runs);
        let results = run_race(&plan, self.jobs, self.runner, self.progress)?;
        let score = |contender: usize| {
            let networks = 0..plan.networks.len();
            let values = networks
                .flat_map(|network| results.variant(0, network, contender).values(plan.metric));
            let logs: Vec<f64> = values
                .map(|value| libm::log(value.unwrap_or(f64::INFINITY).max(0.1)))
                .collect();
            logs.iter().sum::<f64>() / logs.len() as f64
        };
        Ok(places.into_iter().map(score).collect())
    }

    /// Returns the best assignment that is found.
    fn run(&mut self, awaited: &BTreeSet<ResourceId>) -> Result<Assignment, LabError> {
        let movers = movers(self.page(), awaited);
        let starts = starts(self.page(), awaited);
        (self.news)(News::Part("searching", 0));
        let scores = self.scores(&starts)?;
        let (mut best, mut score) = soonest(starts, &scores);
        loop {
            let before = score;
            for mover in &movers {
                if self.tried >= TRIED {
                    return Ok(best);
                }
                let options = OPTIONS.iter().map(|one| Some(*one)).chain([None]);
                let with = |option: Option<Priority>| {
                    let mut next = best.clone();
                    for id in mover {
                        match option {
                            Some(priority) => next.insert(*id, priority),
                            None => next.remove(id),
                        };
                    }
                    next
                };
                let others: Vec<Assignment> =
                    options.map(with).filter(|next| *next != best).collect();
                let scores = self.scores(&others)?;
                let (next, found) = soonest(others, &scores);
                if found < score - STEP {
                    (best, score) = (next, found);
                }
            }
            if score >= before - STEP {
                return Ok(best);
            }
        }
    }

    /// Returns the assignment without entries that do nothing, alone or together.
    fn pruned(&mut self, assignment: &Assignment) -> Result<Assignment, LabError> {
        let limit = self.scores(std::slice::from_ref(assignment))?[0] + ENTRY;
        let mut best = assignment.clone();
        for id in assignment.keys() {
            let mut less = best.clone();
            less.remove(id);
            if self.scores(std::slice::from_ref(&less))?[0] <= limit {
                best = less;
            }
        }
        Ok(best)
    }
}

/// Returns the assignment with the lowest score; the first of equals.
fn soonest(all: Vec<Assignment>, scores: &[f64]) -> (Assignment, f64) {
    let both = all.into_iter().zip(scores);
    let best = both.min_by(|a, b| a.1.total_cmp(b.1));
    let (assignment, score) = best.expect("there is an assignment");
    (assignment, *score)
}

/// Returns where the search begins: with the browser's signals, and with what is awaited before all
/// else.
fn starts(page: &Page, awaited: &BTreeSet<ResourceId>) -> Vec<Assignment> {
    let all = responses(page);
    let first = all.iter().map(|id| {
        let urgency = if awaited.contains(id) { 0 } else { 7 };
        (*id, Priority::new(urgency, false))
    });
    vec![Assignment::new(), first.collect()]
}

/// Returns the responses that have bytes to order, and fields that the site can set.
fn responses(page: &Page) -> Vec<ResourceId> {
    let all = page.resources.iter();
    let all = all.filter(|one| one.body_bytes > 0 && !one.third_party);
    all.map(|one| one.id).collect()
}

/// Returns the responses and groups that the search moves: each that is awaited, the largest
/// others, and the others of each type.
fn movers(page: &Page, awaited: &BTreeSet<ResourceId>) -> Vec<Vec<ResourceId>> {
    let all = responses(page);
    let (own, mut others): (Vec<ResourceId>, Vec<ResourceId>) =
        all.into_iter().partition(|id| awaited.contains(id));
    let mut movers: Vec<Vec<ResourceId>> = own.into_iter().map(|id| vec![id]).collect();
    for kind in Destination::ALL {
        let of = others.iter().copied();
        let group: Vec<ResourceId> = of
            .filter(|id| page.resource(*id).destination == kind)
            .collect();
        if group.len() > 1 {
            movers.push(group);
        }
    }
    others.sort_by_key(|id| (std::cmp::Reverse(page.resource(*id).body_bytes), *id));
    movers.extend(others.into_iter().take(SINGLE).map(|id| vec![id]));
    movers
}

/// Finds the best priorities for the page of `plan`, whose only contender delivers it.
///
/// # Errors
/// The plan cannot be run, or `progress` stops it.
pub fn tune(
    plan: &Plan,
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
    news: &dyn Fn(News<'_>),
) -> Result<Tuning, LabError> {
    let networks = plan.networks.len();
    let mut search = Search {
        plan,
        jobs,
        runner,
        progress,
        news,
        runs: (SEARCHED / networks).clamp(2, 4),
        tried: 0,
    };
    let asked = explainable(plan.metric)?;
    let signalled = search.contender(Changes::default());
    let alone = search.plan_of(vec![signalled.clone()], plan.seed, search.runs);
    let mut awaited = awaited(&alone, jobs, runner, explainer, asked, progress)?;
    let found = search.run(&awaited)?;
    let found = search.pruned(&found)?;
    let changes = search.changes(&found);

    let mut contenders = vec![signalled];
    for strategy in StrategySpec::defaults() {
        let one = Contender {
            strategy,
            ..contenders[0].clone()
        };
        if one != contenders[0] {
            contenders.push(one);
        }
    }
    if !changes.is_empty() {
        contenders.push(search.contender(changes.clone()));
    }
    let (least, most) = JUDGED_RANGE;
    let runs = (JUDGED / networks).clamp(least, most);
    let seed = plan.seed.wrapping_add(1);
    let judged = search.plan_of(contenders, seed, runs);
    news(News::Part("judging", judged.loads()));
    let results = run_race(&judged, jobs, runner, progress)?;
    let last = judged.contenders.len() - 1;
    let own = if changes.is_empty() { 0 } else { last };
    let effects = Effects::between(&results, 0, own, plan.metric, &[]);

    let tuned = search.plan_of(
        vec![search.contender(changes.clone())],
        plan.seed,
        search.runs,
    );
    awaited.extend(self::awaited(
        &tuned, jobs, runner, explainer, asked, progress,
    )?);
    let mut bare = search.plan_of(vec![judged.contenders[0].clone()], seed, runs);
    bare.pages = vec![Arc::new(only(search.page(), &awaited))];
    news(News::Part("bounding", bare.loads()));
    let bare = run_race(&bare, jobs, runner, progress)?;
    let bound = |network: usize| {
        let of = |results: &Results, contender: usize| {
            results.variant(0, network, contender).values(plan.metric)
        };
        let mut least = of(&bare, 0);
        for contender in 0..judged.contenders.len() {
            for (least, own) in least.iter_mut().zip(of(&results, contender)) {
                *least = [*least, own].into_iter().flatten().min_by(f64::total_cmp);
            }
        }
        median(&least.into_iter().flatten().collect::<Vec<_>>())
    };
    let changes = match effects.worth() {
        Worth::Gains => changes,
        _ => Changes::default(),
    };
    Ok(Tuning {
        bounds: (0..networks).map(bound).collect(),
        costs: costs(&results, 0, own, &[plan.metric]),
        results,
        changes,
        effects,
        tried: search.tried,
    })
}

/// Returns the resources on the critical paths of typical loads of the only contender.
fn awaited(
    plan: &Plan,
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    asked: Explainable,
    progress: &OnProgress<'_>,
) -> Result<BTreeSet<ResourceId>, LabError> {
    let loads = run_race(plan, jobs, runner, progress)?;
    let path = |network: usize| {
        let run = loads.variant(0, network, 0).median_run(plan.metric);
        let scenario = plan.scenario(plan.variant_index(0, network, 0), run);
        explainer(&scenario, plan.run_seed(run), asked)
    };
    let paths = run_all(jobs, plan.networks.len(), &path, progress)?;
    let steps = paths.into_iter().flatten().flat_map(|one| one.path);
    Ok(steps.map(|step| step.resource).collect())
}

/// Returns the page with empty responses but for those that are awaited.
fn only(page: &Page, awaited: &BTreeSet<ResourceId>) -> Page {
    let mut page = page.clone();
    let others = page.resources.iter_mut();
    for resource in others.filter(|one| !awaited.contains(&one.id)) {
        if resource.destination == Destination::Document {
            continue;
        }
        resource.body_bytes = 0;
        resource.image = ImageBytes::default();
    }
    page
}

#[cfg(test)]
mod tests;

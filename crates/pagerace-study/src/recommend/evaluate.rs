//! Policies, their regret out of fold, and which of them to take.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use pagerace_core::parallel;
use pagerace_lab::Progress;
use pagerace_lab::across::GAIN;
use pagerace_lab::analysis::NOTICEABLE;
use pagerace_lab::stats::{median, median_interval};
use serde::Serialize;

use super::interval::{self, Mean};
use super::population::{Population, Situation};
use super::rule::{self, Rule};
use crate::shard::digest;

/// The number of folds beyond [`ALONE_MAX`] pages.
const FOLDS: usize = 10;
/// The number of pages up to which each is a fold of its own.
const ALONE_MAX: usize = 30;
/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// A kind of policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PolicyKind {
    /// The choice that is made today.
    Today,
    /// Always the plainest choice of HTTP/2.
    Http2,
    /// Always the plainest choice of HTTP/3.
    Http3,
    /// Always the choice with the lowest mean loss on other pages.
    Fixed,
    /// The rule that was learnt from other pages.
    Rule,
    /// The best choice for each page and network.
    Oracle,
}

/// A policy and its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The kind.
    pub kind: PolicyKind,
    /// The choice in each situation. Those of [`PolicyKind::Fixed`] and [`PolicyKind::Rule`] were
    /// learnt from the pages of other folds.
    pub choices: Vec<usize>,
    /// The regret: the excess of the policy's value over the best choice's, as a share of the
    /// latter.
    pub regret: Regret,
    /// The weighted mean of the difference from the best choice, in the unit of the metric.
    pub excess: f64,
    /// By page: the mean change against today as a share, over the networks. It is the
    /// geometric mean, so that a page which is twice as slow for one half and twice as fast for
    /// the other does not change.
    pub changes: Vec<f64>,
    /// The share of pages whose change exceeds 5 %.
    pub pages_worse: f64,
    /// The share of situations, by their weights, whose value is worse than today's by more than
    /// 5 %.
    pub pairs_worse: f64,
    /// The situations that are worse than today by more than 5 %, as index and change, worst
    /// first.
    pub worst: Vec<(usize, f64)>,
    /// The share of situations, by their weights, in which the choice breaks more objects than
    /// today's.
    pub breaks: f64,
}

/// The distribution of the regret over situations. A quantile is the least regret that at least
/// its share of the weights does not exceed; if exactly this share does not, it lies halfway to the
/// next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regret {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The nine tenths.
    pub p90: f64,
    /// The largest.
    pub worst: f64,
}

/// The policies, and the one to take.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The policies: today's, HTTP/2 and HTTP/3 if there are choices of them, the best fixed
    /// choice, the rule and the oracle.
    pub policies: Vec<Policy>,
    /// The best fixed choice, learnt from all pages.
    pub fixed: usize,
    /// The rule, learnt from all pages.
    pub rule: Rule,
    /// The number of folds.
    pub folds: usize,
    /// The number of folds in which the best fixed choice is that of all pages.
    pub agreeing: usize,
    /// The kind of policy to take: today's, the best fixed choice or the rule.
    pub take: PolicyKind,
    /// The mean loss of the best fixed choice less today's, over pages.
    pub fixed_against_today: Mean,
    /// The mean loss of the rule less the best fixed choice's.
    pub rule_against_fixed: Mean,
    /// The mean loss of the rule less today's.
    pub rule_against_today: Mean,
    /// The same on networks from which nothing was learnt; `None` if there is only one network.
    pub unseen: Option<Unseen>,
}

/// A fixed choice and a rule on networks, and on pages, from which they were not learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// By network of the population.
    pub networks: Vec<Changes>,
    /// The mean loss of the best fixed choice less today's, over pages.
    pub fixed_against_today: Mean,
    /// The mean loss of the rule less the best fixed choice's.
    pub rule_against_fixed: Mean,
    /// The mean loss of the rule less today's.
    pub rule_against_today: Mean,
}

/// Mean losses on a network less today's, over pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Changes {
    /// The best fixed choice, learnt from other networks and other pages.
    pub fixed: f64,
    /// The rule, learnt from other networks and other pages.
    pub rule: f64,
    /// The rule, learnt from all networks and other pages.
    pub seen: f64,
    /// The best choice for each page.
    pub oracle: f64,
}

impl Evaluation {
    /// Returns a policy.
    ///
    /// # Panics
    /// Panics if the population has no such policy.
    pub fn policy(&self, kind: PolicyKind) -> &Policy {
        let mut all = self.policies.iter();
        all.find(|policy| policy.kind == kind)
            .expect("the caller knows the policies")
    }

    /// Returns the choice of a policy that always makes the same one.
    pub fn always(&self, policy: &Policy) -> Option<usize> {
        match policy.kind {
            PolicyKind::Fixed => Some(self.fixed),
            PolicyKind::Rule | PolicyKind::Oracle => None,
            _ => policy.choices.first().copied(),
        }
    }
}

impl Policy {
    /// Returns the change against today on the median page, and the ends of its 95 % interval.
    pub fn change(&self) -> (f64, Option<(f64, f64)>) {
        let interval = median_interval(&self.changes, CONFIDENCE);
        let median = median(&self.changes).expect("there are pages");
        (
            median,
            interval.map(|interval| (interval.low, interval.high)),
        )
    }
}

/// Learns a fixed choice and a rule of at most `depth` questions, and evaluates all policies, on
/// `jobs` threads. Returns `None` if `progress` stops the work.
pub fn evaluate(
    population: &Population,
    depth: u8,
    jobs: usize,
    progress: &(impl Fn(Progress) -> ControlFlow<()> + Sync),
) -> Option<Evaluation> {
    let situations = &population.situations;
    let fold_of = folds(population);
    let folds = count_folds(population);
    let total = steps(population);
    let step = |(): &mut (), step: usize| {
        if let Some(network) = step.checked_sub(folds + 1) {
            return without_network(population, network, &fold_of, depth);
        }
        // No page has the fold after the last, so that its step leaves nothing out.
        let others = situations.iter().filter(|one| fold_of[one.page] != step);
        let others: Vec<&Situation> = others.collect();
        let rule = learn(population, &others, &fold_of, depth);
        vec![(best_fixed(population, &others), rule)]
    };
    let tell = |done| progress(Progress { done, total });
    let mut learnt = parallel::map(jobs, total, &step, &tell)?;
    let left_out = learnt.split_off(folds + 1);
    let (fixed, rule) = learnt.pop()?.pop()?;
    let learnt: Vec<(usize, Rule)> = learnt.into_iter().flatten().collect();
    let agreeing = learnt.iter().filter(|(choice, _)| *choice == fixed).count();
    let learnt_for = |one: &Situation| &learnt[fold_of[one.page]];
    let by_fixed = situations.iter().map(|one| learnt_for(one).0).collect();
    let by_rule = situations
        .iter()
        .map(|one| learnt_for(one).1.choose(one))
        .collect();
    let always = |kind, choice: usize| Some((kind, vec![choice; situations.len()]));
    let plainest = |kind, protocol| always(kind, population.plainest(protocol)?);
    let oracle = situations.iter().map(Situation::oracle).collect();
    let policies: Vec<Policy> = [
        always(PolicyKind::Today, 0),
        plainest(PolicyKind::Http2, "h2"),
        plainest(PolicyKind::Http3, "h3"),
        Some((PolicyKind::Fixed, by_fixed)),
        Some((PolicyKind::Rule, by_rule)),
        Some((PolicyKind::Oracle, oracle)),
    ]
    .into_iter()
    .flatten()
    .map(|(kind, choices)| policy(population, kind, choices))
    .collect();
    let losses = |kind: PolicyKind| {
        let found = policies.iter().find(|policy| policy.kind == kind);
        page_means(population, |place, situation| {
            situation.loss(found.map_or(0, |policy| policy.choices[place]))
        })
    };
    let against = |kind, other| {
        let pairs = losses(kind).into_iter().zip(losses(other));
        interval::mean(&pairs.map(|(own, other)| own - other).collect::<Vec<f64>>())
    };
    let fixed_against_today = against(PolicyKind::Fixed, PolicyKind::Today);
    let rule_against_fixed = against(PolicyKind::Rule, PolicyKind::Fixed);
    let rule_against_today = against(PolicyKind::Rule, PolicyKind::Today);
    let take = if surely_better(rule_against_fixed) && surely_better(rule_against_today) {
        PolicyKind::Rule
    } else if surely_better(fixed_against_today) && fixed != 0 {
        PolicyKind::Fixed
    } else {
        PolicyKind::Today
    };
    let with_networks = |one: &Situation| learnt_for(one).1.choose(one);
    let unseen =
        (!left_out.is_empty()).then(|| unseen(population, &left_out, &fold_of, &with_networks));
    Some(Evaluation {
        policies,
        fixed,
        rule,
        folds,
        agreeing,
        take,
        fixed_against_today,
        rule_against_fixed,
        rule_against_today,
        unseen,
    })
}

/// Learns a fixed choice and a rule for each fold, from the other folds on the other networks.
fn without_network(
    population: &Population,
    network: usize,
    fold_of: &[usize],
    depth: u8,
) -> Vec<(usize, Rule)> {
    let others = population.situations.iter();
    let others: Vec<&Situation> = others.filter(|one| one.network != network).collect();
    let without = |fold: usize| {
        let rest = others.iter().filter(|one| fold_of[one.page] != fold);
        let rest: Vec<&Situation> = rest.copied().collect();
        let rule = learn(population, &rest, fold_of, depth);
        (best_fixed(population, &rest), rule)
    };
    (0..count_folds(population)).map(without).collect()
}

/// Evaluates the choice and the rule that are learnt for each network and fold from the others.
/// `seen` has the choices of the rule that was learnt from all networks.
fn unseen(
    population: &Population,
    learnt: &[Vec<(usize, Rule)>],
    fold_of: &[usize],
    seen: &impl Fn(&Situation) -> usize,
) -> Unseen {
    let learnt_for = |one: &Situation| &learnt[one.network][fold_of[one.page]];
    let by_fixed = |one: &Situation| one.loss(learnt_for(one).0);
    let by_rule = |one: &Situation| one.loss(learnt_for(one).1.choose(one));
    let today = |one: &Situation| one.loss(0);
    let against = |own: &dyn Fn(&Situation) -> f64, other: &dyn Fn(&Situation) -> f64| {
        interval::mean(&page_means(population, |_, one| own(one) - other(one)))
    };
    let on = |network: usize| {
        let here = population.situations.iter();
        let here: Vec<&Situation> = here.filter(|one| one.network == network).collect();
        let mean = |of: &dyn Fn(&Situation) -> f64| {
            let changes = here.iter().map(|one| of(one) - today(one));
            changes.sum::<f64>() / here.len() as f64
        };
        Changes {
            fixed: mean(&by_fixed),
            rule: mean(&by_rule),
            seen: mean(&|one| one.loss(seen(one))),
            oracle: mean(&|one| one.loss(one.oracle())),
        }
    };
    Unseen {
        networks: (0..learnt.len()).map(on).collect(),
        fixed_against_today: against(&by_fixed, &today),
        rule_against_fixed: against(&by_rule, &by_fixed),
        rule_against_today: against(&by_rule, &today),
    }
}

/// Learns a rule from some situations, of the best depth up to `depth`.
fn learn(population: &Population, from: &[&Situation], fold_of: &[usize], depth: u8) -> Rule {
    Rule::learn(
        population,
        from,
        best_depth(population, from, fold_of, depth),
    )
}

/// Returns the depth up to `depth` with the lowest loss on pages of folds from which a rule of
/// this depth was not learnt; the least of equals.
fn best_depth(population: &Population, from: &[&Situation], fold_of: &[usize], depth: u8) -> u8 {
    let folds: BTreeSet<usize> = from.iter().map(|one| fold_of[one.page]).collect();
    let loss = |depth: u8| -> f64 {
        let of_fold = |fold: &usize| -> f64 {
            let (here, others): (Vec<&Situation>, Vec<&Situation>) =
                from.iter().partition(|one| fold_of[one.page] == *fold);
            let rule = Rule::learn(population, &others, depth);
            let losses = here
                .iter()
                .map(|one| one.weight * one.loss(rule.choose(one)));
            losses.sum()
        };
        folds.iter().map(of_fold).sum()
    };
    // A rule needs pages to be learnt from and others to be tested on.
    if folds.len() < 2 {
        return 0;
    }
    let losses: Vec<f64> = (0..=depth).map(loss).collect();
    rule::least(&losses).0 as u8
}

/// Returns true if the interval leaves out zero and the gain is noticeable.
fn surely_better(difference: Mean) -> bool {
    let sure = difference.interval.is_some_and(|(_, high)| high < 0.0);
    sure && difference.mean < -libm::log(1.0 + NOTICEABLE)
}

/// Returns the choice with the lowest weighted mean loss; the first of equals.
fn best_fixed(population: &Population, from: &[&Situation]) -> usize {
    match Rule::learn(population, from, 0) {
        Rule::Choose(choice) => choice,
        Rule::Split { .. } => unreachable!("a rule without questions has no splits"),
    }
}

/// Returns the number of steps of [`evaluate`]: one for each fold, one for all pages, and one for
/// each network if there are several.
pub fn steps(population: &Population) -> usize {
    let networks = match population.networks.len() {
        1 => 0,
        several => several,
    };
    count_folds(population) + 1 + networks
}

/// Returns the number of folds. A page is alone in its fold if there are few.
fn count_folds(population: &Population) -> usize {
    match population.names().len() {
        few @ ..=ALONE_MAX => few,
        _ => FOLDS,
    }
}

/// Returns the fold of each page. The names, ordered by their digests, are dealt to the folds.
fn folds(population: &Population) -> Vec<usize> {
    let folds = count_folds(population);
    let names = population.names();
    let mut dealt: Vec<(String, &str)> = names
        .iter()
        .map(|name| (digest(name.as_bytes()), *name))
        .collect();
    dealt.sort();
    let fold: BTreeMap<&str, usize> = dealt
        .into_iter()
        .enumerate()
        .map(|(place, (_, name))| (name, place % folds))
        .collect();
    let pages = population.pages.iter();
    pages.map(|(_, name)| fold[name.as_str()]).collect()
}

/// Returns the weighted mean over the networks of each page.
fn page_means(population: &Population, of: impl Fn(usize, &Situation) -> f64) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); population.pages.len()];
    for (place, situation) in population.situations.iter().enumerate() {
        let (sum, weight) = &mut sums[situation.page];
        *sum += situation.weight * of(place, situation);
        *weight += situation.weight;
    }
    sums.into_iter().map(|(sum, weight)| sum / weight).collect()
}

/// Evaluates the choices of a policy.
fn policy(population: &Population, kind: PolicyKind, choices: Vec<usize>) -> Policy {
    let situations = || population.situations.iter().zip(&choices);
    let mut regrets: Vec<(f64, f64)> = situations()
        .map(|(one, choice)| (share_above(one.values[*choice], one.best()), one.weight))
        .collect();
    regrets.sort_by(|a, b| a.0.total_cmp(&b.0));
    let excess = |(one, choice): (&Situation, &usize)| {
        let (value, best) = (one.values[*choice], one.best());
        let difference = if value > best { value - best } else { 0.0 };
        one.weight * difference
    };
    let change = |place: usize| {
        let situation = &population.situations[place];
        share_above(situation.values[choices[place]], situation.values[0])
    };
    let mut worst: Vec<(usize, f64)> = (0..choices.len())
        .map(|place| (place, change(place)))
        .filter(|(_, change)| *change > GAIN)
        .collect();
    worst.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let changes: Vec<f64> = page_means(population, |place, situation| {
        situation.loss(choices[place]) - situation.loss(0)
    })
    .into_iter()
    .map(|log| libm::exp(log) - 1.0)
    .collect();
    let worse = changes.iter().filter(|change| **change > GAIN).count();
    let weight = |place: usize| population.situations[place].weight;
    let broken = situations().filter(|(one, choice)| one.breaks[**choice]);
    Policy {
        kind,
        regret: Regret {
            mean: regrets.iter().map(|(regret, weight)| regret * weight).sum(),
            median: weighted_quantile(&regrets, 0.5),
            p90: weighted_quantile(&regrets, 0.9),
            worst: regrets.last().map_or(0.0, |(regret, _)| *regret),
        },
        excess: situations().map(excess).sum(),
        pages_worse: worse as f64 / changes.len() as f64,
        changes,
        pairs_worse: total(worst.iter().map(|(place, _)| weight(*place))),
        worst,
        breaks: total(broken.map(|(one, _)| one.weight)),
        choices,
    }
}

/// Returns the sum; that of nothing has no sign.
fn total(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |sum, number| sum + number)
}

/// Returns the excess of `value` over `base`, as a share of `base`. Both may be infinite.
pub fn share_above(value: f64, base: f64) -> f64 {
    match (value.is_finite(), base.is_finite()) {
        (true, true) => value / base - 1.0,
        (true, false) => -1.0,
        (false, true) => f64::INFINITY,
        (false, false) => 0.0,
    }
}

/// Returns the least value that at least the share `p` of the weights does not exceed; halfway to
/// the next one if exactly this share does not. The values ascend.
fn weighted_quantile(values: &[(f64, f64)], p: f64) -> f64 {
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    for (place, (value, weight)) in values.iter().enumerate() {
        sum += weight;
        // Sums of weights are rounded.
        let over = sum - p * total;
        if over.abs() <= total * 1e-12 {
            // Half of the weight is on either side, as between the two middle values of a median.
            return values
                .get(place + 1)
                .map_or(*value, |next| value.midpoint(next.0));
        }
        if over > 0.0 {
            return *value;
        }
    }
    values.last().map_or(0.0, |(value, _)| *value)
}

//! Checks of verdicts under assumptions that are known to reverse verdicts.
//!
//! The leader, the baseline and the two other contenders with the lowest medians load
//! the page again, in a few runs with the seeds of the race, under each of these
//! assumptions: other sizes of QUIC's packets, another queue, and TCP without
//! `HyStart`. A verdict flips if another contender then beats the leader, noticeably
//! and in all runs but one.

use std::fmt;

use pagerace_core::Protocol;
use pagerace_net::{Queue, QueueLimit};
use pagerace_report::input::VerdictKind;
use pagerace_sim::Scenario;

use crate::analysis::{Analysis, Mark, NOTICEABLE, analyse};
use crate::error::LabError;
use crate::plan::Plan;
use crate::results::{Results, RunSummary};
use crate::runner::{Cached, OnProgress, Runner, run_all};
use crate::stats::median;
use crate::verdict::verdict;

/// Maximum number of loads per contender and assumption.
const RUNS_MAX: u32 = 7;

/// An assumption that differs from the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// QUIC's packets have this many bytes of UDP payload.
    QuicPackets(u16),
    /// The queue of the downlink holds this many packets.
    Queue(u32),
    /// `cubic` has no `HyStart` over TCP.
    NoHystart,
}

impl Assumption {
    /// All assumptions, in order of output.
    pub const ALL: [Self; 4] = [
        Self::QuicPackets(1_200),
        Self::QuicPackets(1_452),
        Self::Queue(100),
        Self::NoHystart,
    ];

    /// Returns the scenario under this assumption; `None` if it does not change.
    fn of(self, scenario: &Scenario) -> Option<Scenario> {
        let mut other = scenario.clone();
        match self {
            Self::QuicPackets(bytes) => other.settings.quic_mtu = bytes,
            Self::Queue(packets) => match &mut other.network.down.queue {
                Queue::TailDrop(limit) => *limit = QueueLimit::Packets(packets),
                Queue::Codel(_) | Queue::FqCodel(_) => return None,
            },
            Self::NoHystart => {
                let congestion = &mut other.congestion;
                if pagerace_cc::over_tcp(congestion) != "cubic-hystart" {
                    return None;
                }
                "cubic-rfc9438".clone_into(congestion);
            }
        }
        let same = other.settings == scenario.settings
            && other.congestion == scenario.congestion
            && other.network == scenario.network;
        (!same).then_some(other)
    }

    /// Returns true if the assumption can affect a contender.
    fn concerns(self, plan: &Plan, contender: usize) -> bool {
        match self {
            Self::QuicPackets(_) => plan.speaks(contender, |protocol| !protocol.is_tcp()),
            Self::Queue(_) => true,
            Self::NoHystart => plan.speaks(contender, Protocol::is_tcp),
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::QuicPackets(bytes) => write!(f, "with QUIC packets of {bytes} bytes"),
            Self::Queue(packets) => write!(f, "with a queue of {packets} packets"),
            Self::NoHystart => f.write_str("without HyStart"),
        }
    }
}

/// The checks of a verdict under other assumptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Robustness {
    /// Index into [`Plan::pages`].
    pub page: usize,
    /// Index into [`Plan::networks`].
    pub network: usize,
    /// Number of loads per contender and assumption.
    pub runs: u32,
    /// One check per assumption that can make a difference.
    pub checks: Vec<Check>,
}

/// The check of a verdict under one assumption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The assumption.
    pub assumption: Assumption,
    /// The new leader (index into the plan's contenders); `None` if the verdict holds.
    pub instead: Option<usize>,
}

impl Robustness {
    /// Formats the checks: "Robustness (7 runs each): the verdict flips with a queue of
    /// 100 packets (h2 leads); holds with QUIC packets of 1200 bytes."
    pub fn sentence(&self, plan: &Plan) -> String {
        let holding = self.checks.iter().filter(|check| check.instead.is_none());
        let holding: Vec<String> = holding.map(|check| check.assumption.to_string()).collect();
        let flipping = self.checks.iter().filter_map(|check| {
            let leader = plan.label(check.instead?);
            Some(format!("{} ({leader} leads)", check.assumption))
        });
        let flipping: Vec<String> = flipping.collect();
        let mut parts = Vec::new();
        if !flipping.is_empty() {
            parts.push(format!("flips {}", flipping.join(", ")));
        }
        if !holding.is_empty() {
            parts.push(format!("holds {}", holding.join(", ")));
        }
        let runs = if self.runs == 1 { "run" } else { "runs" };
        format!(
            "Robustness ({} {runs} each): the verdict {}.",
            self.runs,
            parts.join("; ")
        )
    }
}

/// Returns the checks on this page and network.
pub fn of(results: &Results, page: usize, network: usize) -> Option<&Robustness> {
    let mut all = results.robustness.iter();
    all.find(|one| (one.page, one.network) == (page, network) && !one.checks.is_empty())
}

/// Formats a summary: "Robustness: 40 of 52 verdicts hold; 8 flip with a queue of 100
/// packets, 4 flip without `HyStart`."; `None` if no verdict was checked.
pub fn across(results: &Results, network: usize) -> Option<String> {
    let here = || {
        let all = results.robustness.iter();
        all.filter(|one| one.network == network && !one.checks.is_empty())
    };
    let verdicts = here().count();
    let holds = here().filter(|one| one.checks.iter().all(|c| c.instead.is_none()));
    let holds = holds.count();
    let flips = |assumption: &Assumption| {
        let checks = here().flat_map(|one| &one.checks);
        let flips = checks.filter(|c| c.assumption == *assumption && c.instead.is_some());
        (flips.count(), *assumption)
    };
    let flips: Vec<_> = Assumption::ALL.iter().map(flips).collect();
    let told: Vec<String> = flips
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, assumption)| format!("{count} flip {assumption}"))
        .collect();
    let more = if told.is_empty() {
        String::new()
    } else {
        format!("; {}", told.join(", "))
    };
    (verdicts > 0).then(|| format!("Robustness: {holds} of {verdicts} verdicts hold{more}."))
}

/// A verdict to check.
struct Cell {
    page: usize,
    network: usize,
    /// The leader, followed by its rivals.
    racers: Vec<usize>,
    /// The share of the leader's median by which each of `racers` must be lower.
    margins: Vec<f64>,
}

/// Checks every verdict that has a leader and stores the checks in
/// [`Results::robustness`]. `started` is called with the number of loads required.
///
/// # Errors
/// The errors of a race.
pub fn check_robustness(
    results: &mut Results,
    jobs: usize,
    runner: &Runner<'_>,
    started: &dyn Fn(usize),
    progress: &OnProgress<'_>,
) -> Result<(), LabError> {
    let plan = &results.plan;
    let runs = plan.runs.min(RUNS_MAX);
    let cells = cells(results);
    let mut tasks: Vec<(usize, Assumption, usize, Scenario)> = Vec::new();
    for (index, cell) in cells.iter().enumerate() {
        for assumption in Assumption::ALL {
            if !cell.racers.iter().any(|&i| assumption.concerns(plan, i)) {
                continue;
            }
            let mut changes = false;
            let mut racers = Vec::new();
            for &racer in &cell.racers {
                let variant = plan.variant_index(cell.page, cell.network, racer);
                let scenario = plan.scenario(variant);
                let other = assumption.of(&scenario);
                changes |= other.is_some();
                racers.push((index, assumption, racer, other.unwrap_or(scenario)));
            }
            if changes {
                tasks.extend(racers);
            }
        }
    }
    let total = tasks.len() * runs as usize;
    started(total);
    let work = |_: &mut Cached, index: usize| {
        let (task, run) = (index / runs as usize, index % runs as usize);
        let outcome = runner(&tasks[task].3, plan.run_seed(run), false)?;
        Ok(RunSummary::from(&outcome).value(plan.metric))
    };
    let values = run_all(jobs, total, &work, progress)?;
    let values: Vec<&[Option<f64>]> = values.chunks(runs as usize).collect();
    let checked = cells.iter().enumerate().map(|(index, cell)| {
        let check = |assumption| {
            let of = |racer: usize| {
                let mut all = tasks.iter().zip(&values);
                let found = all.find(|(t, _)| (t.0, t.1, t.2) == (index, assumption, racer));
                found.map(|(_, values)| *values)
            };
            let leader = of(cell.racers[0])?;
            let rivals = cell.racers.iter().copied().zip(&cell.margins).skip(1);
            let instead = rivals
                .filter(|(rival, margin)| {
                    of(*rival).is_some_and(|own| beats(own, leader, **margin))
                })
                .map(|(rival, _)| rival)
                .min_by(|&a, &b| middle(of(a)).total_cmp(&middle(of(b))));
            Some(Check {
                assumption,
                instead,
            })
        };
        Robustness {
            page: cell.page,
            network: cell.network,
            runs,
            checks: Assumption::ALL.into_iter().filter_map(check).collect(),
        }
    });
    results.robustness = checked.collect();
    Ok(())
}

/// Returns the verdicts that have a leader.
fn cells(results: &Results) -> Vec<Cell> {
    let plan = &results.plan;
    let mut cells = Vec::new();
    for page in 0..plan.pages.len() {
        for network in 0..plan.networks.len() {
            let analysis = analyse(results, page, network, plan.metric);
            let said = verdict(results, page, network, &analysis);
            let open = analysis
                .rows
                .iter()
                .any(|row| row.mark == Mark::WithinModel);
            let leader = match said.kind {
                VerdictKind::Better => said.winner,
                VerdictKind::NoDifference if !open => Some(analysis.baseline),
                _ if open => analysis.ranking.first().copied(),
                _ => None,
            };
            let Some(leader) = leader else { continue };
            // A contender that beats the baseline must also exceed the model's error,
            // unless the verdict had called it worse.
            let unsaid = said.kind == VerdictKind::NoDifference && !open;
            let margin = |racer: &usize| match analysis.rows[*racer].mark {
                Mark::Worse => NOTICEABLE,
                _ if unsaid => widest(&analysis).max(NOTICEABLE),
                _ => NOTICEABLE,
            };
            let racers = racers(&analysis, leader);
            let margins = racers.iter().map(margin).collect();
            if racers.len() > 1 {
                cells.push(Cell {
                    page,
                    network,
                    racers,
                    margins,
                });
            }
        }
    }
    cells
}

/// Returns the leader, the other two with the lowest medians, and the baseline.
fn racers(analysis: &Analysis, leader: usize) -> Vec<usize> {
    let finite = |&i: &usize| {
        let row = &analysis.rows[i];
        row.median.is_some_and(f64::is_finite) && !row.breaks
    };
    let first = analysis.ranking.iter().copied().filter(finite);
    let mut racers = vec![leader];
    for i in first.take(3).chain([analysis.baseline]) {
        if !racers.contains(&i) && (racers.len() < 3 || i == analysis.baseline) {
            racers.push(i);
        }
    }
    racers
}

/// Returns the largest model error, as a share of the baseline's median.
fn widest(analysis: &Analysis) -> f64 {
    let errors = analysis.rows.iter().filter_map(|row| row.model.as_ref());
    errors.map(|e| e.percent / 100.0).fold(0.0, f64::max)
}

/// Returns true if `own` is lower than `leader` in all runs but one, with a median gain
/// of at least `margin`, a share of the leader's value.
fn beats(own: &[Option<f64>], leader: &[Option<f64>], margin: f64) -> bool {
    let pairs = own.iter().zip(leader);
    let pairs: Vec<(f64, f64)> = pairs.filter_map(|(a, b)| Some((*a)?).zip(*b)).collect();
    let lower = pairs.iter().filter(|(own, leader)| own < leader).count();
    let gains: Vec<f64> = pairs
        .iter()
        .map(|(own, leader)| (leader - own) / leader)
        .collect();
    let gain = median(
        &gains
            .iter()
            .copied()
            .filter(|g| !g.is_nan())
            .collect::<Vec<_>>(),
    );
    lower > 0 && lower + 1 >= pairs.len() && gain.is_some_and(|gain| gain >= margin)
}

fn middle(values: Option<&[Option<f64>]>) -> f64 {
    let values: Vec<f64> = values.into_iter().flatten().copied().flatten().collect();
    median(&values).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests;

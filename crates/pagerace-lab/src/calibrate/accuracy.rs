//! Everything together: all cells, their errors, winners, and what is blamed.

use std::collections::BTreeMap;

use serde::Serialize;

use super::blame::{Blame, Stage, blame};
use super::cell::{Cell, noise};
use super::errors::Errors;
use super::lighthouse::LighthousePrediction;
use super::observation::{Observation, Observations, Setting};
use super::prediction::Prediction;
use super::ranking::{Ranking, Ranks, ranking};
use super::winner::{Duel, Score, Side, duels};
use crate::contender::{Contender, Varying};
use crate::metric::MetricId;
use crate::results::distinct;
use crate::stats::median;

/// The worst cells that are told for each metric.
const WORST: usize = 5;
/// Errors below this share are not worth a blame.
const BLAMED: f64 = 0.05;

/// What is compared.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// What was measured.
    pub observations: &'a Observations,
    /// What was predicted, in any order.
    pub predictions: &'a [Prediction],
    /// What Lighthouse predicts; may be empty.
    pub lighthouse: &'a [LighthousePrediction],
    /// By what.
    pub metrics: &'a [MetricId],
    /// Names of the pages on which the model was not tuned.
    pub held_out: &'a [String],
    /// Gap from which two moments count as different when a resource is
    /// blamed, in milliseconds; 20 is reasonable.
    pub threshold_ms: f64,
}

/// How accurate the model is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// When, where and with what was measured.
    pub setting: Setting,
    /// By what.
    pub metrics: Vec<MetricId>,
    /// Names of the pages, in order of appearance.
    pub pages: Vec<String>,
    /// Those of them on which the model was not tuned.
    pub held_out: Vec<String>,
    /// The networks and what they are.
    pub networks: Vec<(String, String)>,
    /// The contenders' labels and what they are.
    pub contenders: Vec<(String, String)>,
    /// How the measurement went.
    pub quality: Quality,
    /// Every prediction beside its observation.
    pub cells: Vec<Cell>,
    /// Over all pages, and apart over those tuned on and those held out.
    pub overall: Vec<Group>,
    /// By network, over all pages.
    pub by_network: Vec<Group>,
    /// By protocol, over all pages.
    pub by_protocol: Vec<Group>,
    /// By page.
    pub by_page: Vec<Group>,
    /// Every pair of contenders.
    pub duels: Vec<Duel>,
    /// Every page, network and metric with two contenders or more.
    pub rankings: Vec<Ranking>,
    /// Winners and ranks, over the same sets of pages as `overall`.
    pub winners: Vec<Winners>,
    /// Lighthouse beside us, on the cells for which it predicts something.
    pub lighthouse: Vec<Rival>,
    /// The worst cells of each metric, worst first.
    pub worst: Vec<Worst>,
    /// What is blamed, over all cells that are off by more than 5 %.
    pub causes: Vec<Cause>,
}

/// The errors of a set of cells by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Of what: "tuned pages", a network, a page.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// How large.
    pub errors: Errors,
}

/// Winners and ranks over a set of pages by one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Winners {
    /// Which pages.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// Pairs of contenders.
    pub score: Score,
    /// The share of decided pairs in which the model picks the winner.
    pub share_right: Option<f64>,
    /// Best contenders and ranks.
    pub ranks: Ranks,
}

/// Lighthouse's simulated predictions beside ours, on the same cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rival {
    /// Which pages.
    pub name: String,
    /// By what.
    pub metric: MetricId,
    /// Our errors.
    pub ours: Errors,
    /// Lighthouse's errors.
    pub lighthouse: Errors,
}

/// A cell whose prediction is far off.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// Which.
    pub cell: Cell,
    /// The resource at which the worlds part, if resources were kept.
    pub blame: Option<Blame>,
}

/// How often a stage is blamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// By what.
    pub metric: MetricId,
    /// Which.
    pub stage: Stage,
    /// Cells.
    pub cells: usize,
    /// Median gap in milliseconds; positive if reality is later.
    pub gap_ms: Option<f64>,
}

/// How the measurement itself went; `None` where nobody noted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Live runs that were accepted.
    pub runs: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// Runs that were thrown away and repeated.
    pub rejected: u64,
    /// Median over the observations of the median lateness, in milliseconds.
    pub lateness_p50_ms: Option<f64>,
    /// Largest 99th percentile of any observation.
    pub lateness_p99_ms: Option<f64>,
    /// Largest lateness of any packet.
    pub lateness_max_ms: Option<f64>,
    /// Largest contention of any observation.
    pub cpu_contention: Option<f64>,
    /// Observations for which there is no prediction.
    pub unpredicted: usize,
}

/// The sets of pages that are told apart; `None` is all of them.
const SETS: [(&str, Option<bool>); 3] = [
    ("all pages", None),
    ("tuned pages", Some(false)),
    ("held-out pages", Some(true)),
];

/// Compares predictions with observations.
///
/// # Panics
/// If a value is not a number.
pub fn accuracy(input: &Input<'_>) -> Accuracy {
    let observations = &input.observations.observations;
    let matched = Matched::new(input);
    let names = |name: fn(&Observation) -> &str| -> Vec<String> {
        let names = distinct(observations.iter().map(name));
        names.into_iter().map(str::to_owned).collect()
    };
    let pages = names(|o| &o.page);
    let networks = names(|o| &o.network);
    let cells = matched.cells();
    let (duels, rankings) = matched.comparisons(&pages, &networks);
    let by = |group: fn(&Cell) -> &str| groups(input.metrics, &cells, group);
    Accuracy {
        setting: input.observations.setting.clone(),
        metrics: input.metrics.to_vec(),
        held_out: pages
            .iter()
            .filter(|page| input.held_out.contains(page))
            .cloned()
            .collect(),
        networks: networks
            .into_iter()
            .map(|name| {
                let first = observations.iter().find(|o| o.network == name);
                let text = first.map_or_else(String::new, |o| o.network_text.clone());
                (name, text)
            })
            .collect(),
        contenders: matched.contenders(),
        quality: matched.quality(),
        overall: overall(input.metrics, &cells),
        by_network: by(|cell| &cell.network),
        by_protocol: by(|cell| &cell.protocol),
        by_page: by(|cell| &cell.page),
        winners: winners(input.metrics, &duels, &rankings),
        lighthouse: rivals(input.metrics, &cells),
        worst: matched.worst(&cells),
        causes: matched.causes(&cells),
        pages,
        cells,
        duels,
        rankings,
    }
}

/// Observations with their labels and predictions.
struct Matched<'a> {
    input: &'a Input<'a>,
    /// One for each observation.
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    observation: &'a Observation,
    prediction: Option<&'a Prediction>,
    label: String,
    held_out: bool,
}

impl<'a> Matched<'a> {
    fn new(input: &'a Input<'a>) -> Self {
        let observations = &input.observations.observations;
        let varying = Varying::among(&contenders(observations));
        let entries = observations.iter().map(|observation| Entry {
            observation,
            prediction: input.predictions.iter().find(|prediction| {
                prediction.page == observation.page
                    && prediction.network == observation.network
                    && prediction.contender.loads_as(&observation.contender)
            }),
            label: observation.contender.label(varying),
            held_out: input.held_out.contains(&observation.page),
        });
        Self {
            entries: entries.collect(),
            input,
        }
    }

    fn contenders(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = Vec::new();
        for entry in &self.entries {
            let named = (entry.label.clone(), entry.observation.contender.to_string());
            if !all.contains(&named) {
                all.push(named);
            }
        }
        all
    }

    fn cells(&self) -> Vec<Cell> {
        let cell = |metric: MetricId, entry: &Entry<'_>| {
            let observation = entry.observation;
            let values = observation.values(metric);
            Cell {
                page: observation.page.clone(),
                network: observation.network.clone(),
                contender: entry.label.clone(),
                protocol: observation.contender.protocols.to_string(),
                held_out: entry.held_out,
                metric,
                observed: median(&values),
                predicted: entry.prediction.and_then(|p| p.median(metric)),
                lighthouse: self.lighthouse(observation, metric),
                noise: noise(observation, metric),
                runs: values.len(),
                failed: observation.failed(),
            }
        };
        let metrics = self.input.metrics.iter();
        metrics
            .flat_map(|metric| self.entries.iter().map(move |entry| cell(*metric, entry)))
            .collect()
    }

    fn lighthouse(&self, observation: &Observation, metric: MetricId) -> Option<f64> {
        let mut all = self.input.lighthouse.iter();
        let same = |p: &&LighthousePrediction| {
            p.page == observation.page && p.network == observation.network
        };
        all.find(same)?.values.get(&metric).copied()
    }

    fn comparisons(&self, pages: &[String], networks: &[String]) -> (Vec<Duel>, Vec<Ranking>) {
        let (mut all_duels, mut rankings) = (Vec::new(), Vec::new());
        for metric in self.input.metrics {
            for page in pages {
                for network in networks {
                    let here = self.entries.iter().filter(|entry| {
                        entry.observation.page == *page && entry.observation.network == *network
                    });
                    let sides: Vec<Side<'_>> = here
                        .map(|entry| Side {
                            label: &entry.label,
                            observation: entry.observation,
                            prediction: entry.prediction,
                        })
                        .collect();
                    let held_out = self.input.held_out.contains(page);
                    let found = duels(&sides, held_out, *metric);
                    rankings.extend(ranking(&sides, &found, held_out, *metric));
                    all_duels.extend(found);
                }
            }
        }
        (all_duels, rankings)
    }

    fn quality(&self) -> Quality {
        let observations = || self.entries.iter().map(|entry| entry.observation);
        let lateness = || observations().filter_map(|o| o.lateness);
        let most = |values: &mut dyn Iterator<Item = f64>| values.max_by(f64::total_cmp);
        Quality {
            runs: observations().map(|o| o.runs.len()).sum(),
            failed: observations().map(Observation::failed).sum(),
            rejected: observations().map(|o| u64::from(o.rejected_runs)).sum(),
            lateness_p50_ms: median(&lateness().map(|l| l.p50_ms).collect::<Vec<_>>()),
            lateness_p99_ms: most(&mut lateness().map(|l| l.p99_ms)),
            lateness_max_ms: most(&mut lateness().map(|l| l.max_ms)),
            cpu_contention: most(&mut observations().filter_map(|o| o.cpu_contention)),
            unpredicted: self
                .entries
                .iter()
                .filter(|e| e.prediction.is_none())
                .count(),
        }
    }

    /// The resource that is blamed for a cell.
    fn blame(&self, cell: &Cell) -> Option<Blame> {
        let entry = self.entries.iter().find(|entry| {
            entry.observation.page == cell.page
                && entry.observation.network == cell.network
                && entry.label == cell.contender
        })?;
        let threshold = self.input.threshold_ms;
        blame(entry.observation, entry.prediction?, cell.metric, threshold)
    }

    fn worst(&self, cells: &[Cell]) -> Vec<Worst> {
        let mut worst = Vec::new();
        for metric in self.input.metrics {
            let mut off: Vec<(f64, &Cell)> = cells
                .iter()
                .filter(|cell| cell.metric == *metric)
                .filter_map(|cell| Some((cell.error()?, cell)))
                .filter(|(error, _)| *error > BLAMED)
                .collect();
            off.sort_by(|a, b| b.0.total_cmp(&a.0));
            worst.extend(off.into_iter().take(WORST).map(|(_, cell)| Worst {
                cell: cell.clone(),
                blame: self.blame(cell),
            }));
        }
        worst
    }

    fn causes(&self, cells: &[Cell]) -> Vec<Cause> {
        let mut gaps: BTreeMap<(MetricId, Stage), (usize, Vec<f64>)> = BTreeMap::new();
        let off = cells
            .iter()
            .filter(|c| c.error().is_some_and(|e| e > BLAMED));
        for cell in off {
            if let Some(blame) = self.blame(cell) {
                let (count, all) = gaps.entry((cell.metric, blame.stage)).or_default();
                *count += 1;
                all.extend(blame.gap_ms().filter(|gap| gap.is_finite()));
            }
        }
        let mut causes: Vec<Cause> = gaps
            .into_iter()
            .map(|((metric, stage), (cells, gaps))| Cause {
                metric,
                stage,
                cells,
                gap_ms: median(&gaps),
            })
            .collect();
        causes.sort_by(|a, b| a.metric.cmp(&b.metric).then(b.cells.cmp(&a.cells)));
        causes
    }
}

/// Every contender once.
fn contenders(observations: &[Observation]) -> Vec<Contender> {
    let mut all: Vec<Contender> = Vec::new();
    for observation in observations {
        if !all.contains(&observation.contender) {
            all.push(observation.contender.clone());
        }
    }
    all
}

/// The sets of pages that have any, each with whether a page belongs to it.
/// Tuned pages stand apart only if some are held out.
fn sets(cells: &[Cell]) -> impl Iterator<Item = (&'static str, Option<bool>)> {
    let apart = cells.iter().any(|cell| cell.held_out);
    let tuned = cells.iter().any(|cell| !cell.held_out);
    SETS.into_iter().filter(move |(_, set)| match set {
        None => true,
        Some(false) => apart && tuned,
        Some(true) => apart,
    })
}

fn overall(metrics: &[MetricId], cells: &[Cell]) -> Vec<Group> {
    let mut groups = Vec::new();
    for (name, set) in sets(cells) {
        for metric in metrics {
            let here = cells.iter().filter(|cell| cell.metric == *metric);
            let here = here.filter(|cell| set.is_none_or(|set| cell.held_out == set));
            groups.push(Group {
                name: name.to_owned(),
                metric: *metric,
                errors: Errors::of(here),
            });
        }
    }
    groups
}

/// By what `group` says of a cell, in order of appearance.
fn groups(metrics: &[MetricId], cells: &[Cell], group: fn(&Cell) -> &str) -> Vec<Group> {
    let mut groups = Vec::new();
    for name in distinct(cells.iter().map(group)) {
        for metric in metrics {
            let here = cells
                .iter()
                .filter(|cell| cell.metric == *metric && group(cell) == name);
            groups.push(Group {
                name: name.to_owned(),
                metric: *metric,
                errors: Errors::of(here),
            });
        }
    }
    groups
}

fn winners(metrics: &[MetricId], duels: &[Duel], rankings: &[Ranking]) -> Vec<Winners> {
    let apart = duels.iter().any(|duel| duel.held_out);
    let tuned = duels.iter().any(|duel| !duel.held_out);
    let mut winners = Vec::new();
    for (name, set) in SETS {
        if (set == Some(true) && !apart) || (set == Some(false) && !(apart && tuned)) {
            continue;
        }
        let belongs = |held_out: bool| set.is_none_or(|set| held_out == set);
        for metric in metrics {
            let duels = duels.iter().filter(|d| d.metric == *metric);
            let score = Score::of(duels.filter(|d| belongs(d.held_out)));
            let rankings = rankings.iter().filter(|r| r.metric == *metric);
            winners.push(Winners {
                name: name.to_owned(),
                metric: *metric,
                share_right: score.share_right(),
                score,
                ranks: Ranks::of(rankings.filter(|r| belongs(r.held_out))),
            });
        }
    }
    winners
}

fn rivals(metrics: &[MetricId], cells: &[Cell]) -> Vec<Rival> {
    let mut rivals = Vec::new();
    for (name, set) in sets(cells) {
        for metric in metrics {
            let both: Vec<&Cell> = cells
                .iter()
                .filter(|cell| cell.metric == *metric)
                .filter(|cell| set.is_none_or(|set| cell.held_out == set))
                .filter(|cell| cell.lighthouse_error().is_some() && cell.error().is_some())
                .collect();
            if !both.is_empty() {
                rivals.push(Rival {
                    name: name.to_owned(),
                    metric: *metric,
                    ours: Errors::of(both.iter().copied()),
                    lighthouse: Errors::of_lighthouse(both.iter().copied()),
                });
            }
        }
    }
    rivals
}

#[cfg(test)]
mod tests;

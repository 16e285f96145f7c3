//! Observations matched with their predictions, and the results derived from both.

use std::collections::BTreeMap;

use pagerace_lab::contender::{Contender, Dimensions};
use pagerace_lab::metric::MetricId;
use pagerace_lab::model_error::is_lossy;
use pagerace_lab::stats::median;

use super::{ErrorCause, Input, Quality, Worst};
use crate::blame::{Blame, Stage, blame};
use crate::cell::{Cell, repeat_error};
use crate::differences::{Difference, Pair, differences};
use crate::kind::kinds;
use crate::lighthouse::LighthousePrediction;
use crate::observation::Observation;
use crate::prediction::Prediction;
use crate::spread::{Combination, LiveSpread, live_spread};

/// The number of worst cells reported for each metric.
const WORST: usize = 5;
/// Errors up to this share are not blamed on any resource.
const BLAMED: f64 = 0.05;

/// Observations with their labels and predictions.
pub(super) struct Matched<'a> {
    input: &'a Input<'a>,
    /// One entry per observation.
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    observation: &'a Observation,
    prediction: Option<&'a Prediction>,
    /// The prediction for the page as another recorder would have recorded it.
    elsewhere: Option<&'a Prediction>,
    label: String,
    kinds: Vec<&'static str>,
    lossy: bool,
    held_out: bool,
}

impl<'a> Matched<'a> {
    pub(super) fn new(input: &'a Input<'a>) -> Self {
        let observations = &input.observations.observations;
        let varying = Dimensions::varying(&contenders(observations));
        let entries = observations.iter().map(|observation| Entry {
            observation,
            prediction: of(input.predictions, observation),
            elsewhere: of(input.elsewhere, observation),
            kinds: {
                let page = input
                    .pages
                    .iter()
                    .find(|page| page.name == observation.page);
                page.map(|page| kinds(page)).unwrap_or_default()
            },
            lossy: {
                let mut networks = input.networks.iter();
                let network = networks.find(|network| network.name == observation.network);
                network.is_some_and(is_lossy)
            },
            label: observation.contender.label(varying),
            held_out: input.held_out.contains(&observation.page),
        });
        Self {
            entries: entries.collect(),
            input,
        }
    }

    pub(super) fn contenders(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = Vec::new();
        for entry in &self.entries {
            let named = (entry.label.clone(), entry.observation.contender.to_string());
            if !all.contains(&named) {
                all.push(named);
            }
        }
        all
    }

    pub(super) fn cells(&self) -> Vec<Cell> {
        let cell = |metric: MetricId, entry: &Entry<'_>| {
            let observation = entry.observation;
            let values = observation.values(metric);
            Cell {
                page: observation.page.clone(),
                network: observation.network.clone(),
                contender: entry.label.clone(),
                protocol: observation.contender.protocols.to_string(),
                strategy: strategy(&observation.contender),
                kinds: entry.kinds.clone(),
                lossy: entry.lossy,
                elsewhere: entry.elsewhere.and_then(|p| p.median(metric)),
                held_out: entry.held_out,
                metric,
                observed: median(&values),
                predicted: entry.prediction.and_then(|p| p.median(metric)),
                lighthouse: self.lighthouse(observation, metric),
                repeat: repeat_error(&values),
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

    pub(super) fn differences(&self) -> Vec<Difference> {
        let pairs = |of: fn(&Entry<'a>) -> Option<&'a Prediction>| -> Vec<Pair<'a>> {
            let entries = self.entries.iter().filter_map(|entry| {
                Some(Pair {
                    observation: entry.observation,
                    prediction: of(entry)?,
                    lossy: entry.lossy,
                    held_out: entry.held_out,
                })
            });
            entries.collect()
        };
        let sides = [
            pairs(|entry| entry.prediction),
            pairs(|entry| entry.elsewhere),
        ];
        let metrics = self.input.metrics.iter();
        metrics
            .flat_map(|metric| sides.iter().flat_map(|side| differences(side, *metric)))
            .collect()
    }

    pub(super) fn live_spread(&self) -> Vec<LiveSpread> {
        let metrics = self.input.metrics.iter();
        let of = |metric: &MetricId| {
            let lossless = self.entries.iter().filter(|entry| !entry.lossy);
            let all = lossless.filter_map(|entry| {
                let runs = entry.prediction?.all_runs.iter();
                Some(Combination {
                    runs: runs.filter_map(|run| run.value(*metric)).collect(),
                    live: entry.observation.values(*metric),
                })
            });
            live_spread(*metric, &all.collect::<Vec<_>>())
        };
        metrics.filter_map(of).collect()
    }

    pub(super) fn quality(&self) -> Quality {
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
            main_thread_waited: {
                let waited = observations().filter_map(|o| o.main_thread_waited);
                median(&waited.collect::<Vec<_>>())
            },
            unpredicted: self
                .entries
                .iter()
                .filter(|e| e.prediction.is_none())
                .count(),
        }
    }

    /// Returns the resource that is blamed for a cell's error.
    fn blame(&self, cell: &Cell) -> Option<Blame> {
        let entry = self.entries.iter().find(|entry| {
            entry.observation.page == cell.page
                && entry.observation.network == cell.network
                && entry.label == cell.contender
        })?;
        let threshold = self.input.threshold_ms;
        blame(entry.observation, entry.prediction?, cell.metric, threshold)
    }

    pub(super) fn worst(&self, cells: &[Cell]) -> Vec<Worst> {
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

    pub(super) fn causes(&self, cells: &[Cell]) -> Vec<ErrorCause> {
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
        let mut causes: Vec<ErrorCause> = gaps
            .into_iter()
            .map(|((metric, stage), (cells, gaps))| ErrorCause {
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

/// Returns the prediction of the same page, network and contender.
fn of<'a>(predictions: &'a [Prediction], observation: &Observation) -> Option<&'a Prediction> {
    predictions.iter().find(|prediction| {
        prediction.page == observation.page
            && prediction.network == observation.network
            && prediction.contender.loads_as(&observation.contender)
    })
}

/// Returns the strategy of an HTTP/3 contender with CUBIC and without interventions.
fn strategy(contender: &Contender) -> Option<String> {
    let plain = contender.congestion == "cubic" && contender.interventions.is_empty();
    (plain && contender.protocols.to_string() == "h3").then(|| contender.strategy.to_string())
}

/// Returns the contenders without duplicates.
fn contenders(observations: &[Observation]) -> Vec<Contender> {
    let mut all: Vec<Contender> = Vec::new();
    for observation in observations {
        if !all.contains(&observation.contender) {
            all.push(observation.contender.clone());
        }
    }
    all
}

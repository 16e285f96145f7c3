//! Why one contender reaches a metric no sooner: the parts of its time, and what would be
//! left without each of its causes.

use std::io::{self, Write};

use pagerace_core::{Duration, names, object};
use pagerace_net::{Loss, Network};
use pagerace_sim::{OriginRtt, Part, World};

use crate::analysis::central;
use crate::error::LabError;
use crate::plan::Plan;
use crate::results::Results;
use crate::runner::{OnProgress, Runner, run_all};
use crate::stats::{finite, median};
use crate::why::{Explainer, Split, explainable, side};

names! {
    /// A cause that a load can be simulated without.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Cause {
        /// The distance of servers: handshakes, round trips and slow start.
        Distance = "distance to servers",
        /// The think times of servers.
        Server = "server think time",
        /// The rate and the queue of the link: transmission, queueing and lost packets.
        Capacity = "link capacity",
        /// The processor: parsing, scripts, layout and paint.
        Browser = "browser work",
    }
}

impl Cause {
    /// Returns the parts of a load's time that the cause explains.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::Distance => &[Part::SetUp, Part::RoundTrips, Part::Window],
            Self::Server => &[Part::Server],
            Self::Capacity => &[Part::Bandwidth, Part::Queueing, Part::Loss],
            Self::Browser => &[Part::Browser],
        }
    }

    /// Returns `world` without the cause.
    fn removed_from(self, mut world: World) -> World {
        /// So fast that a page takes no time.
        const FAST: f64 = 10_000.0;
        match self {
            Self::Distance => world.rtt_ms = -1e6,
            Self::Server => (world.think, world.think_ms) = (0.0, 0.0),
            Self::Capacity => (world.rate, world.queue) = (FAST, FAST),
            Self::Browser => world.cpu = 1.0 / FAST,
        }
        world
    }
}

/// The explanation of one contender on the first page and network of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Late {
    /// Median over the runs, in the unit of the metric.
    pub median: f64,
    /// Central 90 % of the runs.
    pub range: (f64, f64),
    /// Index of the run that is explained.
    pub run: usize,
    /// The world of that run.
    pub world: World,
    /// Its time, by part and along its critical path.
    pub split: Split,
    /// The value of that run without each cause; `None` if it has none then.
    pub without: Vec<(Cause, Option<Duration>)>,
}

/// Explains the first contender of `results`, on the first page and network, in the run with the
/// median value unless one is `chosen`. Returns `None` if no run has a value of the plan's metric.
///
/// # Errors
/// [`LabError::NotExplainable`], and the errors of a race.
pub fn explain_late(
    results: &Results,
    chosen: Option<usize>,
    jobs: usize,
    runner: &Runner<'_>,
    explainer: &Explainer<'_>,
    progress: &OnProgress<'_>,
) -> Result<Option<Late>, LabError> {
    let plan: &Plan = &results.plan;
    let metric = explainable(plan.metric)?;
    let variant = results.variant(0, 0, 0);
    let values: Vec<f64> = variant.values(plan.metric).into_iter().flatten().collect();
    let (Some(middle), Some(range)) = (finite(median(&values)), central(&values, 0.9)) else {
        return Ok(None);
    };
    let run = chosen.unwrap_or_else(|| variant.median_run(plan.metric));
    let (seed, world) = (plan.run_seed(run), plan.world(0, run));
    let one = |_: usize| explainer(&plan.scenario(0, run), seed, metric);
    let explained = run_all(1, 1, &one, progress)?.swap_remove(0);
    let Some(explained) = explained else {
        return Ok(None);
    };
    let load = |index: usize| {
        let cause = Cause::ALL[index];
        let mut scenario = plan.scenario_in(0, cause.removed_from(world));
        match cause {
            Cause::Distance => scenario.settings.origin_rtt = OriginRtt::Same,
            Cause::Capacity => {
                let Network { down, up, .. } = &mut scenario.network;
                (down.loss, up.loss) = (Loss::None, Loss::None);
            }
            Cause::Server | Cause::Browser => {}
        }
        let outcome = runner(&scenario, seed, false)?;
        let summary = crate::results::RunSummary::from(&outcome);
        Ok(summary.value(plan.metric).filter(|value| value.is_finite()))
    };
    let without = run_all(jobs, Cause::ALL.len(), &load, progress)?;
    let without = without
        .into_iter()
        .map(|ms| ms.map(Duration::from_millis_f64));
    Ok(Some(Late {
        median: middle,
        range,
        run,
        world,
        split: Split::from(explained),
        without: Cause::ALL.into_iter().zip(without).collect(),
    }))
}

/// The value of `format` in the files of [`write_late_json`].
pub(crate) const LATE_FORMAT: &str = "pagerace-late";
/// The version of the format.
pub(crate) const LATE_SCHEMA: u32 = 1;

/// Writes the explanation as one JSON document with a final line break.
///
/// # Errors
/// Any error of `out`.
pub fn write_late_json(plan: &Plan, late: &Late, out: &mut dyn Write) -> io::Result<()> {
    let document = object! {
        format: LATE_FORMAT,
        schema: LATE_SCHEMA,
        version: crate::VERSION,
        metric: plan.metric,
        median: late.median,
        range_low: late.range.0,
        range_high: late.range.1,
        without: late.without.iter().map(|(cause, left)| object! {
            cause: cause.name(),
            parts: cause.parts().iter().map(|part| part.name()).collect::<Vec<_>>(),
            left_ns: left.map(Duration::as_nanos),
        }).collect::<Vec<_>>(),
        page: &plan.pages[0].name,
        network: &plan.networks[0].name,
        run: late.run + 1,
        seed: plan.run_seed(late.run),
        world: late.world,
        load: side(plan, 0, 0, &late.split),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

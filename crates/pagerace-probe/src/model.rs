//! Simulations of the candidates on the measured path.

use pagerace_core::rng::derive_seed;
use pagerace_core::{Duration, Rng};
use pagerace_net::Network;

use crate::candidate::Candidate;
use crate::gate::Brake;
use crate::http2::{self, Line, PIECE_MAX, SPACING};
use crate::plan::{Object, facts};
use crate::player::Job;
use crate::shape::Shape;
use crate::trace::Trace;
use crate::verdict::SCHEDULERS;
use crate::world::{Served, ServedSite, World, play};

/// The path, as measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Shortest round trip of a handshake.
    pub rtt: Duration,
    /// Share of the response bytes that the path lost.
    pub loss: f64,
    /// Bytes of responses per second.
    pub rate: f64,
}

/// Share of the client's rate below which the path is the bottleneck.
const LIMITED: f64 = 0.6;

impl Path {
    /// Measures the path by the traces of jobs.
    pub fn of(survey: &Trace, traces: &[Trace]) -> Self {
        // A limit may have ended a script before its handshake did.
        let connects = traces.iter().map(|t| t.connect).chain([survey.connect]);
        let connects = connects.filter(|time| !time.is_zero());
        let received: u64 = traces.iter().map(|t| t.received).sum();
        let lost: f64 = traces.iter().map(|t| t.loss() * t.received as f64).sum();
        let busy = |t: &Trace| {
            let begin = t.chunks.first().map_or(t.finished, |chunk| chunk.at);
            t.finished.since(begin).as_secs_f64()
        };
        let time: f64 = traces.iter().map(busy).sum();
        Self {
            rtt: connects.min().unwrap_or(Duration::ZERO),
            loss: lost / received.max(1) as f64,
            rate: received as f64 / time.max(1e-3),
        }
    }
}

/// The simulations' common part.
#[derive(Clone, Debug)]
pub struct Model {
    /// The path.
    pub path: Path,
    /// The objects.
    pub objects: Vec<Object>,
    /// The jobs that were played.
    pub jobs: Vec<Job>,
    /// Number of simulations of each candidate and job.
    pub repeats: u32,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// Sizes of servers' packets: QUIC's least, that of large deployments, and that of path MTU
/// discovery.
const MTUS: [u16; 3] = [1_350, 1_200, 1_452];

/// Congestion controllers that servers use.
const CONTROLLERS: [&str; 3] = ["cubic", "bbr", "reno"];

/// Numbers that describe a candidate's traces, by job and value of the [`Shape`].
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Values that the candidate may show. The distance of observed values is that of the nearest.
    pub centres: Vec<Vec<Vec<f64>>>,
    /// Variances of the values.
    pub variances: Vec<Vec<f64>>,
    /// Largest distance of a repeat from the others.
    pub spread: f64,
}

impl Expected {
    /// Describes repeats that differ by noise: for each, the values by job. `worst` is that of
    /// the scale.
    pub fn mean(repeats: &[Vec<Vec<f64>>], worst: f64) -> Self {
        Self::of(repeats, worst, |all| {
            let mean = per_value(all, |values| {
                values.iter().sum::<f64>() / values.len() as f64
            });
            let variances = per_value(all, |values| {
                let n = values.len() as f64;
                let mean = values.iter().sum::<f64>() / n;
                let squares = values.iter().map(|v| (v - mean) * (v - mean));
                squares.sum::<f64>() / (n - 1.0).max(1.0)
            });
            (vec![mean], variances)
        })
    }

    /// Describes repeats that a small difference may turn into others altogether.
    pub fn each(repeats: &[Vec<Vec<f64>>], worst: f64) -> Self {
        Self::of(repeats, worst, |all| {
            // The mean of two kinds of repeats is none of them, and their variance is no noise.
            let variances = per_value(all, |values| {
                let middle = median(values.to_vec());
                let squares = values.iter().map(|v| (v - middle) * (v - middle));
                OF_MEDIAN * median(squares.collect())
            });
            (all.to_vec(), variances)
        })
    }

    fn of(repeats: &[Repeat], worst: f64, describe: impl Fn(&[Repeat]) -> Described) -> Self {
        let with = |all: &[Repeat], spread| {
            let (centres, variances) = describe(all);
            Self {
                centres,
                variances,
                spread,
            }
        };
        let spread = (0..repeats.len()).map(|i| {
            let mut others = repeats.to_vec();
            let one = others.remove(i);
            with(&others, 0.0).distance(&one, worst)
        });
        let spread = spread.fold(0.0, f64::max);
        with(repeats, spread)
    }

    /// Returns the distance of observed values from the nearest centre: the root of the mean
    /// square of their differences in standard deviations, over the given share of values that
    /// differ most.
    pub fn distance(&self, observed: &[Vec<f64>], worst: f64) -> f64 {
        self.nearest(observed, &self.variances, worst)
    }

    /// Returns the mean distance of the centres of another candidate, by the smaller variances.
    pub(crate) fn apart(&self, other: &Self, worst: f64) -> f64 {
        let pairs = self.variances.iter().zip(&other.variances);
        let least = pairs.map(|(a, b)| a.iter().zip(b).map(|(a, b)| a.min(*b)).collect());
        let least: Vec<Vec<f64>> = least.collect();
        let each = other.centres.iter();
        let sum: f64 = each.map(|c| self.nearest(c, &least, worst)).sum();
        sum / other.centres.len().max(1) as f64
    }

    fn nearest(&self, observed: &[Vec<f64>], variances: &[Vec<f64>], worst: f64) -> f64 {
        let from = |centre: &Repeat| {
            let values = observed.iter().flatten().zip(centre.iter().flatten());
            let errors = values.zip(variances.iter().flatten());
            let errors = errors.map(|((value, expected), variance)| {
                let error = value - expected;
                error * error / (variance + MODEL_ERROR * MODEL_ERROR)
            });
            root_mean(errors.collect(), worst)
        };
        self.centres.iter().map(from).fold(f64::INFINITY, f64::min)
    }
}

/// The values of a repeat, by job.
type Repeat = Vec<Vec<f64>>;

/// Centres and variances.
type Described = (Vec<Repeat>, Vec<Vec<f64>>);

/// Variance of a normal distribution in medians of squared differences.
const OF_MEDIAN: f64 = 2.2;

/// Returns a number of the repeats of each value.
fn per_value(repeats: &[Repeat], of: impl Fn(&[f64]) -> f64) -> Vec<Vec<f64>> {
    let one = |job: usize, value: usize| {
        let all: Vec<f64> = repeats.iter().map(|repeat| repeat[job][value]).collect();
        of(&all)
    };
    let jobs = repeats.first().map_or(0, Vec::len);
    (0..jobs)
        .map(|job| (0..repeats[0][job].len()).map(|v| one(job, v)).collect())
        .collect()
}

/// Returns the mean of the middle values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = ((values.len() - 1) / 2, values.len() / 2);
    f64::midpoint(values[low], values[high])
}

impl Model {
    /// Simulates a candidate. Repeats differ in facts that the probe cannot know: losses, the size
    /// of packets, the congestion controller, and the exact round trip.
    pub fn expect(&self, candidate: &Candidate) -> Expected {
        let repeats: Vec<Vec<Vec<f64>>> = (0..self.repeats)
            .map(|repeat| self.shapes(candidate, repeat))
            .collect();
        Expected::mean(&repeats, SCHEDULERS.worst)
    }

    fn shapes(&self, candidate: &Candidate, repeat: u32) -> Vec<Vec<f64>> {
        let seed = derive_seed(self.seed, &format!("repeat/{repeat}"));
        let mut rng = Rng::new(seed, "path");
        let rtt = self.path.rtt.as_millis_f64().max(0.1) * (0.85 + 0.3 * rng.unit());
        let world = World {
            network: self.network(rtt),
            site: ServedSite(self.objects.iter().map(served).collect()),
            congestion: CONTROLLERS[repeat as usize % CONTROLLERS.len()].to_owned(),
            mtu: MTUS[(repeat as usize / 2) % MTUS.len()],
            strategy: candidate.strategy.clone(),
        };
        let mut site = world.site.clone();
        for served in &mut site.0 {
            // Objects whose think times differ by less than noise are ready in their order.
            if served.think_time < self.path.rtt.mul_f64(NOISE.0) + NOISE.1 {
                served.think_time = Duration::ZERO;
            }
        }
        let line = Line {
            rtt: Duration::from_nanos((rtt * 1e6) as u64),
            // Windows open together now and then, as on real paths.
            jitter: SPACING * u64::from(repeat),
            site,
            strategy: world.strategy.clone(),
            piece_max: PIECE_MAX,
        };
        let each = self.jobs.iter().enumerate();
        each.map(|(i, job)| {
            let heard = Job {
                script: candidate.hear(&job.script),
                ..job.clone()
            };
            let seed = derive_seed(seed, &format!("job/{i}"));
            let trace = match job.brake {
                Brake::Queue(_) => play(&world, heard, seed),
                Brake::Window => http2::play(&line, heard, seed),
            };
            Shape::of(job, &trace).values()
        })
        .collect()
    }

    fn network(&self, rtt_ms: f64) -> Network {
        let paces = self.jobs.iter().filter_map(|job| match job.brake {
            Brake::Queue(pace) => Some(pace.rate),
            Brake::Window => None,
        });
        let pace = paces.max().unwrap_or(1) as f64;
        // A path that was faster than the client was not measured: any fast one will do.
        let limited = self.path.rate < LIMITED * pace;
        let rate = if limited { self.path.rate } else { 25.0 * pace };
        // The simulation knows no rate below 1 bit/s.
        let (rate, loss) = (
            ((rate * 8.0) as u64).max(1),
            100.0 * self.path.loss.min(0.3),
        );
        let text =
            format!("rate {rate}bit rtt {rtt_ms:.3}ms loss-up 0% loss {loss:.3}% queue 400p");
        Network::parse(&text).expect("the description is complete")
    }
}

/// Noise of think times: a share of the round trip, and a time.
pub(crate) const NOISE: (f64, Duration) = (0.25, Duration::from_millis(5));

/// Longest simulated object in bytes. No probe reads as far, and QUIC's integers end at 2^62.
const LENGTH_MAX: u64 = 1 << 40;

pub(crate) fn served(object: &Object) -> Served {
    Served {
        path: object.path.clone(),
        length: object.length.min(LENGTH_MAX),
        media_type: object.media_type.clone(),
        facts: facts(&object.media_type),
        think_time: object.think_time,
    }
}

/// Error of the simulation itself in each value: real servers differ from ours in details.
pub(crate) const MODEL_ERROR: f64 = 0.03;

/// Returns the root of the mean of the largest values, a share of all.
fn root_mean(mut values: Vec<f64>, largest: f64) -> f64 {
    values.sort_by(|a, b| b.total_cmp(a));
    values.truncate((values.len() as f64 * largest) as usize);
    libm::sqrt(values.iter().sum::<f64>() / values.len().max(1) as f64)
}

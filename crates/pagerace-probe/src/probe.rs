//! A whole probe: the survey, then one connection after the other.

use pagerace_core::{Duration, Instant, Protocol};

use crate::find::{self, Found, Look, ORDER, Subject};
use crate::model::{Model, Path};
use crate::plan::{self, Budget, Object, PlanError};
use crate::player::{Job, Limits, Target};
use crate::shape::Shape;
use crate::trace::{End, Trace};

/// The traces of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// HTTP/2 or HTTP/3.
    pub protocol: Protocol,
    /// The objects.
    pub objects: Vec<Object>,
    /// The page on which the objects were found.
    pub found: Option<Found>,
    /// The jobs.
    pub jobs: Vec<Job>,
    /// The trace of each job.
    pub traces: Vec<Trace>,
    /// The path.
    pub path: Path,
    /// The probe's use of the budget.
    pub used: Used,
}

/// Use of the budget by a probe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Connections.
    pub connections: usize,
    /// Requests.
    pub requests: usize,
    /// Bytes that count against the limit.
    pub bytes: u64,
    /// Bytes of UDP payload received, over HTTP/2 those of TCP payload or of all TCP segments.
    pub payload: u64,
    /// Time.
    pub time: Duration,
}

/// Error of a probe.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError<E> {
    /// The objects cannot be probed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A script could not be played.
    #[error("the script {script} failed: {reason}")]
    Script {
        /// Name of the script.
        script: &'static str,
        /// The cause.
        reason: String,
    },
    /// The player's socket failed.
    #[error(transparent)]
    Socket(E),
}

/// Most repetitions of scripts whose requests were lost.
const REPEATS_MAX: usize = 3;

/// Plays all scripts of HTTP/2 or HTTP/3. `play` plays one on a new connection. `subject` says
/// which objects they request, or on which page to find some.
///
/// # Errors
/// Returns an error if an object cannot be used, a page refers to none that can, a script fails,
/// or the server answers it with another status than the survey's. A limit of bytes or time is an
/// error only if it ends the survey; see [`Observed::unseen`].
pub fn observe<E>(
    protocol: Protocol,
    subject: Subject<'_>,
    budget: &Budget,
    mut play: impl FnMut(Job) -> Result<Trace, E>,
) -> Result<Observed, ProbeError<E>> {
    let mut used = Used::default();
    let mut play = |job: &Job, used: &mut Used| used.play(job, budget, &mut play);
    let Look {
        objects,
        found,
        survey,
    } = find::look(subject, ORDER, protocol, budget, |job| play(job, &mut used))?;
    let jobs = plan::jobs(&objects, survey.connect, budget, &used, protocol)?;
    let mut traces: Vec<Trace> = Vec::new();
    let mut repeats = 0;
    for (i, job) in jobs.iter().enumerate() {
        let mut trace = play(job, &mut used)?;
        let later: usize = jobs[i..].iter().map(|j| j.script.asks.len()).sum();
        // A lost request arrives late, and its place in the order with it.
        if trace.lost_up > 0
            && repeats < REPEATS_MAX
            && used.requests + later <= budget.requests
            && used.bytes + (jobs.len() - i) as u64 * trace.counted() <= budget.bytes
            && used.time + trace.ended.since_start() * (jobs.len() - i) as u64 <= budget.time
        {
            repeats += 1;
            let again = play(job, &mut used)?;
            if again.end == End::Complete && again.lost_up <= trace.lost_up {
                trace = again;
            }
        }
        if let Some(reason) = failure(job, &trace) {
            let script = job.script.name;
            return Err(ProbeError::Script { script, reason });
        }
        traces.push(trace);
    }
    Ok(Observed {
        protocol,
        path: Path::of(&survey, &traces),
        objects,
        found,
        jobs,
        traces,
        used,
    })
}

impl Used {
    /// Plays a job within what is left of the budget, and counts it.
    pub(crate) fn play<E>(
        &mut self,
        job: &Job,
        budget: &Budget,
        play: impl FnOnce(Job) -> Result<Trace, E>,
    ) -> Result<Trace, ProbeError<E>> {
        let mut job = job.clone();
        // A repeated script may have left less than a share for the others.
        let left = self.left(budget);
        job.limits = Limits {
            bytes: job.limits.bytes.min(left.bytes),
            time: job.limits.time.min(left.time),
        };
        if left.bytes == 0 || left.time.is_zero() {
            let what = if left.bytes == 0 { "bytes" } else { "time" };
            return Ok(Trace {
                end: End::Limit(what),
                ..Trace::begin(&job.script, Instant::ZERO)
            });
        }
        let requests = job.script.asks.len();
        let trace = play(job).map_err(ProbeError::Socket)?;
        self.connections += 1;
        self.requests += requests;
        self.bytes += trace.counted();
        self.payload += trace.payload;
        self.time += trace.ended.since_start();
        Ok(trace)
    }

    /// Returns the budget with the bytes and the time that are left of it.
    pub(crate) fn left(&self, budget: &Budget) -> Budget {
        Budget {
            requests: budget.requests,
            bytes: budget.bytes.saturating_sub(self.bytes),
            time: budget.time.saturating_sub(self.time),
        }
    }
}

/// Returns the reason for which a trace shows nothing of the scheduler.
fn failure(job: &Job, trace: &Trace) -> Option<String> {
    if let End::Failed(reason) = &trace.end {
        return Some(reason.clone());
    }
    let heads = job.script.asks.iter().zip(&trace.heads);
    for (ask, head) in heads.filter_map(|(ask, head)| Some((ask, head.as_ref()?))) {
        let Target { path, range, .. } = &job.targets[ask.target];
        let status = head.status;
        // A server may answer any request for a range with the whole object.
        if status != 200 && (status != 206 || range.is_none()) {
            return Some(format!(
                "{path} was answered with {status}; wait, or probe a server of yours"
            ));
        }
    }
    None
}

impl Observed {
    /// Returns the names of the scripts that limits ended before a byte arrived whose order
    /// counts. If there are any, nothing can be said of the order.
    pub fn unseen(&self) -> Vec<&'static str> {
        let played = self.jobs.iter().zip(&self.traces);
        let unseen = played.filter(|(job, trace)| {
            let is_ranked = |ask: usize| job.script.asks[ask].ranked;
            !trace.chunks.iter().any(|chunk| is_ranked(chunk.ask))
        });
        unseen.map(|(job, _)| job.script.name).collect()
    }

    /// Returns the numbers that describe the traces.
    pub fn values(&self) -> Vec<Vec<f64>> {
        self.shapes().iter().map(Shape::values).collect()
    }

    /// Returns the order of bytes of each script.
    pub fn shapes(&self) -> Vec<Shape> {
        let played = self.jobs.iter().zip(&self.traces);
        played.map(|(job, trace)| Shape::of(job, trace)).collect()
    }

    /// Returns the model for simulating candidates.
    pub fn model(&self, seed: u64) -> Model {
        Model {
            path: self.path,
            objects: self.objects.clone(),
            jobs: self.jobs.clone(),
            repeats: REPEATS,
            seed,
        }
    }
}

/// Number of simulations of each candidate and script: each congestion controller twice.
const REPEATS: u32 = 6;

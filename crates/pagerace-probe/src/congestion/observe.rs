//! A whole probe of the controller: the survey, then one connection for each trial.

use pagerace_core::{Duration, Protocol};

use super::loader::{Fetch, Watched};
use super::model::Model;
use super::shape::{Shape, losses_of_path, rate_of_path};
use super::trial::{Trial, trials};
use crate::find::{self, CONGESTION, Found, Subject};
use crate::plan::{self, Budget, Object};
use crate::player::Job;
use crate::probe::{ProbeError, Used};
use crate::trace::{End, Trace};

/// Most repetitions of trials whose handshakes were disturbed.
const REPEATS_MAX: usize = 3;

/// The trials of a probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Flights {
    /// HTTP/2 or HTTP/3.
    pub protocol: Protocol,
    /// The object.
    pub object: Object,
    /// The page on which the object was found.
    pub found: Option<Found>,
    /// Round trip of the survey's handshake, which the trials' bottlenecks allow for.
    pub path_rtt: Duration,
    /// Shortest round trip of all handshakes.
    pub rtt: Duration,
    /// The trials.
    pub trials: [Trial; 2],
    /// The server's packets in each trial.
    pub watched: Vec<Watched>,
    /// The probe's use of the budget.
    pub used: Used,
}

/// Plays the survey and both trials over HTTP/2 or HTTP/3, each on a new connection. Of several
/// objects, the first is used; of those on a page, the largest.
///
/// A loss before the first response ends slow start before anything was seen of it, and how depends
/// on the server's timers and the size of its certificate. Such a trial begins anew.
///
/// # Errors
/// Returns an error if the object cannot be used, is too small for the budget, or a trial fails
/// or is cut short.
pub fn observe<E>(
    protocol: Protocol,
    subject: Subject<'_>,
    budget: &Budget,
    mut survey: impl FnMut(Job) -> Result<Trace, E>,
    mut fetch: impl FnMut(Fetch) -> Result<Watched, E>,
) -> Result<Flights, ProbeError<E>> {
    let mut used = Used::default();
    let mut looked = find::look(subject, CONGESTION, protocol, budget, |job| {
        used.play(job, budget, &mut survey)
    })?;
    let object = looked.objects.swap_remove(0);
    // If the survey's handshake lost a packet, its requests tell the round trip.
    let heads = looked.survey.heads.iter().flatten();
    let path_rtt = heads.fold(looked.survey.connect, |rtt, head| rtt.min(head.after));
    let trials = trials(path_rtt);
    let fetches = trials.map(|trial| Fetch {
        trial,
        path_rtt,
        path: object.path.clone(),
        length: object.length,
        requests: budget.requests,
        patience: None,
    });
    let needed: usize = used.requests + fetches.iter().map(Fetch::needed).sum::<usize>();
    let bytes: u64 = trials.iter().map(Trial::bytes).sum();
    let time: Duration = trials.iter().fold(Duration::ZERO, |all, t| all + t.time);
    let fail = |script, reason: String| ProbeError::Script { script, reason };
    if needed > budget.requests {
        let allowed = budget.requests;
        return Err(plan::PlanError::Requests { needed, allowed }.into());
    }
    if bytes > budget.bytes || time > budget.time {
        return Err(fail(
            "delay",
            format!(
                "the trials need {:.1} MB and {:.0} s; allow more with --megabytes and --seconds",
                bytes as f64 / 1e6,
                time.as_secs_f64()
            ),
        ));
    }
    let mut watched: Vec<Watched> = Vec::new();
    let mut repeats = 0;
    while let Some(one) = fetches.get(watched.len()) {
        let trial = one.trial;
        let left = || fetches[watched.len()..].iter();
        let needed: usize = left().map(Fetch::needed).sum();
        let time: Duration = left().fold(Duration::ZERO, |all, one| all + one.trial.time);
        let may_repeat = repeats < REPEATS_MAX
            && used.requests + one.needed() + needed <= budget.requests
            && used.time + trial.time + time <= budget.time;
        // A timer of the server waits for longer than the round trip that it knows.
        let patience = path_rtt + trial.rtt + object.think_time;
        let result = fetch(Fetch {
            patience: may_repeat.then_some(patience),
            ..one.clone()
        });
        let result = result.map_err(ProbeError::Socket)?;
        used.connections += 1;
        used.requests += result.requests;
        used.bytes += result.payload;
        used.payload += result.payload;
        used.time += result.time;
        if result.disturbed {
            repeats += 1;
            continue;
        }
        match &result.end {
            End::Complete => watched.push(result),
            End::Failed(reason) => return Err(fail(trial.name, reason.clone())),
            End::Limit(what) => {
                let reason = format!("it ended at the limit of {what}");
                return Err(fail(trial.name, reason));
            }
        }
    }
    let replies = watched.iter().filter_map(|w| w.rtt);
    let rtt = replies.fold(path_rtt, Duration::min);
    Ok(Flights {
        protocol,
        object,
        found: looked.found,
        path_rtt,
        rtt,
        trials,
        watched,
        used,
    })
}

impl Flights {
    /// Returns the description of each trial.
    pub fn shapes(&self) -> Vec<Shape> {
        let played = self.trials.iter().zip(&self.watched);
        played.map(|(t, w)| Shape::of(t, &w.offered)).collect()
    }

    /// Returns the share of packets that the path lost.
    pub fn loss(&self) -> f64 {
        let lost: usize = self
            .watched
            .iter()
            .map(|w| losses_of_path(&w.offered).len())
            .sum();
        let all: usize = self.watched.iter().map(|w| w.offered.len()).sum();
        lost as f64 / all.max(1) as f64
    }

    /// Returns the model for simulating controllers.
    pub fn model(&self, seed: u64) -> Model {
        let losses = self.watched.iter().map(|w| losses_of_path(&w.offered));
        let rates = self.watched.iter().map(|w| rate_of_path(&w.offered));
        Model {
            protocol: self.protocol,
            object: self.object.clone(),
            path_rtt: self.path_rtt,
            rtt: self.rtt,
            rate: rates.max().unwrap_or(0),
            losses: losses.collect(),
            mtu: self.watched.iter().map(|w| w.mtu).max().unwrap_or(0),
            seed,
        }
    }
}

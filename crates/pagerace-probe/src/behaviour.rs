//! Findings from the traces alone, without any candidate.

use std::fmt;

use pagerace_core::Protocol;

use crate::gate::Brake;
use crate::http2;
use crate::probe::Observed;
use crate::script::{CHANGED, Kind, STREAMS};
use crate::shape::{NEVER, Shape};

/// Treatment of a signal by a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heeded {
    /// More urgent responses are complete before others begin.
    Strictly,
    /// More urgent responses progress faster.
    Partly,
    /// The signal changes nothing.
    Not,
    /// The script could not show it.
    Unseen,
}

impl fmt::Display for Heeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Strictly => "honoured",
            Self::Partly => "honoured in part",
            Self::Not => "ignored",
            Self::Unseen => "not seen",
        })
    }
}

/// The order among responses of the same urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// One response after the other.
    Sequential,
    /// Responses take turns.
    Shared,
    /// The script could not show it.
    Unseen,
}

/// Behaviour of a server, as its traces show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behaviour {
    /// HTTP/2 or HTTP/3.
    pub protocol: Protocol,
    /// Responses without signals.
    pub plain: Sharing,
    /// Mean number of packets in a row of one response without signals, over HTTP/2 of
    /// [grants](http2::GRANT).
    pub run: f64,
    /// Urgency in the `priority` field.
    pub field: Heeded,
    /// The incremental parameter.
    pub incremental: Heeded,
    /// Urgency in `PRIORITY_UPDATE` before the request.
    pub before: Heeded,
    /// Urgency in `PRIORITY_UPDATE` right after the request.
    pub after: Heeded,
    /// Urgency in `PRIORITY_UPDATE` while responses arrive.
    pub in_flight: Heeded,
    /// Dependencies of RFC 7540, over HTTP/2.
    pub tree: Option<Heeded>,
    /// Weights of RFC 7540, over HTTP/2.
    pub weights: Option<Heeded>,
}

/// Indices of the 10 %, 50 % and 90 % quantiles in a shape.
const FIRST: usize = 0;
const MIDDLE: usize = 2;
const LAST: usize = 4;

/// Part of a response by which two may overlap and still count as one after the other.
const OVERLAP: f64 = 0.04;

/// Share of pairs that must have the order of a signal.
const MOST: f64 = 0.85;

impl Behaviour {
    /// Reads the behaviour from the traces of a probe.
    pub fn of(observed: &Observed) -> Self {
        let shapes = observed.shapes();
        let found = |kind: Kind| -> Option<&Shape> {
            let mut names = observed.jobs.iter().map(|job| job.script.name);
            Some(&shapes[names.position(|name| name == kind.name())?])
        };
        let of = |kind| found(kind).expect("every probe plays this script");
        let plain = of(Kind::Plain);
        let change = CHANGED + lag(observed);
        let judged = |kind, shape| heeded(kind, shape, plain, change);
        let heeded = |kind| judged(kind, of(kind));
        Self {
            protocol: observed.protocol,
            plain: sharing(plain),
            run: plain.run,
            field: heeded(Kind::Urgency),
            incremental: incremental(of(Kind::Incremental), plain),
            before: heeded(Kind::Before),
            after: heeded(Kind::After),
            in_flight: heeded(Kind::Flight),
            tree: found(Kind::Tree).map(|shape| judged(Kind::Tree, shape)),
            weights: found(Kind::Weights).map(|shape| judged(Kind::Weights, shape)),
        }
    }
}

/// Returns the pairs of ranked requests that `wanted` selects.
fn pairs(wanted: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let all = (0..STREAMS).flat_map(|a| (a + 1..STREAMS).map(move |b| (a, b)));
    all.filter(|(a, b)| wanted(*a, *b)).collect()
}

/// Returns true if one of two responses is nearly complete before the other begins.
fn is_sequential(shape: &Shape, (a, b): (usize, usize)) -> bool {
    let (a, b) = (&shape.places[a], &shape.places[b]);
    a[LAST] <= b[FIRST] + OVERLAP || b[LAST] <= a[FIRST] + OVERLAP
}

/// Returns true if enough arrived to tell the order of each pair of responses: all of one, or
/// half of it and the beginning of the other.
fn is_seen(shape: &Shape) -> bool {
    pairs(|_, _| true).into_iter().all(|(a, b)| {
        let (a, b) = (&shape.places[a], &shape.places[b]);
        let overlap = a[FIRST].max(b[FIRST]) < NEVER && a[MIDDLE].min(b[MIDDLE]) < NEVER;
        a[LAST].min(b[LAST]) < NEVER || overlap
    })
}

fn sharing(shape: &Shape) -> Sharing {
    let pairs = pairs(|_, _| true);
    let sequential = pairs.iter().filter(|pair| is_sequential(shape, **pair));
    if !is_seen(shape) {
        Sharing::Unseen
    } else if sequential.count() as f64 >= MOST * pairs.len() as f64 {
        Sharing::Sequential
    } else {
        Sharing::Shared
    }
}

/// Judges the incremental parameter by two pairs of one urgency: one of incremental
/// responses, one of others.
fn incremental(mixed: &Shape, plain: &Shape) -> Heeded {
    let (shared, other) = ((4, 5), (0, 2));
    let changes = |pair| is_sequential(mixed, pair) != is_sequential(plain, pair);
    if !is_seen(mixed) || !is_seen(plain) {
        Heeded::Unseen
    } else if !changes(shared) && !changes(other) {
        Heeded::Not
    } else if !is_sequential(mixed, shared) && is_sequential(mixed, other) {
        Heeded::Strictly
    } else {
        Heeded::Partly
    }
}

/// Returns the share of the bytes that is under way when a change is signalled.
fn lag(observed: &Observed) -> f64 {
    let Some(job) = observed.jobs.first() else {
        return 0.0;
    };
    let all = job.expected();
    let under_way = match job.brake {
        Brake::Queue(pace) => {
            pace.rate as f64 * observed.path.rtt.as_secs_f64() + f64::from(pace.queue)
        }
        Brake::Window => http2::ahead(job.rtt) as f64,
    };
    under_way / all.max(1) as f64
}

/// Judges a script by the pairs whose signalled order differs from what the server does
/// without signals. Changes in flight reach the server at the place `change`.
fn heeded(kind: Kind, shape: &Shape, plain: &Shape, change: f64) -> Heeded {
    let urgency = |i| kind.signalled(i).urgency;
    let middle = |shape: &Shape, i: usize| shape.places[i][MIDDLE];
    // Bytes that the server has sent before a change cannot follow it.
    let free = |i: usize| kind != Kind::Flight || plain.places[i][MIDDLE] > change;
    let by_urgency = |(a, b): (usize, usize)| {
        if urgency(a) < urgency(b) {
            (a, b)
        } else {
            (b, a)
        }
    };
    let telling: Vec<(usize, usize)> = pairs(|a, b| free(a) && free(b))
        .into_iter()
        .map(by_urgency)
        .filter(|(first, second)| middle(plain, *first) > middle(plain, *second) - OVERLAP)
        .collect();
    let ordered = telling
        .iter()
        .filter(|(first, second)| middle(shape, *first) + OVERLAP < middle(shape, *second));
    let right = ordered.clone().count() as f64;
    let strict = ordered.filter(|pair| is_sequential(shape, **pair)).count() as f64;
    let all = telling.len() as f64;
    if telling.is_empty() || !is_seen(shape) || !is_seen(plain) {
        Heeded::Unseen
    } else if strict >= MOST * all {
        Heeded::Strictly
    } else if right >= 0.5 * all {
        Heeded::Partly
    } else {
        Heeded::Not
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = match self.plain {
            Sharing::Sequential => "one response after the other".to_owned(),
            Sharing::Unseen => "the order was not seen".to_owned(),
            Sharing::Shared => {
                let unit = match self.protocol {
                    Protocol::H2 => "grants of the window",
                    _ => "packets",
                };
                format!("responses share, {:.0} {unit} in a row", self.run.max(1.0))
            }
        };
        write!(
            f,
            "without signals {plain}; urgency {}, incremental {}; PRIORITY_UPDATE before the request \
             {}, after it {}, in flight {}",
            self.field, self.incremental, self.before, self.after, self.in_flight
        )?;
        if let (Some(tree), Some(weights)) = (self.tree, self.weights) {
            write!(f, "; of RFC 7540, dependencies {tree}, weights {weights}")?;
        }
        Ok(())
    }
}

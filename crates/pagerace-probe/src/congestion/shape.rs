//! Numbers that describe a server's data in flight.

use std::iter;

use pagerace_core::Instant;

use super::trial::{Offered, Trial};
use crate::model::MODEL_ERROR;

/// Time between two looks at the data in flight, in round trips.
pub const STEP: f64 = 0.5;

/// Scale of logarithms: a tenth of a window is one model error.
const LOG: f64 = 0.3;

/// Packets that are added to those in flight before the logarithm is taken. One packet more or less
/// is then at most one model error: a window of one packet becomes two by a delayed
/// acknowledgement.
const FLOOR: f64 = LOG / MODEL_ERROR;

/// Bounds of the spans of the trial without losses, in round trips. The delay rises at 24.
const LOOKS: [u32; 14] = [2, 4, 6, 8, 11, 14, 18, 23, 27, 31, 35, 39, 43, 48];

/// Bounds of the spans of the trial with losses, in round trips: slow start and its end.
const START: [u32; 5] = [2, 5, 9, 13, 18];

/// Round trips after which slow start is over.
const SETTLED: f64 = 40.0;

/// Quantiles of the data in flight after slow start.
const QUANTILES: [f64; 6] = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9];

/// Looks at the regrowth after a loss, in round trips.
const LATER: [f64; 5] = [4.0, 8.0, 14.0, 22.0, 32.0];

/// Share of the data in flight before a loss at which it is back.
const BACK: f64 = 0.97;

/// Regrowth of the data in flight after a loss.
#[derive(Clone, Debug, PartialEq)]
pub struct Regrowth {
    /// Share of the data in flight that is left after the loss.
    pub left: f64,
    /// Round trips until the data in flight is back; `None` if the next loss comes first.
    pub back: Option<f64>,
    /// Changes of the logarithm at once and at [`LATER`], up to the next loss.
    changes: Vec<f64>,
}

/// A description of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Time of the first large packet.
    pub start: Instant,
    /// Packets in flight at each [`STEP`] since the first large packet.
    pub flight: Vec<f64>,
    /// Regrowths after slow start.
    pub regrowths: Vec<Regrowth>,
    values: Vec<f64>,
}

/// Returns the time of the first large packet, and the size of the largest in bytes.
fn start(offered: &[Offered]) -> Option<(Instant, u32)> {
    let size = offered.iter().map(|p| p.size).max()?;
    let first = offered.iter().find(|p| 2 * p.size > size)?;
    Some((first.at, size))
}

/// Returns the data in flight at each [`STEP`] since the first large packet, in packets: the
/// packets that wait at the bottleneck, and those that crossed it within the last round trip.
pub fn in_flight(trial: &Trial, offered: &[Offered]) -> Vec<f64> {
    let Some((first, size)) = start(offered) else {
        return Vec::new();
    };
    let (begin, end) = (first.since_start().as_secs_f64(), trial.time.as_secs_f64());
    let rtt = trial.rtt.as_secs_f64();
    // Times at which each accepted packet arrived and had crossed, and its bytes.
    let mut free = 0.0_f64;
    let carried = offered.iter().filter(|p| !p.lost).map(|packet| {
        let at = packet.at.since_start().as_secs_f64();
        let bytes = f64::from(packet.size);
        free = free.max(at) + bytes * 8.0 / trial.rate as f64;
        (at, free, bytes)
    });
    let carried: Vec<(f64, f64, f64)> = carried.collect();
    let steps = ((end - begin) / (STEP * rtt)).max(0.0) as usize;
    let (mut from, mut to, mut held) = (0, 0, 0.0);
    let looks = (1..=steps).map(|i| {
        let now = begin + i as f64 * STEP * rtt;
        while to < carried.len() && carried[to].0 <= now {
            held += carried[to].2;
            to += 1;
        }
        while from < to && carried[from].1 <= now - rtt {
            held -= carried[from].2;
            from += 1;
        }
        held / f64::from(size)
    });
    looks.collect()
}

impl Shape {
    /// Describes a trial.
    pub fn of(trial: &Trial, offered: &[Offered]) -> Self {
        let flight = in_flight(trial, offered);
        let mut shape = Self {
            start: start(offered).map_or(Instant::ZERO, |(first, _)| first),
            regrowths: Vec::new(),
            values: Vec::new(),
            flight,
        };
        let rtt = trial.rtt.as_secs_f64();
        let looks: &[u32] = if trial.rise.is_some() { &LOOKS } else { &START };
        // Means over the time between two looks do not depend on the phase of a wave.
        let spans = looks.windows(2).map(|pair| {
            let looks = (pair[0] * 2..pair[1] * 2).map(|i| shape.at(f64::from(i) * STEP));
            looks.map(log).sum::<f64>() / f64::from(2 * (pair[1] - pair[0]))
        });
        shape.values = spans.collect();
        if trial.rise.is_none() {
            if let Some((first, size)) = start(offered) {
                // Packets that cross the bottleneck in a round trip without a queue.
                let fill = trial.rate as f64 / 8.0 * rtt / f64::from(size);
                let lost = offered.iter().filter(|p| p.lost && p.at >= first);
                let lost: Vec<f64> = lost
                    .map(|p| p.at.since(first).as_secs_f64() / rtt)
                    .collect();
                shape.regrowths = shape.regrowths(fill, &lost);
            }
            let settled = shape.settled();
            shape.values.extend(settled);
        }
        shape
    }

    /// Returns the numbers to compare. Those of windows are logarithms, so that differences are
    /// relative.
    pub fn values(&self) -> Vec<f64> {
        self.values.clone()
    }

    /// Packets in flight so many round trips after the first large packet.
    pub fn at(&self, rounds: f64) -> f64 {
        let last = self.flight.len().saturating_sub(1);
        let look = ((rounds / STEP) as usize).min(last);
        self.flight.get(look).copied().unwrap_or(0.0)
    }

    /// Returns the numbers after slow start.
    fn settled(&self) -> Vec<f64> {
        let from = ((SETTLED / STEP) as usize).min(self.flight.len());
        let quantiles = QUANTILES.map(|q| log(quantile(self.flight[from..].to_vec(), q)));
        let mut values = quantiles.to_vec();
        let mut last = 0.0;
        for i in 0..=LATER.len() {
            // A loss that always comes earlier leaves the number as it was.
            last = self.median(|g| g.changes.get(i).copied()).unwrap_or(last);
            values.push(last);
        }
        values
    }

    /// Returns the regrowths after losses at the given times, in round trips.
    fn regrowths(&self, fill: f64, lost: &[f64]) -> Vec<Regrowth> {
        // A round trip with the queue, in round trips without.
        let round = |at: f64| (self.at(at) / fill).max(1.0);
        // Losses within a round trip are one event, from its first to its last.
        let mut events: Vec<(f64, f64)> = Vec::new();
        for at in lost {
            match events.last_mut() {
                Some((_, last)) if at - *last < 1.2 * round(*last) => *last = *at,
                _ => events.push((*at, *at)),
            }
        }
        let end = self.flight.len() as f64 * STEP;
        let nexts = events.iter().skip(1).map(|(first, _)| *first).chain([end]);
        let pairs = events.iter().zip(nexts);
        let regrowth = |(&(first, last), next): (&(f64, f64), f64)| {
            let r = round(last);
            // Slow start, and losses that follow too closely, show no regrowth.
            if first < 10.0 || next < last + 3.0 * r {
                return None;
            }
            let peak = self.at(first);
            let share = |at: f64| (1.0 + self.at(at)) / (1.0 + peak);
            let after = (0..5).map(|i| self.at(last + r * (1.0 + 0.25 * f64::from(i))));
            let least = after.fold(f64::INFINITY, f64::min);
            let later = LATER
                .iter()
                .map(|n| last + n)
                .take_while(|at| *at < next)
                .map(|at| self.at(at));
            let from = ((last + 2.0 * r) / STEP) as usize;
            let mut looks = (from..)
                .map(|i| i as f64 * STEP)
                .take_while(|at| *at < next);
            Some(Regrowth {
                left: (1.0 + least) / (1.0 + peak),
                back: looks.find(|at| share(*at) >= BACK).map(|at| at - last),
                changes: iter::once(least)
                    .chain(later)
                    .map(|packets| log(packets) - log(peak))
                    .collect(),
            })
        };
        pairs.filter_map(regrowth).collect()
    }

    /// Median of a number of the regrowths; `None` if none has it.
    pub fn median(&self, of: impl Fn(&Regrowth) -> Option<f64>) -> Option<f64> {
        let all: Vec<f64> = self.regrowths.iter().filter_map(of).collect();
        (!all.is_empty()).then(|| quantile(all, 0.5))
    }
}

fn log(packets: f64) -> f64 {
    LOG * libm::log(FLOOR + packets.max(0.0))
}

fn quantile(mut values: Vec<f64>, q: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    let i = (q * last as f64) as usize;
    values.get(i).copied().unwrap_or(0.0)
}

/// Returns the rate of the path in bits per second: that at which three large packets in a row
/// arrive at least once, such as those of the handshake.
pub fn rate_of_path(offered: &[Offered]) -> u64 {
    let size = offered.iter().map(|p| p.size).max().unwrap_or(0);
    let large: Vec<&Offered> = offered.iter().filter(|p| 2 * p.size > size).collect();
    let rates = large.windows(3).map(|three| {
        let bits = 8.0 * f64::from(three[1].size + three[2].size);
        bits / three[2].at.since(three[0].at).as_secs_f64()
    });
    // More than any path has counts as the most, also without a time between packets.
    rates.fold(0.0, f64::max) as u64
}

/// A packet that the path lost before the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    /// Time at which the packet before it reached the bottleneck.
    pub after: Instant,
    /// Time at which the packet that shows the loss did.
    pub before: Instant,
}

/// Returns the packets that the path lost before the bottleneck.
pub fn losses_of_path(offered: &[Offered]) -> Vec<Loss> {
    let mut after = Instant::ZERO;
    let looked = offered.iter().filter_map(|packet| {
        if packet.lost && !packet.dropped {
            let before = packet.at;
            return Some(Loss { after, before });
        }
        after = packet.at;
        None
    });
    looked.collect()
}

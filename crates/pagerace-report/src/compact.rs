//! The embedded form of the report, with long lists as columns of short integers.
//!
//! Times are whole ticks of 10 µs. Ascending times are stored as differences to their
//! predecessors. `assets/js/data.js` reads this form.

mod wire;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_page::timeline::ResourceTiming;
use serde::{Serialize, Serializer};

use crate::input::{Report, RunDetail};
use wire::Wire;

/// Length of a tick: shorter than the transmission of a packet at 1 Gbit/s, with few
/// digits to write.
const TICK_NANOS: u64 = 10_000;

/// The embedded form of a [`Report`].
#[derive(Serialize)]
pub(crate) struct Compact<'a> {
    tick_ms: f64,
    #[serde(flatten)]
    report: &'a Report,
}

impl<'a> Compact<'a> {
    pub(crate) fn new(report: &'a Report) -> Self {
        Self {
            tick_ms: TICK_NANOS as f64 / 1e6,
            report,
        }
    }
}

/// The embedded form of a [`RunDetail`]. Fields of the same name have the same meaning.
#[derive(Serialize)]
struct Detail<'a> {
    run: u32,
    failure: Option<&'a str>,
    /// Names and ticks.
    marks: Vec<(&'a str, u64)>,
    /// Times in ticks, as differences to their predecessors.
    progress_at: Vec<u64>,
    /// Shares in tenths of a percent.
    progress_share: Vec<u64>,
    /// Per resource: time of discovery and the six time spans, in ticks; bytes blocked by
    /// their own stream and by other streams; HTTP version; connection number plus one
    /// (0: none); 1 if the connection was reused.
    timings: Vec<Option<[u64; 12]>>,
    wire: Wire,
}

impl Serialize for RunDetail {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let marks = self.marks.iter();
        let progress = &self.visual_progress;
        let shares = progress
            .iter()
            .map(|(_, share)| (share * 1000.0).round() as u64);
        let timings = self.timings.iter();
        let detail = Detail {
            run: self.run,
            failure: self.failure.as_deref(),
            marks: marks
                .map(|(name, at)| (name.as_str(), ticks(*at)))
                .collect(),
            progress_at: deltas(progress.iter().map(|(at, _)| ticks(*at))),
            progress_share: shares.collect(),
            timings: timings.map(|t| t.as_ref().map(timing)).collect(),
            wire: Wire::new(self),
        };
        detail.serialize(to)
    }
}

/// Writes times in milliseconds.
pub(crate) fn millis<S: Serializer>(times: &[Duration], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(times.iter().map(|time| time.as_millis_f64()))
}

/// Rounds the boundaries between spans, not the spans, so that rounding errors do not
/// accumulate.
fn timing(t: &ResourceTiming) -> [u64; 12] {
    let mut at = t.discovered;
    let spans = [t.queued, t.blocked, t.dns, t.connect, t.wait, t.receive].map(|span| {
        let from = ticks(at);
        at += span;
        ticks(at) - from
    });
    let [queued, blocked, dns, connect, wait, receive] = spans;
    let discovered = ticks(t.discovered);
    [
        discovered,
        queued,
        blocked,
        dns,
        connect,
        wait,
        receive,
        t.hol_blocked_bytes,
        t.hol_other_bytes,
        match t.protocol {
            Protocol::H1 => 1,
            Protocol::H2 => 2,
            Protocol::H3 => 3,
        },
        t.connection
            .map_or(0, |connection| u64::from(connection) + 1),
        u64::from(t.reused),
    ]
}

/// Returns the tick nearest to `at`.
fn ticks(at: Instant) -> u64 {
    at.as_nanos().saturating_add(TICK_NANOS / 2) / TICK_NANOS
}

/// Returns the differences to the largest value before. A smaller value gives a
/// difference of zero.
fn deltas(values: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut last = 0;
    values
        .map(|value| {
            let step = value.saturating_sub(last);
            last = last.max(value);
            step
        })
        .collect()
}

#[cfg(test)]
mod tests;

//! Recorded round-trip times, and the think times that follow from them.
//!
//! A TCP handshake takes one round trip, and so does the QUIC handshake including TLS
//! (RFC 9000, section 7). `wait` is one round trip plus the server's think time.

use std::collections::BTreeMap;

use pagerace_core::Duration;
use pagerace_page::RecordedExchange;

use super::entry::Entry;
use super::filter::served_from_cache;
use super::notes::{Kind, Notes};
use super::protocol::Protocol;

/// Handshakes below this duration are reused connections that a recorder rounded.
pub(super) const SHORTEST_HANDSHAKE_MS: f64 = 0.05;

/// Handshakes of this duration or longer had to repeat their first packet, which a client does
/// after a second (RFC 6298, section 2.1).
const LONGEST_HANDSHAKE_MS: f64 = 1_000.0;

/// A TCP handshake of less than this share of the TLS handshake after it may be the rest of one.
/// Chromium reports a connection that was being opened from the time at which a request took it
/// over (measured in Chromium 156). TLS takes one round trip or two.
const PARTIAL: f64 = 0.25;

/// Think times above this duration are noted, because the recording probably stalled.
const LONG_THINK_MS: f64 = 10_000.0;

/// The set-up of a connection.
#[derive(Clone, Copy, Debug)]
struct Handshake {
    /// The whole set-up, in milliseconds.
    whole: f64,
    /// One round trip, in milliseconds.
    round_trip: f64,
    /// True if the connection may have been opened before the request that reports it.
    is_partial: bool,
}

impl Handshake {
    fn of(entry: &Entry) -> Option<Self> {
        let connect = entry.connect.filter(|c| *c > SHORTEST_HANDSHAKE_MS)?;
        let tls = entry.ssl.filter(|s| *s > 0.0);
        // With QUIC, the whole handshake takes one round trip.
        let tls = tls.filter(|tls| entry.protocol != Some(Protocol::H3) && *tls < connect);
        Some(match tls {
            // HAR 1.2 includes ssl in connect; Firefox records it separately.
            Some(tls) if tls_beside_connect(entry, connect, tls) => Self {
                whole: connect + tls,
                round_trip: connect,
                is_partial: false,
            },
            Some(tls) => Self {
                whole: connect,
                round_trip: connect - tls,
                is_partial: connect - tls < tls * PARTIAL,
            },
            None => Self {
                whole: connect,
                round_trip: connect,
                is_partial: false,
            },
        })
    }

    /// Returns the handshake, with half the time of TLS as its round trip if it is partial.
    fn with_tls_of_two(mut self) -> Self {
        if self.is_partial {
            self.round_trip = (self.whole - self.round_trip) / 2.0;
        }
        self
    }

    /// Returns the better of two handshakes with one server: a whole one, else the shorter.
    fn better(self, other: Self) -> Self {
        let rank = |h: Self| (h.is_partial, h.round_trip);
        if rank(other) < rank(self) {
            other
        } else {
            self
        }
    }
}

/// Returns true if `time` is the sum of the timings only with `ssl` added to `connect`.
pub(super) fn tls_beside_connect(entry: &Entry, connect: f64, tls: f64) -> bool {
    let Some(total) = entry.duration() else {
        return false;
    };
    let known = entry.other_timings + connect;
    (total - known - tls).abs() < (total - known).abs()
}

/// Returns the round-trip time to each entry's server, in milliseconds; `None` if no
/// handshake with its address or host is recorded. `own` marks a recording of our own recorder.
///
/// If a TCP handshake is the rest of one, the TLS handshake tells more: it takes two round trips at
/// most.
///
/// A handshake may have waited in queues, so no round trip is longer than a wait for the same
/// server. Waits below the page's shortest handshake did not cross the network.
pub(super) fn round_trips(entries: &[Entry], own: bool) -> Vec<Option<f64>> {
    let mut best: BTreeMap<&str, Handshake> = BTreeMap::new();
    for entry in entries {
        let mut sample = Handshake::of(entry);
        if !own {
            sample = sample.map(Handshake::with_tls_of_two);
        }
        let lasted = SHORTEST_HANDSHAKE_MS..LONGEST_HANDSHAKE_MS;
        let Some(sample) = sample.filter(|sample| lasted.contains(&sample.round_trip)) else {
            continue;
        };
        for key in keys(entry).into_iter().flatten() {
            let known = best.entry(key).or_insert(sample);
            *known = known.better(sample);
        }
    }
    let whole = best.values().filter(|handshake| !handshake.is_partial);
    let round_trips = whole.map(|handshake| handshake.round_trip);
    let nearest = round_trips.fold(f64::INFINITY, f64::min);
    for entry in entries.iter().filter(|entry| was_exchanged(entry)) {
        let Some(wait) = entry.wait.filter(|wait| *wait >= nearest) else {
            continue;
        };
        for key in keys(entry).into_iter().flatten() {
            if let Some(known) = best.get_mut(key) {
                known.round_trip = known.round_trip.min(wait);
            }
        }
    }
    let look_up = |e: &Entry| {
        keys(e)
            .into_iter()
            .flatten()
            .find_map(|k| best.get(k))
            .map(|handshake| handshake.round_trip)
    };
    entries.iter().map(look_up).collect()
}

/// Returns the address, which several hosts may share, then the host.
fn keys<'a>(entry: &'a Entry) -> [Option<&'a str>; 2] {
    [entry.address.as_deref(), entry.host()]
}

/// Returns the think time of each server in milliseconds: the wait less the round trip,
/// never negative. The page's median replaces an unknown round trip, capped at the host's
/// shortest wait, which includes one. What the recording's network explains of it is not known
/// here.
pub(super) fn think_times(
    entries: &[Entry],
    round_trips: &[Option<f64>],
    notes: &mut Notes,
) -> Vec<f64> {
    let mut known: Vec<f64> = round_trips.iter().filter_map(|r| *r).collect();
    known.sort_by(f64::total_cmp);
    let median = known.get(known.len() / 2).copied().unwrap_or(0.0);
    let mut shortest_wait: BTreeMap<&str, f64> = BTreeMap::new();
    for entry in entries.iter().filter(|e| was_exchanged(e)) {
        if let (Some(host), Some(wait)) = (keys(entry)[1], entry.wait) {
            let shortest = shortest_wait.entry(host).or_insert(wait);
            *shortest = shortest.min(wait);
        }
    }
    let think = |(entry, rtt): (&Entry, &Option<f64>)| {
        if entry.no_response().is_some() {
            return 0.0;
        }
        if entry.pushed {
            notes.add(Kind::Pushed);
            return 0.0;
        }
        let Some(wait) = entry.wait else {
            notes.add(Kind::NoWait);
            return 0.0;
        };
        let rtt = rtt.unwrap_or_else(|| {
            notes.add(Kind::NoRtt);
            let bound = keys(entry)[1].and_then(|host| shortest_wait.get(host));
            bound.map_or(median, |b| median.min(*b))
        });
        if wait - rtt > LONG_THINK_MS {
            notes.add(Kind::LongThink);
        }
        (wait - rtt).max(0.0)
    };
    entries.iter().zip(round_trips).map(think).collect()
}

/// Returns the parts of the time that the response took over the network, if recorded.
pub(super) fn exchange(entry: &Entry) -> Option<RecordedExchange> {
    if entry.no_response().is_some() || !was_exchanged(entry) {
        return None;
    }
    let handshake = Handshake::of(entry).filter(|handshake| !handshake.is_partial);
    Some(RecordedExchange {
        connect: handshake.map(|handshake| Duration::from_millis_f64(handshake.whole)),
        wait: Duration::from_millis_f64(entry.wait?),
        receive: Duration::from_millis_f64(entry.receive.unwrap_or(0.0)),
    })
}

/// Returns true if request and response crossed the network.
fn was_exchanged(entry: &Entry) -> bool {
    entry.status != 0 && !entry.pushed && !served_from_cache(entry)
}

#[cfg(test)]
mod tests;

//! The times at which the timers were set whose callbacks made requests, and for how long.
//!
//! A trace names each timer and idle callback twice: when a script sets it, and when it
//! runs. A callback may set the next timer; the chain counts from its first one, and its timeouts
//! add up. The timeout of an interval or an idle callback does not tell when it runs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Thread, owned};

/// A timer of one thread: its kind, frame and number.
type Key = (Thread, bool, String, i64);

/// The wait of a chain of timers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::record) struct Chain {
    /// The time at which its first timer was set, in milliseconds since the navigation.
    pub(in crate::record) set_ms: f64,
    /// The sum of the timeouts in milliseconds; `None` if one is not that of a single timer.
    pub(in crate::record) timeout_ms: Option<f64>,
}

/// The events of timers, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Timers {
    /// The times at which timers were set, and the timeouts of single ones in milliseconds.
    set: BTreeMap<Key, Vec<(f64, Option<f64>)>>,
    ran: Vec<(Key, f64, f64)>,
}

impl Timers {
    /// Adds an event, if it concerns timers.
    pub(super) fn add(&mut self, name: &str, thread: Thread, at: f64, event: &Value) {
        let data = &event["args"]["data"];
        let (idle, id) = match name {
            "TimerInstall" | "TimerFire" => (false, &data["timerId"]),
            "RequestIdleCallback" | "FireIdleCallback" => (true, &data["id"]),
            _ => return,
        };
        let Some(id) = id.as_i64() else { return };
        let key = (thread, idle, owned(&data["frame"]).unwrap_or_default(), id);
        if let Some(wall) = event["dur"].as_f64() {
            self.ran.push((key, at, at + wall));
        } else {
            let is_single = !idle && data["singleShot"] != false;
            let timeout = data["timeout"].as_f64().filter(|_| is_single);
            self.set.entry(key).or_default().push((at, timeout));
        }
    }

    /// Returns the timers of each of these requests of a thread that a callback made. The
    /// navigation began at `zero`. `requests` have ids and times.
    pub(super) fn of_requests(
        &self,
        requests: &[(&str, f64)],
        thread: Thread,
        zero: f64,
    ) -> BTreeMap<String, Chain> {
        let mut ran: Vec<_> = self
            .ran
            .iter()
            .filter(|(key, ..)| key.0 == thread)
            .collect();
        ran.sort_by(|a, b| a.1.total_cmp(&b.1));
        // The origins of the callbacks, in order: a callback that sets a timer runs before it.
        let mut origins: Vec<Option<(f64, Option<f64>)>> = Vec::new();
        let origin_at = |origins: &[Option<(f64, Option<f64>)>], at: f64| {
            let last = ran
                .partition_point(|(_, from, _)| *from <= at)
                .checked_sub(1)?;
            (at <= ran[last].2).then(|| origins[last])?
        };
        for (key, from, _) in &ran {
            let set = self.set.get(key).into_iter().flatten();
            let set = set.copied().filter(|(at, _)| at < from);
            let set = set.max_by(|a, b| a.0.total_cmp(&b.0));
            origins.push(set.map(|(at, timeout)| {
                let before = origin_at(&origins, at);
                before.map_or((at, timeout), |(first, sum)| {
                    (first, sum.zip(timeout).map(|(sum, own)| sum + own))
                })
            }));
        }
        let found = requests.iter().filter_map(|(id, at)| {
            let (set, timeout_ms) = origin_at(&origins, *at)?;
            let set_ms = (set - zero) / 1e3;
            Some(((*id).to_owned(), Chain { set_ms, timeout_ms }))
        });
        found.collect()
    }
}

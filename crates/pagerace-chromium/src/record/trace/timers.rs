//! The times at which the timers were set whose callbacks made requests.
//!
//! A trace names each timer and idle callback twice: when a script sets it, and when it
//! runs. A callback may set the next timer; the chain counts from its first one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Thread, owned};

/// A timer of one thread: its kind, frame and number.
type Key = (Thread, bool, String, i64);

/// The events of timers, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Timers {
    set: BTreeMap<Key, Vec<f64>>,
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
        match event["dur"].as_f64() {
            Some(wall) => self.ran.push((key, at, at + wall)),
            None => self.set.entry(key).or_default().push(at),
        }
    }

    /// Returns, for each of these requests of a thread that a callback made, the time at which its
    /// timer was set, in milliseconds since `zero`. `requests` have ids and times.
    pub(super) fn of_requests(
        &self,
        requests: &[(&str, f64)],
        thread: Thread,
        zero: f64,
    ) -> BTreeMap<String, f64> {
        let mut ran: Vec<_> = self
            .ran
            .iter()
            .filter(|(key, ..)| key.0 == thread)
            .collect();
        ran.sort_by(|a, b| a.1.total_cmp(&b.1));
        // The origins of the callbacks, in order: a callback that sets a timer runs before it.
        let mut origins: Vec<Option<f64>> = Vec::new();
        let origin_at = |origins: &[Option<f64>], at: f64| {
            let last = ran
                .partition_point(|(_, from, _)| *from <= at)
                .checked_sub(1)?;
            (at <= ran[last].2).then(|| origins[last])?
        };
        for (key, from, _) in &ran {
            let set = self.set.get(key).into_iter().flatten();
            let set = set.copied().filter(|set| set < from).reduce(f64::max);
            origins.push(set.map(|set| origin_at(&origins, set).unwrap_or(set)));
        }
        let found = requests.iter().filter_map(|(id, at)| {
            let origin = origin_at(&origins, *at)?;
            Some(((*id).to_owned(), (origin - zero) / 1e3))
        });
        found.collect()
    }
}

//! The times at which the timers were set whose callbacks made requests.
//!
//! A trace names each timer and idle callback twice: when a script sets it, and when it
//! runs. A callback may set the next timer; the chain counts from its first one.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Thread, owned};

/// A timer of one thread: its kind, frame and number.
type Key = (Thread, bool, String, i64);

/// The events of timers and the requests, in microseconds.
#[derive(Debug, Default)]
pub(super) struct Timers {
    set: BTreeMap<Key, Vec<f64>>,
    ran: Vec<(Key, f64, f64)>,
    sent: Vec<(Thread, f64, String)>,
}

impl Timers {
    /// Adds an event, if it concerns timers or requests.
    pub(super) fn add(&mut self, name: &str, thread: Thread, at: f64, event: &Value) {
        let data = &event["args"]["data"];
        let (idle, id) = match name {
            "TimerInstall" | "TimerFire" => (false, &data["timerId"]),
            "RequestIdleCallback" | "FireIdleCallback" => (true, &data["id"]),
            "ResourceSendRequest" => {
                if let Some(id) = owned(&data["requestId"]) {
                    self.sent.push((thread, at, id));
                }
                return;
            }
            _ => return,
        };
        let Some(id) = id.as_i64() else { return };
        let key = (thread, idle, owned(&data["frame"]).unwrap_or_default(), id);
        match event["dur"].as_f64() {
            Some(wall) => self.ran.push((key, at, at + wall)),
            None => self.set.entry(key).or_default().push(at),
        }
    }

    /// Returns, for each request of the page's thread that a callback made, the time at which
    /// its timer was set, in milliseconds since `zero`.
    pub(super) fn of_requests(&self, thread: Thread, zero: f64) -> BTreeMap<String, f64> {
        let of_page = self.sent.iter().filter(|sent| sent.0 == thread);
        of_page
            .filter_map(|(_, at, id)| Some((id.clone(), (self.origin(thread, *at)? - zero) / 1e3)))
            .collect()
    }

    /// Returns the time at which the timer was set whose callback ran at `at`.
    fn origin(&self, thread: Thread, at: f64) -> Option<f64> {
        let mut origin = None;
        let mut at = at;
        while let Some(set) = self.set_before(thread, at) {
            origin = Some(set);
            at = set;
        }
        origin
    }

    fn set_before(&self, thread: Thread, at: f64) -> Option<f64> {
        let inside =
            |(key, from, to): &&(Key, f64, f64)| key.0 == thread && (*from..=*to).contains(&at);
        let (key, from, _) = self.ran.iter().find(inside)?;
        let times = self.set.get(key)?;
        times
            .iter()
            .copied()
            .filter(|set| set < from)
            .reduce(f64::max)
    }
}

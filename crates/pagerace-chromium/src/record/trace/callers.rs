//! The callers of requests. A caller is the script that ran last in the task of the request, or
//! the data whose arrival began that task.
//!
//! A stack names functions, not the event that called them. All requests of a loader of modules
//! have the same stack, although each of them is made when another script has run: Chromium
//! dispatches the `load` event of a script element in the task that ran the script
//! (`pending_script.cc`). Of timers and other events the trace does not tell for what they waited.

use std::collections::BTreeMap;

use pagerace_har::extension::{Caller, Ms};
use serde_json::Value;

use super::Span;
use crate::record::timings::round;

/// The role of a span in the search for a cause.
#[derive(Clone, Debug)]
pub(super) enum Role {
    /// A script runs.
    Script,
    /// Listeners of a request hear of its response.
    Data,
    /// Another event calls.
    Event,
}

impl Role {
    pub(super) fn of(name: &str, data: &Value) -> Option<Self> {
        Some(match name {
            "EvaluateScript" | "v8.evaluateModule" => Self::Script,
            "XHRReadyStateChange" | "XHRLoad" => Self::Data,
            "TimerFire" | "FireAnimationFrame" | "FireIdleCallback" => Self::Event,
            "EventDispatch" if !matches!(data["type"].as_str(), Some("load" | "error")) => {
                Self::Event
            }
            _ => return None,
        })
    }
}

/// Returns the cause of each request, by request id. `requests` have ids and times, `spans` are
/// sorted, and enclosing ones come first; times in microseconds.
pub(super) fn of_requests(requests: &[(&str, f64)], spans: &[Span]) -> BTreeMap<String, Caller> {
    let found = requests.iter();
    let found = found.filter_map(|(id, at)| Some(((*id).to_owned(), caller(spans, *at)?)));
    found.collect()
}

/// Returns the cause of a request at `at`.
fn caller(spans: &[Span], at: f64) -> Option<Caller> {
    let before = &spans[..spans.partition_point(|s| s.start <= at)];
    let ends = |s: &Span| s.start + s.wall;
    let task = before.iter().rposition(|s| s.task)?;
    if ends(&before[task]) < at {
        return None;
    }
    // The last of what still runs, or of scripts that have run.
    let last = before[task..].iter().rfind(|span| match span.role {
        Some(Role::Script) => span.url.is_some(),
        Some(Role::Data | Role::Event) => ends(span) >= at,
        None => false,
    })?;
    let since = match last.role.as_ref()? {
        Role::Script => ends(last),
        Role::Data => last.start,
        Role::Event => return None,
    };
    Some(Caller {
        url: last.url.clone()?,
        ms: Ms(round(((at - since) / 1e3).max(0.0))),
    })
}

//! Main-thread tasks that no arrival explains, and the events that call them.
//!
//! The first run of a script, parsing, and rendering have costs of their own. What remains of
//! the recorded tasks are scripts that an event calls back, and short work of the browser, which is
//! left out. The recording does not tell the event. Times do: recordings are made next to their servers, so
//! that a task begins as soon as its event has happened and the main thread is free.

use pagerace_core::{Destination, Duration};
use pagerace_page::{Callback, ResourceId, Wait};

use crate::har::extension::{self, MainThreadTask, TaskKind};
use crate::har::pages::Chosen;
use crate::har::recording::Recording;

/// Maximum idle time of the main thread between an event of the document and a task that it
/// calls. Milliseconds.
const AT_ONCE_MS: f64 = 3.0;
/// The same for an arrival, whose recorded time is that of the network service.
const ARRIVAL_MS: f64 = 20.0;
/// Time after the load event up to which tasks belong to the load. Milliseconds.
const HORIZON_MS: f64 = 2000.0;
/// Maximum number of tasks of a page.
const MAX_TASKS: usize = 1000;

/// Returns the tasks in recorded order; none if the recording has no events.
pub(super) fn read(recording: &Recording, chosen: &Chosen) -> Vec<Callback> {
    let tasks = extension::main_thread(chosen.page);
    let events = (
        chosen.start(),
        chosen.timing("onContentLoad"),
        chosen.timing("onLoad"),
    );
    let (Some(start), Some(parsed), Some(loaded)) = events else {
        return Vec::new();
    };
    let is_callback = |task: &&MainThreadTask| {
        task.kind == TaskKind::Script && !is_accounted(recording, task, start, loaded)
    };
    let called = tasks.iter().filter(is_callback);
    let called = called.filter(|task| task.start <= loaded + HORIZON_MS);
    let arrivals = arrivals(recording, start);
    let of = |task: &MainThreadTask| {
        let idle = |from: f64| (task.start - from - busy(&tasks, from, task.start)).max(0.0);
        let follows = |at: f64, within| at <= task.start + 1.0 && idle(at) <= within;
        let last = arrivals.iter().rfind(|(at, _)| *at <= task.start + 1.0);
        let (after, delay) = if follows(loaded, AT_ONCE_MS) {
            (Wait::Loaded, 0.0)
        } else if follows(parsed, AT_ONCE_MS) && task.start < loaded {
            (Wait::ContentLoaded, 0.0)
        } else if let Some((_, wait)) = last.filter(|(at, _)| follows(*at, ARRIVAL_MS)) {
            (*wait, 0.0)
        } else if task.start > loaded {
            (Wait::Loaded, idle(loaded))
        } else if task.start > parsed {
            (Wait::ContentLoaded, idle(parsed))
        } else {
            let (at, wait) = last?;
            (*wait, idle(*at))
        };
        Some(Callback {
            after,
            delay: Duration::from_millis_f64(delay),
            cost: Duration::from_millis_f64(task.end - task.start),
        })
    };
    called.take(MAX_TASKS).filter_map(of).collect()
}

/// Returns true for the first run of a script, and for inline scripts, which count for their
/// document.
fn is_accounted(recording: &Recording, task: &MainThreadTask, start: f64, loaded: f64) -> bool {
    let Some(i) = task.url.and_then(|url| recording.find(url)) else {
        return false;
    };
    let first = recording.ran.get(&i);
    first.is_some_and(|(from, _)| task.start <= from - start + 1e-6)
        || (recording.is_document(i) && task.start < loaded)
}

/// Returns the time for which tasks kept the main thread busy from `from` to `to`.
fn busy(tasks: &[MainThreadTask], from: f64, to: f64) -> f64 {
    let inside = |t: &MainThreadTask| (t.end.min(to) - t.start.max(from)).max(0.0);
    tasks.iter().map(inside).sum()
}

/// Returns the completions of resources that can call scripts, in order of time, in
/// milliseconds since the navigation.
fn arrivals(recording: &Recording, start: f64) -> Vec<(f64, Wait)> {
    let calls = |i: &usize| {
        recording.redirects.to[*i].is_none()
            && matches!(
                recording.destinations[*i],
                Destination::Document
                    | Destination::Iframe
                    | Destination::Script
                    | Destination::Style
                    | Destination::Fetch
                    | Destination::Font
                    | Destination::Image
            )
    };
    let all = (0..recording.entries.len()).filter(calls);
    let mut ends: Vec<(f64, Wait)> = all
        .filter_map(|i| {
            let id = ResourceId(i as u32);
            Some((recording.end(i)? - start, Wait::Resource { id }))
        })
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    ends
}

#[cfg(test)]
mod tests;

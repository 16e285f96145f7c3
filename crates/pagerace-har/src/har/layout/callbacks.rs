//! Main-thread tasks that no arrival explains, and the events that call them.
//!
//! The first run of a script, parsing, and rendering have costs of their own. What remains of
//! the recorded tasks are scripts that an event calls back, and short work of the browser, which is
//! left out. The recording does not tell the event. Times do: recordings are made next to their servers, so
//! that a task begins as soon as its event has happened and the main thread is free.

use pagerace_core::{Destination, Duration};
use pagerace_page::{Callback, ResourceId, Wait};

use crate::extension::TaskKind;
use crate::har::recording::{Recording, Task};

/// Maximum idle time of the main thread between an event of the document and a task that it
/// calls. Milliseconds.
const AT_ONCE_MS: f64 = 3.0;
/// The same for an arrival, whose recorded time is that of the network service.
const ARRIVAL_MS: f64 = 20.0;
/// Maximum idle time between an event and the begin of a motion, which frames draw: two frames.
const FRAMES_MS: f64 = 35.0;
/// Maximum time from the last recorded work of a frame to its paint. Milliseconds.
const SHOWN_MS: f64 = 100.0;
/// Time after the load event up to which tasks and motions belong to the load. Milliseconds.
pub(super) const HORIZON_MS: f64 = 2000.0;
/// Maximum number of tasks of a page.
const MAX_TASKS: usize = 1000;

/// The events of a recorded load, in milliseconds since the navigation.
pub(super) struct Events<'a> {
    recording: &'a Recording<'a>,
    /// The completions of resources that can call scripts, in order of time.
    arrivals: Vec<(f64, ResourceId)>,
    pub(super) parsed: f64,
    pub(super) loaded: f64,
}

impl<'a> Events<'a> {
    /// Returns the events; `None` if the recording has no times of the document's own.
    pub(super) fn new(recording: &'a Recording) -> Option<Self> {
        Some(Self {
            recording,
            arrivals: arrivals(recording),
            parsed: recording.parsed?,
            loaded: recording.loaded?,
        })
    }

    /// Returns the event that called the task that began at `at`, and the idle time between them.
    pub(super) fn caller(&self, at: f64) -> Option<(Wait, f64)> {
        self.called_by(at, AT_ONCE_MS, |_| true)
    }

    /// Returns the event that began the motion of an element at `at`, and the idle time between them.
    /// `image` is what the element shows. Of the arrivals, only those of this image, of scripts, of
    /// data and of style sheets count.
    pub(super) fn mover(&self, at: f64, image: Option<ResourceId>) -> Option<(Wait, f64)> {
        let own = self.arrivals.iter().find(|(_, id)| Some(*id) == image);
        if let Some((_, id)) = own.filter(|(end, _)| self.follows(at, *end, FRAMES_MS)) {
            return Some((Wait::Resource { id: *id }, 0.0));
        }
        self.called_by(at, FRAMES_MS, |id| {
            matches!(
                self.recording.destinations[id.index()],
                Destination::Script | Destination::Fetch | Destination::Style
            )
        })
    }

    /// Returns the time from `from` to `to` in which the main thread had nothing to do.
    fn idle(&self, from: f64, to: f64) -> f64 {
        self.recording.idle(from, to).max(0.0)
    }

    /// Returns true if `at` follows an event after at most `within` of idle time.
    fn follows(&self, at: f64, event: f64, within: f64) -> bool {
        event <= at + 1.0 && self.idle(event, at) <= within
    }

    fn called_by(
        &self,
        at: f64,
        at_once: f64,
        counts: impl Fn(ResourceId) -> bool,
    ) -> Option<(Wait, f64)> {
        // The model adds the tasks in between.
        let delay = |from: f64| self.idle(from, at);
        let follows = |event: f64, within| self.follows(at, event, within);
        let mut arrivals = self.arrivals.iter().filter(|(_, id)| counts(*id));
        let last = arrivals.rfind(|(end, _)| *end <= at + 1.0);
        let wait = |id: ResourceId| Wait::Resource { id };
        // The end of parsing and the handlers of its event are one task.
        let tasks = &self.recording.tasks;
        let task = tasks.iter().find(|t| (t.start..t.end).contains(&at));
        let handles = |event: f64| task.is_some_and(|t| (t.start..t.end).contains(&event));
        Some(if handles(self.parsed) {
            (Wait::ContentLoaded, 0.0)
        } else if follows(self.loaded, at_once) {
            (Wait::Loaded, 0.0)
        } else if follows(self.parsed, at_once) && at < self.loaded {
            (Wait::ContentLoaded, 0.0)
        } else if let Some((_, id)) = last.filter(|(end, _)| follows(*end, at_once.max(ARRIVAL_MS)))
        {
            (wait(*id), 0.0)
        } else if at > self.loaded {
            (Wait::Loaded, delay(self.loaded))
        } else if at > self.parsed {
            (Wait::ContentLoaded, delay(self.parsed))
        } else {
            let (end, id) = last?;
            (wait(*id), delay(*end))
        })
    }
}

/// Returns the begin of the frame after `since` that showed a paint; the paint itself if that frame was
/// too short to be recorded.
pub(super) fn frame_of(tasks: &[Task], since: f64, paint: f64) -> f64 {
    let is_frame = |t: &&Task| {
        t.kind.is_rendering()
            && (since..paint).contains(&t.start)
            && paint - t.end <= SHOWN_MS
    };
    tasks.iter().rfind(is_frame).map_or(paint, |t| t.start)
}

/// Returns the tasks in recorded order; none if the recording has no events.
pub(super) fn read(recording: &Recording, events: &Events) -> Vec<Callback> {
    let is_callback = |task: &&Task| {
        task.kind == TaskKind::Script && !is_accounted(recording, task, events.loaded)
    };
    let called = recording.tasks.iter().filter(is_callback);
    let called = called.filter(|task| task.start <= events.loaded + HORIZON_MS);
    let of = |task: &Task| {
        let (after, delay) = events.caller(task.start)?;
        Some(Callback {
            after,
            delay: Duration::from_millis_f64(delay),
            cost: Duration::from_millis_f64(task.cost),
        })
    };
    called.take(MAX_TASKS).filter_map(of).collect()
}

/// Returns true for the first run of a script, and for inline scripts, which count for their
/// document.
fn is_accounted(recording: &Recording, task: &Task, loaded: f64) -> bool {
    let Some(i) = task.url.and_then(|url| recording.find(url)) else {
        return false;
    };
    let first = recording.ran.get(&i);
    first.is_some_and(|run| task.start <= run.start)
        || (recording.is_document(i) && task.start < loaded)
}

/// Returns the completions of resources that can call scripts, in order of time.
fn arrivals(recording: &Recording) -> Vec<(f64, ResourceId)> {
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
    let mut ends: Vec<(f64, ResourceId)> = all
        .filter_map(|i| Some((recording.end(i)?, ResourceId(i as u32))))
        .collect();
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    ends
}

#[cfg(test)]
mod tests;

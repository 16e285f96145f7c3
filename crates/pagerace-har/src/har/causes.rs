//! The event that called something: a request ([`request`]), a task, the motion of an element, or
//! the script that made the largest text.
//!
//! A recording tells the events of the document, the completion of each resource and, if it is our
//! own, the tasks of the main thread. It does not tell which event called a task. Times do: our
//! recordings are made next to their servers, so that a task begins as soon as its event has
//! happened and the main thread is free.

pub(super) mod request;

use std::collections::BTreeSet;

use pagerace_core::Destination;
use pagerace_page::{ResourceId, Wait};

use super::initiator::{Kind, Place};
use super::recording::{Recording, Task};
use super::thresholds::{
    ARRIVAL_TO_TASK_MS, EVENT_TO_MOTION_MS, EVENT_TO_TASK_MS, WORK_TO_PAINT_MS,
};

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
        self.called_by(at, EVENT_TO_TASK_MS, |_| true)
    }

    /// The same for a task that put an element on the page which waits for no held response.
    pub(super) fn maker(&self, at: f64) -> Option<(Wait, f64)> {
        self.called_by(at, EVENT_TO_TASK_MS, |id| {
            !self.recording.waits.was_held(id.index())
        })
    }

    /// Returns the event that began the motion of an element at `at`, and the idle time between
    /// them. `image` is what the element shows. Of the arrivals, only those of this image, of
    /// scripts, of data and of style sheets count.
    /// The element waits for no held response, if that `is_known`.
    pub(super) fn mover(
        &self,
        at: f64,
        image: Option<ResourceId>,
        is_known: bool,
    ) -> Option<(Wait, f64)> {
        let own = self.arrivals.iter().find(|(_, id)| Some(*id) == image);
        if let Some((_, id)) = own.filter(|(end, _)| self.follows(at, *end, EVENT_TO_MOTION_MS)) {
            return Some((Wait::Resource { id: *id }, 0.0));
        }
        self.called_by(at, EVENT_TO_MOTION_MS, |id| {
            !(is_known && self.recording.waits.was_held(id.index()))
                && matches!(
                    self.recording.destinations[id.index()],
                    Destination::Script | Destination::Fetch | Destination::Style
                )
        })
    }

    /// Returns the time from `from` to `to` in which the main thread had nothing to do.
    pub(super) fn idle(&self, from: f64, to: f64) -> f64 {
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
        } else if let Some((_, id)) =
            last.filter(|(end, _)| follows(*end, at_once.max(ARRIVAL_TO_TASK_MS)))
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

/// Returns the begin of the frame after `since` that showed a paint; the paint itself if that frame
/// was too short to be recorded.
pub(super) fn frame_of(tasks: &[Task], since: f64, paint: f64) -> f64 {
    let is_frame = |t: &&Task| {
        t.kind.is_rendering()
            && (since..paint).contains(&t.start)
            && paint - t.end <= WORK_TO_PAINT_MS
    };
    tasks.iter().rfind(is_frame).map_or(paint, |t| t.start)
}

/// Returns the cause of the largest text, and the time of the cause: the last data before the paint
/// that the text's makers requested. Without data, and if the paint came before `DOMContentLoaded`
/// at `loaded`, the cause is the last maker that ran.
pub(super) fn largest_text(recording: &Recording, loaded: f64) -> Option<(Wait, f64)> {
    let painted = recording.largest_paint()?;
    let urls = &recording.page.own.as_ref()?.paints.lcp_makers;
    let makers = urls.iter().filter_map(|url| recording.find(url));
    let makers: BTreeSet<usize> = makers.collect();
    let asked = |i: &usize| {
        let initiator = &recording.entries[*i].initiator;
        let by = |place: &Place| recording.resolve(&place.url, *i);
        recording.destinations[*i] == Destination::Fetch
            && recording.redirects.to[*i].is_none()
            && !recording.waits.was_held(*i)
            && initiator.kind == Kind::Script
            && initiator
                .places
                .iter()
                .filter_map(by)
                .any(|s| makers.contains(&s))
    };
    let last = |times: &mut dyn Iterator<Item = (usize, f64)>| {
        times
            .filter(|(_, at)| *at <= painted)
            .max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
    };
    let data = (0..recording.entries.len()).filter(asked);
    let data = last(&mut data.filter_map(|i| Some((i, recording.end(i)?))));
    let ran = || {
        last(
            &mut makers
                .iter()
                .filter_map(|i| Some((*i, recording.ran.get(i)?.start))),
        )
    };
    let (id, at) = data.or_else(|| ran().filter(|_| painted <= loaded))?;
    let id = ResourceId(id as u32);
    Some((Wait::Resource { id }, at))
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

//! A thread that runs tasks one after the other, in the order in which they became ready.
//!
//! Left out: idle periods, and all priorities of tasks but two (see [`Lane::push_low`] and
//! [`Lane::push_first`]).

use std::collections::VecDeque;

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;

use crate::cause::Ready;

/// A unit of work that a thread does without interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Parse the next piece of a document.
    Parse(ResourceId),
    /// Parse a style sheet.
    Style(ResourceId),
    /// Compile and run a script.
    Script(ResourceId),
    /// Make the document of a vector graphic.
    Vector(ResourceId),
    /// Style, layout and paint.
    Render,
    /// Run a task that an event has called: the index of the recorded callback.
    Callback(usize),
    /// Let a script make a request.
    Request(ResourceId),
    /// Take a complete response from the network service.
    Deliver(ResourceId),
    /// Show what has arrived of a loading image.
    Flush(ResourceId),
    /// Dispatch the load event.
    Load,
}

/// The time after which a task of low priority waits no longer. Chromium's
/// `low_pri_async_exec_timeout`.
const LOW_PRIORITY: Duration = Duration::from_secs(1);

/// A thread with its queues of tasks.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    queue: VecDeque<(Task, Ready)>,
    /// Tasks of low priority, by age.
    low: VecDeque<(Task, Ready)>,
    running: Option<(Task, Instant)>,
    /// The time that the running task still takes after the end that was scheduled for it.
    longer: Duration,
    /// The number of synchronous requests that a script on this thread waits for.
    awaited: usize,
    /// The time from which the thread has done nothing but wait for them.
    waits_since: Option<Instant>,
    /// The last end of such a wait.
    resumed: Ready,
}

impl Lane {
    /// Queues a task that became possible at `ready`.
    pub(crate) fn push(&mut self, task: Task, ready: Ready) {
        self.queue.push_back((task, ready));
    }

    /// Queues a task that became possible at `ready` and runs when the thread has no other
    /// task, or as its next one after a second.
    pub(crate) fn push_low(&mut self, task: Task, ready: Ready) {
        self.low.push_back((task, ready));
    }

    /// Queues a task that became possible at `ready` and runs before all others.
    pub(crate) fn push_first(&mut self, task: Task, ready: Ready) {
        self.queue.push_front((task, ready));
    }

    /// Takes the next task, if the thread is free. A task that a synchronous request held up
    /// became possible with the response.
    pub(crate) fn next(&mut self, now: Instant) -> Option<(Task, Ready)> {
        if self.running.is_some() || self.awaited > 0 {
            return None;
        }
        let is_due = |&(_, ready): &(Task, Ready)| now >= ready.at + LOW_PRIORITY;
        let next = if self.queue.is_empty() || self.low.front().is_some_and(is_due) {
            self.low.pop_front()
        } else {
            self.queue.pop_front()
        };
        next.map(|(task, ready)| (task, ready.and(self.resumed)))
    }

    /// Lets a script wait for a synchronous request: no task starts until
    /// [`resume`](Self::resume).
    pub(crate) fn wait(&mut self, now: Instant) {
        self.awaited += 1;
        if self.running.is_none() {
            self.waits_since.get_or_insert(now);
        }
    }

    /// Ends the wait for a synchronous request. Returns the time from which the thread has
    /// waited, if this was the last such request.
    pub(crate) fn resume(&mut self, ready: Ready) -> Option<Instant> {
        self.awaited -= 1;
        if self.awaited > 0 {
            return None;
        }
        self.resumed = ready;
        self.waits_since.take()
    }

    /// Marks `task` as running since `started`.
    pub(crate) fn run(&mut self, task: Task, started: Instant) {
        self.running = Some((task, started));
    }

    /// Makes the running task longer. An idle thread is not affected.
    pub(crate) fn prolong(&mut self, by: Duration) {
        if self.running.is_some() {
            self.longer += by;
        }
    }

    /// Takes the time by which the running task has become longer since its end was scheduled.
    pub(crate) fn take_longer(&mut self) -> Duration {
        std::mem::take(&mut self.longer)
    }

    /// Ends the running task. Returns the task and its start time.
    pub(crate) fn finish(&mut self, now: Instant) -> Option<(Task, Instant)> {
        if self.awaited > 0 {
            self.waits_since = Some(now);
        }
        self.running.take()
    }

    /// Returns true if a task that is queued now starts at once.
    pub(crate) fn is_free(&self) -> bool {
        self.is_idle() && self.awaited == 0
    }

    /// Returns true if no task is running or waiting.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.queue.is_empty() && self.low.is_empty()
    }
}

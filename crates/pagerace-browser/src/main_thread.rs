//! A thread that does one task after the other, in the order in which they
//! were queued.
//!
//! Leaves out task priorities and idle periods: a task that is ready first
//! runs first.

use std::collections::VecDeque;

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use crate::cause::Ready;

/// Something a thread does without interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Parse the next piece of a document.
    Parse(ResourceId),
    /// Parse a style sheet.
    Style(ResourceId),
    /// Compile and run a script.
    Script(ResourceId),
    /// Style, layout and paint.
    Render,
    /// Dispatch the load event.
    Load,
}

/// One thread.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    queue: VecDeque<(Task, Ready)>,
    running: Option<(Task, Instant)>,
}

impl Lane {
    /// Queues a task that became possible as `ready` says.
    pub(crate) fn push(&mut self, task: Task, ready: Ready) {
        self.queue.push_back((task, ready));
    }

    /// The next task, if the thread is free.
    pub(crate) fn next(&mut self) -> Option<(Task, Ready)> {
        if self.running.is_some() {
            None
        } else {
            self.queue.pop_front()
        }
    }

    /// The thread works on `task` from `started` on.
    pub(crate) fn run(&mut self, task: Task, started: Instant) {
        self.running = Some((task, started));
    }

    /// The running task is over: what it was and when it began.
    pub(crate) fn finish(&mut self) -> Option<(Task, Instant)> {
        self.running.take()
    }

    /// Whether nothing runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.queue.is_empty()
    }
}

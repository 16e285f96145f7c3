//! A thread that runs tasks one after the other, in the order in which they were queued.
//!
//! Left out: task priorities and idle periods. Tasks run in the order in which they
//! become ready.

use std::collections::VecDeque;

use pagerace_core::Instant;
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
    /// Style, layout and paint.
    Render,
    /// Dispatch the load event.
    Load,
}

/// A thread with its queue of tasks.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    queue: VecDeque<(Task, Ready)>,
    running: Option<(Task, Instant)>,
}

impl Lane {
    /// Queues a task that became possible at `ready`.
    pub(crate) fn push(&mut self, task: Task, ready: Ready) {
        self.queue.push_back((task, ready));
    }

    /// Takes the next task, if the thread is free.
    pub(crate) fn next(&mut self) -> Option<(Task, Ready)> {
        if self.running.is_some() {
            None
        } else {
            self.queue.pop_front()
        }
    }

    /// Marks `task` as running since `started`.
    pub(crate) fn run(&mut self, task: Task, started: Instant) {
        self.running = Some((task, started));
    }

    /// Ends the running task. Returns the task and its start time.
    pub(crate) fn finish(&mut self) -> Option<(Task, Instant)> {
        self.running.take()
    }

    /// Returns true if no task is running or waiting.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_none() && self.queue.is_empty()
    }
}

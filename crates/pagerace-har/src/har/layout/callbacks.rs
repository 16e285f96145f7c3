//! Main-thread tasks that no arrival explains, and the events that call them.
//!
//! The first run of a script, parsing, and rendering have costs of their own. What remains of
//! the recorded tasks are scripts that an event calls back, and short work of the browser, which is
//! left out.

use pagerace_core::Duration;
use pagerace_page::{Callback, Wait};

use crate::extension::TaskKind;
use crate::har::causes::Events;
use crate::har::recording::{Recording, Task};
use crate::har::thresholds::HORIZON_MS;
use crate::har::waits::Joins;

/// Maximum number of tasks of a page.
const MAX_TASKS: usize = 1000;

/// Returns the tasks in recorded order; none if the recording has no events.
pub(super) fn read(recording: &Recording, events: &Events, joins: &mut Joins) -> Vec<Callback> {
    let is_callback = |task: &&Task| {
        task.kind == TaskKind::Script && !is_accounted(recording, task, events.loaded)
    };
    let called = recording.tasks.iter().filter(is_callback);
    let called = called.filter(|task| task.start <= events.loaded + HORIZON_MS);
    let of = |task: &Task| {
        let awaited = awaited(recording, task, joins);
        let awaited = awaited.map(|(after, at)| (after, events.idle(at, task.start)));
        let (after, delay) = awaited.or_else(|| events.caller(task.start))?;
        Some(Callback {
            after,
            delay: Duration::from_millis_f64(delay),
            cost: Duration::from_millis_f64(task.cost),
        })
    };
    called.take(MAX_TASKS).filter_map(of).collect()
}

/// Returns the scripts and data that the task waits for, and when they were over.
fn awaited(recording: &Recording, task: &Task, joins: &mut Joins) -> Option<(Wait, f64)> {
    let waits = recording.waits.find(task.waits_for);
    let at = recording.over(recording.last_of(&waits)?)?;
    Some((joins.event(&waits)?, at))
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

#[cfg(test)]
mod tests;

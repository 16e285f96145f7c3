//! What a script waited for, before it asked for something in a callback.
//!
//! A recording names the script whose function made a request, not what called
//! the function. The time since the script had run is then mostly the network's:
//! of the data that it had asked for, of the document's end, of the images that
//! the load event waits for. So a request that comes long after its script is
//! taken to wait for what had happened last of all that may have called it.

use pagerace_core::Destination;

use super::Link;
use crate::har::initiator::Kind;
use crate::har::recording::Recording;

/// A request this much after its script could have run was made in a callback.
/// Milliseconds.
const CALLBACK_MS: f64 = 100.0;
/// What an event's functions ask for comes within this after the event.
/// Milliseconds.
const EVENT_MS: f64 = 50.0;
/// What a script asks for comes at most this long after what it had asked for
/// before is there: other tasks, and its own, lie between. Milliseconds.
const RELATED_MS: f64 = 200.0;
/// The same after what others had asked for. Milliseconds.
const UNRELATED_MS: f64 = 50.0;
/// Shorter delays may be the CPU's, and are so rather than that of something that
/// nothing but a time relates. Milliseconds.
const NOT_CPU_MS: f64 = 500.0;
/// Recorders round times. Milliseconds.
const ROUNDING_MS: f64 = 1.0;

/// Where the recording tells when scripts ran: what comes this much later than a script's
/// task was made in a callback, and what called it was at most so long before.
/// Milliseconds.
const AFTER_TASK_MS: f64 = 5.0;
const CALLED_MS: f64 = 50.0;

/// What called a callback.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    /// `DOMContentLoaded`.
    ContentLoaded,
    /// The load event.
    Loaded,
    /// This entry was complete.
    Complete(usize),
}

/// The scripts in the stack of each entry that a script asked for.
pub(super) struct Callers(Vec<Vec<usize>>);

impl Callers {
    pub(super) fn new(recording: &Recording, links: &[Option<Link>]) -> Self {
        let of = |(i, link): (usize, &Option<Link>)| {
            let initiator = &recording.entries[i].initiator;
            let places = initiator
                .places
                .iter()
                .filter(|_| initiator.kind == Kind::Script);
            let mut scripts: Vec<usize> = places
                .filter_map(|place| recording.resolve(&place.url, i))
                .chain(link.as_ref().map(|l| l.parent))
                .filter(|&s| recording.destinations[s] == Destination::Script)
                .collect();
            scripts.sort_unstable();
            scripts.dedup();
            scripts
        };
        Self(links.iter().enumerate().map(of).collect())
    }

    fn related(&self, i: usize, j: usize) -> bool {
        self.0[i].iter().any(|s| *s == j || self.0[j].contains(s))
    }
}

/// What the callback that asked for entry `i` waited for, and when that was,
/// if its script could have asked since `ready`. Times in milliseconds since 1970.
pub(super) fn cause(
    recording: &Recording,
    callers: &Callers,
    i: usize,
    ready: f64,
) -> Option<(Cause, f64)> {
    let start = recording.start(i)?;
    let tells_tasks = !recording.ran.is_empty();
    let after = if tells_tasks {
        AFTER_TASK_MS
    } else {
        CALLBACK_MS
    };
    if start < ready + after {
        return None;
    }
    let since = |at: f64| start - at;
    let events = [
        recording.loaded.map(|at| (Cause::Loaded, at)),
        recording.parsed.map(|at| (Cause::ContentLoaded, at)),
    ];
    let events = || events.into_iter().flatten();
    let within = |limit: f64| move |at: f64| (-ROUNDING_MS..=limit).contains(&since(at));
    let event = |limit: f64| events().find(|(_, at)| *at > ready && within(limit)(*at));
    let complete = |by: f64, limit: f64, related: bool| {
        let ends = (0..i).filter_map(|j| Some((j, recording.end(j)?)));
        let done = ends.filter(|(_, end)| *end > ready && *end <= by && by - *end <= limit);
        let runs = |j: usize| {
            matches!(
                recording.destinations[j],
                Destination::Script | Destination::Fetch | Destination::Iframe
            )
        };
        let fits = |j: usize| {
            if related {
                callers.related(i, j)
            } else {
                runs(j)
            }
        };
        done.filter(|(j, _)| recording.redirects.to[*j].is_none() && fits(*j))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
            .map(|(j, end)| (Cause::Complete(j), end))
    };
    if tells_tasks {
        // What came while the task ran, did not begin it; its events belong to it.
        let begun = recording.task_of(i).unwrap_or(start);
        let answer = complete(begun, CALLED_MS, true);
        let both = event(CALLED_MS).into_iter().chain(answer);
        return both.max_by(|a, b| a.1.total_cmp(&b.1));
    }
    let near = event(EVENT_MS).or_else(|| complete(start, RELATED_MS, true));
    if near.is_some() || start < ready + NOT_CPU_MS {
        return near;
    }
    event(RELATED_MS).or_else(|| complete(start, UNRELATED_MS, false))
}

#[cfg(test)]
mod tests;

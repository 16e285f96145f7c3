//! Events that call back a script before it makes a request.
//!
//! A recording names the script whose function made a request, but not the event that
//! called the function. The time since the script ran is then mostly network time: the
//! arrival of requested data, the end of the document, or the images that the load event
//! waits for. Therefore a request long after its script is assumed to wait for the last
//! event before it that may have called the script. Recordings that tell tasks narrow that down.

use std::ops::Range;

use pagerace_core::Destination;

use crate::har::discovery::Link;
use crate::har::initiator::Kind;
use crate::har::recording::{Recording, tick};
use crate::har::thresholds::{
    EVENT_ROUNDING_MS, EVENT_TO_REQUEST_MS, EVENT_TO_TASK_MS, NOT_CPU_MS, RELATED_TO_REQUEST_MS,
    RELATED_TO_TASK_MS, RUN_TO_CALLBACK_MS, TASK_TO_CALLBACK_MS, UNRELATED_TO_REQUEST_MS,
};
use pagerace_page::{ResourceId, Wait};

/// The scripts in the stack of each entry that a script requested.
pub(in crate::har) struct Callers(Vec<Vec<usize>>);

impl Callers {
    pub(in crate::har) fn new(recording: &Recording, links: &[Option<Link>]) -> Self {
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

/// Returns the event that called the callback in which entry `i` was requested, and the
/// time of the event, given that the script ran during `run` and could have made the request
/// since its end. Times are in milliseconds.
pub(in crate::har) fn cause(
    recording: &Recording,
    callers: &Callers,
    i: usize,
    run: &Range<f64>,
) -> Option<(Wait, f64)> {
    // The event that set a timer is the cause of what the timer does. What happens while a short
    // one runs is not.
    let start = recording.start(i);
    let start = start.filter(|_| recording.short_timeout(i).is_none());
    let times = [recording.timer_set(i), start];
    let mut times = times.into_iter().flatten();
    times.find_map(|at| cause_at(recording, callers, i, run, at))
}

/// Returns the event that led to what the callers of entry `i` did at `start`.
fn cause_at(
    recording: &Recording,
    callers: &Callers,
    i: usize,
    run: &Range<f64>,
    start: f64,
) -> Option<(Wait, f64)> {
    let ready = run.end;
    let tells_tasks = !recording.ran.is_empty();
    let after = if tells_tasks {
        TASK_TO_CALLBACK_MS
    } else {
        RUN_TO_CALLBACK_MS
    };
    if start < ready + after {
        return None;
    }
    let since = |at: f64| start - at;
    let events = [
        recording.loaded.map(|at| (Wait::Loaded, tick(at))),
        recording.parsed.map(|at| (Wait::ContentLoaded, tick(at))),
    ];
    let events = || events.into_iter().flatten();
    let within = |limit: f64| move |at: f64| (-EVENT_ROUNDING_MS..=limit).contains(&since(at));
    let event = |limit: f64| events().find(|(_, at)| *at > ready && within(limit)(*at));
    let complete = |by: f64, limit: f64, related: bool| {
        let ends = (0..i).filter_map(|j| Some((j, recording.end(j)?)));
        // A script's task may still go on when its data arrive, but it waits for synchronous
        // requests.
        let is_later = |j: usize, end: f64| {
            end > ready || tells_tasks && end > run.start && !recording.is_synchronous(j)
        };
        let done = ends.filter(|(j, end)| *end <= by && is_later(*j, *end));
        let waited = |end: f64| {
            if tells_tasks {
                recording.idle(end, by)
            } else {
                by - end
            }
        };
        let runs = |j: usize| {
            matches!(
                recording.destinations[j],
                Destination::Script | Destination::Fetch | Destination::Iframe
            )
        };
        // A recorder that tells tasks tells the requests of scripts, too. The browser's own, such
        // as that for an icon, are not among them.
        let by_script =
            |j: usize| !tells_tasks || recording.entries[j].initiator.kind == Kind::Script;
        // An experiment has shown that this response is not awaited.
        let fits = |j: usize| {
            if recording.waits.is_free_of(i, j) {
                false
            } else if related {
                callers.related(i, j) && by_script(j)
            } else {
                runs(j)
            }
        };
        done.filter(|(j, _)| recording.redirects.to[*j].is_none() && fits(*j))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
            .filter(|(_, end)| waited(*end) <= limit)
            .map(|(j, end)| {
                let id = ResourceId(j as u32);
                (Wait::Resource { id }, end)
            })
    };
    if tells_tasks {
        // A resource that arrives during a task did not begin it, but an event during the
        // task belongs to it.
        let begun = recording.task_at(start).map_or(start, |task| task.start);
        let answer = complete(begun, RELATED_TO_TASK_MS, true);
        let event = event(RELATED_TO_TASK_MS);
        // Listeners run at once. What a script does later is more likely due to its own data.
        let heard = event.filter(|(_, at)| answer.is_none() || begun <= at + EVENT_TO_TASK_MS);
        let both = heard.into_iter().chain(answer);
        return both.max_by(|a, b| a.1.total_cmp(&b.1));
    }
    let near = event(EVENT_TO_REQUEST_MS).or_else(|| complete(start, RELATED_TO_REQUEST_MS, true));
    if near.is_some() || start < ready + NOT_CPU_MS {
        return near;
    }
    event(RELATED_TO_REQUEST_MS).or_else(|| complete(start, UNRELATED_TO_REQUEST_MS, false))
}

#[cfg(test)]
mod tests;

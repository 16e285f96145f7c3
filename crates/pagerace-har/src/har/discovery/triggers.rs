//! Conversion of links to triggers: positions in markup, and delays after scripts.

use pagerace_core::{Destination, Duration, ScriptMode};

use super::{How, Link, body, offsets};
use crate::har::causes::request::{self, Callers};
use crate::har::notes::{Kind, Notes};
use crate::har::recording::{Recording, tick};
use crate::har::thresholds::{INLINE_LAG_MS, LATE_INITIATOR_MS, QUEUE_MS, SYNCHRONOUS_GAP_MS};
use crate::har::viewport;
use crate::har::waits::Joins;
use pagerace_page::model::MAX_TIME;
use pagerace_page::{Discovery, Evidence, ResourceId, Trigger, Wait};

/// Returns the discovery of each entry.
pub(in crate::har) fn discoveries(
    recording: &Recording,
    links: &[Option<Link>],
    modes: &[ScriptMode],
    render_blocking: &[bool],
    cpu_ms: &[Option<f64>],
    joins: &mut Joins,
    notes: &mut Notes,
) -> Vec<Discovery> {
    let offsets = offsets::markup(recording, links, notes);
    let blockers = Blockers::new(recording, links, modes, render_blocking);
    let callers = Callers::new(recording, links);
    let named = body::named_in_data(recording);
    let mut all = Vec::with_capacity(links.len());
    for (i, link) in links.iter().enumerate() {
        let Some(link) = link else {
            all.push(Discovery {
                trigger: Trigger::Navigation,
                evidence: Evidence::Recorded,
                wait: None,
            });
            continue;
        };
        let parent = id(link.parent);
        let (offset, mut evidence) = offsets[i].unwrap_or((0, link.evidence));
        let mut wait = None;
        let awaited = recording.waits.beyond(links, i);
        let mut trigger = match link.how {
            How::Script | How::Inline | How::Style
                if let Some(last) = recording.last_of(&awaited)
                    && !(link.how == How::Style && only_late_text_uses(recording, i)) =>
            {
                evidence = Evidence::Recorded;
                let (by, all) = after_data(link, last, &awaited);
                wait = joins.event(&all).filter(|_| all != [by]);
                let all = recording.last_of(recording.waits.of_entry(i));
                let at = all.and_then(|last| recording.over(last));
                let delay = since_event(recording, i, at.unwrap_or(f64::INFINITY));
                Trigger::Script {
                    parent: id(by),
                    delay,
                }
            }
            // A module's imports are requested at once.
            How::Script if recording.is_import(i) => Trigger::Script {
                parent,
                delay: Duration::ZERO,
            },
            // The function that the data called made the request, at once or later.
            How::Script if recording.destinations[link.parent] == Destination::Fetch => {
                let at = recording.end(link.parent).unwrap_or(f64::INFINITY);
                let delay = since_event(recording, i, at);
                Trigger::Script { parent, delay }
            }
            How::Redirect => Trigger::Redirect { parent },
            How::Markup => Trigger::Markup { parent, offset },
            How::Inline => {
                let found = inline(recording, link, i, offset, &blockers);
                let (found, cause) = in_callback(recording, &callers, i, found);
                wait = cause;
                match found {
                    Trigger::Script { parent, delay }
                        if cause.is_none() && link.parent == recording.document =>
                    {
                        let delay = since_run(recording, i, parent, delay);
                        Trigger::Script { parent, delay }
                    }
                    _ => found,
                }
            }
            How::Style => Trigger::Style { parent },
            How::Script if let Some((caller, after)) = called(recording, i, link.parent) => {
                // A script's task goes on until the request, and no event comes in between.
                wait = (caller != link.parent).then(|| Wait::Resource { id: id(caller) });
                let after = if wait.is_some() { after } else { 0.0 };
                let delay = Duration::from_millis_f64(after).min(MAX_TIME);
                Trigger::Script { parent, delay }
            }
            How::Script => {
                let could = blockers.ready(recording, link.parent, modes[link.parent], i);
                // A task long after that time is a callback.
                let ran = recording.ran.get(&link.parent);
                let ran = ran.filter(|ran| recording.idle(could, ran.start) <= QUEUE_MS);
                let run = match ran {
                    Some(ran) => ran.start..ran.end,
                    None => could..tick(could + cpu_ms[link.parent].unwrap_or(0.0)),
                };
                let late = recording.end(link.parent).zip(recording.start(i));
                if late.is_some_and(|(end, start)| end > start + LATE_INITIATOR_MS) {
                    notes.add(Kind::LateInitiator);
                }
                let cause = data(recording, named[i], run.start)
                    .or_else(|| request::cause(recording, &callers, i, &run));
                wait = cause.map(|(cause, _)| cause);
                let delay = match cause {
                    Some((_, at)) => since_event(recording, i, at),
                    None => since(recording, i, run.end),
                };
                Trigger::Script { parent, delay }
            }
            // The browser requests a page's icon when everything else has arrived.
            How::After if recording.own && viewport::is_icon(&recording.entries[i]) => {
                wait = recording.loaded.map(|_| Wait::Loaded);
                Trigger::After {
                    parent,
                    delay: Duration::ZERO,
                }
            }
            How::After => {
                let ready = recording.end(link.parent).unwrap_or(f64::INFINITY);
                Trigger::After {
                    parent,
                    delay: since(recording, i, ready),
                }
            }
        };
        // The main thread may have been busy when the timer was due.
        if let (Trigger::Script { delay, .. } | Trigger::After { delay, .. }, Some(late)) =
            (&mut trigger, recording.lateness(i))
        {
            *delay = delay.saturating_sub(Duration::from_millis_f64(late));
        }
        // A delay after another event is evidence from times, whatever the initiator.
        let evidence = match (link.how, trigger) {
            (How::Inline, Trigger::Script { .. } | Trigger::After { .. }) if awaited.is_empty() => {
                Evidence::Timing
            }
            _ => evidence,
        };
        all.push(Discovery {
            trigger,
            evidence,
            wait,
        });
    }
    follow_synchronous(recording, links, &mut all);
    all
}

/// Returns the event that data which name a request have arrived, and its time, if that was not
/// before the script which makes the request began to run.
fn data(recording: &Recording, named: Option<usize>, run: f64) -> Option<(Wait, f64)> {
    let data = named.filter(|&data| !recording.waits.was_held(data))?;
    let at = recording.end(data).filter(|at| *at >= run)?;
    Some((Wait::Resource { id: id(data) }, at))
}

/// Returns what triggers a request that waits for data as well, and all that it waits for. `last`
/// of the data arrives last.
fn after_data(link: &Link, last: usize, awaited: &[usize]) -> (usize, Vec<usize>) {
    match link.how {
        How::Script => (link.parent, awaited.to_vec()),
        // A layout after both of them needs what the style sheet names.
        How::Style => (last, [awaited, &[link.parent]].concat()),
        _ => (last, awaited.to_vec()),
    }
}

/// True if `i` is a font that waits with its text: all text in it waits for scripts or data.
fn only_late_text_uses(recording: &Recording, i: usize) -> bool {
    let layout = recording
        .page
        .own
        .as_ref()
        .and_then(|own| own.layout.as_ref());
    let elements = layout.into_iter().flat_map(|layout| &layout.elements);
    let url = recording.entries[i].url_text;
    let users = elements.filter(|element| element.fonts.iter().any(|font| font == url));
    let mut waits = users.map(|user| user.waits_for.as_ref().is_some_and(|ids| !ids.is_empty()));
    waits
        .next()
        .is_some_and(|first| first && waits.all(|waits| waits))
}

/// Returns the recorded caller of entry `i` and the time from it to the request in
/// milliseconds, if it is the script `parent`, or data.
fn called(recording: &Recording, i: usize, parent: usize) -> Option<(usize, f64)> {
    let is_data = |j: usize| recording.destinations[j] == Destination::Fetch;
    let caller = recording.caller(i);
    caller.filter(|&(j, _)| j == parent || is_data(j))
}

/// Lets requests of a script wait for the synchronous request that the same task made before
/// them: the script went on when the response was complete.
fn follow_synchronous(recording: &Recording, links: &[Option<Link>], all: &mut [Discovery]) {
    let is_in_frame = |mut i: usize| loop {
        match &links[i] {
            _ if recording.destinations[i] == Destination::Iframe => break true,
            Some(link) => i = link.parent,
            None => break false,
        }
    };
    let waits: Vec<(usize, f64)> = (0..links.len())
        .filter(|&i| recording.is_synchronous(i) && !is_in_frame(i))
        .filter_map(|i| Some((i, recording.end(i)?)))
        .collect();
    for (i, found) in all.iter_mut().enumerate() {
        let (Trigger::Script { delay, .. }, Some(start)) = (&mut found.trigger, recording.start(i))
        else {
            continue;
        };
        // A task lasts as long as its script waits for the response.
        let begun = recording.task_at(start).map_or(start, |task| task.start);
        let could = begun.min(start - delay.as_millis_f64());
        let before = waits.iter().take_while(|(wait, _)| *wait < i);
        let last = before
            .filter(|(_, end)| *end > could && *end <= start)
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let Some(&(wait, end)) = last.filter(|_| !is_in_frame(i)) else {
            continue;
        };
        let same_task = match recording.last_task(start) {
            Some(task) => task.start <= end,
            None => start - end <= SYNCHRONOUS_GAP_MS,
        };
        if same_task {
            *delay = since(recording, i, end);
            found.wait = Some(Wait::Resource { id: id(wait) });
        }
    }
}

/// Returns the trigger of a request by an inline script. The script ran when the parser
/// reached it, unless it had to wait for the last blocking resource above it, or for a
/// timer or an event.
fn inline(
    recording: &Recording,
    link: &Link,
    i: usize,
    offset: u64,
    blockers: &Blockers,
) -> Trigger {
    let parent = id(link.parent);
    let reached = Trigger::Inline { parent, offset };
    let (Some(start), Some(end)) = (recording.start(i), recording.end(link.parent)) else {
        return reached;
    };
    // A blocking resource is the cause only if it was complete after the script's own
    // bytes had arrived.
    let encoded = recording.bodies[link.parent] as f64;
    let was_there = |t: f64| {
        recording
            .arrived(link.parent, t)
            .is_some_and(|share| share * encoded >= offset as f64)
    };
    // The preload scanner requests what is below the script before the script runs. A callback
    // comes later, and so does a function that a script below calls, if its run is recorded.
    let parses = recording.parsed.is_some_and(|at| start < at);
    let is_first = parses && recording.entries[i].own.timer_set_ms.is_none();
    let has_run = |j: usize| recording.ran.get(&j).is_some_and(|run| run.start < start);
    let counts = |b: &Blocker| {
        let offsets = b.offset.zip(link.decoded_offset);
        let is_below = offsets.is_some_and(|(blocker, script)| blocker > script);
        !is_first || !is_below || has_run(b.complete.1)
    };
    if let Some((blocker, complete)) = blockers.last_before(link.parent, i, start, counts)
        && was_there(complete)
    {
        let delay = since(recording, i, complete);
        let parent = id(blocker);
        return match recording.destinations[blocker] {
            // A script that failed no longer held the parser either, but nothing follows its run.
            Destination::Script if !recording.has_failed(blocker) => {
                Trigger::Script { parent, delay }
            }
            _ => Trigger::After { parent, delay },
        };
    }
    if start - end <= INLINE_LAG_MS {
        return reached;
    }
    Trigger::After {
        parent,
        delay: since(recording, i, end),
    }
}

/// Returns the trigger, with the event that called back a function of an inline script
/// late.
fn in_callback(
    recording: &Recording,
    callers: &Callers,
    i: usize,
    found: Trigger,
) -> (Trigger, Option<Wait>) {
    let (Trigger::Script { delay, .. } | Trigger::After { delay, .. }) = found else {
        return (found, None);
    };
    let ready = recording
        .start(i)
        .map_or(f64::INFINITY, |start| start - delay.as_millis_f64());
    let cause = request::cause(recording, callers, i, &(ready..ready));
    let Some((cause, at)) = cause else {
        return (found, None);
    };
    let delay = since_event(recording, i, at);
    let found = match found {
        Trigger::Script { parent, .. } => Trigger::Script { parent, delay },
        _ => Trigger::After {
            parent: found.parent().unwrap_or(id(0)),
            delay,
        },
    };
    (found, Some(cause))
}

fn id(index: usize) -> ResourceId {
    ResourceId(index as u32)
}

/// Returns the time from `ready` to the request of `i`, at least zero and at most one
/// day, because pages may stay open for longer and dates may be damaged.
fn since(recording: &Recording, i: usize, ready: f64) -> Duration {
    let delay = recording.start(i).map_or(0.0, |start| start - ready);
    Duration::from_millis_f64(delay.max(0.0)).min(MAX_TIME)
}

/// Returns the time from an event at `at` to the request of `i`, without the tasks for which the
/// callback waited. If the callback set a timer, the timer ran while later tasks did.
fn since_event(recording: &Recording, i: usize, at: f64) -> Duration {
    let delay = since(recording, i, at);
    let Some(called) = recording.timer_set(i).or_else(|| recording.start(i)) else {
        return delay;
    };
    let Some(task) = recording.task_at(called) else {
        return delay.saturating_sub(Duration::from_millis_f64(recording.busy(at, called)));
    };
    // The part of the task before the request took as much longer than usual as the whole.
    let usual = task.cost / (task.end - task.start).max(f64::MIN_POSITIVE);
    let longer = (called - task.start.max(at)).max(0.0) * (1.0 - usual.min(1.0));
    let other = recording.busy(at, task.start) + longer;
    delay.saturating_sub(Duration::from_millis_f64(other))
}

/// Returns the time from the run of `script` to the request of `i`, which came `delay` after the
/// script was complete. If tasks are recorded and the run was too short for one, it is assumed to
/// have come last.
fn since_run(recording: &Recording, i: usize, script: ResourceId, delay: Duration) -> Duration {
    let Some(start) = recording.start(i) else {
        return delay;
    };
    if let Some(run) = recording.ran.get(&script.index()) {
        return since(recording, i, run.end);
    }
    let busy = recording.busy(start - delay.as_millis_f64(), start);
    delay.saturating_sub(Duration::from_millis_f64(busy))
}

/// For each document, the style sheets and scripts that block its parser, in order, with
/// the latest end up to each of them.
struct Blockers {
    /// Sorted by document and entry.
    list: Vec<Blocker>,
}

/// A style sheet or script that blocks a parser.
struct Blocker {
    document: usize,
    entry: usize,
    /// Its offset in the decoded document, if known.
    offset: Option<u64>,
    /// Its end, and the entry at the end of its redirects.
    complete: (f64, usize),
}

impl Blockers {
    fn new(
        recording: &Recording,
        links: &[Option<Link>],
        modes: &[ScriptMode],
        render_blocking: &[bool],
    ) -> Self {
        let mut list = Vec::new();
        for (i, link) in links.iter().enumerate() {
            let Some(link) = link.as_ref().filter(|l| l.how == How::Markup) else {
                continue;
            };
            let blocks = match recording.destinations[i] {
                Destination::Style => render_blocking[i],
                Destination::Script => modes[i] == ScriptMode::Blocking,
                _ => false,
            };
            let end = recording.redirects.end(i);
            if let Some(complete) = recording.end(end).filter(|_| blocks) {
                list.push(Blocker {
                    document: link.parent,
                    entry: i,
                    offset: link.decoded_offset,
                    complete: (complete, end),
                });
            }
        }
        list.sort_by_key(|b| (b.document, b.entry));
        Self { list }
    }

    /// Returns the blocking resource of `document` before entry `i` that was complete last, if that
    /// was before `start`. Only those that `counts` returns true for count.
    fn last_before(
        &self,
        document: usize,
        i: usize,
        start: f64,
        counts: impl Fn(&Blocker) -> bool,
    ) -> Option<(usize, f64)> {
        let from = self.list.partition_point(|b| b.document < document);
        let before = self.list[from..].iter();
        let before = before.take_while(|b| (b.document, b.entry) < (document, i));
        let ends = before.filter(|b| counts(b)).map(|b| b.complete);
        let (complete, blocker) = ends.max_by(|a, b| a.0.total_cmp(&b.0))?;
        (complete <= start && blocker < i).then_some((blocker, complete))
    }

    /// Returns the earliest time at which script `s` could have run, as far as known, for
    /// its child `i`: complete, and not before the resources that it waits for.
    fn ready(&self, recording: &Recording, s: usize, mode: ScriptMode, i: usize) -> f64 {
        let Some(complete) = recording.end(s) else {
            return f64::INFINITY;
        };
        let Some(start) = recording.start(i) else {
            return complete;
        };
        let document = recording.document;
        let last = |document, before| {
            let last = self.last_before(document, before, start, |_| true);
            last.map(|(_, complete)| complete)
        };
        let waited = match mode {
            ScriptMode::Blocking => last(document, s),
            ScriptMode::Defer => {
                let last = last(document, i);
                let parsed = recording.end(document).filter(|end| *end <= start);
                last.into_iter().chain(parsed).reduce(f64::max)
            }
            ScriptMode::Async | ScriptMode::Inserted => None,
        };
        complete.max(waited.unwrap_or(0.0))
    }
}

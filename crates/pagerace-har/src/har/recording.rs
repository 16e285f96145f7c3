//! The selected entries and derived facts, for the steps that need several facts at once.

use std::collections::BTreeMap;

use pagerace_core::{Destination, RequestPriority, ScriptMode};
use url::Url;

use super::entry::Entry;
use super::markup::{self, Reference};
use super::notes::Notes;
use super::page::PageObject;
use super::redirects::{Redirects, without_fragment};
use super::thresholds::{EVENT_TO_TASK_MS, SHORT_TIMEOUT_MS, SHORTEST_TIMEOUT_MS};
use super::waits::Waits;
use super::{destination, headers, sizes};
use crate::domain;
use crate::extension::{self, TaskKind};

/// A task of the main thread; milliseconds since the navigation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Task<'a> {
    pub(super) start: f64,
    /// The end in the recorded load.
    pub(super) end: f64,
    /// The time that the task takes, without its waits for synchronous requests.
    pub(super) cost: f64,
    pub(super) kind: TaskKind,
    pub(super) url: Option<&'a str>,
    /// The held requests whose responses something that the task made waits for.
    pub(super) waits_for: &'a [String],
}

impl<'a> Task<'a> {
    fn new(told: &'a extension::Task) -> Self {
        let (start, cost) = (told.ms.0, told.duration_ms.0);
        Self {
            start,
            end: start + told.wall_ms.map_or(cost, |ms| ms.0),
            cost,
            kind: told.kind,
            url: told.url.as_deref(),
            waits_for: &told.waits_for,
        }
    }

    /// Returns the milliseconds of the task between two times.
    fn inside(&self, from: f64, to: f64) -> f64 {
        (self.end.min(to) - self.start.max(from)).max(0.0)
    }
}

/// Entries with their destinations, sizes and markup; indices refer to `entries`. All times are in
/// milliseconds since the navigation.
pub(super) struct Recording<'a> {
    pub(super) entries: &'a [Entry<'a>],
    pub(super) destinations: Vec<Destination>,
    /// Bytes of the fields of each request and response.
    pub(super) header_bytes: Vec<(u32, u32)>,
    /// Encoded body bytes of each entry.
    pub(super) bodies: Vec<u64>,
    pub(super) redirects: Redirects,
    /// The end of the navigation's redirect chain.
    pub(super) document: usize,
    /// References in the markup of each recorded document body.
    pub(super) references: BTreeMap<usize, Vec<Reference>>,
    /// Fields of the page.
    pub(super) page: &'a PageObject,
    /// The main thread's tasks, in order of start.
    pub(super) tasks: Vec<Task<'a>>,
    /// Each script's first task, if recorded.
    pub(super) ran: BTreeMap<usize, Task<'a>>,
    /// Times of `DOMContentLoaded` and the load event.
    pub(super) parsed: Option<f64>,
    pub(super) loaded: Option<f64>,
    /// The entries that wait for responses which were held back.
    pub(super) waits: Waits<'a>,
    /// True if our own recorder made the recording; others do not tell the initiator of
    /// icons.
    pub(super) own: bool,
    /// True if the recording tells when the page began.
    pub(super) is_dated: bool,
    by_url: BTreeMap<String, Vec<usize>>,
}

impl<'a> Recording<'a> {
    pub(super) fn new(entries: &'a [Entry<'a>], page: &'a PageObject, notes: &mut Notes) -> Self {
        let redirects = Redirects::find(entries, notes);
        let document = redirects.end(0);
        let destinations = destination::all(entries, &redirects, document, notes);
        let header_bytes = headers::bytes(entries, notes);
        let response_headers: Vec<u32> = header_bytes.iter().map(|bytes| bytes.1).collect();
        let bodies = sizes::bodies(entries, &redirects, &response_headers, notes);
        let mut by_url: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut references = BTreeMap::new();
        for (i, entry) in entries.iter().enumerate() {
            let Some(url) = &entry.url else { continue };
            by_url
                .entry(without_fragment(url.clone()))
                .or_default()
                .push(i);
            let is_document =
                matches!(destinations[i], Destination::Document | Destination::Iframe);
            if let Some(body) = entry.body.as_deref().filter(|_| is_document) {
                references.insert(i, markup::scan(body, url));
            }
        }
        let is_dated = page.start().or(entries[0].start).is_some();
        let own = page.own.as_ref().filter(|_| is_dated);
        let told = own.map_or(&[][..], |own| &own.main_thread);
        let mut tasks: Vec<Task> = told.iter().map(Task::new).collect();
        tasks.sort_by(|a, b| a.start.total_cmp(&b.start));
        let mut recording = Self {
            entries,
            destinations,
            header_bytes,
            bodies,
            redirects,
            document,
            references,
            page,
            ran: BTreeMap::new(),
            tasks,
            parsed: page.content_loaded().filter(|_| is_dated),
            loaded: page.loaded().filter(|_| is_dated),
            waits: Waits::new(entries, page),
            own: page.own.is_some(),
            is_dated,
            by_url,
        };
        recording.ran = recording.first_tasks();
        recording
    }

    /// Returns true if a script waited for entry `i` without giving its thread back (see
    /// `Resource::is_synchronous`).
    pub(super) fn is_synchronous(&self, i: usize) -> bool {
        self.destinations[i] == Destination::Fetch
            && self.entries[i].priority == Some(RequestPriority::VeryHigh)
    }

    /// Returns true if a module imports entry `i` statically. Other recorders may leave stacks out.
    pub(super) fn is_import(&self, i: usize) -> bool {
        let is_script = self.destinations[i] == Destination::Script;
        self.own && is_script && self.entries[i].initiator.is_import
    }

    /// Returns true if servers of our own recorder answered at once.
    pub(super) fn at_once(&self) -> bool {
        self.page.own.as_ref().is_some_and(|own| own.at_once)
    }

    /// Returns the first contentful paint that our own recorder tells.
    pub(super) fn first_paint(&self) -> Option<f64> {
        self.page.own.as_ref()?.paints.fcp_ms.map(|ms| ms.0)
    }

    /// Returns the largest contentful paint that our own recorder tells.
    pub(super) fn largest_paint(&self) -> Option<f64> {
        self.page.own.as_ref()?.paints.lcp_ms.map(|ms| ms.0)
    }

    /// Returns the time between two times in which tasks occupied the main thread.
    pub(super) fn busy(&self, from: f64, to: f64) -> f64 {
        let before = self.tasks.partition_point(|task| task.start < to);
        let last = self.tasks[..before].iter().rev();
        let inside = last.take_while(|task| task.end > from);
        inside.map(|task| task.inside(from, to)).sum()
    }

    /// Returns the time between two times in which no task occupied the main thread; negative if
    /// `to` comes first. All of it, if tasks are not recorded.
    pub(super) fn idle(&self, from: f64, to: f64) -> f64 {
        to - from - self.busy(from, to)
    }

    /// Returns the main-thread task that ran at `at`; `None` if tasks are not recorded or none ran
    /// at that time.
    pub(super) fn task_at(&self, at: f64) -> Option<&Task<'a>> {
        self.last_task(at).filter(|task| at <= task.end)
    }

    /// Returns the last of the main thread's tasks that began at `at` or before.
    pub(super) fn last_task(&self, at: f64) -> Option<&Task<'a>> {
        let before = self.tasks.partition_point(|task| task.start <= at);
        self.tasks.get(before.checked_sub(1)?)
    }

    /// Returns the time at which the timer was set whose callback requested entry `i`.
    pub(super) fn timer_set(&self, i: usize) -> Option<f64> {
        let set = self.entries[i].own.timer_set_ms.filter(|_| self.is_dated);
        set.map(|ms| ms.0)
    }

    /// Returns the timeouts of the timers whose callbacks requested entry `i`, in milliseconds;
    /// `None` if they are so long that they may be those of a script that polls.
    pub(super) fn short_timeout(&self, i: usize) -> Option<f64> {
        let timeout = self.entries[i].own.timeout_ms.map(|ms| ms.0);
        let timeout = timeout.filter(|timeout| *timeout <= SHORT_TIMEOUT_MS)?;
        Some(timeout.max(SHORTEST_TIMEOUT_MS))
    }

    /// Returns the milliseconds by which short timers were late with the request of entry `i`.
    pub(super) fn lateness(&self, i: usize) -> Option<f64> {
        let due = self.timer_set(i)? + self.short_timeout(i)?;
        Some((self.start(i)? - due).max(0.0))
    }

    /// Returns the first task of each script.
    ///
    /// Blocking and deferred scripts have run before `DOMContentLoaded`. If the first recorded
    /// task of such a script comes later, the script ran too briefly to be recorded.
    fn first_tasks(&self) -> BTreeMap<usize, Task<'a>> {
        let mut first = BTreeMap::new();
        for task in self.tasks.iter().filter(|t| t.kind == TaskKind::Script) {
            let late = |i: usize| {
                let mode = self.entries[i].own.script_mode;
                matches!(mode, Some(ScriptMode::Blocking | ScriptMode::Defer))
                    && self
                        .parsed
                        .is_some_and(|at| task.start > at - EVENT_TO_TASK_MS)
            };
            if let Some(i) = task.url.and_then(|url| self.find(url))
                && self.destinations[i] == Destination::Script
                && !late(i)
            {
                first.entry(i).or_insert(*task);
            }
        }
        first
    }

    /// Returns the scripts that called functions, each with the milliseconds from the end of its
    /// run to the last request of such a function in the same task.
    pub(super) fn calls(&self) -> BTreeMap<usize, f64> {
        let mut last = BTreeMap::new();
        for (caller, after) in (0..self.entries.len()).filter_map(|i| self.caller(i)) {
            if self.destinations[caller] == Destination::Script {
                let known: &mut f64 = last.entry(caller).or_default();
                *known = known.max(after);
            }
        }
        last
    }

    /// Returns the script or data that called the function that requested entry `i`, and the
    /// milliseconds from its run or arrival to the request, if recorded.
    pub(super) fn caller(&self, i: usize) -> Option<(usize, f64)> {
        let caller = self.entries[i].own.caller.as_ref()?;
        Some((self.resolve(&caller.url, i)?, caller.ms.0))
    }

    /// Returns the last request for `url` before entry `i`, at the end of its redirects;
    /// `None` if there is none before `i`.
    pub(super) fn resolve(&self, url: &str, i: usize) -> Option<usize> {
        let found = match self.by_url.get(url) {
            Some(indices) => indices,
            // Some recorders write the URL with a fragment or without the final slash.
            None => self.by_url.get(&without_fragment(Url::parse(url).ok()?))?,
        };
        let before = &found[..found.partition_point(|&j| j < i)];
        before
            .iter()
            .rev()
            .map(|&j| self.redirects.end(j))
            .find(|&j| j < i)
    }

    /// Returns the first request for `url`, at the end of its redirects.
    pub(super) fn find(&self, url: &str) -> Option<usize> {
        let url = without_fragment(Url::parse(url).ok()?);
        let found = self.by_url.get(&url);
        let first = *found
            .or_else(|| self.by_url.get(&upgraded(&url)?))?
            .first()?;
        Some(self.redirects.end(first))
    }

    /// Returns the URL of `i`, without fragment.
    pub(super) fn url(&self, i: usize) -> Option<String> {
        self.entries[i].url.clone().map(without_fragment)
    }

    /// Returns the length of the decoded body of `i`: that of its text, or else the
    /// recorded size.
    pub(super) fn decoded_length(&self, i: usize) -> Option<u64> {
        let entry = &self.entries[i];
        let text = entry.body.as_deref().map(|b| b.len() as u64);
        text.or(entry.content_size).filter(|n| *n > 0)
    }

    /// Returns true if `i` is a document or nested document.
    pub(super) fn is_document(&self, i: usize) -> bool {
        matches!(
            self.destinations[i],
            Destination::Document | Destination::Iframe
        ) && self.redirects.to[i].is_none()
    }

    /// Returns true if nothing of the page could use the response of `i`, if there was one.
    pub(super) fn has_failed(&self, i: usize) -> bool {
        let entry = &self.entries[i];
        entry.status >= 400 || entry.no_response().is_some()
    }

    /// Returns true for a third party's host; `None` if a host is unknown.
    pub(super) fn is_third_party(&self, i: usize) -> Option<bool> {
        let document = self.entries[self.document].host()?;
        Some(domain::is_third_party(self.entries[i].host()?, document))
    }

    /// Returns the time at which the page requested `i`.
    pub(super) fn start(&self, i: usize) -> Option<f64> {
        self.entries[i].asked
    }

    /// Returns the completion of `i`.
    pub(super) fn end(&self, i: usize) -> Option<f64> {
        self.entries[i].end
    }

    /// Returns the entry that was over last, see [`over`](Self::over).
    pub(super) fn last_of(&self, entries: &[usize]) -> Option<usize> {
        let over = |i: usize| self.over(i).unwrap_or(0.0);
        let all = entries.iter().copied();
        all.max_by(|&a, &b| over(a).total_cmp(&over(b)).then(a.cmp(&b)))
    }

    /// Returns the end of the first run of a script, if it is recorded, or else the completion of
    /// `i`.
    pub(super) fn over(&self, i: usize) -> Option<f64> {
        let ran = self.ran.get(&i).map(|run| run.end);
        ran.or_else(|| self.end(i))
    }

    /// Returns the share of document `d`'s body that had arrived at time `t`, from the
    /// recorded chunks or else linear between first and last byte. `None` without times.
    pub(super) fn arrived(&self, d: usize, t: f64) -> Option<f64> {
        let (first, last) = (self.entries[d].first_byte?, self.end(d)?);
        if t <= first {
            return Some(0.0);
        }
        if t >= last {
            return Some(1.0);
        }
        if let Some(share) = self.arrived_by_chunks(d, t) {
            return Some(share);
        }
        Some((t - first) / (last - first))
    }

    fn arrived_by_chunks(&self, d: usize, t: f64) -> Option<f64> {
        // Chunk times count from the start of the page, the navigation.
        let since = t - self.entries[0].start?;
        let chunks = &self.entries[d].chunks;
        let total: u64 = chunks.iter().map(|c| c.1).sum();
        let arrived: u64 = chunks.iter().filter(|c| c.0 <= since).map(|c| c.1).sum();
        (total > 0).then(|| arrived as f64 / total as f64)
    }
}

/// Rounds a time to the grain of dates, 2^-12 ms, which the times of entries have.
pub(super) fn tick(ms: f64) -> f64 {
    (ms * 4096.0).round() / 4096.0
}

/// Returns the URL that browsers request when a page over HTTPS names an image over HTTP
/// (<https://w3c.github.io/webappsec-mixed-content/#upgrade-algorithm>).
pub(super) fn upgraded(url: &str) -> Option<String> {
    Some(format!("https://{}", url.strip_prefix("http://")?))
}

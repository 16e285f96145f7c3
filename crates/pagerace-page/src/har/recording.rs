//! The selected entries and what was found out about them, for the steps that
//! need several facts at once.

use std::collections::BTreeMap;

use pagerace_core::Destination;
use url::Url;

use super::entry::Entry;
use super::extension::{MainThreadTask, TaskKind};
use super::markup::{self, Reference};
use super::redirects::{Redirects, without_fragment};

/// Entries with their destinations, sizes and markup; indices into `entries`.
pub(super) struct Recording<'a> {
    pub(super) entries: &'a [Entry<'a>],
    pub(super) destinations: &'a [Destination],
    /// Encoded body bytes.
    pub(super) bodies: &'a [u64],
    pub(super) redirects: &'a Redirects,
    /// The end of the navigation's redirect chain.
    pub(super) document: usize,
    /// What the markup of each recorded document body names.
    pub(super) references: BTreeMap<usize, Vec<Reference>>,
    /// When each script ran for the first time, from and to, if recorded, in
    /// milliseconds since 1970.
    pub(super) ran: BTreeMap<usize, (f64, f64)>,
    /// The main thread's tasks in order, likewise.
    tasks: Vec<(f64, f64)>,
    /// When `DOMContentLoaded` and the load event fired.
    pub(super) parsed: Option<f64>,
    pub(super) loaded: Option<f64>,
    /// Our own recorder made it: others do not tell who asked for icons.
    pub(super) own: bool,
    by_url: BTreeMap<String, Vec<usize>>,
}

impl<'a> Recording<'a> {
    pub(super) fn new(
        entries: &'a [Entry<'a>],
        destinations: &'a [Destination],
        bodies: &'a [u64],
        redirects: &'a Redirects,
        document: usize,
    ) -> Self {
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
        Self {
            entries,
            destinations,
            bodies,
            redirects,
            document,
            references,
            ran: BTreeMap::new(),
            tasks: Vec::new(),
            parsed: None,
            loaded: None,
            own: false,
            by_url,
        }
    }

    /// When the task of the main thread began in which entry `i` was asked for; none if
    /// tasks are not recorded, or none is known then.
    pub(super) fn task_of(&self, i: usize) -> Option<f64> {
        let start = self.start(i)?;
        let before = self.tasks.partition_point(|task| task.0 <= start);
        let (from, to) = *self.tasks.get(before.checked_sub(1)?)?;
        // Its thread may have had to wait for a processor.
        (start <= to + (to - from) / 4.0).then_some(from)
    }

    /// Takes over when scripts ran; `page_start` dates the tasks, in
    /// milliseconds since 1970.
    pub(super) fn scripts_ran(&mut self, page_start: Option<f64>, tasks: &[MainThreadTask]) {
        let Some(page_start) = page_start else {
            return;
        };
        let spans = tasks
            .iter()
            .map(|t| (page_start + t.start, page_start + t.end));
        self.tasks = spans.collect();
        for task in tasks.iter().filter(|t| t.kind == TaskKind::Script) {
            if let Some(i) = task.url.and_then(|url| self.find(url))
                && self.destinations[i] == Destination::Script
            {
                self.ran
                    .entry(i)
                    .or_insert((page_start + task.start, page_start + task.end));
            }
        }
    }

    /// The last request for `url` before entry `i`, followed to the end of its
    /// redirects; `None` if there is none before `i`.
    pub(super) fn resolve(&self, url: &str, i: usize) -> Option<usize> {
        let found = match self.by_url.get(url) {
            Some(indices) => indices,
            // Recorders differ in a fragment or a final slash.
            None => self.by_url.get(&without_fragment(Url::parse(url).ok()?))?,
        };
        let before = &found[..found.partition_point(|&j| j < i)];
        before
            .iter()
            .rev()
            .map(|&j| self.redirects.end(j))
            .find(|&j| j < i)
    }

    /// The first request for `url`, followed to the end of its redirects.
    pub(super) fn find(&self, url: &str) -> Option<usize> {
        let url = without_fragment(Url::parse(url).ok()?);
        let found = self.by_url.get(&url);
        let first = *found
            .or_else(|| self.by_url.get(&upgraded(&url)?))?
            .first()?;
        Some(self.redirects.end(first))
    }

    /// The URL of `i`, without fragment.
    pub(super) fn url(&self, i: usize) -> Option<String> {
        self.entries[i].url.clone().map(without_fragment)
    }

    /// Length of the decoded body of `i`: of the text, if there is one, else as
    /// recorded.
    pub(super) fn decoded_length(&self, i: usize) -> Option<u64> {
        let entry = &self.entries[i];
        let text = entry.body.as_deref().map(|b| b.len() as u64);
        text.or(entry.content_size).filter(|n| *n > 0)
    }

    /// Whether `i` is a (nested) document.
    pub(super) fn is_document(&self, i: usize) -> bool {
        matches!(
            self.destinations[i],
            Destination::Document | Destination::Iframe
        ) && self.redirects.to[i].is_none()
    }

    /// When the page asked for `i`, in milliseconds since 1970.
    pub(super) fn start(&self, i: usize) -> Option<f64> {
        self.entries[i].asked
    }

    /// When `i` was complete, in milliseconds since 1970.
    pub(super) fn end(&self, i: usize) -> Option<f64> {
        self.entries[i].end
    }

    /// The share of document `d`'s body that had arrived at time `t`: from the
    /// chunks that the recorder saw, else evenly between first and last byte.
    /// `None` without times.
    pub(super) fn arrived(&self, d: usize, t: f64) -> Option<f64> {
        let (first, last) = (self.entries[d].response_start()?, self.end(d)?);
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
        // Chunks are dated from the start of the page: the navigation.
        let since = t - self.entries[0].start?;
        let chunks = &self.entries[d].chunks;
        let total: u64 = chunks.iter().map(|c| c.1).sum();
        let arrived: u64 = chunks.iter().filter(|c| c.0 <= since).map(|c| c.1).sum();
        (total > 0).then(|| arrived as f64 / total as f64)
    }
}
/// What browsers ask for where a page over HTTPS names an image over HTTP
/// (<https://w3c.github.io/webappsec-mixed-content/#upgrade-algorithm>).
pub(super) fn upgraded(url: &str) -> Option<String> {
    Some(format!("https://{}", url.strip_prefix("http://")?))
}

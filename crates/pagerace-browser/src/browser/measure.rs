//! Measurements of a load.

use pagerace_core::interactive::{time_to_interactive, total_blocking_time};
use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
use pagerace_page::timeline::Paint;

use super::Browser;
use crate::LoadMetrics;
use crate::cause::Ready;

impl Browser {
    /// Returns the metrics of the load so far.
    pub fn metrics(&self) -> LoadMetrics {
        let Some(start) = self.started else {
            return LoadMetrics::default();
        };
        let since = |at: Option<Instant>| at.map(|at| at.since(start));
        let fcp = self.screen.first();
        let dom_content_loaded = self.load.dom_content_loaded.map(|ready| ready.at);
        let tti = self.interactive_at();
        let tbt = fcp
            .zip(tti)
            .map(|(fcp, tti)| total_blocking_time(fcp, tti, &self.long_tasks));
        LoadMetrics {
            early_hints: since(self.early_hints),
            ttfb: since(self.document_head().map(|ready| ready.at)),
            fcp: since(fcp),
            lcp: since(self.screen.largest()),
            speed_index: self.screen.speed_index(start),
            byte_index: self.byte_index(),
            tti: since(tti),
            tbt,
            dom_content_loaded: since(dom_content_loaded),
            onload: since(self.load.fired.map(|ready| ready.at)),
            cls: None,
        }
    }

    /// Returns true once a paint was contentful.
    pub fn has_painted(&self) -> bool {
        self.screen.has_first()
    }

    /// Returns the arrival of the document's response head.
    pub(super) fn document_head(&self) -> Option<Ready> {
        self.states[self.graph.document?].head
    }

    /// Returns the image that was the largest element when it was painted, or `None` if
    /// it was text or nothing was painted.
    pub fn lcp_image(&self) -> Option<ResourceId> {
        self.screen.largest_image()
    }

    /// Returns the pixels of the final picture so far, for comparing loads of the same
    /// page. If areas are guessed, this may exceed the screen.
    pub fn painted_area(&self) -> f64 {
        self.screen.area()
    }

    /// Returns visual progress as (time, share in 0..=1), ascending; empty if nothing was
    /// painted.
    pub fn visual_progress(&self) -> Vec<(Instant, f64)> {
        self.started
            .map_or_else(Vec::new, |start| self.screen.progress(start))
    }

    /// Returns the parts of the picture in the order in which they become visible, with times since
    /// the start of the navigation.
    pub fn paints(&self) -> Vec<Paint> {
        self.started
            .map_or_else(Vec::new, |start| self.screen.paints(start))
    }

    /// Returns the time to interactive.
    pub(super) fn interactive_at(&self) -> Option<Instant> {
        let fcp = self.screen.first()?;
        let dom_content_loaded = self.load.dom_content_loaded?.at;
        time_to_interactive(
            fcp,
            dom_content_loaded,
            &self.long_tasks,
            &self.get_requests(),
            Instant::MAX,
        )
    }

    /// Returns the start and end of each GET request.
    fn get_requests(&self) -> Vec<(Instant, Instant)> {
        self.page
            .resources
            .iter()
            .filter(|r| r.method.eq_ignore_ascii_case("GET"))
            .filter_map(|r| {
                let end = self.states[r.id.index()].ended.unwrap_or(Instant::MAX);
                Some((self.requests.requested_at(r.id)?, end))
            })
            .collect()
    }

    /// Returns the byte index over the resources discovered before the load event: the
    /// mean arrival time of a body byte, which is the area above the curve. Bytes from
    /// the cache do not count; without other bytes there is no byte index.
    fn byte_index(&self) -> Option<Duration> {
        let until = self.load.fired.map_or(Instant::MAX, |ready| ready.at);
        let (mut bytes, mut nanos) = (0_u128, 0_u128);
        for state in &self.states {
            if state.discovered.is_some_and(|ready| ready.at <= until) {
                bytes += u128::from(state.received - state.from_cache);
                nanos += state.byte_nanos;
            }
        }
        nanos
            .checked_div(bytes)
            .map(|mean| Duration::from_nanos(mean as u64))
    }
}

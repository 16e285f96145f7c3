//! What each event of the load waited for last: see [`crate::cause`].

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use super::Browser;
use crate::cause::{Cause, Moment, Ready};

impl Browser {
    /// What the discovery of `r` waited for last; `None` if that is the
    /// navigation itself, or `r` was never discovered.
    ///
    /// The resource of a cause was discovered before what it caused, so that a
    /// walk from cause to cause ends at the navigation.
    pub fn discovery_cause(&self, r: ResourceId) -> Option<Cause> {
        self.states[r.index()].discovered?.cause
    }

    /// What the request for `r` waited for last: its discovery, or whatever
    /// made the browser's own scheduler let it go.
    pub fn request_cause(&self, r: ResourceId) -> Option<Cause> {
        self.requests.cause(r)
    }

    /// What the moment waited for last; `None` if that is the navigation
    /// itself, or the moment did not come.
    pub fn metric_cause(&self, moment: Moment) -> Option<Cause> {
        match moment {
            Moment::Ttfb => self.head_cause(),
            Moment::Fcp => self.screen.first_cause(),
            Moment::Lcp => self.screen.largest_cause(),
            Moment::DomContentLoaded => self.load.dom_content_loaded?.cause,
            Moment::Onload => self.load.fired?.cause,
            Moment::Tti => self.interactive_cause(),
        }
    }

    /// Each paint, in order of time: when, the share that it added to visual
    /// progress, and what it waited for last. The shares add up to 1, and the
    /// sum of share times time is the Speed Index (but for rounding).
    pub fn paint_causes(&self) -> Vec<(Instant, f64, Option<Cause>)> {
        self.screen.causes()
    }

    /// From now on, what happens is caused by this arrival.
    pub(super) fn arrival(&mut self, now: Instant, r: ResourceId, received: u64, ended: bool) {
        let cause = Cause {
            resource: r,
            received,
            ended,
            at: now,
        };
        self.current = Ready::new(now, Some(cause));
    }

    /// The head of a response arrived, if it had not.
    pub(super) fn head_is_here(&mut self, now: Instant, r: ResourceId) {
        self.arrival(now, r, self.states[r.index()].received, false);
        self.head_arrived(now, r);
    }

    fn head_cause(&self) -> Option<Cause> {
        let document = self.graph.document?;
        self.states[document].head?.cause
    }

    /// TTI is the end of a long task, or `DOMContentLoaded`, or FCP.
    fn interactive_cause(&self) -> Option<Cause> {
        let at = self.interactive_at()?;
        let loaded = self.load.dom_content_loaded?;
        if at == loaded.at {
            return loaded.cause;
        }
        match self.long_tasks.iter().position(|&(_, end)| end == at) {
            Some(task) => self.long_task_causes[task],
            None => self.screen.first_cause(),
        }
    }
}

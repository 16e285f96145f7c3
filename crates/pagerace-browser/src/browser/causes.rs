//! The causes of the events of a load; see [`crate::cause`].

use pagerace_core::Instant;
use pagerace_page::ResourceId;

use super::Browser;
use crate::cause::{Cause, Moment, Ready};

impl Browser {
    /// Returns the cause of the discovery of `r`, or `None` if that is the navigation
    /// itself or `r` was never discovered.
    ///
    /// The resource of a cause was discovered before its effects, so that following
    /// causes ends at the navigation.
    pub fn discovery_cause(&self, r: ResourceId) -> Option<Cause> {
        self.states[r.index()].discovered?.cause
    }

    /// Returns the cause of the moment, or `None` if that is the navigation itself or the
    /// moment did not come.
    pub fn metric_cause(&self, moment: Moment) -> Option<Cause> {
        match moment {
            Moment::Ttfb => self.document_head()?.cause,
            Moment::Fcp => self.screen.first_cause(),
            Moment::Lcp => self.screen.largest_cause(),
            Moment::DomContentLoaded => self.load.dom_content_loaded?.cause,
            Moment::Onload => self.load.fired?.cause,
            Moment::Tti => self.interactive_cause(),
        }
    }

    /// Returns the time of each paint, its share of visual progress, and its cause, in
    /// order of time. The shares are steps of whole per cent of the progress so far, and may be 0.
    /// They add up to 1, and the sum of share times time is the Speed Index (except for rounding).
    pub fn paint_causes(&self) -> Vec<(Instant, f64, Option<Cause>)> {
        self.screen.causes()
    }

    /// Makes this arrival the cause of subsequent events.
    pub(super) fn arrival(&mut self, now: Instant, r: ResourceId, received: u64, ended: bool) {
        let cause = Cause {
            resource: r,
            received,
            ended,
            at: now,
        };
        self.current = Ready::new(now, Some(cause));
    }

    /// Handles the arrival of a response head, unless it has arrived before.
    pub(super) fn head_is_here(&mut self, now: Instant, r: ResourceId) {
        self.arrival(now, r, self.states[r.index()].received, false);
        self.head_arrived(now, r);
    }

    /// The time to interactive is the end of a long task, `DOMContentLoaded`, or FCP.
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

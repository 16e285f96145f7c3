//! What the browser has, and what it knows of servers, before the load begins.

use pagerace_core::Protocol;

use super::Browser;
use crate::Cached;

impl Browser {
    /// What the cache holds of each resource, in page order; nothing of what
    /// lies beyond the list.
    ///
    /// # Panics
    /// If the load has begun, or the list is longer than the page.
    pub fn set_cached(&mut self, cached: Vec<Cached>) {
        assert!(self.started.is_none(), "the cache is filled before a load");
        assert!(
            cached.len() <= self.states.len(),
            "the cache holds more than the page has"
        );
        for (state, cached) in self.states.iter_mut().zip(cached) {
            state.cached = cached;
        }
    }

    /// What each origin speaks, in page order; HTTP/3 for what lies beyond the
    /// list, as for all if this is never called.
    ///
    /// Chromium limits requests over HTTP/1.1 further than others.
    ///
    /// # Panics
    /// If the load has begun, or the list is longer than the page's.
    pub fn set_protocols(&mut self, mut of_origin: Vec<Protocol>) {
        assert!(self.started.is_none(), "protocols are known before a load");
        assert!(
            of_origin.len() <= self.page.origins.len(),
            "there are more protocols than origins"
        );
        of_origin.resize(self.page.origins.len(), Protocol::H3);
        self.requests.set_protocols(&self.page, &of_origin);
    }
}

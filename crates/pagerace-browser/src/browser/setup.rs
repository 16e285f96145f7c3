//! The cache contents and the protocols of servers, set before the load begins.

use pagerace_core::Protocol;

use super::Browser;
use crate::Cached;

impl Browser {
    /// Sets the cache state of each resource in page order. Resources beyond the list are
    /// not cached.
    ///
    /// # Panics
    /// Panics if the load has begun, or if the list is longer than the page.
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

    /// Sets the protocol of each origin in page order. Origins beyond the list use
    /// HTTP/3, and so do all origins if this is never called.
    ///
    /// Chromium limits requests over HTTP/1.1 more than others.
    ///
    /// # Panics
    /// Panics if the load has begun, or if the list is longer than the page's origins.
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

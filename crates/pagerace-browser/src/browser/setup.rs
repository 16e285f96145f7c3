//! The cache contents, the protocols of servers and the largest element, set before the load
//! begins.

use pagerace_core::Protocol;

use super::Browser;
use super::fonts::Fonts;
use crate::Cached;
use crate::paint::Layout;

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

    /// Sets the protocol of each resource in page order. Resources beyond the list use
    /// HTTP/3, and so do all if this is never called.
    ///
    /// Chromium limits requests over HTTP/1.1 more than others.
    ///
    /// # Panics
    /// Panics if the load has begun, or if the list is longer than the page.
    pub fn set_protocols(&mut self, of_resource: &[Protocol]) {
        assert!(self.started.is_none(), "protocols are known before a load");
        assert!(
            of_resource.len() <= self.page.resources.len(),
            "there are more protocols than resources"
        );
        self.requests.set_protocols(&self.page, of_resource);
    }

    /// Draws the largest element among those that may be it, by a number from 0 up to 1
    /// ([`Page::drawn_largest`](pagerace_page::Page::drawn_largest)), and with a text, whether it
    /// waits for fonts or scripts. Without a draw, the most probable element is the largest. Pages
    /// with a recorded layout have no draw.
    ///
    /// # Panics
    /// Panics if the load has begun.
    pub fn set_largest(&mut self, draw: f64) {
        assert!(
            self.started.is_none(),
            "the largest element is drawn before a load"
        );
        self.layout = Layout::new(&self.page, &self.graph, Some(draw));
        self.fonts = Fonts::new(&self.page, &self.layout);
    }
}

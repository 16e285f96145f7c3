//! What a browser takes for itself between the network and the main thread:
//! messages between its processes, starting a document, showing a frame.
//!
//! Only for pages whose layout is recorded: their recordings tell CPU times, so
//! that what is left over can be told apart. Elsewhere these times lie in the
//! modelled costs. The values were fitted to live loads of Chromium 156, of the
//! tuned pages of `docs/accuracy.md` alone, on the machine that is named there.

use pagerace_core::Duration;
use pagerace_page::Page;

use crate::BrowserConfig;

/// From the head of a document to its parser and its preload scanner.
const COMMIT_MS: f64 = 14.0;
/// From something being asked for to its request leaving; redirects are followed
/// at once, and so are navigations.
const DISPATCH_MS: f64 = 4.0;
/// The same for a document's first request, and no request of the document leaves before
/// that: Chromium's network service takes so long to prepare itself for a document.
const FIRST_DISPATCH_MS: f64 = 20.0;
/// From the end of a painting task to the picture on the screen.
const PRESENTATION_MS: f64 = 45.0;

/// The times of one load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overheads {
    pub(crate) commit: Duration,
    pub(crate) dispatch: Duration,
    pub(crate) first_dispatch: Duration,
    pub(crate) presentation: Duration,
}

impl Overheads {
    pub(crate) fn new(page: &Page, config: &BrowserConfig) -> Self {
        let Some(layout) = page.layout.as_ref().filter(|_| config.cpu.is_finite()) else {
            return Self::default();
        };
        let slowdown = layout.slowdown.unwrap_or(1.0);
        let scaled = |millis: f64| Duration::from_millis_f64(millis * config.cpu.max(0.0));
        Self {
            // The only one of the four that runs on the main thread.
            commit: scaled(COMMIT_MS * slowdown),
            dispatch: scaled(DISPATCH_MS),
            first_dispatch: scaled(FIRST_DISPATCH_MS),
            presentation: scaled(PRESENTATION_MS),
        }
    }
}

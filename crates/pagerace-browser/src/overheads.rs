//! What a browser takes for itself between the network and the main thread:
//! messages between its processes, starting a document, showing a frame.
//!
//! Only for pages whose layout is recorded: their recordings tell CPU times, so
//! that what is left over can be told apart. Elsewhere these times lie in the
//! modelled costs.

use pagerace_core::Duration;
use pagerace_page::Page;

use crate::BrowserConfig;

/// From the navigation to its request being ready to leave.
const NAVIGATION_MS: f64 = 12.0;
/// From the head of a document to its parser and its preload scanner.
const COMMIT_MS: f64 = 25.0;
/// From a document or a sheet asking for something to the request leaving.
const DISPATCH_MS: f64 = 5.0;
/// From the end of a painting task to the picture on the screen.
const PRESENTATION_MS: f64 = 20.0;

/// The times of one load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overheads {
    pub(crate) navigation: Duration,
    pub(crate) commit: Duration,
    pub(crate) dispatch: Duration,
    pub(crate) presentation: Duration,
}

impl Overheads {
    pub(crate) fn new(page: &Page, config: &BrowserConfig) -> Self {
        if page.layout.is_none() || !config.cpu.is_finite() {
            return Self::default();
        }
        let v = |name: &str, d: f64| std::env::var(name).ok().and_then(|t| t.parse().ok()).unwrap_or(d);
        let scaled = |millis: f64| Duration::from_millis_f64(millis * config.cpu.max(0.0));
        Self {
            navigation: scaled(v("O_NAV", NAVIGATION_MS)),
            commit: scaled(v("O_COMMIT", COMMIT_MS)),
            dispatch: scaled(v("O_DISPATCH", DISPATCH_MS)),
            presentation: scaled(v("O_PRES", PRESENTATION_MS)),
        }
    }
}

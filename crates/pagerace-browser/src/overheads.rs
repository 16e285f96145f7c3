//! Overheads of a browser between the network and the main thread: messages between its
//! processes, the commit of a document, the presentation of a frame.
//!
//! The values were fitted to live loads of Chromium 156, using only the tuning pages of
//! `docs/accuracy.md`, on the machine named there.

use pagerace_core::Duration;
use pagerace_page::Page;

use crate::BrowserConfig;

/// The time from the head of a document to its parser and its preload scanner.
const COMMIT_MS: f64 = 14.0;
/// The time by which each unit of a recorded slow-down beyond one makes it longer: the part on
/// the main thread, which alone is slowed.
const COMMIT_SLOWED_MS: f64 = 8.0;
/// The time from the discovery of a resource until its request leaves. Redirects and
/// navigations leave at once.
const DISPATCH_MS: f64 = 4.0;
/// The same time for a document's first request. No request of the document leaves
/// earlier, because Chromium's network service takes this long to prepare for a document.
const FIRST_DISPATCH_MS: f64 = 20.0;
/// The time from the end of a paint task until the frame is on the screen.
const PRESENTATION_MS: f64 = 30.0;

/// The overheads of one load.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Overheads {
    pub(crate) commit: Duration,
    pub(crate) dispatch: Duration,
    pub(crate) first_dispatch: Duration,
    pub(crate) presentation: Duration,
}

impl Overheads {
    pub(crate) fn new(page: &Page, config: &BrowserConfig) -> Self {
        let slowdown = page.layout.as_ref().and_then(|l| l.slowdown).unwrap_or(1.0);
        let cpu = if config.cpu.is_finite() {
            config.cpu.max(0.0)
        } else {
            1.0
        };
        let scaled = |millis: f64| Duration::from_millis_f64(millis * cpu);
        Self {
            commit: scaled(COMMIT_MS + COMMIT_SLOWED_MS * (slowdown - 1.0).max(0.0)),
            dispatch: scaled(DISPATCH_MS),
            first_dispatch: scaled(FIRST_DISPATCH_MS),
            presentation: scaled(PRESENTATION_MS),
        }
    }
}

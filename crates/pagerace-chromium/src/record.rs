//! Recording a page: everything that a replay and the page model need, as HAR.
//!
//! [`record`] loads a page in a fresh context and returns a HAR 1.2 with
//! bodies and extension fields (`docs/recording.md`). Requests, bodies, timing
//! and priorities come from the DevTools protocol, main-thread times from a
//! trace, rectangles from a snapshot of the loaded page at scroll position 0. A
//! second load, without scripts, tells which elements are not seen without them.
//!
//! | module | what |
//! |---|---|
//! | `collect`, `unscripted` | drive the browser |
//! | `log` | requests from events |
//! | `trace` | main-thread time from the trace |
//! | `layout`, `markup`, `fonts`, `place` | what stands where, and where in the document |
//! | `shares` | the shares of images, texts and boxes in the picture |
//! | `har`, `fields`, `timings`, `paints` | the file |
//!
//! Left out: web sockets, what happens after the load (scrolling, clicks), and
//! bodies that Chromium does not keep (of redirects, preflights and workers).

mod collect;
mod fields;
mod fonts;
mod har;
mod layout;
mod log;
mod markup;
mod paints;
mod place;
mod shares;
mod timings;
mod trace;
mod unscripted;

use pagerace_core::Duration;
use serde_json::Value;

use crate::{Browser, ChromiumError};

/// What to record, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordOptions {
    /// Keep cookies, authorisation fields and request bodies.
    pub keep_secrets: bool,
    /// How long after the load nothing may happen on the network before the page
    /// counts as settled.
    pub settle: Duration,
    /// After this long the page is taken as it is.
    pub deadline: Duration,
}

impl Default for RecordOptions {
    /// No secrets, 2 s of quiet, at most 60 s.
    fn default() -> Self {
        Self {
            keep_secrets: false,
            settle: Duration::from_secs(2),
            deadline: Duration::from_secs(60),
        }
    }
}

/// So many loads tell the processor's times: those of one differ by a third on a shared
/// machine.
const CPU_LOADS: usize = 3;

/// Loads `url` and returns the recording, a HAR.
///
/// # Errors
/// [`ChromiumError::Navigation`] if there is no document; otherwise what the
/// browser's own calls meet.
pub fn record(
    browser: &mut Browser,
    url: &str,
    options: &RecordOptions,
) -> Result<Value, ChromiumError> {
    let mut load = collect::load(browser, url, options)?;
    let mut all = vec![std::mem::take(&mut load.trace.cpu)];
    while all.len() < CPU_LOADS {
        all.push(collect::cpu(browser, url, options)?);
    }
    load.trace.cpu = trace::medians(&all);
    if let Some(html) = har::html(&load) {
        // It tells more of the page, but nothing hangs on it.
        load.unscripted =
            unscripted::snapshot(browser, url, html, options.settle).unwrap_or_default();
    }
    Ok(har::har(&load))
}

#[cfg(test)]
mod tests;

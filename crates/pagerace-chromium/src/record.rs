//! Recording a page as HAR, with all data that a replay and the page model need.
//!
//! [`record`] loads a page in a fresh context and returns a HAR 1.2 with bodies and
//! extension fields (`docs/recording.md`). Requests, bodies, timing and priorities come
//! from the DevTools protocol, main-thread times from a trace, and rectangles from a
//! snapshot of the loaded page at scroll position 0. Two further loads
//! watch what scripts do, one without scripts determines which elements are visible only with
//! scripts, and three more measure times.
//!
//! | module | contents |
//! |---|---|
//! | `collect`, `unscripted` | control of the browser |
//! | `overlay` | a loader that covers the page |
//! | `history` | when scripts put elements on the page, and when these move |
//! | `log` | requests from events |
//! | `trace` | main-thread time from the trace |
//! | `layout`, `markup`, `fonts`, `place` | elements, on the page and in the document |
//! | `shares` | the shares of images, texts and boxes in the picture |
//! | `har`, `fields`, `timings`, `paints` | the HAR file |
//!
//! Left out: web sockets, events after the load (scrolling, clicks), and bodies that
//! Chromium does not keep (of redirects, preflights and workers).

mod collect;
mod fields;
mod har;
mod history;
mod layout;
pub(crate) mod log;
mod markup;
mod overlay;
mod paints;
mod place;
mod shares;
mod timings;
mod trace;
mod unscripted;

use pagerace_core::Duration;
use serde_json::Value;

use crate::{Browser, ChromiumError};

/// The options of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordOptions {
    /// True to keep cookies, authorisation fields and request bodies.
    pub keep_secrets: bool,
    /// The time without network events after which a loaded page counts as settled.
    pub settle: Duration,
    /// The time after which the page is recorded in its current state.
    pub deadline: Duration,
}

impl Default for RecordOptions {
    /// Leaves out secrets, and waits for 2 s of quiet, at most 60 s.
    fn default() -> Self {
        Self {
            keep_secrets: false,
            settle: Duration::from_secs(2),
            deadline: Duration::from_secs(60),
        }
    }
}

/// The number of loads whose median times are recorded. The times of single loads differ by a third
/// on a shared machine.
const TIMED_LOADS: usize = 3;

/// A function that starts a browser.
pub type Launch<'a> = &'a dyn Fn() -> Result<Browser, ChromiumError>;

/// The number of loads of a page that a recording takes: of its content, twice of its scripts'
/// effects, without scripts, and the timed ones.
pub const LOADS: usize = 4 + TIMED_LOADS;

/// Loads `url` and returns the recording as HAR. Calls `done` with the number of loads that are
/// over, at last [`LOADS`]. A document other than HTML is not loaded without scripts.
///
/// Each timed load has a browser of its own, as live loads have: the first page of a browser takes
/// longer.
///
/// # Errors
/// Returns [`ChromiumError::Navigation`] if the document cannot be loaded, and the errors
/// of the browser's calls.
pub fn record(
    launch: Launch<'_>,
    url: &str,
    options: &RecordOptions,
    done: &mut dyn FnMut(usize),
) -> Result<Value, ChromiumError> {
    let mut browser = launch()?;
    let mut load = collect::load(&mut browser, url, options)?;
    done(1);
    load.watched = collect::scripts(&mut browser, url, options)?;
    done(3);
    if let Some(html) = har::html(&load) {
        // The load without scripts adds information, but the recording does not depend on it.
        load.unscripted =
            unscripted::snapshot(&mut browser, url, html, options.settle).unwrap_or_default();
    }
    browser.close();
    done(LOADS - TIMED_LOADS);
    let first = load.trace.cpu.clone();
    let mut all = Vec::new();
    for timed in 1..=TIMED_LOADS {
        let mut browser = launch()?;
        let mut times = collect::times(&mut browser, url, options)?;
        if browser.device().cpu > 1.0 {
            trace::limit(&mut times.cpu, &first);
        }
        browser.close();
        all.push(times);
        done(LOADS - TIMED_LOADS + timed);
    }
    load.trace.take_medians(&first, &all);
    Ok(har::har(&load))
}

#[cfg(test)]
mod tests;

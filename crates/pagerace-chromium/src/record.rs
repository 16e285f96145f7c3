//! Recording a page as HAR, with all data that a replay and the page model need.
//!
//! [`record`] loads a page in a fresh context and returns a HAR 1.2 with bodies and
//! extension fields (`docs/recording.md`). Requests, bodies, timing and priorities come
//! from the DevTools protocol, main-thread times from a trace, and rectangles from a
//! snapshot of the loaded page at scroll position 0. Two further loads
//! watch what scripts do, one for each response of data tells what waits for it, one without
//! scripts determines which elements are visible only with scripts, and three more measure times.
//!
//! | module | contents |
//! |---|---|
//! | `collect`, `unscripted` | control of the browser |
//! | `overlay` | a loader that covers the page |
//! | `history` | when scripts put elements on the page, and when these move |
//! | `waits` | what waits for data |
//! | `log` | requests from events |
//! | `trace` | main-thread time from the trace |
//! | `layout`, `markup`, `fonts`, `place` | elements, on the page and in the document |
//! | `shares` | the shares of images, texts and boxes in the picture |
//! | `styles` | the rules of style sheets that the first screen needs |
//! | `formats` | the sizes of images in other formats |
//! | `har`, `fields`, `timings`, `paints` | the HAR file |
//!
//! Left out: web sockets, events after the load (scrolling, clicks), and bodies that
//! Chromium does not keep (of redirects, preflights and workers).

mod collect;
mod fields;
mod formats;
mod har;
mod history;
mod layout;
pub(crate) mod log;
mod markup;
mod overlay;
mod paints;
mod place;
mod shares;
mod styles;
mod timings;
mod trace;
mod unscripted;
mod waits;

use std::thread;

use pagerace_core::Duration;
use serde_json::Value;

use self::collect::Timed;
use self::har::Load;
use crate::contention::CONTENTION_MAX;
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
    /// True if the page's servers answer at once, so that waits for responses are none of servers.
    pub at_once: bool,
}

impl Default for RecordOptions {
    /// Leaves out secrets, and waits for 2 s of quiet, at most 60 s.
    fn default() -> Self {
        Self {
            keep_secrets: false,
            settle: Duration::from_secs(2),
            deadline: Duration::from_secs(60),
            at_once: false,
        }
    }
}

/// The number of loads whose median times are recorded. The times of single loads differ by a third
/// on a shared machine.
const TIMED_LOADS: usize = 3;

/// The maximum number of timed loads that are repeated because other programs kept the machine
/// busy.
const REPEATS: usize = 4;

/// A function that starts a browser.
pub type Launch<'a> = &'a (dyn Fn() -> Result<Browser, ChromiumError> + Sync);

/// The number of loads of a recording: those that are over, and all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loads {
    /// The loads that are over.
    pub done: usize,
    /// All loads. Most are planned when the first one is over.
    pub all: usize,
}

/// A recorded page.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The recording.
    pub har: Value,
    /// The share of the processors, from 0 to 1, that other programs used in the most disturbed of
    /// the loads whose times are recorded, if it is more than [`CONTENTION_MAX`].
    pub disturbed: Option<f64>,
}

/// Loads `url` and returns the recording as HAR. Calls `tell` with the number of loads that are
/// over. A document other than HTML is not loaded without scripts.
///
/// Loads that only tell what happens at all go on side by side. Those whose times count come one by
/// one, and each has a browser of its own, as live loads have: the first page of a browser takes
/// longer. They are repeated if other programs keep the machine busy.
///
/// # Errors
/// Returns [`ChromiumError::Navigation`] if the document cannot be loaded, and the errors
/// of the browser's calls.
///
/// # Panics
/// Panics if a thread that watches a load panics.
pub fn record(
    launch: Launch<'_>,
    url: &str,
    options: &RecordOptions,
    tell: &mut dyn FnMut(Loads),
) -> Result<Recorded, ChromiumError> {
    let mut browser = launch()?;
    let mut load = collect::load(&mut browser, url, options)?;
    let held = waits::candidates(&load);
    let watched = 2 + held.len() + usize::from(load.has_largest_text());
    let mut loads = Loads {
        done: 1,
        all: 1 + watched + TIMED_LOADS,
    };
    tell(loads);
    let (first_load, held) = (&load, &held);
    let (scripts, waits, unscripted) = thread::scope(|scope| {
        let scripts = scope.spawn(move || collect::scripts(browser, url, options, first_load));
        let waits = scope.spawn(move || {
            let mut browser = launch()?;
            let waits = waits::find(&mut browser, url, first_load, held)?;
            browser.close();
            Ok(waits)
        });
        let unscripted = scope.spawn(move || unscripted(launch, url, options, first_load));
        let whole = "the thread does not panic";
        let waits = waits.join().expect(whole);
        let unscripted = unscripted.join().expect(whole);
        (scripts.join().expect(whole), waits, unscripted)
    });
    (load.watched, load.waits, load.unscripted) = (scripts?, waits?, unscripted?);
    loads.done += watched;
    tell(loads);
    let first = load.trace.cpu.clone();
    let known = load.known();
    let mut all: Vec<Timed> = Vec::new();
    let is_quiet = |load: &&Timed| load.others <= CONTENTION_MAX;
    while all.iter().filter(is_quiet).count() < TIMED_LOADS && all.len() < TIMED_LOADS + REPEATS {
        let mut browser = launch()?;
        let timed = collect::times(&mut browser, url, options, &known)?;
        browser.close();
        all.push(timed);
        let missing = TIMED_LOADS.saturating_sub(all.iter().filter(is_quiet).count());
        loads.done += 1;
        loads.all = loads.done + missing.min(TIMED_LOADS + REPEATS - all.len());
        tell(loads);
    }
    all.sort_by(|a, b| a.others.total_cmp(&b.others));
    all.truncate(TIMED_LOADS);
    let worst = all.last().map(|load| load.others);
    let (longer, is_slow) = (undisturbed(&all), load.device.cpu > 1.0);
    let times = all.into_iter().map(|mut load| {
        load.times.stretch(longer);
        if is_slow {
            trace::limit(&mut load.times.cpu, &first);
        }
        load.times
    });
    load.trace.take_medians(&first, &times.collect::<Vec<_>>());
    Ok(Recorded {
        har: har::har(&load),
        disturbed: worst.filter(|others| *others > CONTENTION_MAX),
    })
}

/// Returns the factor by which work takes longer by the clock than on a processor if no other
/// program disturbs it: the median of undisturbed loads, or else the least for a typical piece of
/// work.
fn undisturbed(loads: &[Timed]) -> f64 {
    let quiet = loads.iter().filter(|load| load.others <= CONTENTION_MAX);
    let quiet = trace::median(quiet.map(|load| load.longer).collect());
    let least = loads.iter().map(|load| load.typical);
    quiet.or_else(|| least.reduce(f64::min)).unwrap_or(1.0)
}

/// Returns what the page shows without scripts. The recording does not depend on it, so a failed
/// load only leaves it out.
fn unscripted(
    launch: Launch<'_>,
    url: &str,
    options: &RecordOptions,
    load: &Load,
) -> Result<Option<Value>, ChromiumError> {
    let Some(html) = har::html(load) else {
        return Ok(None);
    };
    let mut browser = launch()?;
    let snapshot = unscripted::snapshot(&mut browser, url, html, options.settle);
    browser.close();
    Ok(snapshot.unwrap_or_default())
}

#[cfg(test)]
mod tests;

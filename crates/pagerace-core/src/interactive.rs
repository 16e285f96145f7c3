//! Time to interactive and total blocking time, as Lighthouse defines them: one
//! definition for modelled loads and for those of a real browser.
//!
//! <https://web.dev/articles/tti>, <https://web.dev/articles/tbt>.

use crate::{Duration, Instant};

/// A task longer than this is long.
const LONG_TASK: Duration = Duration::from_millis(50);
/// A window this long has to be quiet.
const QUIET: Duration = Duration::from_secs(5);
/// The most requests that may be in flight in a quiet window.
const QUIET_REQUESTS: i64 = 2;

/// Whether a task of this length blocks input noticeably.
pub fn is_long(length: Duration) -> bool {
    length > LONG_TASK
}

/// TTI: the end of the last long task before the first five seconds, after
/// FCP, without long tasks and with at most two GET requests in flight; never
/// before FCP or `DOMContentLoaded`. `None` if no such window was seen to its end.
///
/// `long_tasks` (start, end) ascend; `requests` are (start, end) of each GET request,
/// in any order; nothing is known of what came after `until`. The trace of a
/// simulated load ends when nothing is left to do, so there it is
/// [`Instant::MAX`], and a quiet window always exists.
pub fn time_to_interactive(
    fcp: Instant,
    dom_content_loaded: Instant,
    long_tasks: &[(Instant, Instant)],
    requests: &[(Instant, Instant)],
    until: Instant,
) -> Option<Instant> {
    let network = network_quiet(requests, until);
    // Quiet periods of the CPU begin at FCP or at the end of a long task.
    let mut begin = fcp;
    for (start, end) in long_tasks.iter().copied().chain([(until, until)]) {
        if end <= fcp {
            continue;
        }
        let quiet = network
            .iter()
            .any(|&(from, to)| to.min(start).since(from.max(begin)) >= QUIET);
        if quiet {
            return Some(begin.max(dom_content_loaded));
        }
        begin = begin.max(end);
    }
    None
}

/// Periods in which at most two requests are in flight; the last ends at `until`.
fn network_quiet(requests: &[(Instant, Instant)], until: Instant) -> Vec<(Instant, Instant)> {
    let mut changes: Vec<(Instant, i64)> = requests
        .iter()
        .flat_map(|&(start, end)| [(start, 1), (end, -1)])
        .collect();
    changes.sort_unstable();
    let mut periods = Vec::new();
    let (mut in_flight, mut quiet_from) = (0, Some(Instant::ZERO));
    for (at, change) in changes {
        in_flight += change;
        match quiet_from {
            Some(from) if in_flight > QUIET_REQUESTS => {
                periods.push((from, at));
                quiet_from = None;
            }
            None if in_flight <= QUIET_REQUESTS => quiet_from = Some(at),
            _ => {}
        }
    }
    periods.extend(quiet_from.map(|from| (from, until)));
    periods
}

/// TBT: what each task between FCP and TTI has beyond 50 ms.
pub fn total_blocking_time(
    fcp: Instant,
    tti: Instant,
    long_tasks: &[(Instant, Instant)],
) -> Duration {
    long_tasks
        .iter()
        .map(|&(start, end)| end.min(tti).since(start.max(fcp)).saturating_sub(LONG_TASK))
        .sum()
}

#[cfg(test)]
mod tests;

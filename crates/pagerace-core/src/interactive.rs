//! Time to interactive (TTI) and total blocking time (TBT), as Lighthouse defines them.
//! Modelled loads and loads of a real browser share this definition.
//!
//! <https://web.dev/articles/tti>, <https://web.dev/articles/tbt>.

use crate::{Duration, Instant};

/// A task that lasts longer than this is a long task.
const LONG_TASK: Duration = Duration::from_millis(50);
/// Length of the quiet window that TTI requires.
const QUIET: Duration = Duration::from_secs(5);
/// The maximum number of requests in flight during a quiet window.
const QUIET_REQUESTS: i64 = 2;

/// Returns true if a task of this length is a long task.
pub fn is_long(length: Duration) -> bool {
    length > LONG_TASK
}

/// Computes TTI: the end of the last long task before the first quiet window after FCP, but
/// no earlier than FCP or `DOMContentLoaded`.
///
/// A quiet window is five seconds without long tasks and with at most two GET requests in
/// flight. Returns `None` if the load was not observed to the end of such a window.
///
/// `long_tasks` holds (start, end) of each long task, in ascending order. `requests` holds
/// (start, end) of each GET request, in any order. `until` is the end of the observation. A
/// simulated load runs until nothing is left to do, so its caller passes [`Instant::MAX`]
/// and a quiet window always exists.
pub fn time_to_interactive(
    fcp: Instant,
    dom_content_loaded: Instant,
    long_tasks: &[(Instant, Instant)],
    requests: &[(Instant, Instant)],
    until: Instant,
) -> Option<Instant> {
    let network = network_quiet(requests, until);
    // A quiet period of the CPU begins at FCP or at the end of a long task.
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

/// Returns the periods in which at most two requests are in flight. The last one ends at
/// `until`.
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

/// Computes TBT: the sum of the time beyond 50 ms of each task between FCP and TTI.
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

//! Time to interactive and total blocking time, as Lighthouse defines them.
//!
//! <https://web.dev/articles/tti>, <https://web.dev/articles/tbt>. The trace
//! of a simulated load ends when nothing is left to do, so a quiet window
//! always exists.

use pagerace_core::{Duration, Instant};

/// A task longer than this is long.
const LONG_TASK: Duration = Duration::from_millis(50);
/// A window this long has to be quiet.
const QUIET: Duration = Duration::from_secs(5);
/// The most requests that may be in flight in a quiet window.
const QUIET_REQUESTS: i64 = 2;

/// Whether a task of this length blocks input noticeably.
pub(crate) fn is_long(length: Duration) -> bool {
    length > LONG_TASK
}

/// TTI: the end of the last long task before the first five seconds, after
/// FCP, without long tasks and with at most two GET requests in flight; never
/// before FCP or `DOMContentLoaded`.
///
/// `long_tasks` ascend; `requests` are (start, end) of each GET request, in any order.
pub(crate) fn time_to_interactive(
    fcp: Instant,
    dom_content_loaded: Instant,
    long_tasks: &[(Instant, Instant)],
    requests: &[(Instant, Instant)],
) -> Instant {
    let network = network_quiet(requests);
    // Quiet periods of the CPU begin at FCP or at the end of a long task.
    let mut cpu_start = fcp;
    let mut tasks = long_tasks.iter().filter(|&&(_, end)| end > fcp);
    loop {
        let next = tasks.next();
        let cpu_end = next.map_or(Instant::MAX, |&(start, _)| start);
        let quiet = network
            .iter()
            .any(|&(from, until)| until.min(cpu_end).since(from.max(cpu_start).max(fcp)) >= QUIET);
        match next {
            Some(&(_, end)) if !quiet => cpu_start = end,
            _ => return cpu_start.max(fcp).max(dom_content_loaded),
        }
    }
}

/// Periods in which at most two requests are in flight; the last has no end.
fn network_quiet(requests: &[(Instant, Instant)]) -> Vec<(Instant, Instant)> {
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
    periods.extend(quiet_from.map(|from| (from, Instant::MAX)));
    periods
}

/// TBT: what each task between FCP and TTI has beyond 50 ms.
pub(crate) fn total_blocking_time(
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

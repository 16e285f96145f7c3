//! CLS, TTI and TBT from what was seen.
//!
//! <https://web.dev/articles/cls>, <https://web.dev/articles/tti>,
//! <https://web.dev/articles/tbt>.

use pagerace_core::Duration;

/// A task longer than this is long.
const LONG_TASK: Duration = Duration::from_millis(50);
/// A window this long has to be quiet.
const QUIET: Duration = Duration::from_secs(5);
/// The most requests that may be in flight in a quiet window.
const QUIET_REQUESTS: i64 = 2;
/// Shifts further apart than this belong to different session windows.
const SHIFT_GAP: Duration = Duration::from_secs(1);
/// The longest session window.
const SHIFT_WINDOW: Duration = Duration::from_secs(5);

/// The largest sum of a session window of layout shifts, which are (time, value),
/// ascending.
///
/// # Source
/// <https://web.dev/articles/cls>: less than 1 s between two shifts, at most 5 s
/// in all.
pub fn cumulative_layout_shift(shifts: &[(Duration, f64)]) -> f64 {
    let (mut largest, mut sum) = (0.0_f64, 0.0);
    let mut window: Option<(Duration, Duration)> = None;
    for &(at, value) in shifts {
        match window {
            Some((first, last))
                if at.saturating_sub(last) < SHIFT_GAP
                    && at.saturating_sub(first) < SHIFT_WINDOW =>
            {
                window = Some((first, at));
                sum += value;
            }
            _ => {
                window = Some((at, at));
                sum = value;
            }
        }
        largest = largest.max(sum);
    }
    largest
}

/// The end of the last long task before the first 5 s, after FCP, without long
/// tasks and with at most two requests in flight; not before `DOMContentLoaded`.
/// `None` if no such window was seen to its end.
///
/// `long_tasks` (start, length) ascend; `requests` are (start, end) of GET
/// requests; nothing is known of what came after `until`.
pub(super) fn time_to_interactive(
    fcp: Duration,
    dom_content_loaded: Duration,
    long_tasks: &[(Duration, Duration)],
    requests: &[(Duration, Duration)],
    until: Duration,
) -> Option<Duration> {
    let network = network_quiet(requests, until);
    let mut begin = fcp;
    let tasks = long_tasks
        .iter()
        .map(|&(start, long)| (start, start + long));
    for (start, end) in tasks.chain([(until, until)]) {
        if end <= fcp {
            continue;
        }
        let quiet = network
            .iter()
            .any(|&(from, to)| to.min(start).saturating_sub(from.max(begin)) >= QUIET);
        if quiet {
            return Some(begin.max(dom_content_loaded));
        }
        begin = begin.max(end);
    }
    None
}

/// Periods in which at most two requests are in flight.
fn network_quiet(requests: &[(Duration, Duration)], until: Duration) -> Vec<(Duration, Duration)> {
    let mut changes: Vec<(Duration, i64)> = requests
        .iter()
        .flat_map(|&(start, end)| [(start, 1), (end, -1)])
        .collect();
    changes.sort_unstable();
    let mut periods = Vec::new();
    let (mut in_flight, mut quiet_from) = (0, Some(Duration::ZERO));
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

/// What each task between FCP and `until` has beyond 50 ms.
pub(super) fn total_blocking_time(
    fcp: Duration,
    until: Duration,
    long_tasks: &[(Duration, Duration)],
) -> Duration {
    long_tasks
        .iter()
        .map(|&(start, long)| {
            let within = (start + long).min(until).saturating_sub(start.max(fcp));
            within.saturating_sub(LONG_TASK)
        })
        .sum()
}

#[cfg(test)]
mod tests;

//! CLS, TTI and TBT of an observed load.
//!
//! <https://web.dev/articles/cls>, <https://web.dev/articles/tti>,
//! <https://web.dev/articles/tbt>.

use pagerace_core::{Duration, Instant, interactive};

/// The gap between two shifts that ends a session window.
const SHIFT_GAP: Duration = Duration::from_secs(1);
/// The maximum length of a session window.
const SHIFT_WINDOW: Duration = Duration::from_secs(5);

/// Returns the largest sum of a session window of layout shifts, given as (time, value),
/// ascending.
///
/// # Source
/// <https://web.dev/articles/cls>: less than 1 s between two shifts, at most 5 s in total.
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

/// Returns TTI, see [`interactive::time_to_interactive`]. `long_tasks` are (start,
/// length), ascending; `until` is the end of the observation.
pub(super) fn time_to_interactive(
    fcp: Duration,
    dom_content_loaded: Duration,
    long_tasks: &[(Duration, Duration)],
    requests: &[(Duration, Duration)],
    until: Duration,
) -> Option<Duration> {
    let requests: Vec<_> = requests.iter().map(|&(a, b)| (at(a), at(b))).collect();
    let tti = interactive::time_to_interactive(
        at(fcp),
        at(dom_content_loaded),
        &spans(long_tasks),
        &requests,
        at(until),
    );
    tti.map(Instant::since_start)
}

/// Returns TBT up to `until`, see [`interactive::total_blocking_time`].
pub(super) fn total_blocking_time(
    fcp: Duration,
    until: Duration,
    long_tasks: &[(Duration, Duration)],
) -> Duration {
    interactive::total_blocking_time(at(fcp), at(until), &spans(long_tasks))
}

/// Converts tasks from (start, length) to (start, end).
fn spans(tasks: &[(Duration, Duration)]) -> Vec<(Instant, Instant)> {
    let tasks = tasks.iter();
    tasks
        .map(|&(start, long)| (at(start), at(start + long)))
        .collect()
}

/// Converts a time since the start of the navigation to an instant.
fn at(since: Duration) -> Instant {
    Instant::ZERO + since
}

#[cfg(test)]
mod tests;

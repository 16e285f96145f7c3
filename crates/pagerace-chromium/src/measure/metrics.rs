//! CLS, TTI and TBT from what was seen.
//!
//! <https://web.dev/articles/cls>, <https://web.dev/articles/tti>,
//! <https://web.dev/articles/tbt>.

use pagerace_core::{Duration, Instant, interactive};

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

/// TTI, see [`interactive::time_to_interactive`]. `long_tasks` are (start, length),
/// ascending; nothing is known of what came after `until`.
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

/// TBT, see [`interactive::total_blocking_time`]; up to `until`.
pub(super) fn total_blocking_time(
    fcp: Duration,
    until: Duration,
    long_tasks: &[(Duration, Duration)],
) -> Duration {
    interactive::total_blocking_time(at(fcp), at(until), &spans(long_tasks))
}

/// Start and end of tasks of which start and length are given.
fn spans(tasks: &[(Duration, Duration)]) -> Vec<(Instant, Instant)> {
    let tasks = tasks.iter();
    tasks
        .map(|&(start, long)| (at(start), at(start + long)))
        .collect()
}

/// So long after the start of the navigation.
fn at(since: Duration) -> Instant {
    Instant::ZERO + since
}

#[cfg(test)]
mod tests;

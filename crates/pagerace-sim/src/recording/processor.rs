//! Speed of a recording's processor: what `DOMContentLoaded` tells of it.
//!
//! Most recorders tell no processor times. The event comes when the document is parsed and its
//! scripts have run, so it is as late as the network and the processor make it. The network is
//! known from loads before this one.

use pagerace_core::Duration;
use pagerace_page::Page;

use super::{Loads, exchange};
use crate::{Outcome, ScenarioError};

/// Least and largest slow-down. Chromium throttles phones by 4 to 6, and processors differ by as
/// much again. What that does not explain has another cause.
const RANGE: (f64, f64) = (0.25, 16.0);
/// Difference that may be the network's, in milliseconds and as a share of the recorded time.
const LEAST_MS: f64 = 10.0;
const NETWORK_ERROR: f64 = 0.05;
/// Number of bisections; they narrow a factor of 2 to 9 %.
const BISECTIONS: usize = 3;
/// Number of bisections between 1 and a slow-down that contradicts the recording; they narrow a
/// factor of 16 to 9 %.
const LIMIT_BISECTIONS: usize = 5;
/// Least slow-down that these bisections find.
const LIMIT_LEAST: f64 = 1.09;

/// Fits the slow-down of a page whose recorder does not know it, so that a load over the
/// recording's own network reaches `DOMContentLoaded` when the recording did, except for the
/// network's error. If that delays the first paint, the load event or a quarter of the requests
/// beyond their recorded times, the event waited for something else, too, and the slow-down is the
/// largest that does not. The page has no slow-down if none explains the recorded event, or if the
/// recording tells nothing of its network.
pub(super) fn fit(page: &mut Page, loads: &mut Loads) -> Result<(), ScenarioError> {
    let is_known = page.layout().is_some() || page.recorded.slowdown.is_some();
    let has_network = page.resources.iter().any(|r| exchange(r).is_some());
    let Some(recorded) = page.recorded.on_content_load else {
        return Ok(());
    };
    if is_known || !has_network {
        return Ok(());
    }
    let mut compare = |slowdown: f64| -> Result<Option<Comparison>, ScenarioError> {
        // A slow-down of 1 is none.
        page.recorded.slowdown = Some(slowdown).filter(|slowdown| slowdown.total_cmp(&1.0).is_ne());
        Ok(Comparison::of(page, &*loads.load(page)?))
    };
    let late = |slowdown: f64| Ok(compare(slowdown)?.map_or(f64::NAN, |load| load.event));
    let explains = search(late, error(recorded))?;
    page.recorded.slowdown = match explains {
        Some(slowdown) if slowdown > 1.0 => {
            let plain = compare(1.0)?;
            let contradicts = |slowdown: f64| {
                let both = compare(slowdown)?.zip(plain);
                Ok(both.is_none_or(|(slow, plain)| slow.contradicts(plain)))
            };
            limit(contradicts, slowdown)?
        }
        other => other,
    };
    Ok(())
}

/// Returns the network's error of a recorded time, in milliseconds.
fn error(recorded: Duration) -> f64 {
    LEAST_MS.max(recorded.as_millis_f64() * NETWORK_ERROR)
}

/// A load against the recording, in milliseconds. Times count from the first byte of the document,
/// because the processor has no part in what comes before, such as name lookups.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    /// Lateness of `DOMContentLoaded`; negative if it is early.
    event: f64,
    /// Lateness of the first paint, and beyond the network's error of the load event and of the
    /// request that a quarter of those before `DOMContentLoaded` are later than. `None` if the
    /// recording or the load does not have them.
    others: [Option<f64>; 3],
}

impl Comparison {
    /// Compares a load; `None` if it failed or the event did not come.
    fn of(page: &Page, outcome: &Outcome) -> Option<Self> {
        let load = &outcome.load;
        let event = load
            .dom_content_loaded
            .filter(|_| outcome.failure.is_none())?;
        let on_content_load = page.recorded.on_content_load?;
        let first_byte = first_byte_late(page, outcome);
        let late = |simulated: Duration, recorded: Duration| {
            simulated.as_millis_f64() - recorded.as_millis_f64() - first_byte
        };
        let beyond = |(simulated, recorded)| late(simulated, recorded) - error(recorded);
        let paint = load.fcp.zip(page.recorded.first_paint);
        let requests = page.resources.iter().zip(&outcome.resources);
        let requests = requests.filter_map(|(resource, timing)| {
            let start = resource.recorded?.start;
            let counts = start < on_content_load && resource.id != page.document;
            let timing = timing.as_ref().filter(|_| counts)?;
            Some(beyond((timing.discovered.since_start(), start)))
        });
        Some(Self {
            event: late(event, on_content_load),
            others: [
                paint.map(|(simulated, recorded)| late(simulated, recorded)),
                load.onload.zip(page.recorded.on_load).map(beyond),
                third_quartile(requests.collect()),
            ],
        })
    }

    /// Returns true if anything is later than the recording and than in the `plain` load, on a
    /// processor that is not slow.
    fn contradicts(&self, plain: Self) -> bool {
        let others = self.others.into_iter().zip(plain.others);
        let mut others = others.filter_map(|(slow, plain)| slow.zip(plain));
        others.any(|(slow, plain)| slow > plain.max(0.0))
    }
}

/// Returns how much later than in the recording the first byte of the document came, in
/// milliseconds; 0 if the recording does not tell.
fn first_byte_late(page: &Page, outcome: &Outcome) -> f64 {
    let document = page.document.index();
    let timing = outcome.resources[document].as_ref();
    let recorded = page.resources[document].recorded.and_then(|times| {
        let receive = times.exchange?.receive;
        Some(times.end.saturating_sub(receive))
    });
    let both = recorded.zip(timing);
    both.map_or(0.0, |(recorded, timing)| {
        timing.response_start().as_millis_f64() - recorded.as_millis_f64()
    })
}

/// Returns the value that three of four do not exceed.
fn third_quartile(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * 3).div_ceil(4);
    values.get(rank.checked_sub(1)?).copied()
}

/// Returns the slow-down nearest to 1 at which `late` is at most `spared` milliseconds on either
/// side of 0; `None` if that is 1, or if there is none. `late` returns NaN for a load without the
/// event.
fn search(
    mut late: impl FnMut(f64) -> Result<f64, ScenarioError>,
    spared: f64,
) -> Result<Option<f64>, ScenarioError> {
    let first = late(1.0)?;
    if first.is_nan() || first.abs() <= spared {
        return Ok(None);
    }
    let (is_early, step) = (first < 0.0, if first < 0.0 { 2.0 } else { 0.5 });
    let passed = |by: f64| {
        if is_early {
            by >= -spared
        } else {
            by <= spared
        }
    };
    let (mut near, mut far) = (1.0, step);
    let mut by = late(far)?;
    while !passed(by) {
        (near, far) = (far, far * step);
        if by.is_nan() || far < RANGE.0 || far > RANGE.1 {
            return Ok(None);
        }
        by = late(far)?;
    }
    for _ in 0..BISECTIONS {
        let middle = f64::sqrt(near * far);
        let there = late(middle)?;
        if passed(there) {
            (far, by) = (middle, there);
        } else {
            near = middle;
        }
    }
    // The event may jump past the recorded one.
    Ok(Some(far).filter(|_| by.abs() <= spared))
}

/// Returns the largest slow-down up to `most` that does not contradict the recording, as far as
/// bisections tell; `None` if that is 1.
fn limit(
    mut contradicts: impl FnMut(f64) -> Result<bool, ScenarioError>,
    most: f64,
) -> Result<Option<f64>, ScenarioError> {
    if !contradicts(most)? {
        return Ok(Some(most));
    }
    let (mut near, mut far) = (1.0, most);
    for _ in 0..LIMIT_BISECTIONS {
        let middle = f64::sqrt(near * far);
        if contradicts(middle)? {
            far = middle;
        } else {
            near = middle;
        }
    }
    // The bisections do not tell less from 1.
    Ok(Some(near).filter(|near| *near > LIMIT_LEAST))
}

#[cfg(test)]
mod tests;

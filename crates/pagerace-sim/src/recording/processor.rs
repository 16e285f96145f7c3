//! Speed of a recording's processor: what `DOMContentLoaded` tells of it.
//!
//! Most recorders tell no processor times. The event comes when the document is parsed and its
//! scripts have run, so it is as late as the network and the processor make it. The network is known
//! from loads before this one.

use pagerace_page::Page;

use super::{exchange, own_load};
use crate::{ScenarioError, run};

/// Least and largest slow-down. Chromium throttles phones by 4 to 6, and processors differ by as
/// much again. What that does not explain has another cause.
const RANGE: (f64, f64) = (0.25, 16.0);
/// Difference that may be the network's, in milliseconds and as a share of the recorded time.
const LEAST_MS: f64 = 10.0;
const NETWORK_ERROR: f64 = 0.05;
/// Number of bisections; they narrow a factor of 2 to 9 %.
const BISECTIONS: usize = 3;

/// Fits the slow-down of a page whose recorder does not know it, so that a load over the recording's
/// own network reaches `DOMContentLoaded` when the recording did, except for the network's error. The
/// load paints no later than the recording. The page has no slow-down if none explains the recorded
/// event, or if the recording tells nothing of its network.
pub(super) fn fit(page: &mut Page) -> Result<(), ScenarioError> {
    let is_known = page.layout.is_some() || page.recorded.slowdown.is_some();
    let has_network = page.resources.iter().any(|r| exchange(r).is_some());
    let Some(recorded) = page.recorded.on_content_load else {
        return Ok(());
    };
    if is_known || !has_network {
        return Ok(());
    }
    let recorded = recorded.as_millis_f64();
    let spared = LEAST_MS.max(recorded * NETWORK_ERROR);
    let late = |slowdown: f64| -> Result<f64, ScenarioError> {
        page.recorded.slowdown = Some(slowdown);
        let outcome = run(&own_load(page), 1, false)?;
        let reached = outcome.load.dom_content_loaded;
        let Some(reached) = reached.filter(|_| outcome.failure.is_none()) else {
            return Ok(f64::NAN);
        };
        let event = reached.as_millis_f64() - recorded;
        let paints = page.recorded.first_paint.zip(outcome.load.fcp);
        let paint = paints.map(|(recorded, at)| at.as_millis_f64() - recorded.as_millis_f64());
        // A paint that is late anyway does not tell that the processor was faster.
        let paint = paint.filter(|_| slowdown > 1.0);
        Ok(paint.map_or(event, |paint| event.max(paint)))
    };
    page.recorded.slowdown = search(late, spared)?;
    Ok(())
}

/// Returns the slow-down nearest to 1 at which `late` is at most `spared` milliseconds on either side
/// of 0; `None` if that is 1, or if there is none. `late` returns NaN for a load without the event.
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

#[cfg(test)]
mod tests;

//! Speed of a recording's processor: what `DOMContentLoaded` tells of it.
//!
//! Most recorders tell no processor times. The event comes when the document is parsed and its
//! scripts have run, so it is as late as the network and the processor make it. The network is known
//! from loads before this one.

use pagerace_page::Page;

use super::reproduce;
use crate::ScenarioError;

/// Least and largest slow-down. Chromium throttles phones by 4 to 6, and processors differ by as
/// much again. What that does not explain has another cause.
const RANGE: (f64, f64) = (0.25, 16.0);
/// Difference that may be the network's, in milliseconds and as a share of the recorded time.
const LEAST_MS: f64 = 10.0;
const NETWORK_ERROR: f64 = 0.05;
/// Number of loads between two slow-downs of which one is too small and one too large: they
/// leave 9 % between them.
const LOADS: usize = 3;

/// Fits the slow-down of a page without recorded processor times, so that a load over the recording's
/// own network reaches `DOMContentLoaded` when the recording did, except for the network's error. A
/// recorded first paint is not passed. The page has no slow-down if no processor explains the
/// recorded time.
pub(super) fn fit(page: &mut Page) -> Result<(), ScenarioError> {
    let recorded = page.recorded.on_content_load.filter(|at| !at.is_zero());
    let Some(recorded) = recorded.filter(|_| page.layout.is_none()) else {
        return Ok(());
    };
    let recorded = recorded.as_millis_f64();
    let spared = LEAST_MS.max(recorded * NETWORK_ERROR);
    // Returns how much later than in the recording the event comes, or the first paint, if recorded.
    let mut late = |slowdown: f64| -> Result<f64, ScenarioError> {
        page.recorded.slowdown = Some(slowdown);
        let load = reproduce(page)?;
        let paints = page.recorded.first_paint.zip(load.fcp);
        let paint = paints.map(|(recorded, at)| at.as_millis_f64() - recorded.as_millis_f64());
        let reached = load.dom_content_loaded;
        let event = reached.map_or(f64::NAN, |at| at.as_millis_f64() - recorded);
        Ok(paint.map_or(event, |paint| event.max(paint)))
    };
    let found = search(&mut late, spared)?;
    page.recorded.slowdown = found;
    Ok(())
}

/// Returns the slow-down nearest to 1 at which `late` is at most `spared` milliseconds on either side
/// of 0; `None` if that is 1, or if there is none. A load that fails is not a number late.
fn search(
    mut late: impl FnMut(f64) -> Result<f64, ScenarioError>,
    spared: f64,
) -> Result<Option<f64>, ScenarioError> {
    let first = late(1.0)?;
    if first.is_nan() || first.abs() <= spared {
        return Ok(None);
    }
    let step = if first < 0.0 { 2.0 } else { 0.5 };
    let mut passed = |slowdown: f64| -> Result<Option<bool>, ScenarioError> {
        let by = late(slowdown)?;
        let left = if first < 0.0 {
            by + spared
        } else {
            spared - by
        };
        Ok((!left.is_nan()).then_some(left >= 0.0))
    };
    let (mut near, mut far) = (1.0, step);
    loop {
        match passed(far)? {
            Some(true) => break,
            Some(false) if RANGE.0 < far && far < RANGE.1 => (near, far) = (far, far * step),
            _ => return Ok(None),
        }
    }
    for _ in 0..LOADS {
        let middle = f64::sqrt(near * far);
        match passed(middle)? {
            Some(true) => far = middle,
            Some(false) => near = middle,
            None => return Ok(None),
        }
    }
    Ok(Some(far))
}

#[cfg(test)]
mod tests;

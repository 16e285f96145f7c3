//! Controllers on a simulated link, checked against the literature.

mod net;

mod compete;
mod delay;
mod lossy;
mod steady;

use pagerace_cc::registry;

/// Returns the names of all controllers.
fn names() -> impl Iterator<Item = &'static str> {
    registry().iter().map(|info| info.name)
}

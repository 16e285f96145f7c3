//! Controllers on a link: what the literature says of each, seen.

mod net;

mod compete;
mod delay;
mod lossy;
mod steady;

use pagerace_cc::registry;

/// All names.
fn names() -> impl Iterator<Item = &'static str> {
    registry().iter().map(|info| info.name)
}

//! Programs for Node.js: speedline for the Speed Index, Lighthouse as a second
//! opinion.
//!
//! What they need is part of this crate: a manifest, a lock file, and a script that
//! reads and writes JSON. It is unpacked into the user's cache folder and installed
//! by `npm ci` on first use. Without Node.js both are errors that say so, and all
//! else works.

mod lighthouse;
mod package;
mod run;
mod speedline;

pub use lighthouse::{Lighthouse, LighthouseMetrics, Throttling, lighthouse};
pub use speedline::{SpeedIndex, Speedline};

//! Programs for Node.js: speedline for the Speed Index, and Lighthouse for comparison.
//!
//! The crate embeds a manifest, a lock file, and a script that reads and writes JSON for
//! each program. On first use, these are unpacked into the user's cache folder and
//! installed with `npm ci`. Without Node.js, both programs return an error that says so,
//! and everything else works.

mod lighthouse;
mod package;
mod run;
mod speedline;

pub use lighthouse::{Lighthouse, Throttling, lighthouse};
pub use speedline::{SpeedIndex, Speedline};

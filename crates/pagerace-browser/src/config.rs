//! Settings of the browser model.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use crate::Profile;

/// The browser to model, and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrowserConfig {
    /// The profile that determines priority signals and the order of requests.
    pub profile: &'static Profile,
    /// The slow-down against the recording's processor. For a desktop, 4 is Lighthouse's mid-tier
    /// phone.
    pub cpu: f64,
    /// The sigma of the log-normal run-to-run variation of think times and CPU costs; 0
    /// disables it.
    pub jitter: f64,
}

/// Valid slow-down factors of the main thread.
pub const CPU: RangeInclusive<f64> = 0.01..=1_000.0;
/// Valid sigmas of the run-to-run variation.
pub const JITTER: RangeInclusive<f64> = 0.0..=2.0;

impl BrowserConfig {
    /// Checks that the values are in their ranges.
    ///
    /// # Errors
    /// Returns the setting, the value found and the values expected.
    pub fn check(&self) -> Result<(), String> {
        if !CPU.contains(&self.cpu) {
            return Err(format!(
                "cpu: found {}, expected {} to {}; 1 is the recording's processor, 4 turns a desktop into a phone",
                self.cpu,
                CPU.start(),
                CPU.end()
            ));
        }
        if !JITTER.contains(&self.jitter) {
            return Err(format!("jitter: {} is not between 0 and 2", self.jitter));
        }
        Ok(())
    }
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self {
            profile: Profile::CHROME,
            cpu: 1.0,
            jitter: 0.1,
        }
    }
}

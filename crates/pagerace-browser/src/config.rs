//! Settings of the browser model.

use serde::{Deserialize, Serialize};

/// Which browser is modelled and on what machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrowserConfig {
    /// What is signalled, and in which order requests are made.
    pub profile: Profile,
    /// Main-thread slow-down: 1 for a desktop, 4 for Lighthouse's mid-tier phone.
    pub cpu: f64,
    /// Sigma of the log-normal run-to-run variation of think times and CPU
    /// costs; 0 turns it off.
    pub jitter: f64,
}

/// A browser's way of asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Chromium.
    #[default]
    Chrome,
    /// Firefox.
    Firefox,
    /// Safari.
    Safari,
}

impl Default for BrowserConfig {
    fn default() -> Self {
        Self {
            profile: Profile::Chrome,
            cpu: 1.0,
            jitter: 0.1,
        }
    }
}

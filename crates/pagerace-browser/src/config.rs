//! Settings of the browser model.

use serde::{Deserialize, Serialize};

/// The browser to model, and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrowserConfig {
    /// The profile that determines priority signals and the order of requests.
    pub profile: Profile,
    /// The main-thread slow-down: 1 for a desktop, 4 for Lighthouse's mid-tier phone.
    pub cpu: f64,
    /// The sigma of the log-normal run-to-run variation of think times and CPU costs; 0
    /// disables it.
    pub jitter: f64,
}

/// The browser whose request behaviour is modelled.
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

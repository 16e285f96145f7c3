//! Devices on which pages are recorded: screen, pixel density, user agent, CPU speed.
//!
//! The mobile device is Lighthouse's Moto G Power; the tablet is an iPad-sized Android
//! tablet from Chromium's own device list.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A screen, a user agent and a CPU speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Device {
    /// The name, such as `desktop`.
    #[serde(default = "unnamed")]
    pub name: String,
    /// The width of the viewport in CSS pixels.
    pub width: u32,
    /// The height of the viewport in CSS pixels.
    pub height: u32,
    /// The number of physical pixels per CSS pixel.
    #[serde(default = "one")]
    pub scale: f64,
    /// True if the device has a touch screen and honours `<meta name=viewport>`.
    #[serde(default)]
    pub mobile: bool,
    /// The `User-Agent`, in which `Chrome/VERSION` is replaced by the browser's version.
    /// If `None`, the browser's own without the word `Headless`.
    pub user_agent: Option<String>,
    /// The factor by which the CPU is slower than that of the machine that emulates the
    /// device, at least 1.
    #[serde(default = "one")]
    pub cpu: f64,
}

fn unnamed() -> String {
    "unnamed".to_owned()
}

const fn one() -> f64 {
    1.0
}

/// The CPU slow-down of phones and tablets.
///
/// # Source
/// Lighthouse's simulated mobile device, `throttling.cpuSlowdownMultiplier` in
/// `core/config/constants.js`.
const MOBILE_CPU: f64 = 4.0;

/// Error for a name that no predefined device has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no device is called {name:?}; choose desktop, mobile or tablet")]
pub struct UnknownDevice {
    /// The name that the user wrote.
    pub name: String,
}

impl Device {
    /// The names of the predefined devices.
    pub const NAMES: [&'static str; 3] = ["desktop", "mobile", "tablet"];

    /// Returns the device `desktop`, `mobile` or `tablet`.
    ///
    /// # Errors
    /// Returns [`UnknownDevice`] if no device has this name.
    pub fn named(name: &str) -> Result<Self, UnknownDevice> {
        match name {
            "desktop" => Ok(Self::desktop()),
            "mobile" => Ok(Self::mobile()),
            "tablet" => Ok(Self::tablet()),
            _ => Err(UnknownDevice { name: name.into() }),
        }
    }

    /// Returns Lighthouse's desktop: 1350 x 940 at scale 1.
    pub fn desktop() -> Self {
        Self {
            name: "desktop".into(),
            width: 1350,
            height: 940,
            scale: 1.0,
            mobile: false,
            user_agent: None,
            cpu: 1.0,
        }
    }

    /// Returns Lighthouse's Moto G Power: 412 x 823 at scale 1.75, four times slower.
    pub fn mobile() -> Self {
        let agent = "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/VERSION Mobile Safari/537.36";
        Self::android("mobile", (412, 823), 1.75, agent)
    }

    /// Returns an Android tablet in portrait orientation: 800 x 1280 at scale 2, four
    /// times slower.
    pub fn tablet() -> Self {
        let agent = "Mozilla/5.0 (Linux; Android 11; SM-T510) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/VERSION Safari/537.36";
        Self::android("tablet", (800, 1280), 2.0, agent)
    }

    fn android(name: &str, (width, height): (u32, u32), scale: f64, agent: &str) -> Self {
        Self {
            name: name.into(),
            width,
            height,
            scale,
            mobile: true,
            user_agent: Some(agent.into()),
            cpu: MOBILE_CPU,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_device() {
        for name in Device::NAMES {
            assert_eq!(Device::named(name).unwrap().name, name);
        }
        let error = Device::named("toaster").unwrap_err().to_string();
        assert!(error.contains("toaster") && error.contains("tablet"));
    }
}

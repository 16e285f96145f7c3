//! Emulated devices: screen, pixel density, user agent, CPU speed.
//!
//! The mobile device is Lighthouse's Moto G Power; the tablet is an iPad-sized Android
//! tablet from Chromium's own device list. Chromium throttles the threads of the page's
//! process for both.

use serde_json::{Value, json};

use crate::cdp::Session;
use crate::error::ChromiumError;

/// A screen, a user agent and a CPU speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The name, such as `desktop`.
    pub name: String,
    /// The width of the viewport in CSS pixels.
    pub width: u32,
    /// The height of the viewport in CSS pixels.
    pub height: u32,
    /// The number of physical pixels per CSS pixel.
    pub scale: f64,
    /// True if the device has a touch screen and honours `<meta name=viewport>`.
    pub mobile: bool,
    /// The `User-Agent`, in which `Chrome/VERSION` is replaced by the browser's version.
    /// If `None`, the browser's own without the word `Headless`.
    pub user_agent: Option<String>,
    /// The factor by which the CPU is slower than that of this machine: the rate of
    /// DevTools' `Emulation.setCPUThrottlingRate`, at least 1.
    pub cpu: f64,
}

/// The CPU slow-down of phones and tablets.
///
/// # Source
/// Lighthouse's simulated mobile device, `throttling.cpuSlowdownMultiplier` in
/// `core/config/constants.js`.
const MOBILE_CPU: f64 = 4.0;

impl Device {
    /// The names of the predefined devices.
    pub const NAMES: [&'static str; 3] = ["desktop", "mobile", "tablet"];

    /// Returns the device `desktop`, `mobile` or `tablet`.
    ///
    /// # Errors
    /// Returns [`ChromiumError::Device`] if no device has this name.
    pub fn named(name: &str) -> Result<Self, ChromiumError> {
        match name {
            "desktop" => Ok(Self::desktop()),
            "mobile" => Ok(Self::mobile()),
            "tablet" => Ok(Self::tablet()),
            _ => Err(ChromiumError::Device { name: name.into() }),
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
        Self {
            name: "mobile".into(),
            width: 412,
            height: 823,
            scale: 1.75,
            mobile: true,
            user_agent: Some(
                "Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/VERSION Mobile Safari/537.36".into(),
            ),
            cpu: MOBILE_CPU,
        }
    }

    /// Returns an Android tablet in portrait orientation: 800 x 1280 at scale 2, four
    /// times slower.
    pub fn tablet() -> Self {
        Self {
            name: "tablet".into(),
            width: 800,
            height: 1280,
            scale: 2.0,
            mobile: true,
            user_agent: Some(
                "Mozilla/5.0 (Linux; Android 11; SM-T510) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/VERSION Safari/537.36".into(),
            ),
            cpu: MOBILE_CPU,
        }
    }

    /// Returns the user agent that pages see, given the browser's own user agent and version.
    pub fn user_agent(&self, own: &str, version: &str) -> String {
        let major = version.split('.').next().unwrap_or(version);
        match &self.user_agent {
            // Chrome itself reveals only its major version to pages.
            Some(text) => text.replace("Chrome/VERSION", &format!("Chrome/{major}.0.0.0")),
            None => own.replace("HeadlessChrome", "Chrome"),
        }
    }

    /// Makes `session` emulate this device.
    pub(crate) fn apply(
        &self,
        session: &mut Session,
        own_agent: &str,
        version: &str,
    ) -> Result<(), ChromiumError> {
        session.call("Emulation.setDeviceMetricsOverride", self.metrics())?;
        if self.mobile {
            session.call(
                "Emulation.setTouchEmulationEnabled",
                json!({"enabled": true, "maxTouchPoints": 5}),
            )?;
        }
        if self.cpu > 1.0 {
            session.call("Emulation.setCPUThrottlingRate", json!({"rate": self.cpu}))?;
        }
        session.call(
            "Emulation.setUserAgentOverride",
            self.agent_override(own_agent, version),
        )?;
        Ok(())
    }

    fn metrics(&self) -> Value {
        json!({
            "width": self.width,
            "height": self.height,
            "deviceScaleFactor": self.scale,
            "mobile": self.mobile,
        })
    }

    /// Returns the user agent and the matching client hints.
    fn agent_override(&self, own_agent: &str, version: &str) -> Value {
        let major = version.split('.').next().unwrap_or(version);
        let brands = |version: &str| {
            json!([
                {"brand": "Chromium", "version": version},
                {"brand": "Not.A/Brand", "version": "24"},
            ])
        };
        json!({
            "userAgent": self.user_agent(own_agent, version),
            "userAgentMetadata": {
                "brands": brands(major),
                "fullVersionList": brands(version),
                "platform": if self.mobile { "Android" } else { "Linux" },
                "platformVersion": if self.mobile { "11" } else { "" },
                "architecture": if self.mobile { "" } else { "x86" },
                "model": "",
                "mobile": self.mobile,
            },
        })
    }
}

#[cfg(test)]
mod tests;

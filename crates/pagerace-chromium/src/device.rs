//! What a page runs on: screen, density, user agent, speed of the processor.
//!
//! Mobile and tablet are the devices of Lighthouse (Moto G Power) and of
//! Chromium's own device list (iPad-sized Android tablet). Chromium slows down the
//! threads of the page's process for them.

use serde_json::{Value, json};

use crate::cdp::Session;
use crate::error::ChromiumError;

/// A screen and a user agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Name, such as `desktop`.
    pub name: String,
    /// Viewport width, CSS pixels.
    pub width: u32,
    /// Viewport height, CSS pixels.
    pub height: u32,
    /// Physical pixels per CSS pixel.
    pub scale: f64,
    /// Whether it has a touch screen and honours `<meta name=viewport>`.
    pub mobile: bool,
    /// The `User-Agent`; `Chrome/VERSION` in it becomes the browser's own version.
    /// None: the browser's own, without the word `Headless`.
    pub user_agent: Option<String>,
    /// How many times slower than this machine's its processor is: the rate of
    /// DevTools' `Emulation.setCPUThrottlingRate`, 1 or more.
    pub cpu: f64,
}

/// Of phones and tablets.
///
/// # Source
/// Lighthouse's simulated mobile device, `throttling.cpuSlowdownMultiplier` in
/// `core/config/constants.js`.
const MOBILE_CPU: f64 = 4.0;

impl Device {
    /// The devices that have a name.
    pub const NAMES: [&'static str; 3] = ["desktop", "mobile", "tablet"];

    /// `desktop`, `mobile` or `tablet`.
    ///
    /// # Errors
    /// [`ChromiumError::Device`]: no device has this name.
    pub fn named(name: &str) -> Result<Self, ChromiumError> {
        match name {
            "desktop" => Ok(Self::desktop()),
            "mobile" => Ok(Self::mobile()),
            "tablet" => Ok(Self::tablet()),
            _ => Err(ChromiumError::Device { name: name.into() }),
        }
    }

    /// 1350 x 940 at scale 1: Lighthouse's desktop.
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

    /// 412 x 823 at scale 1.75, four times slower: Lighthouse's Moto G Power.
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

    /// 800 x 1280 at scale 2, four times slower: an Android tablet, upright.
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

    /// What pages are told, given the browser's own user agent and version.
    pub fn user_agent(&self, own: &str, version: &str) -> String {
        let major = version.split('.').next().unwrap_or(version);
        match &self.user_agent {
            // Chrome itself tells pages no more than its major version.
            Some(text) => text.replace("Chrome/VERSION", &format!("Chrome/{major}.0.0.0")),
            None => own.replace("HeadlessChrome", "Chrome"),
        }
    }

    /// Makes `session` appear as this device.
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

    /// The user agent, and the client hints that go with it.
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

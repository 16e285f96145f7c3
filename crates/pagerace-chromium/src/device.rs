//! Emulation of a device.

use pagerace_har::Device;
use serde_json::{Value, json};

use crate::cdp::Session;
use crate::error::ChromiumError;

/// Returns the user agent that pages see, given the browser's own user agent and version.
pub(crate) fn user_agent(device: &Device, own: &str, version: &str) -> String {
    let major = version.split('.').next().unwrap_or(version);
    match &device.user_agent {
        // Chrome itself reveals only its major version to pages.
        Some(text) => text.replace("Chrome/VERSION", &format!("Chrome/{major}.0.0.0")),
        None => own.replace("HeadlessChrome", "Chrome"),
    }
}

/// Makes `session` emulate the device, except for its slow processor; see [`throttle`].
pub(crate) fn emulate(
    device: &Device,
    session: &mut Session,
    own_agent: &str,
    version: &str,
) -> Result<(), ChromiumError> {
    session.call("Emulation.setDeviceMetricsOverride", metrics(device))?;
    if device.mobile {
        session.call(
            "Emulation.setTouchEmulationEnabled",
            json!({"enabled": true, "maxTouchPoints": 5}),
        )?;
    }
    session.call(
        "Emulation.setUserAgentOverride",
        agent_override(device, own_agent, version),
    )?;
    Ok(())
}

/// Slows the main thread of the page down if the device has a slow processor.
///
/// Chromium interrupts the thread every 0.2 ms, and spins for three times as long as it may have
/// run since the last time (for a device four times slower), even if it slept or waited for a
/// processor.
pub(crate) fn throttle(device: &Device, session: &mut Session) -> Result<(), ChromiumError> {
    if device.cpu > 1.0 {
        set_rate(session, device.cpu)?;
    }
    Ok(())
}

/// Gives the main thread of the page its own speed again.
pub(crate) fn release(device: &Device, session: &mut Session) -> Result<(), ChromiumError> {
    if device.cpu > 1.0 {
        set_rate(session, 1.0)?;
    }
    Ok(())
}

fn set_rate(session: &mut Session, rate: f64) -> Result<(), ChromiumError> {
    session.call("Emulation.setCPUThrottlingRate", json!({"rate": rate}))?;
    Ok(())
}

fn metrics(device: &Device) -> Value {
    json!({
        "width": device.width,
        "height": device.height,
        "deviceScaleFactor": device.scale,
        "mobile": device.mobile,
    })
}

/// Returns the user agent and the matching client hints.
fn agent_override(device: &Device, own_agent: &str, version: &str) -> Value {
    let major = version.split('.').next().unwrap_or(version);
    let brands = |version: &str| {
        json!([
            {"brand": "Chromium", "version": version},
            {"brand": "Not.A/Brand", "version": "24"},
        ])
    };
    json!({
        "userAgent": user_agent(device, own_agent, version),
        "userAgentMetadata": {
            "brands": brands(major),
            "fullVersionList": brands(version),
            "platform": if device.mobile { "Android" } else { "Linux" },
            "platformVersion": if device.mobile { "11" } else { "" },
            "architecture": if device.mobile { "" } else { "x86" },
            "model": "",
            "mobile": device.mobile,
        },
    })
}

#[cfg(test)]
mod tests;

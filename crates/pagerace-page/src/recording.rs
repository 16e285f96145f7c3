//! A recording with its bodies: what replay needs.

use bytes::Bytes;
use url::Url;

use crate::{Page, ResourceId};

pub use crate::har::{load_recording, recording_from_bytes};

/// A page, and every exchange of its recording with its body.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The page as the race sees it.
    pub page: Page,
    /// In the order of the recording.
    pub exchanges: Vec<Exchange>,
    /// On what it was recorded, if the recording says so.
    pub device: Option<Device>,
}

/// A request and its response, as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Absolute URL.
    pub url: Url,
    /// HTTP method.
    pub method: String,
    /// HTTP status.
    pub status: u16,
    /// Response fields: lower-case names and values, without pseudo-fields.
    pub fields: Vec<(String, String)>,
    /// The decoded body; `None` if the recording has none.
    pub body: Option<Bytes>,
    /// Bytes of the body as it was transferred.
    pub encoded_bytes: Option<u64>,
    /// Which resource of the page it became; `None` if it was left out.
    pub resource: Option<ResourceId>,
    /// Why it failed, in the recorder's words.
    pub failed: Option<String>,
}

/// A screen, and who the browser said that it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Such as `desktop`.
    pub name: String,
    /// Width of the viewport, CSS pixels.
    pub width: u32,
    /// Height of the viewport, CSS pixels.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub scale: f64,
    /// Whether it has a touch screen and a mobile viewport.
    pub mobile: bool,
    /// `user-agent`, if not the browser's own.
    pub user_agent: Option<String>,
    /// How many times slower than the recording machine's its processor is.
    pub cpu: f64,
}

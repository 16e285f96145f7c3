//! A recording including its bodies, as replay needs it.

use bytes::Bytes;
use url::Url;

use pagerace_page::{Page, ResourceId};

use crate::device::Device;

pub use crate::har::{load_recording, recording_from_bytes};

/// A page, and every exchange of its recording with its body.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The page that the recording describes.
    pub page: Page,
    /// Exchanges in recorded order.
    pub exchanges: Vec<Exchange>,
    /// Device that the page was recorded on, if known.
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
    /// The rules of a style sheet that the first screen needs, if known.
    pub first_screen: Option<String>,
    /// Bytes of an image as a WebP file of its quality, if known.
    pub webp_bytes: Option<u64>,
    /// Bytes of an image as an AVIF file of its quality, if known.
    pub avif_bytes: Option<u64>,
    /// Bytes of the body as transferred.
    pub encoded_bytes: Option<u64>,
    /// The resource that the exchange became; `None` if it was left out of the page.
    pub resource: Option<ResourceId>,
    /// Reason of a failure, in the recorder's words.
    pub failed: Option<String>,
}

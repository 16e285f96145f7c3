//! One run in detail: what the pictures are drawn from.

use pagerace_core::{Duration, Instant, Protocol};
use serde::{Deserialize, Serialize};

/// The run that stands for a variant: the median one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunDetail {
    /// Which run, from zero.
    pub run: u32,
    /// Why the load did not finish, if it did not.
    pub failure: Option<String>,
    /// Moments to mark: name as in [`super::Metric::name`] (`fcp`, `lcp`, `onload`), and when.
    pub marks: Vec<(String, Instant)>,
    /// Visual progress, ascending in time; holds its value until the next point.
    pub visual_progress: Vec<ProgressPoint>,
    /// One entry for each resource of the page; `None` where it was never requested.
    pub timings: Vec<Option<Timing>>,
    /// Response bytes leaving the servers, in order of time.
    pub frames: Vec<Frame>,
    /// Packets that did not arrive.
    pub drops: Vec<Drop>,
    /// Spans in which a resource's bytes waited behind a gap.
    pub hol_gaps: Vec<HolGap>,
}

/// A step of the visual progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProgressPoint {
    /// From when on.
    pub at: Instant,
    /// What share of the final picture is there, 0 to 1.
    pub share: f64,
}

/// A resource's way through the network; the spans follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Over which version of HTTP it came.
    pub protocol: Protocol,
    /// Its connection, by order of opening; `None` if the request never left.
    pub connection: Option<u32>,
    /// The connection was open, or being opened, before this request.
    pub reused: bool,
    /// The browser knew that it needs the resource.
    pub discovered: Instant,
    /// Held back by the browser's own scheduler.
    pub queued: Duration,
    /// Waited for another request to set the connection up.
    pub blocked: Duration,
    /// Name look-up.
    pub dns: Duration,
    /// Connection set-up.
    pub connect: Duration,
    /// From the request to the first response byte.
    pub wait: Duration,
    /// From the first response byte to the last.
    pub receive: Duration,
    /// Stream bytes that waited for earlier bytes of this stream.
    pub hol_blocked_bytes: u64,
    /// Bytes that waited for bytes of other streams only (TCP).
    pub hol_other_bytes: u64,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            protocol: Protocol::H3,
            connection: None,
            reused: false,
            discovered: Instant::ZERO,
            queued: Duration::ZERO,
            blocked: Duration::ZERO,
            dns: Duration::ZERO,
            connect: Duration::ZERO,
            wait: Duration::ZERO,
            receive: Duration::ZERO,
            hol_blocked_bytes: 0,
            hol_other_bytes: 0,
        }
    }
}

/// Response bytes leaving a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// When.
    pub at: Instant,
    /// Which connection, by order of opening.
    pub connection: u32,
    /// Index into the page's resources.
    pub resource: u32,
    /// Offset on the stream.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Whether any of them had been sent before.
    pub retransmission: bool,
}

/// A packet that did not arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drop {
    /// When it was sent.
    pub at: Instant,
    /// Which connection.
    pub connection: u32,
    /// True: no room in the queue. False: lost on the link.
    pub queue: bool,
}

/// A span in which received bytes of a resource waited for earlier ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolGap {
    /// Index into the page's resources.
    pub resource: u32,
    /// The first byte behind the gap arrived.
    pub from: Instant,
    /// The gap was filled.
    pub until: Instant,
    /// Most bytes that waited at once.
    pub bytes: u64,
}

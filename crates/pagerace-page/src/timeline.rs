//! The course of a load over the network, simulated or live: timings of its resources, and the
//! bytes and losses on the wire.

use pagerace_core::{Duration, Instant, Priority, Protocol};
use serde::{Deserialize, Serialize};

use crate::ResourceId;

/// Network timing of one resource, in the terms of Resource Timing and HAR. The spans are
/// disjoint and in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTiming {
    /// HTTP version of the connection.
    pub protocol: Protocol,
    /// Priority that the server read in the `priority` field (RFC 9218). `None` if no
    /// server saw the request, and in live loads.
    #[serde(default)]
    pub priority: Option<Priority>,
    /// Number of the connection, in order of opening; `None` if the request never left.
    pub connection: Option<u32>,
    /// True if the connection was open, or being opened, before this request.
    pub reused: bool,
    /// Time at which the browser discovered the resource.
    pub discovered: Instant,
    /// Time for which the browser's own scheduler held the request back.
    pub queued: Duration,
    /// Time that the request waited for a connection: for another request to set it up,
    /// or over HTTP/1.1 for a free one.
    pub blocked: Duration,
    /// Name lookup, if this request caused it.
    pub dns: Duration,
    /// Connection set-up, if this request caused it.
    pub connect: Duration,
    /// Time from handing the request to its connection until the response's header
    /// section.
    pub wait: Duration,
    /// Time from the response's header section until its last byte.
    pub receive: Duration,
    /// Stream bytes that waited for earlier bytes of this stream.
    pub hol_blocked_bytes: u64,
    /// Bytes that waited only for bytes of other streams (TCP).
    pub hol_other_bytes: u64,
}

/// Record of the wire and of the screen, for visualisation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Response bytes in the order in which the servers sent them.
    pub frames: Vec<FrameSent>,
    /// Packets that did not arrive, with the reason.
    pub drops: Vec<PacketDrop>,
    /// Spans in which bytes of a resource waited behind a gap.
    pub hol_gaps: Vec<HolGap>,
    /// Parts of the picture in the order in which a person sees them.
    #[serde(default)]
    pub paints: Vec<Paint>,
}

/// A part of the picture that appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paint {
    /// Time from which it is visible.
    pub at: Instant,
    /// The part.
    pub part: Part,
    /// Rows of an image that are visible from then on, in thousandths; 1000 for anything else.
    pub rows: u16,
    /// Pixels that the paint adds to the picture.
    pub area: u32,
}

/// A part of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// An element that needs no image: its place in [`PageLayout::elements`](crate::PageLayout), or
    /// among the assumed blocks of text of a page without a layout.
    Block(u32),
    /// All places of an image.
    Image(ResourceId),
}

/// Response bytes in a packet that leaves a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameSent {
    /// Time of sending.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// Resource that the bytes belong to.
    pub resource: ResourceId,
    /// Offset on the stream.
    pub offset: u64,
    /// Number of bytes.
    pub length: u32,
    /// True if any of the bytes had been sent before.
    pub retransmission: bool,
}

/// Packet that the downlink did not deliver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketDrop {
    /// Time of sending.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// True if the queue dropped the packet, false if it was lost on the link.
    pub queue: bool,
    /// Resources whose response bytes it carried, each once.
    #[serde(default)]
    pub resources: Vec<ResourceId>,
}

/// Span in which received bytes of a resource could not be delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HolGap {
    /// The resource.
    pub resource: ResourceId,
    /// Arrival of the first byte behind the gap.
    pub from: Instant,
    /// Time at which the gap was filled.
    pub until: Instant,
    /// Largest number of bytes that waited at once.
    pub bytes: u64,
}

impl ResourceTiming {
    /// Returns the time at which the request left the browser.
    pub fn request_start(&self) -> Instant {
        self.discovered + self.queued + self.blocked + self.dns + self.connect
    }

    /// Returns the time at which the response's header section arrived.
    pub fn response_start(&self) -> Instant {
        self.request_start() + self.wait
    }

    /// Returns the time at which the last response byte arrived.
    pub fn response_end(&self) -> Instant {
        self.response_start() + self.receive
    }
}

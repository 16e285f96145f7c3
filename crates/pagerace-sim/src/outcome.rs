//! Outcome of one simulated page load.

use pagerace_browser::LoadMetrics;
use pagerace_core::{Duration, Instant, Priority, Protocol};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::reliability::ObjectDelivery;

/// Outcome of one page load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Metrics of the load as a person perceives it.
    pub load: LoadMetrics,
    /// Counters of the network and the transports.
    pub transport: TransportCounters,
    /// Timing of each resource in page order; `None` if no request for it was made over
    /// the network.
    pub resources: Vec<Option<ResourceTiming>>,
    /// Delivery of each object in page order; `None` if it did not end over the network.
    #[serde(default)]
    pub objects: Vec<Option<ObjectDelivery>>,
    /// Time since the start of the navigation at which the last essential object that the
    /// load event waits for was complete. `None` if one of them was not, or if the
    /// scenario does not say which objects are essential.
    #[serde(default)]
    pub essential: Option<Duration>,
    /// Visual progress of the browser model: time and share in 0..=1, in order of time.
    pub visual_progress: Vec<(Instant, f64)>,
    /// Reason why the load did not finish, if it did not.
    pub failure: Option<String>,
    /// Requests that the scenario's interventions leave unanswered forever. The load then
    /// ends once it waits for nothing else, and events that depend on these requests
    /// never happen.
    #[serde(default)]
    pub unanswered: Vec<ResourceId>,
    /// Time at which the load ended or was given up.
    pub finished_at: Instant,
    /// Packet-level record, if the caller asked for it.
    pub trace: Option<Trace>,
}

/// Sums over all connections of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportCounters {
    /// Connections opened.
    pub connections: u64,
    /// Packets that the servers sent.
    pub packets_sent: u64,
    /// Packets that the servers declared lost.
    pub packets_lost: u64,
    /// Packets that the downlink's loss process dropped.
    pub link_losses: u64,
    /// Packets that the downlink's queue dropped.
    pub queue_drops: u64,
    /// Stream bytes that the servers sent again.
    pub retransmitted_bytes: u64,
    /// Bytes that the servers sent, including IP and UDP or TCP headers, and packets that
    /// the queue dropped.
    pub bytes_down: u64,
    /// Bytes that the client sent, counted likewise.
    pub bytes_up: u64,
    /// Stream bytes that arrived while earlier bytes of the same stream were missing
    /// (Sander 2022, receiver side).
    pub hol_blocked_bytes: u64,
    /// Sum of the milliseconds that each of these bytes waited.
    pub hol_blocked_byte_ms: u64,
    /// Response bytes that arrived over TCP and waited only for bytes of other streams:
    /// nothing of their own stream was missing before them.
    pub hol_other_bytes: u64,
    /// Sum of the milliseconds that each of these bytes waited.
    pub hol_other_byte_ms: u64,
    /// Objects that came in datagrams and ended, complete or not.
    #[serde(default)]
    pub datagram_objects: u64,
    /// Bytes of these objects' content.
    #[serde(default)]
    pub datagram_bytes: u64,
    /// Bytes of content that the page never received.
    #[serde(default)]
    pub data_lost_bytes: u64,
    /// Bytes of content that datagrams lost and range requests fetched again.
    #[serde(default)]
    pub repaired_bytes: u64,
    /// Objects for which range requests fetched lost bytes again.
    #[serde(default)]
    pub repaired_objects: u64,
    /// Objects that are of no use because bytes are missing.
    #[serde(default)]
    pub broken_objects: u64,
    /// Objects that are usable although bytes are missing.
    #[serde(default)]
    pub partial_objects: u64,
}

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

/// Record of the wire, for visualisation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Response bytes in the order in which the servers sent them.
    pub frames: Vec<FrameSent>,
    /// Packets that did not arrive, with the reason.
    pub drops: Vec<PacketDrop>,
    /// Spans in which bytes of a resource waited behind a gap.
    pub hol_gaps: Vec<HolGap>,
}

/// Response bytes in a packet that leaves a server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketDrop {
    /// Time of sending.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// True if the queue dropped the packet, false if it was lost on the link.
    pub queue: bool,
}

/// Span in which received bytes of a resource could not be delivered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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

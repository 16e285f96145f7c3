//! What came out of one simulated page load.

use pagerace_browser::LoadMetrics;
use pagerace_core::{Duration, Instant, Priority, Protocol};
use pagerace_page::ResourceId;
use serde::{Deserialize, Serialize};

use crate::objects::ObjectDelivery;

/// One page load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// What a person would have seen.
    pub load: LoadMetrics,
    /// What the network did.
    pub transport: TransportCounters,
    /// Per resource, in page order; `None` where it was never requested.
    pub resources: Vec<Option<ResourceTiming>>,
    /// What the page got of each object, in page order; `None` where it was not
    /// delivered over the network to its end.
    #[serde(default)]
    pub objects: Vec<Option<ObjectDelivery>>,
    /// When the last of the essential objects that the load event waits for was
    /// complete, since the start of the navigation; `None` if one was not, or nobody
    /// said which are essential.
    #[serde(default)]
    pub essential: Option<Duration>,
    /// Visual progress: (time, share in 0..=1), ascending; the model's.
    pub visual_progress: Vec<(Instant, f64)>,
    /// Why the load did not finish, if it did not.
    pub failure: Option<String>,
    /// Requests that will never be answered, as the scenario's interventions
    /// have it. The load then ended when nothing else was waited for; what it
    /// has not reached by then never comes.
    #[serde(default)]
    pub unanswered: Vec<ResourceId>,
    /// When everything that was requested had arrived.
    pub finished_at: Instant,
    /// Packet by packet, if the scenario asked for it.
    pub trace: Option<Trace>,
}

/// Sums over all connections of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransportCounters {
    /// Connections opened.
    pub connections: u64,
    /// Packets the servers sent.
    pub packets_sent: u64,
    /// Packets the servers declared lost.
    pub packets_lost: u64,
    /// Packets the downlink dropped by its loss process.
    pub link_losses: u64,
    /// Packets the downlink's queue had no room for.
    pub queue_drops: u64,
    /// Stream bytes the servers sent again.
    pub retransmitted_bytes: u64,
    /// Bytes the servers sent, IP and UDP or TCP headers included; those that the
    /// queue had no room for too.
    pub bytes_down: u64,
    /// Bytes the client sent, likewise.
    pub bytes_up: u64,
    /// Stream bytes that arrived while earlier bytes of the same stream were
    /// missing (Sander 2022, receiver side).
    pub hol_blocked_bytes: u64,
    /// The same bytes, each times the milliseconds it waited.
    pub hol_blocked_byte_ms: u64,
    /// Response bytes that arrived over TCP and waited although nothing of
    /// their own stream was missing before them: for bytes of other streams.
    pub hol_other_bytes: u64,
    /// The same bytes, each times the milliseconds it waited.
    pub hol_other_byte_ms: u64,
    /// Objects that came in datagrams and ended, complete or not.
    #[serde(default)]
    pub datagram_objects: u64,
    /// Bytes of their content.
    #[serde(default)]
    pub datagram_bytes: u64,
    /// Bytes of content that the page never got.
    #[serde(default)]
    pub data_lost_bytes: u64,
    /// Bytes of content that datagrams lost and range requests fetched again.
    #[serde(default)]
    pub repaired_bytes: u64,
    /// Objects of which range requests fetched something again.
    #[serde(default)]
    pub repaired_objects: u64,
    /// Objects that are of no use because something of them is missing.
    #[serde(default)]
    pub broken_objects: u64,
    /// Objects of which something is missing, and that are of use all the same.
    #[serde(default)]
    pub partial_objects: u64,
}

/// One resource's way through the network, in the words of Resource Timing
/// and HAR. All spans are disjoint and in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTiming {
    /// Over which version of HTTP it came.
    pub protocol: Protocol,
    /// What its `priority` field told the server (RFC 9218); `None` if no server saw the
    /// request, and in live loads.
    #[serde(default)]
    pub priority: Option<Priority>,
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
    /// Name look-up, if this request paid it.
    pub dns: Duration,
    /// Connection set-up, if this request paid it.
    pub connect: Duration,
    /// From the request being given to its connection to the response's head.
    pub wait: Duration,
    /// From the first response byte to the last.
    pub receive: Duration,
    /// Stream bytes that waited for earlier bytes of this stream.
    pub hol_blocked_bytes: u64,
    /// Bytes that waited for bytes of other streams only (TCP).
    pub hol_other_bytes: u64,
}

/// What happened on the wire, for pictures.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Trace {
    /// Response bytes in the order in which the servers sent them.
    pub frames: Vec<FrameSent>,
    /// Packets that did not arrive, with the reason.
    pub drops: Vec<PacketDrop>,
    /// Spans in which a resource had bytes waiting behind a gap.
    pub hol_gaps: Vec<HolGap>,
}

/// Response bytes leaving a server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FrameSent {
    /// When.
    pub at: Instant,
    /// Which connection, by order of opening.
    pub connection: u32,
    /// Of which resource.
    pub resource: ResourceId,
    /// Offset on the stream.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Whether any of them had been sent before.
    pub retransmission: bool,
}

/// A packet that the downlink did not deliver.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PacketDrop {
    /// When it was sent.
    pub at: Instant,
    /// Which connection.
    pub connection: u32,
    /// True: no room in the queue. False: lost on the link.
    pub queue: bool,
}

/// A span in which received bytes of a resource could not be delivered.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct HolGap {
    /// Which resource.
    pub resource: ResourceId,
    /// The first byte behind the gap arrived.
    pub from: Instant,
    /// The gap was filled.
    pub until: Instant,
    /// Most bytes that waited at once.
    pub bytes: u64,
}

impl ResourceTiming {
    /// The request left the browser.
    pub fn request_start(&self) -> Instant {
        self.discovered + self.queued + self.blocked + self.dns + self.connect
    }

    /// The first response byte arrived.
    pub fn response_start(&self) -> Instant {
        self.request_start() + self.wait
    }

    /// The last response byte arrived.
    pub fn response_end(&self) -> Instant {
        self.response_start() + self.receive
    }
}

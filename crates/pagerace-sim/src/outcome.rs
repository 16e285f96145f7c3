//! Outcome of one simulated page load.

use pagerace_browser::LoadMetrics;
use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;
pub use pagerace_page::timeline::{FrameSent, HolGap, PacketDrop, ResourceTiming, Trace};
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

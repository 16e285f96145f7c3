//! The report of a link on one load.

use pagerace_core::{Duration, Instant};
use pagerace_net::LinkCounters;
use serde::{Deserialize, Serialize};

use super::packet::{Direction, Flow, TcpHeader};
use crate::lateness::Lateness;

/// The final state of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// The packet was delivered to the receiver.
    Delivered {
        /// The actual time of delivery; [`LinkPacket::due`] is the intended one.
        at: Instant,
    },
    /// The packet was lost behind the bottleneck.
    Lost,
    /// The queue had no room for the packet, or dropped it later.
    Dropped {
        /// The time of the drop.
        at: Instant,
    },
    /// The packet was still in flight when the load ended, and was dropped then.
    InFlight,
}

/// A packet on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPacket {
    /// Time at which the packet was offered to the link, since time zero.
    pub at: Instant,
    /// The direction of the packet.
    pub direction: Direction,
    /// Size in bytes, including the IP header.
    pub size: u32,
    /// The flow to which the packet belongs.
    pub flow: Flow,
    /// The final state of the packet.
    pub fate: Fate,
    /// Time at which the link released the packet; `None` if dropped or in flight.
    pub due: Option<Instant>,
    /// The TCP header; `None` for other protocols.
    pub tcp: Option<TcpHeader>,
}

/// Scheduling of the emulator's thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// Real-time scheduling, ahead of all ordinary threads (`SCHED_FIFO`).
    RealTime,
    /// Ordinary scheduling, because the system refused real-time scheduling.
    Ordinary {
        /// The error message of the system.
        why: String,
    },
}

/// Measurements of the link between `begin` and `finish`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// The packets in the order in which they were offered, up to
    /// [`PACKETS_MAX`](Self::PACKETS_MAX).
    pub packets: Vec<LinkPacket>,
    /// Number of packets that exceeded the limit of the log. They were carried and
    /// counted nevertheless.
    pub unlogged: u64,
    /// Counters of the downlink.
    pub down: LinkCounters,
    /// Counters of the uplink.
    pub up: LinkCounters,
    /// Lateness of the deliveries.
    pub lateness: Lateness,
    /// Time zero, when the client's first packet arrived, in `CLOCK_MONOTONIC`, the clock
    /// of Chromium's traces. `None` if no packet arrived.
    pub started: Option<Duration>,
    /// Number of packets that were dropped because they belonged to no connection of this
    /// load.
    pub strays: u64,
    /// Number of packets that the kernel dropped before the emulator read them or refused
    /// to accept from it.
    pub kernel_drops: u64,
    /// Number of datagrams that a UDP socket dropped because its reader was too slow.
    /// These losses are caused by the reader and not by the link.
    pub socket_drops: u64,
    /// Scheduling of the emulator's thread.
    pub scheduling: Scheduling,
}

impl LinkReport {
    /// Maximum number of packets in the log, at about 100 bytes each.
    pub const PACKETS_MAX: usize = 2_000_000;

    /// Returns the reason to reject this run; `None` if it is valid.
    pub fn objection(&self) -> Option<String> {
        if self.kernel_drops > 0 {
            return Some(format!(
                "the kernel dropped {} packets beside the link",
                self.kernel_drops
            ));
        }
        if !self.lateness.is_acceptable() {
            let help = match &self.scheduling {
                Scheduling::RealTime => "stop other programs".to_owned(),
                Scheduling::Ordinary { why } => {
                    format!("real-time scheduling would help, but the system refuses it: {why}")
                }
            };
            return Some(format!(
                "the emulator was late ({}; at most {} for 99 % and {} for 99.9 % are accepted): {help}",
                self.lateness,
                Lateness::P99_MAX,
                Lateness::LATE,
            ));
        }
        None
    }
}

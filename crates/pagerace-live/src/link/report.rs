//! What a link did during one load.

use pagerace_core::{Duration, Instant};
use pagerace_net::LinkCounters;
use serde::{Deserialize, Serialize};

use super::lateness::Lateness;
use super::packet::{Direction, Flow, TcpHeader};

/// What became of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// It was given to the receiver.
    Delivered {
        /// When, by the clock; [`LinkPacket::due`] is when it should have been.
        at: Instant,
    },
    /// It was lost behind the bottleneck.
    Lost,
    /// The queue had no room for it, or dropped it later.
    Dropped {
        /// When.
        at: Instant,
    },
    /// It was still under way at the end of the load, and went nowhere.
    InFlight,
}

/// One packet on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkPacket {
    /// When it was offered to the link, since time zero.
    pub at: Instant,
    /// Which way.
    pub direction: Direction,
    /// Bytes with the IP header.
    pub size: u32,
    /// Whose.
    pub flow: Flow,
    /// What became of it.
    pub fate: Fate,
    /// When the link let it out; `None` if dropped or still under way.
    pub due: Option<Instant>,
    /// For TCP.
    pub tcp: Option<TcpHeader>,
}

/// How the emulator's thread was scheduled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheduling {
    /// Before all ordinary threads (`SCHED_FIFO`).
    RealTime,
    /// Like all others, as the system refused.
    Ordinary {
        /// What it said.
        why: String,
    },
}

/// What the link did between `begin` and `finish`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinkReport {
    /// Every packet in the order in which it was offered, up to
    /// [`PACKETS_MAX`](Self::PACKETS_MAX).
    pub packets: Vec<LinkPacket>,
    /// Packets that the log had no room for. They were carried and counted all
    /// the same.
    pub unlogged: u64,
    /// Sums of the downlink.
    pub down: LinkCounters,
    /// Sums of the uplink.
    pub up: LinkCounters,
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// Time zero, the first packet from the client, by `CLOCK_MONOTONIC`: the
    /// clock of Chromium's traces. `None` if no packet came.
    pub started: Option<Duration>,
    /// Packets of connections of earlier loads, which were dropped.
    pub strays: u64,
    /// Packets that the kernel dropped before the emulator saw them, or did not
    /// take from it.
    pub kernel_drops: u64,
    /// Datagrams for which a UDP socket had no room, as its reader was too slow:
    /// the reader's matter, not the link's, but a loss that the link did not
    /// make.
    pub socket_drops: u64,
    /// How the emulator was scheduled.
    pub scheduling: Scheduling,
}

impl LinkReport {
    /// Packets that the log holds at most, about 100 bytes each.
    pub const PACKETS_MAX: usize = 2_000_000;

    /// Why this run must not be believed; `None` if it may be.
    pub fn objection(&self) -> Option<String> {
        if self.kernel_drops > 0 {
            return Some(format!(
                "the kernel dropped {} packets beside the link",
                self.kernel_drops
            ));
        }
        if !self.lateness.is_acceptable() {
            let help = match &self.scheduling {
                Scheduling::RealTime => "free the machine of other work".to_owned(),
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

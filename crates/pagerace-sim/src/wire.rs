//! Log of the packets that crossed a link, kept while a load is recorded.

use pagerace_core::{Duration, Instant};

use crate::ids::ConnectionId;
use crate::outcome::FrameSent;

/// One packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WirePacket {
    /// Its connection.
    pub connection: ConnectionId,
    /// Time of sending.
    pub sent_at: Instant,
    /// Size on the wire in bytes.
    pub size: u32,
    /// Time at which the packet left the bottleneck.
    pub crossed_at: Option<Instant>,
    /// Fate of the packet.
    pub fate: Fate,
    /// The packet's frames with response bytes, as a range of [`WireLog::frames`].
    frames: (usize, usize),
}

/// Fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The run ended before the packet left its link.
    InFlight,
    /// It arrives at this time, which may be after the end of the run.
    Arrived(Instant),
    /// Lost behind the bottleneck.
    Lost,
    /// Dropped by the queue.
    Dropped,
}

/// All packets of one direction, in the order of sending.
#[derive(Clone, Debug, Default)]
pub(crate) struct WireLog {
    pub(crate) packets: Vec<WirePacket>,
    pub(crate) frames: Vec<FrameSent>,
}

impl WirePacket {
    /// Returns true if the packet was lost, so that its bytes have to be sent again.
    pub const fn is_gone(&self) -> bool {
        matches!(self.fate, Fate::Lost | Fate::Dropped)
    }
}

impl WireLog {
    /// Logs the sending of a packet and returns its index.
    pub(crate) fn handle_sent(
        &mut self,
        connection: ConnectionId,
        sent_at: Instant,
        size: u32,
        frames: impl IntoIterator<Item = FrameSent>,
    ) -> usize {
        let first = self.frames.len();
        self.frames.extend(frames);
        self.packets.push(WirePacket {
            connection,
            sent_at,
            size,
            crossed_at: None,
            fate: Fate::InFlight,
            frames: (first, self.frames.len()),
        });
        self.packets.len() - 1
    }

    pub(crate) fn handle_end(&mut self, packet: usize, crossed_at: Option<Instant>, fate: Fate) {
        if let Some(packet) = self.packets.get_mut(packet) {
            packet.crossed_at = crossed_at;
            packet.fate = fate;
        }
    }

    pub(crate) fn frames_of(&self, packet: &WirePacket) -> &[FrameSent] {
        &self.frames[packet.frames.0..packet.frames.1]
    }

    /// Returns the spans in which the bottleneck carried a packet, ascending and
    /// disjoint: packets cross it one after the other.
    pub(crate) fn services(&self) -> Vec<Service> {
        let crossed = |i: usize| Some((self.packets[i].crossed_at?, i));
        let mut order: Vec<_> = (0..self.packets.len()).filter_map(crossed).collect();
        order.sort_unstable();
        let mut free = Instant::ZERO;
        let mut services = Vec::with_capacity(order.len());
        for (until, packet) in order {
            // A link serves one packet at a time, without idling while packets wait.
            let from = self.packets[packet].sent_at.max(free).min(until);
            services.push(Service {
                from,
                until,
                packet,
            });
            free = until;
        }
        services
    }
}

/// Span in which the bottleneck carried a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Service {
    pub(crate) from: Instant,
    pub(crate) until: Instant,
    pub(crate) packet: usize,
}

/// Returns the length of the overlap of two spans.
pub(crate) fn overlap(a: (Instant, Instant), b: (Instant, Instant)) -> Duration {
    a.1.min(b.1).since(a.0.max(b.0))
}

//! Ledger of a run: the packets on both links, and the bytes that both ends counted
//! themselves. Tests of conservation laws compare the two.

use pagerace_core::Instant;

use crate::ends::Ends;
use crate::event_loop::EventLoop;
pub use crate::ids::ConnectionId;
use crate::trace::Side;
pub use crate::wire::{Fate, WirePacket};

/// Packets and bytes of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Packets of the clients, in the order of sending.
    pub up: Vec<WirePacket>,
    /// Packets of the servers, in the order of sending.
    pub down: Vec<WirePacket>,
    /// Counts of both ends of each connection, the client's first.
    pub ends: Vec<[EndCounts; 2]>,
    /// The answer to each request of the page, by resource. Empty for bulk transfers.
    pub answers: Vec<Option<AnswerCounts>>,
    /// Name look-ups and answers that a link lost or dropped.
    pub look_ups_lost: u64,
}

/// Counts of one end of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EndCounts {
    /// Bytes that the end put on its link, including IP headers.
    pub sent: u64,
    /// Bytes that the end took from the other link, counted likewise.
    pub received: u64,
}

/// Counts of the answer to one request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCounts {
    /// Time at which the server had the request and had thought about it.
    pub ready: Option<Instant>,
    /// Time at which the response ended at the browser, complete.
    pub ended: Option<Instant>,
    /// Body bytes that the browser received.
    pub body: u64,
}

impl Ledger {
    /// Returns the ledger of the packets of `net`, without answers.
    pub(crate) fn of<S: pagerace_peer::Site, T>(net: &mut EventLoop<S, T>) -> Self {
        let counts = |ends: &mut Option<Ends<S>>| {
            let count = |ends: &mut Ends<S>, side| EndCounts {
                sent: ends.side(side).bytes,
                received: ends.side(side).received,
            };
            ends.as_mut().map_or_else(Default::default, |ends| {
                [count(ends, Side::Client), count(ends, Side::Server)]
            })
        };
        let lost = |direction: &crate::event_loop::Direction| {
            direction.queries_lost + direction.queries_dropped
        };
        Self {
            ends: net.ends.iter_mut().map(counts).collect(),
            look_ups_lost: lost(&net.up) + lost(&net.down),
            up: net.up.log.packets.clone(),
            down: net.down.log.packets.clone(),
            answers: Vec::new(),
        }
    }
}

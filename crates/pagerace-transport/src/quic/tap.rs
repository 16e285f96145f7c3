//! The tap: observes the content of packets when they are sealed and opened.
//!
//! quinn-proto does not report which stream bytes went into which packet. A packet key sees
//! the plaintext of each packet, so the tap's keys read it before sealing and after
//! opening.

use std::sync::{Arc, Mutex, PoisonError};

use super::frame::{Frame, StreamFrame, frames};
use super::signals::Signals;

/// A packet's encryption level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Initial packets.
    Initial,
    /// Handshake packets.
    Handshake,
    /// 0-RTT packets.
    ZeroRtt,
    /// 1-RTT packets.
    OneRtt,
}

/// A whole packet, recorded only if a log is requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketRecord {
    /// True if this side sent the packet, and false if it received it.
    pub sent: bool,
    /// Encryption level.
    pub space: Space,
    /// Packet number.
    pub number: u64,
    /// Size on the wire in bytes, including header and tag.
    pub size: usize,
    /// Bytes of the frames.
    pub payload: Vec<u8>,
}

/// A received 1-RTT packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Packet number.
    pub number: u64,
    /// True if the packet is ack-eliciting (RFC 9002, section 2).
    pub eliciting: bool,
}

/// The observations of one connection's keys since they were last taken.
#[derive(Debug, Default)]
pub struct Seen {
    /// STREAM frames sent, in wire order.
    pub sent: Vec<StreamFrame>,
    /// Payload bytes of each DATAGRAM frame sent, in wire order.
    pub sent_datagrams: Vec<u64>,
    /// STREAM frames received, in order of arrival.
    pub received: Vec<StreamFrame>,
    /// Number of the last 1-RTT packet received.
    pub last_received: Option<u64>,
    /// 1-RTT packets received, in order of arrival, if they are requested.
    pub arrivals: Option<Vec<Arrival>>,
    /// True if an acknowledgement was sent in a 1-RTT packet.
    pub acknowledged: bool,
    /// End of the bytes of each CRYPTO stream received in the handshake.
    pub crypto: [u64; 2],
    /// True if bytes of one arrived before earlier ones.
    pub crypto_gap: bool,
    /// Whole packets, if a log is requested.
    pub packets: Vec<PacketRecord>,
    /// Size of the last 1-RTT packet's header in bytes. 0 before the first packet.
    pub header_size: usize,
}

/// The observer of one connection's packets.
#[derive(Debug)]
pub(crate) struct Tap {
    log: bool,
    signals: Arc<Signals>,
    seen: Mutex<Seen>,
}

impl Tap {
    /// Creates a tap. `log` is true if whole packets are recorded. `client` is true at the
    /// client's end.
    pub(super) fn new(log: bool, client: bool) -> Arc<Self> {
        Arc::new(Self {
            log,
            signals: Arc::new(Signals::new(client)),
            seen: Mutex::default(),
        })
    }

    /// Calls `f` with the observations. `f` removes those that it has processed.
    pub(super) fn with<R>(&self, f: impl FnOnce(&mut Seen) -> R) -> R {
        f(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the signals between the connection and its controller.
    pub(super) fn signals(&self) -> &Arc<Signals> {
        &self.signals
    }

    /// Observes a packet before sealing. `packet` holds the header, the payload and room
    /// for a tag of `tag` bytes.
    pub(super) fn sealing(
        &self,
        space: Space,
        number: u64,
        packet: &[u8],
        header: usize,
        tag: usize,
    ) {
        let payload = &packet[header..packet.len() - tag];
        self.with(|seen| {
            if space == Space::OneRtt {
                seen.header_size = header;
            }
            let mut eliciting = false;
            for frame in frames(payload) {
                match &frame {
                    Frame::Stream(s) => seen.sent.push(*s),
                    Frame::Datagram { length } => seen.sent_datagrams.push(*length),
                    Frame::Ack { .. } => seen.acknowledged |= space == Space::OneRtt,
                    _ => {}
                }
                eliciting |= is_eliciting(&frame);
            }
            if eliciting {
                self.signals.sent(space, packet.len() as u64);
            }
            self.record(seen, true, space, number, packet.len(), payload);
        });
    }

    /// Observes a packet after opening. `payload` is its plaintext.
    pub(super) fn opened(&self, space: Space, number: u64, payload: &[u8], overhead: usize) {
        self.with(|seen| {
            let (mut eliciting, mut acknowledges, mut done) = (false, false, false);
            for frame in frames(payload) {
                eliciting |= is_eliciting(&frame);
                match frame {
                    Frame::Stream(s) if space >= Space::ZeroRtt => seen.received.push(s),
                    Frame::Crypto { offset, length } if space < Space::ZeroRtt => {
                        let end = &mut seen.crypto[space as usize];
                        seen.crypto_gap |= offset > *end;
                        *end = (*end).max(offset + length);
                    }
                    Frame::Ack { .. } => acknowledges = space == Space::OneRtt,
                    Frame::HandshakeDone => done = space >= Space::ZeroRtt,
                    _ => {}
                }
            }
            if space == Space::OneRtt {
                seen.last_received = Some(number);
                if let Some(arrivals) = &mut seen.arrivals {
                    arrivals.push(Arrival { number, eliciting });
                }
            }
            let client = done && self.signals.is_unconfirmed_client();
            let server = acknowledges && self.signals.is_unconfirmed_server();
            if client || server {
                self.signals.confirm();
            }
            self.record(
                seen,
                false,
                space,
                number,
                payload.len() + overhead,
                payload,
            );
        });
    }

    fn record(
        &self,
        seen: &mut Seen,
        sent: bool,
        space: Space,
        number: u64,
        size: usize,
        payload: &[u8],
    ) {
        if self.log {
            let payload = payload.to_vec();
            seen.packets.push(PacketRecord {
                sent,
                space,
                number,
                size,
                payload,
            });
        }
    }
}

/// Returns true if a packet with this frame is to be acknowledged (RFC 9002, section 2).
fn is_eliciting(frame: &Frame<'_>) -> bool {
    !matches!(
        frame,
        Frame::Ack { .. } | Frame::Padding { .. } | Frame::ConnectionClose { .. }
    )
}

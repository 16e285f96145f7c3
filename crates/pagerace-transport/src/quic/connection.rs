//! A QUIC connection: streams, and late binding of bytes to packets.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use pagerace_core::{Duration, Instant};
use quinn_proto::{ConnectionHandle, Dir, FinishError, StreamEvent, StreamId, VarInt, WriteError};

use super::acks::Acks;
use super::epoch::Epoch;
use super::frame::StreamFrame;
use super::packing::Committed;
use super::reassembly::Reassembly;
use super::tap::{PacketRecord, Tap};
use crate::pacer::Pacer;

/// The maximum number of stream bytes that a client sends before its handshake is
/// confirmed: an initial window of ten packets (RFC 9002, section 7.2), less the
/// handshake's own bytes.
pub(super) const EARLY_BYTES: usize = 10_000;

/// The source of the bytes in the next packet.
///
/// The connection asks its source before each packet, while the packet has room.
pub trait PacketSource {
    /// Returns the next bytes of a stream or the next DATAGRAM frame to send, or `None` if
    /// there is nothing to send.
    fn pick(&mut self) -> Option<Offer>;
    /// Returns true if [`pick`](Self::pick) would return an offer.
    fn has_data(&self) -> bool;
    /// Returns the next bytes of `stream`: at least one and at most `max`.
    ///
    /// # Errors
    /// Returns the application's code for `RESET_STREAM` if the stream cannot continue.
    fn peek(&mut self, stream: u64, max: usize) -> Result<Bytes, u64>;
    /// Called when `bytes` of `stream` were put into the packet. If `refused` is true, flow
    /// control blocks further bytes, and the stream must not be picked before
    /// [`Event::Writable`].
    fn handle_written(&mut self, stream: u64, bytes: usize, refused: bool);
    /// Called when the stream is gone, because the peer has stopped it or its source has
    /// failed.
    fn handle_stopped(&mut self, stream: u64);
    /// Returns the payload of the datagram that [`pick`](Self::pick) offered last. The
    /// payload is bound to the packet and is sent once.
    fn take_datagram(&mut self) -> Bytes {
        unreachable!("this source offers no datagrams")
    }
    /// Called when a STREAM frame with new or retransmitted bytes has left in a packet.
    fn handle_frame_sent(&mut self, _frame: StreamFrame) {}
}

/// Data offered for the next packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A stream that has bytes to send.
    Stream(StreamOffer),
    /// Payload size of a DATAGRAM frame in bytes, at most
    /// [`Connection::max_datagram_size`].
    Datagram(usize),
}

/// A stream that has bytes to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOffer {
    /// Stream id.
    pub stream: u64,
    /// Number of bytes of the stream written before.
    pub offset: u64,
    /// Number of bytes that may be written now.
    pub left: u64,
    /// True if the stream ends with these bytes.
    pub fin: bool,
}

/// An event on a connection.
#[derive(Clone, Debug)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// The peer opened a stream.
    Opened {
        /// Stream id.
        stream: u64,
    },
    /// A stream has bytes to read or has ended.
    Readable {
        /// Stream id.
        stream: u64,
    },
    /// Flow control allows bytes to be written again.
    Writable {
        /// Stream id.
        stream: u64,
    },
    /// The peer has acknowledged all bytes of a stream that this side sent.
    Finished {
        /// Stream id.
        stream: u64,
    },
    /// The peer has stopped a stream that this side sends.
    Stopped {
        /// Stream id.
        stream: u64,
        /// Application error code.
        code: u64,
    },
    /// This side may open more streams.
    Available,
    /// The connection was closed or lost.
    Lost {
        /// The reason, for display to users.
        reason: String,
    },
}

/// The result of reading a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes, in order.
    Data(Bytes),
    /// All bytes of the stream have been read.
    End,
    /// The peer has reset the stream.
    Reset {
        /// Application error code.
        code: u64,
    },
    /// No bytes are available now.
    Blocked,
}

/// Counters and state of one connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets declared lost.
    pub packets_lost: u64,
    /// Smoothed round-trip time.
    pub smoothed_rtt: Duration,
    /// Congestion window in bytes.
    pub congestion_window: u64,
}

/// A QUIC connection, created by [`super::Host`].
pub struct Connection {
    pub(super) inner: quinn_proto::Connection,
    pub(super) handle: ConnectionHandle,
    pub(super) tap: Arc<Tap>,
    pub(super) epoch: Epoch,
    /// Stream bytes written to quinn that are not in a packet yet, in order of writing.
    pub(super) committed: Vec<Committed>,
    /// Bytes of DATAGRAM frames passed to quinn that are not in a packet yet.
    pub(super) committed_datagrams: usize,
    /// True if lost stream bytes may be waiting for retransmission.
    pub(super) repairs: bool,
    /// Number of packets lost at the last update of `repairs`.
    pub(super) lost_packets: u64,
    /// Number of bytes written outside of the schedule.
    early_bytes: usize,
    pub(super) pacer: Pacer,
    /// The time until which the pacer holds packets back.
    pub(super) held_until: Option<Instant>,
    pub(super) received: Reassembly,
    /// When to acknowledge; `None` if quinn-proto decides.
    pub(super) acks: Option<Acks>,
    /// True if there may be something to send besides acknowledgements. Frames that quinn-proto
    /// writes by itself, such as `MAX_STREAM_DATA`, do not count: they leave with the next
    /// acknowledgement.
    pub(super) active: bool,
    events: VecDeque<Event>,
}

impl Connection {
    pub(super) fn new(
        handle: ConnectionHandle,
        inner: quinn_proto::Connection,
        tap: Arc<Tap>,
        epoch: Epoch,
        received: Reassembly,
    ) -> Self {
        Self {
            inner,
            handle,
            tap,
            epoch,
            committed: Vec::new(),
            committed_datagrams: 0,
            repairs: false,
            lost_packets: 0,
            early_bytes: 0,
            pacer: Pacer::default(),
            held_until: None,
            received,
            acks: None,
            active: true,
            events: VecDeque::new(),
        }
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            let event = self.inner.poll()?;
            self.translate(event);
        }
    }

    fn translate(&mut self, event: quinn_proto::Event) {
        use quinn_proto::Event as E;
        let ours = match event {
            E::Connected => Event::Connected,
            E::ConnectionLost { reason } => Event::Lost {
                reason: reason.to_string(),
            },
            E::Stream(StreamEvent::Opened { dir }) => {
                while let Some(id) = self.inner.streams().accept(dir) {
                    self.events.push_back(Event::Opened { stream: id.into() });
                    self.events.push_back(Event::Readable { stream: id.into() });
                }
                return;
            }
            E::Stream(StreamEvent::Readable { id }) => Event::Readable { stream: id.into() },
            E::Stream(StreamEvent::Writable { id }) => Event::Writable { stream: id.into() },
            E::Stream(StreamEvent::Finished { id }) => Event::Finished { stream: id.into() },
            E::Stream(StreamEvent::Stopped { id, error_code }) => Event::Stopped {
                stream: id.into(),
                code: error_code.into_inner(),
            },
            E::Stream(StreamEvent::Available { .. }) => Event::Available,
            E::HandshakeDataReady | E::DatagramReceived | E::DatagramsUnblocked => return,
        };
        self.events.push_back(ours);
    }

    /// Returns true if application data may be sent: after the handshake, from the start
    /// for a client with early data, and from the first flight for its server.
    pub fn can_send(&self) -> bool {
        !self.inner.is_handshaking() || self.inner.has_0rtt()
    }

    /// Returns the number of bytes that may still be written outside of the schedule.
    ///
    /// A client is limited to an initial window until its handshake is confirmed. `None`
    /// means no limit.
    pub fn early_limit(&self) -> Option<usize> {
        let held = self.tap.signals().is_unconfirmed_client();
        held.then(|| EARLY_BYTES.saturating_sub(self.early_bytes))
    }

    /// Opens a bidirectional stream. Returns `None` if the peer's limit is reached, until
    /// [`Event::Available`].
    pub fn open_bidirectional(&mut self) -> Option<u64> {
        self.inner.streams().open(Dir::Bi).map(Into::into)
    }

    /// Opens a unidirectional stream, like
    /// [`open_bidirectional`](Self::open_bidirectional).
    pub fn open_unidirectional(&mut self) -> Option<u64> {
        self.inner.streams().open(Dir::Uni).map(Into::into)
    }

    /// Writes immediately, outside of the schedule. Returns the number of bytes that flow
    /// control accepted.
    ///
    /// All bytes count as accepted if the peer has stopped the stream.
    pub fn write(&mut self, stream: u64, data: &Bytes) -> usize {
        match self.send_stream(stream).write_chunks(&mut [data.clone()]) {
            Ok(written) => {
                self.early_bytes += written.bytes;
                written.bytes
            }
            Err(WriteError::Blocked) => 0,
            Err(WriteError::Stopped(_) | WriteError::ClosedStream) => data.len(),
        }
    }

    /// Ends a stream after the bytes written so far.
    pub fn finish(&mut self, stream: u64) {
        match self.send_stream(stream).finish() {
            // The end of a stopped stream does not matter to the peer.
            Ok(()) | Err(FinishError::Stopped(_) | FinishError::ClosedStream) => {}
        }
    }

    /// Resets a stream.
    pub fn reset(&mut self, stream: u64, code: u64) {
        self.committed.retain(|c| c.stream != stream);
        // The call fails only if the stream is already closed.
        let _ = self.send_stream(stream).reset(var_int(code));
    }

    /// Asks the peer to stop sending a stream.
    pub fn stop(&mut self, stream: u64, code: u64) {
        self.received.forget(stream);
        self.active = true;
        let _ = self
            .inner
            .recv_stream(stream_id(stream))
            .stop(var_int(code));
    }

    /// Sets the priority of a stream's retransmissions. Higher priorities go first, and
    /// equal ones go in order of time.
    pub fn set_retransmission_priority(&mut self, stream: u64, priority: i32) {
        let _ = self.send_stream(stream).set_priority(priority);
    }

    /// Reads the next bytes of a stream, in order.
    pub fn read(&mut self, stream: u64) -> Read {
        self.received.read(&mut self.inner, stream)
    }

    /// Returns the maximum payload of a DATAGRAM frame (RFC 9221) in bytes that a packet
    /// can carry and the peer accepts, or `None` if either side has not enabled datagrams.
    pub fn max_datagram_size(&mut self) -> Option<usize> {
        self.inner.datagrams().max_size()
    }

    /// Returns the payload of the next received DATAGRAM frame.
    pub fn receive_datagram(&mut self) -> Option<Bytes> {
        self.inner.datagrams().recv()
    }

    /// Closes the connection.
    pub fn close(&mut self, now: Instant, code: u64, reason: &str) {
        self.active = true;
        let reason = Bytes::copy_from_slice(reason.as_bytes());
        self.inner
            .close(self.epoch.to_std(now), var_int(code), reason);
    }

    /// Returns the counters and state.
    pub fn stats(&self) -> Stats {
        let path = self.inner.stats().path;
        Stats {
            packets_sent: path.sent_packets,
            packets_lost: path.lost_packets,
            smoothed_rtt: Duration::from_std(path.rtt),
            congestion_window: path.cwnd,
        }
    }

    /// Passes the STREAM frames received since the last call to `each`, in order of
    /// arrival.
    pub fn drain_received(&mut self, mut each: impl FnMut(StreamFrame)) {
        self.tap
            .with(|seen| seen.received.drain(..).for_each(&mut each));
    }

    /// Returns the number of the last 1-RTT packet received.
    pub fn last_received(&self) -> Option<u64> {
        self.tap.with(|seen| seen.last_received)
    }

    /// Returns true if bytes of the peer's handshake arrived before earlier ones.
    pub fn handshake_has_gap(&self) -> bool {
        self.tap.with(|seen| seen.crypto_gap)
    }

    /// Passes the packets since the last call to `each`, if the host keeps a log.
    pub fn drain_packets(&mut self, each: impl FnMut(PacketRecord)) {
        self.tap.with(|seen| seen.packets.drain(..).for_each(each));
    }

    pub(super) fn send_stream(&mut self, stream: u64) -> quinn_proto::SendStream<'_> {
        self.active = true;
        self.inner.send_stream(stream_id(stream))
    }
}

pub(super) fn stream_id(stream: u64) -> StreamId {
    StreamId::from(var_int(stream))
}

/// Stream ids and error codes come from varints, so they fit.
fn var_int(value: u64) -> VarInt {
    VarInt::from_u64(value).unwrap_or(VarInt::MAX)
}

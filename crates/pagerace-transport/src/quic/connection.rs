//! One QUIC connection: streams, and late binding of bytes to packets.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use pagerace_core::{Duration, Instant};
use quinn_proto::{ConnectionHandle, Dir, FinishError, StreamEvent, StreamId, VarInt, WriteError};

use super::epoch::Epoch;
use super::frame::StreamFrame;
use super::pacer::Pacer;
use super::packing::Committed;
use super::reassembly::Reassembly;
use super::tap::{PacketRecord, Tap};

/// Stream bytes that a client sends before its handshake is confirmed: what an
/// initial window of ten packets holds (RFC 9002, section 7.2) beside the
/// handshake's own.
pub(super) const EARLY_BYTES: usize = 10_000;

/// Where the bytes of the next packet come from.
///
/// Asked before each packet while it has room.
pub trait PacketSource {
    /// What comes next: bytes of a stream, or a DATAGRAM frame; `None` if there is
    /// nothing to send.
    fn pick(&mut self) -> Option<Offer>;
    /// Whether [`pick`](Self::pick) would name a stream.
    fn has_data(&self) -> bool;
    /// The next bytes of `stream`, at most `max`, at least one.
    fn peek(&mut self, stream: u64, max: usize) -> Bytes;
    /// `bytes` of `stream` are in the packet. `refused`: flow control let no
    /// more in; do not pick the stream before [`Event::Writable`].
    fn wrote(&mut self, stream: u64, bytes: usize, refused: bool);
    /// The stream is gone: the peer does not want it.
    fn stopped(&mut self, stream: u64);
    /// The payload of the datagram that [`pick`](Self::pick) offered last: it is
    /// bound to the packet, and will be sent once.
    fn take_datagram(&mut self) -> Bytes {
        unreachable!("this source offers no datagrams")
    }
    /// A STREAM frame left in a packet, new bytes or old.
    fn frame_sent(&mut self, _frame: StreamFrame) {}
}

/// Something to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// A stream that has bytes to send.
    Stream(StreamOffer),
    /// The payload of a DATAGRAM frame, of so many bytes: at most
    /// [`Connection::max_datagram_size`].
    Datagram(usize),
}

/// A stream that has bytes to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamOffer {
    /// Stream.
    pub stream: u64,
    /// Bytes of it that were written before.
    pub offset: u64,
    /// Bytes that may be written now.
    pub left: u64,
    /// Whether the stream ends with them.
    pub fin: bool,
}

/// What happened on a connection.
#[derive(Clone, Debug)]
pub enum Event {
    /// The handshake is complete.
    Connected,
    /// The peer opened a stream.
    Opened {
        /// Stream.
        stream: u64,
    },
    /// A stream has bytes to read, or ended.
    Readable {
        /// Stream.
        stream: u64,
    },
    /// Flow control lets bytes in again.
    Writable {
        /// Stream.
        stream: u64,
    },
    /// All bytes of one of our streams were acknowledged.
    Finished {
        /// Stream.
        stream: u64,
    },
    /// The peer does not want one of our streams.
    Stopped {
        /// Stream.
        stream: u64,
        /// Application error code.
        code: u64,
    },
    /// We may open more streams.
    Available,
    /// The connection is no more.
    Lost {
        /// In words.
        reason: String,
    },
}

/// What reading a stream gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// Bytes, in order.
    Data(Bytes),
    /// All has been read.
    End,
    /// The peer gave the stream up.
    Reset {
        /// Application error code.
        code: u64,
    },
    /// Nothing for now.
    Blocked,
}

/// Sums of one connection.
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

/// One connection; made by [`super::Host`].
pub struct Connection {
    pub(super) inner: quinn_proto::Connection,
    pub(super) handle: ConnectionHandle,
    pub(super) tap: Arc<Tap>,
    pub(super) epoch: Epoch,
    /// Written to quinn, not yet in a packet; in order of writing.
    pub(super) committed: Vec<Committed>,
    /// Bytes of DATAGRAM frames that quinn was given and has not put in a packet.
    pub(super) committed_datagrams: usize,
    /// Lost stream bytes may wait to be sent again.
    pub(super) repairs: bool,
    /// Packets lost when that was last looked at.
    pub(super) lost_packets: u64,
    /// Bytes written outside of the schedule so far.
    early_bytes: usize,
    pub(super) pacer: Pacer,
    /// The pacer holds packets back until then.
    pub(super) held_until: Option<Instant>,
    pub(super) received: Reassembly,
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
            events: VecDeque::new(),
        }
    }

    /// The next thing that happened.
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

    /// Whether the handshake is still running.
    pub fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    /// Whether application data may be sent: after the handshake, by a client
    /// with early data from the start, and by its server from the first flight.
    pub fn can_send(&self) -> bool {
        !self.inner.is_handshaking() || self.inner.has_0rtt()
    }

    /// How many more bytes may be written outside of the schedule for now: a
    /// client is held to an initial window until its handshake is confirmed.
    pub fn early_limit(&self) -> Option<usize> {
        let held = self.tap.signals().is_unconfirmed_client();
        held.then(|| EARLY_BYTES.saturating_sub(self.early_bytes))
    }

    /// Opens a bidirectional stream; `None` while the peer's limit is reached
    /// ([`Event::Available`] tells when to try again).
    pub fn open_bidirectional(&mut self) -> Option<u64> {
        self.inner.streams().open(Dir::Bi).map(Into::into)
    }

    /// Opens a unidirectional stream, as [`open_bidirectional`](Self::open_bidirectional).
    pub fn open_unidirectional(&mut self) -> Option<u64> {
        self.inner.streams().open(Dir::Uni).map(Into::into)
    }

    /// Writes at once, outside of the schedule; how many bytes flow control
    /// let in. A stream that the peer stopped swallows everything.
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

    /// Ends a stream after what was written.
    pub fn finish(&mut self, stream: u64) {
        match self.send_stream(stream).finish() {
            // Nobody waits for the end of a stream that was stopped.
            Ok(()) | Err(FinishError::Stopped(_) | FinishError::ClosedStream) => {}
        }
    }

    /// Gives a stream up.
    pub fn reset(&mut self, stream: u64, code: u64) {
        self.committed.retain(|c| c.stream != stream);
        // Fails only where the stream is closed already.
        let _ = self.send_stream(stream).reset(var_int(code));
    }

    /// Tells the peer that a stream is not wanted.
    pub fn stop(&mut self, stream: u64, code: u64) {
        self.received.forget(stream);
        let _ = self
            .inner
            .recv_stream(stream_id(stream))
            .stop(var_int(code));
    }

    /// Orders the retransmissions of streams: higher goes first, equal by time.
    pub fn set_retransmission_priority(&mut self, stream: u64, priority: i32) {
        let _ = self.send_stream(stream).set_priority(priority);
    }

    /// The next bytes of a stream, in order.
    pub fn read(&mut self, stream: u64) -> Read {
        self.received.read(&mut self.inner, stream)
    }

    /// The largest payload of a DATAGRAM frame (RFC 9221) in bytes that a packet can
    /// carry and the peer takes; `None` if either side has not enabled them.
    pub fn max_datagram_size(&mut self) -> Option<usize> {
        self.inner.datagrams().max_size()
    }

    /// The next DATAGRAM frame's payload that arrived.
    pub fn receive_datagram(&mut self) -> Option<Bytes> {
        self.inner.datagrams().recv()
    }

    /// Closes the connection.
    pub fn close(&mut self, now: Instant, code: u64, reason: &str) {
        let reason = Bytes::copy_from_slice(reason.as_bytes());
        self.inner
            .close(self.epoch.to_std(now), var_int(code), reason);
    }

    /// Sums so far.
    pub fn stats(&self) -> Stats {
        let path = self.inner.stats().path;
        Stats {
            packets_sent: path.sent_packets,
            packets_lost: path.lost_packets,
            smoothed_rtt: Duration::from_std(path.rtt),
            congestion_window: path.cwnd,
        }
    }

    /// STREAM frames that arrived since the last call, in order of arrival.
    pub fn drain_received(&mut self, mut each: impl FnMut(StreamFrame)) {
        self.tap
            .with(|seen| seen.received.drain(..).for_each(&mut each));
    }

    /// Whole packets since the last call, if the host keeps a log.
    pub fn drain_packets(&mut self, each: impl FnMut(PacketRecord)) {
        self.tap.with(|seen| seen.packets.drain(..).for_each(each));
    }

    pub(super) fn send_stream(&mut self, stream: u64) -> quinn_proto::SendStream<'_> {
        self.inner.send_stream(stream_id(stream))
    }
}

pub(super) fn stream_id(stream: u64) -> StreamId {
    StreamId::from(var_int(stream))
}

/// Ids and codes come from varints, so they fit.
fn var_int(value: u64) -> VarInt {
    VarInt::from_u64(value).unwrap_or(VarInt::MAX)
}

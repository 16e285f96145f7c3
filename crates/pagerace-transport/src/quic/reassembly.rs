//! Reassembly of received stream bytes into order.
//!
//! quinn-proto does this itself, but closes a connection when more than 1,024 chunks of one
//! stream wait behind gaps. A fast path that loses every other packet for a round trip
//! exceeds this limit. When many chunks wait, they are therefore read from quinn-proto out
//! of order and held here.
//!
//! As long as few chunks wait, quinn-proto keeps the order, and flow control opens as bytes
//! are read in order. *Deviates* when many wait: chunks read out of order open flow control
//! at once. The amount held is limited to [`WINDOWS_MAX`] times the windows of
//! [`QuicSettings`](super::QuicSettings), and a peer can have another window in flight behind a
//! gap. Data beyond that limit stays in quinn-proto and under its limit.

use std::collections::BTreeMap;

use bytes::Bytes;
use quinn_proto::{Chunk, Chunks, ReadError, ReadableError, RecvStream};

use super::connection::{Read, stream_id};

/// The maximum number of chunks left to quinn-proto: three quarters of its limit, as more
/// may arrive before the next read.
const WAITING_MAX: u32 = 768;
/// The minimum number of bytes that a chunk counts for, as it keeps its datagram in memory.
const PIECE_MIN: u64 = 1_200;

/// The number of flow control windows that may be held here. One is too few if the same
/// packet is lost repeatedly while a start-up phase overfills a long path, because the
/// window that opens after the first also has thousands of gaps.
const WINDOWS_MAX: u64 = 4;

/// Chunks of all streams of a connection that wait for the bytes before them.
#[derive(Debug)]
pub(super) struct Reassembly {
    streams: BTreeMap<u64, Incoming>,
    /// The maximum number of bytes held for one stream.
    stream_max: u64,
    /// The maximum number of bytes held for all streams.
    max: u64,
    /// Number of bytes held.
    held: u64,
}

/// The chunks of one stream.
#[derive(Debug, Default)]
struct Incoming {
    /// Offset of the first unread byte.
    next: u64,
    /// Upper bound of the number of chunks that wait in quinn-proto. Each arriving chunk
    /// causes one read that ends blocked.
    waiting: u32,
    /// True if chunks are read from quinn-proto in any order.
    unordered: bool,
    /// Chunks behind a gap, by offset. They do not overlap.
    pieces: BTreeMap<u64, Bytes>,
    /// Number of bytes that the chunks count for.
    held: u64,
}

impl Reassembly {
    /// Creates the state. `stream_window` and `window` are the flow control windows of one
    /// stream and of the connection.
    pub(super) fn new(stream_window: u32, window: u32) -> Self {
        Self {
            streams: BTreeMap::new(),
            stream_max: WINDOWS_MAX * u64::from(stream_window),
            max: WINDOWS_MAX * u64::from(window),
            held: 0,
        }
    }

    /// Returns the next bytes of a stream, in order.
    pub(super) fn read(&mut self, quic: &mut quinn_proto::Connection, stream: u64) -> Read {
        let incoming = self.streams.entry(stream).or_default();
        if let Some((bytes, cost)) = incoming.take_piece() {
            self.held -= cost;
            return Read::Data(bytes);
        }
        let mut quic = quic.recv_stream(stream_id(stream));
        let Some(got) = incoming.read(&mut quic) else {
            // The stream has already ended.
            self.forget(stream);
            return Read::Blocked;
        };
        match got {
            Read::Data(_) => {}
            Read::Blocked if incoming.waiting < WAITING_MAX => {}
            Read::Blocked => {
                let room = self.stream_max.saturating_sub(incoming.held);
                let room = room.min(self.max.saturating_sub(self.held));
                self.held += incoming.take_waiting(&mut quic, room);
            }
            Read::End | Read::Reset { .. } => self.forget(stream),
        }
        got
    }

    /// Returns the number of bytes held.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Drops the state of a stream that is no longer read.
    pub(super) fn forget(&mut self, stream: u64) {
        if let Some(incoming) = self.streams.remove(&stream) {
            self.held -= incoming.held;
        }
    }
}

impl Incoming {
    /// Removes the next chunk in order if it is held. Also returns the bytes that it
    /// counted for.
    fn take_piece(&mut self) -> Option<(Bytes, u64)> {
        let entry = self.pieces.first_entry()?;
        if *entry.key() != self.next {
            return None;
        }
        let bytes = entry.remove();
        self.next += bytes.len() as u64;
        let cost = cost(&bytes);
        self.held -= cost;
        Some((bytes, cost))
    }

    /// Reads the next bytes from quinn-proto. Returns `None` if the stream is closed.
    fn read(&mut self, quic: &mut RecvStream<'_>) -> Option<Read> {
        let mut chunks = self.chunks(quic)?;
        let got = match self.next_of(&mut chunks) {
            Ok(Some(chunk)) => {
                debug_assert_eq!(chunk.offset, self.next, "pieces come in order");
                self.next += chunk.bytes.len() as u64;
                self.waiting = self.waiting.saturating_sub(1);
                Read::Data(chunk.bytes)
            }
            Ok(None) => Read::End,
            Err(ReadError::Blocked) => {
                self.waiting = self.waiting.saturating_add(1);
                Read::Blocked
            }
            Err(ReadError::Reset(code)) => Read::Reset {
                code: code.into_inner(),
            },
        };
        // Window updates leave with the next packet in any case.
        let _ = chunks.finalize();
        Some(got)
    }

    fn chunks<'a>(&self, quic: &'a mut RecvStream<'_>) -> Option<Chunks<'a>> {
        match quic.read(!self.unordered) {
            Ok(chunks) => Some(chunks),
            Err(ReadableError::ClosedStream) => None,
            Err(ReadableError::IllegalOrderedRead) => unreachable!("unordered reads are for good"),
        }
    }

    fn next_of(&self, chunks: &mut Chunks<'_>) -> Result<Option<Chunk>, ReadError> {
        // Reading zero bytes reveals the offset of the first chunk.
        if self.unordered
            && chunks
                .next(0)?
                .is_some_and(|first| first.offset > self.next)
        {
            return Err(ReadError::Blocked);
        }
        chunks.next(usize::MAX)
    }

    /// Reads chunks behind the gap, up to `room` bytes. Returns the number of bytes read.
    fn take_waiting(&mut self, quic: &mut RecvStream<'_>, room: u64) -> u64 {
        self.unordered = true;
        let Some(mut chunks) = self.chunks(quic) else {
            return 0;
        };
        let before = self.held;
        loop {
            let left = room.saturating_sub(self.held - before);
            if left == 0 {
                break;
            }
            let Ok(Some(chunk)) = chunks.next(usize::try_from(left).unwrap_or(usize::MAX)) else {
                self.waiting = 0;
                break;
            };
            self.held += cost(&chunk.bytes);
            self.pieces.insert(chunk.offset, chunk.bytes);
        }
        let _ = chunks.finalize();
        self.held - before
    }
}

/// Returns the number of bytes that a chunk counts for.
fn cost(bytes: &Bytes) -> u64 {
    (bytes.len() as u64).max(PIECE_MIN)
}

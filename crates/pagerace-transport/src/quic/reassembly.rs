//! Puts the bytes of received streams in order.
//!
//! quinn-proto does that itself, but gives a connection up when more than 1,024
//! pieces of one stream wait behind gaps. A fast path that loses every other
//! packet for a round trip leaves more, so where they become many they are
//! taken off it out of order, and wait here.
//!
//! As long as they are few, quinn-proto's own order is kept, and flow control
//! opens as bytes are read in order. *Deviates* where they are many: what is
//! taken out of order opens flow control at once. It is bounded in turn by
//! [`WINDOWS_MAX`] times the windows of [`Settings`](super::Settings); a peer can
//! have one window more on the way behind a gap. What is beyond stays with
//! quinn-proto, and under its limit.

use std::collections::BTreeMap;

use bytes::Bytes;
use quinn_proto::{Chunk, Chunks, ReadError, ReadableError, RecvStream};

use super::connection::{Read, stream_id};

/// Pieces left to quinn-proto: three quarters of what it bears, for more may
/// arrive before the next read.
const WAITING_MAX: u32 = 768;
/// Bytes that a piece counts at least, for it keeps its datagram in memory.
const PIECE_MIN: u64 = 1_200;

/// How many flow-control windows of bytes may wait here. One is too few where the
/// same packet is lost again and again while a start-up overfills a long path: the
/// window that opens behind the first holds thousands of gaps in turn.
const WINDOWS_MAX: u64 = 4;

/// What waits for the bytes before it, of all streams of a connection.
#[derive(Debug)]
pub(super) struct Reassembly {
    streams: BTreeMap<u64, Incoming>,
    /// Most bytes that may wait here of one stream.
    stream_max: u64,
    /// Most bytes that may wait here of all.
    max: u64,
    /// Bytes that wait here.
    held: u64,
}

/// One stream.
#[derive(Debug, Default)]
struct Incoming {
    /// The first byte that was not read.
    next: u64,
    /// At least as many pieces as wait in quinn-proto: each that arrives makes
    /// for one read that ends blocked.
    waiting: u32,
    /// quinn-proto is asked for pieces whatever their order.
    unordered: bool,
    /// Pieces behind a gap, by offset; they do not overlap.
    pieces: BTreeMap<u64, Bytes>,
    /// Bytes that they count.
    held: u64,
}

impl Reassembly {
    /// `stream_window`, `window`: of flow control, of one stream and of all.
    pub(super) fn new(stream_window: u32, window: u32) -> Self {
        Self {
            streams: BTreeMap::new(),
            stream_max: WINDOWS_MAX * u64::from(stream_window),
            max: WINDOWS_MAX * u64::from(window),
            held: 0,
        }
    }

    /// The next bytes of a stream, in order.
    pub(super) fn read(&mut self, quic: &mut quinn_proto::Connection, stream: u64) -> Read {
        let incoming = self.streams.entry(stream).or_default();
        if let Some((bytes, cost)) = incoming.take_piece() {
            self.held -= cost;
            return Read::Data(bytes);
        }
        let mut quic = quic.recv_stream(stream_id(stream));
        let Some(got) = incoming.read(&mut quic) else {
            // It ended before.
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

    /// Bytes that wait here.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// Nobody will read the stream any more.
    pub(super) fn forget(&mut self, stream: u64) {
        if let Some(incoming) = self.streams.remove(&stream) {
            self.held -= incoming.held;
        }
    }
}

impl Incoming {
    /// The piece that is next, if it waits here, and what it counted.
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

    /// What quinn-proto has of the next bytes; `None` if the stream is closed.
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
        // Window updates leave with the next packet anyway.
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
        // No bytes of the first piece are just its offset.
        if self.unordered
            && chunks
                .next(0)?
                .is_some_and(|first| first.offset > self.next)
        {
            return Err(ReadError::Blocked);
        }
        chunks.next(usize::MAX)
    }

    /// Takes what waits behind the gap, up to `room` bytes; how many those are.
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

/// What a piece counts.
fn cost(bytes: &Bytes) -> u64 {
    (bytes.len() as u64).max(PIECE_MIN)
}

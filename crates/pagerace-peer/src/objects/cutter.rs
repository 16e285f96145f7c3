//! Server side: cutting of an object into datagrams.

use bytes::{Bytes, BytesMut};
use pagerace_core::Instant;
use pagerace_delivery::reliability::Terms;
use pagerace_http::h3::{datagram_overhead, encode_datagram_head};
use pagerace_http::object::{self, Announcement};
use pagerace_http::varint;

use super::parity;
use crate::body::Body;

/// Object that is sent in datagrams.
#[derive(Debug)]
pub(crate) struct Cutter {
    pub(crate) announcement: Announcement,
    body: Body,
    parity: Vec<Bytes>,
    /// Number of the next chunk.
    next: u64,
    /// Time from which no chunk is sent.
    until: Option<Instant>,
}

/// Parameters for cutting an object.
pub(crate) struct Cut {
    pub(crate) stream: u64,
    /// Largest payload of a DATAGRAM frame in bytes.
    pub(crate) datagram_max: usize,
    pub(crate) terms: Terms,
    /// Time at which the request was complete.
    pub(crate) requested: Instant,
}

/// Returns the largest number of content bytes in a datagram of at most `datagram_max`
/// bytes, for an object of `length` bytes. The result is even, as the parity code
/// requires.
pub(crate) fn chunk_max(stream: u64, datagram_max: usize, length: u64) -> usize {
    let room = datagram_max.saturating_sub(datagram_overhead(stream));
    // Parity at most doubles the number of chunks, and the highest number has the longest
    // encoding.
    let least = room.saturating_sub(8).max(1) as u64;
    let highest = 2 * length.div_ceil(least);
    room.saturating_sub(varint::size(highest)) & !1
}

impl Cutter {
    /// Returns `None` if the datagrams have no room for content, or reading the content
    /// may fail.
    pub(crate) fn new(cut: &Cut, body: Body) -> Option<Self> {
        let length = body.len();
        let max = chunk_max(cut.stream, cut.datagram_max, length) as u64;
        // Datagrams cannot be taken back if a store fails half-way.
        if max == 0 || length == 0 || !body.is_in_memory() {
            return None;
        }
        // Chunks have the same size, so that the parity of a short last chunk is not
        // longer than that chunk.
        let count = length.div_ceil(max);
        let chunk = length.div_ceil(count).next_multiple_of(2).min(max);
        let count = length.div_ceil(chunk);
        let terms = &cut.terms;
        let announcement = Announcement {
            length,
            chunk: chunk as u32,
            parity: parity::count(count, terms.parity),
            repair: terms.repair,
            deadline: terms.deadline,
        };
        Some(Self {
            parity: parity::encode(&announcement, &body),
            announcement,
            body,
            next: 0,
            until: terms.deadline.map(|deadline| cut.requested + deadline),
        })
    }

    /// Returns true if no chunk is left that may be sent at `now`.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.next >= self.announcement.total() || self.until.is_some_and(|until| now >= until)
    }

    /// Returns the payload size of the next datagram in bytes.
    pub(crate) fn size(&self, stream: u64) -> usize {
        let head = datagram_overhead(stream) + varint::size(self.next);
        head + self.announcement.size(self.next)
    }

    /// Returns the payload size of all datagrams in bytes.
    pub(crate) fn total_size(&self, stream: u64) -> u64 {
        let chunks = 0..self.announcement.total();
        let sizes = chunks.map(|n| varint::size(n) + self.announcement.size(n));
        let heads = datagram_overhead(stream) as u64 * self.announcement.total();
        heads + sizes.map(|size| size as u64).sum::<u64>()
    }

    /// Returns the next datagram, and the offset of its content in the object.
    pub(crate) fn take(&mut self, stream: u64) -> (Bytes, u64) {
        let number = self.next;
        self.next += 1;
        let size = self.announcement.size(number);
        let offset = number * u64::from(self.announcement.chunk);
        let mut datagram = Vec::with_capacity(size + 12);
        encode_datagram_head(stream, &mut datagram);
        object::encode_number(number, &mut datagram);
        let mut datagram = BytesMut::from(datagram.as_slice());
        if let Some(parity) = number.checked_sub(self.announcement.chunks()) {
            datagram.extend_from_slice(&self.parity[parity as usize]);
        } else {
            let end = offset + size as u64;
            let mut at = offset;
            while at < end {
                let piece = self.body.slice(at, (end - at) as usize);
                at += piece.len() as u64;
                datagram.extend_from_slice(&piece);
            }
        }
        (datagram.freeze(), offset)
    }

    /// Returns the content of the end marker.
    pub(crate) fn end_marker(&self) -> Vec<u8> {
        object::end_marker(self.next)
    }
}

//! The number of stream bytes that fit into the next packet.
//!
//! quinn-proto fills a packet from the data written to its streams. To choose the stream as
//! late as possible, exactly one packet's worth of data is written just before the packet
//! is built. With a byte too few, quinn would spend up to eight bytes on a length field and
//! split the following data. The sizes here therefore mirror quinn's packing.

use super::frame::varint_size;

/// quinn starts no further STREAM frame in less room than its largest header.
const LEAST_ROOM: usize = 25;

/// Room that quinn reserves for a possible length field.
const LENGTH_RESERVE: usize = 8;

/// Size of the AEAD tag (RFC 9001, section 5.3).
const TAG: usize = 16;

/// Assumed size of a 1-RTT header until the first was seen: flags, an 8-byte connection ID
/// and a 2-byte packet number.
const HEADER_GUESS: usize = 11;

/// Bytes written to a stream that quinn has not put into a packet yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Committed {
    pub(super) stream: u64,
    /// Offset of the first unsent byte.
    pub(super) sent: u64,
    /// Offset after the last written byte.
    pub(super) written: u64,
}

impl Committed {
    const fn length(&self) -> usize {
        (self.written - self.sent) as usize
    }

    /// Returns the size of the frame, including its length field.
    const fn frame_size(&self) -> usize {
        head_size(self.stream, self.sent) + varint_size(self.length() as u64) + self.length()
    }
}

/// Returns the size of a STREAM frame's type, stream id and offset.
const fn head_size(stream: u64, offset: u64) -> usize {
    1 + varint_size(stream) + if offset == 0 { 0 } else { varint_size(offset) }
}

/// The plan of the next packet.
#[derive(Debug)]
pub(super) struct Packing {
    room: usize,
}

impl Packing {
    /// Creates a plan. `header` is the size of the last 1-RTT header, or 0 if none was
    /// seen. `datagrams` is the size of the DATAGRAM frames that wait for this packet.
    pub(super) fn new(mtu: u16, header: usize, committed: &[Committed], datagrams: usize) -> Self {
        let header = if header == 0 { HEADER_GUESS } else { header };
        let capacity = usize::from(mtu).saturating_sub(header + TAG);
        let used: usize = committed.iter().map(Committed::frame_size).sum();
        Self {
            room: capacity.saturating_sub(used + datagrams),
        }
    }

    /// Returns true if another frame fits.
    pub(super) const fn open(&self) -> bool {
        self.room > LEAST_ROOM
    }

    /// Returns the number of further bytes of `stream` that this packet should carry, given
    /// that `left` bytes remain. `committed` is the part of the stream already in the
    /// packet, if any.
    pub(super) fn bytes_for(
        &self,
        stream: u64,
        offset: u64,
        left: u64,
        committed: Option<&Committed>,
    ) -> usize {
        // The last frame of a packet fills it and needs no length field. A stream that is
        // already in the packet needs no second header.
        let to_fill = match committed {
            Some(c) => self.room + varint_size(c.length() as u64),
            None => self.room - head_size(stream, offset),
        };
        match usize::try_from(left) {
            // All bytes fit, including the length field that quinn will add.
            Ok(left) if left + LENGTH_RESERVE <= to_fill => left,
            _ => to_fill.min(usize::try_from(left).unwrap_or(usize::MAX)),
        }
    }

    /// Records that `bytes` of `stream` were written at `offset`. `fresh` is true if they
    /// begin a frame.
    pub(super) fn add(&mut self, stream: u64, offset: u64, bytes: usize, fresh: bool) {
        let head = if fresh {
            head_size(stream, offset) + varint_size(bytes as u64)
        } else {
            0
        };
        self.room = self.room.saturating_sub(head + bytes);
    }

    /// Reserves room for a DATAGRAM frame with `payload` bytes. Returns the size of the
    /// frame, or `None` if it does not fit.
    pub(super) fn add_datagram(&mut self, payload: usize) -> Option<usize> {
        let frame = datagram_frame_size(payload);
        self.room = self.room.checked_sub(frame)?;
        Some(frame)
    }
}

/// Returns the size of a DATAGRAM frame: type, length, which quinn always writes, and
/// payload (RFC 9221, section 4).
pub(super) const fn datagram_frame_size(payload: usize) -> usize {
    1 + varint_size(payload as u64) + payload
}

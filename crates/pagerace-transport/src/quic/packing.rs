//! How many stream bytes the next packet still has room for.
//!
//! quinn-proto fills a packet from what was written to its streams. To decide
//! as late as possible which stream that is, we write exactly one packet's
//! worth just before it is built. A byte too few and quinn spends up to eight
//! bytes on a length field and splits what follows; so the sizes here mirror
//! its packing.

use super::frame::varint_size;

/// quinn starts no further STREAM frame in less room than its largest header.
const LEAST_ROOM: usize = 25;

/// Room that quinn sets aside for a length field it may need.
const LENGTH_RESERVE: usize = 8;

/// AEAD tag (RFC 9001, section 5.3).
const TAG: usize = 16;

/// Flags, an 8-byte connection id and a 2-byte packet number: what a 1-RTT
/// header takes until the first was seen.
const HEADER_GUESS: usize = 11;

/// Bytes written to a stream that quinn has not put in a packet yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Committed {
    pub(super) stream: u64,
    /// Offset of the first unsent byte.
    pub(super) sent: u64,
    /// Offset behind the last written byte.
    pub(super) written: u64,
}

impl Committed {
    const fn length(&self) -> usize {
        (self.written - self.sent) as usize
    }

    /// Bytes of its frame, with length field.
    const fn frame_size(&self) -> usize {
        head_size(self.stream, self.sent) + varint_size(self.length() as u64) + self.length()
    }
}

/// Type, stream id and offset of a STREAM frame.
const fn head_size(stream: u64, offset: u64) -> usize {
    1 + varint_size(stream) + if offset == 0 { 0 } else { varint_size(offset) }
}

/// The next packet, planned.
#[derive(Debug)]
pub(super) struct Plan {
    room: usize,
}

impl Plan {
    /// `header`: bytes of the last 1-RTT header, 0 if none was seen. `datagrams`:
    /// bytes of DATAGRAM frames that wait for this packet.
    pub(super) fn new(mtu: u16, header: usize, committed: &[Committed], datagrams: usize) -> Self {
        let header = if header == 0 { HEADER_GUESS } else { header };
        let capacity = usize::from(mtu).saturating_sub(header + TAG);
        let used: usize = committed.iter().map(Committed::frame_size).sum();
        Self {
            room: capacity.saturating_sub(used + datagrams),
        }
    }

    /// Whether another frame fits.
    pub(super) const fn open(&self) -> bool {
        self.room > LEAST_ROOM
    }

    /// How many more bytes of `stream`, of which `left` remain, this packet
    /// should carry. `committed`: what it already carries of it, if anything.
    pub(super) fn bytes_for(
        &self,
        stream: u64,
        offset: u64,
        left: u64,
        committed: Option<&Committed>,
    ) -> usize {
        // The last frame of a packet needs no length and fills it; a stream
        // that is in the packet already has paid for its head.
        let to_fill = match committed {
            Some(c) => self.room + varint_size(c.length() as u64),
            None => self.room - head_size(stream, offset),
        };
        match usize::try_from(left) {
            // All of it, and room for the length that quinn will add.
            Ok(left) if left + LENGTH_RESERVE <= to_fill => left,
            _ => to_fill.min(usize::try_from(left).unwrap_or(usize::MAX)),
        }
    }

    /// `bytes` of `stream` were written at `offset`.
    pub(super) fn add(&mut self, stream: u64, offset: u64, bytes: usize, fresh: bool) {
        let head = if fresh {
            head_size(stream, offset) + varint_size(bytes as u64)
        } else {
            0
        };
        self.room = self.room.saturating_sub(head + bytes);
    }

    /// Makes room for a DATAGRAM frame with `payload` bytes, if there is any: the
    /// bytes of the frame.
    pub(super) fn add_datagram(&mut self, payload: usize) -> Option<usize> {
        let frame = datagram_frame_size(payload);
        self.room = self.room.checked_sub(frame)?;
        Some(frame)
    }
}

/// Type and length, which quinn always writes, and payload (RFC 9221, section 4).
pub(super) const fn datagram_frame_size(payload: usize) -> usize {
    1 + varint_size(payload as u64) + payload
}

//! A TCP segment: header fields (RFC 9293, section 3.1), payload, and their size on the
//! wire.
//!
//! Sequence numbers count from the SYN, which is number 0. The stream's first byte is
//! number 1, and a FIN takes the number after the last byte. Deviates from the RFCs:
//! sequence numbers have 64 bits and never wrap, windows are whole bytes (no rounding to
//! the window scale), and timestamps have a resolution of nanoseconds. There are no
//! checksums and no ports; [`super::wire`] adds both for real peers.

use std::ops;

use bytes::Bytes;
use pagerace_core::Instant;

/// IPv4 header without options, in bytes (RFC 791, section 3.1).
const IP_HEADER: u32 = 20;
/// TCP header without options, in bytes (RFC 9293, section 3.1).
const TCP_HEADER: u32 = 20;
/// The timestamps option and two bytes of padding (RFC 7323, section 3.2 and
/// appendix A).
pub(super) const TIMESTAMPS: u32 = 12;
/// The maximum segment size, SACK permitted and window scale options take 4, 2 and 3 bytes,
/// plus one byte of padding (RFC 9293, section 3.7.1; RFC 2018, section 2; RFC 7323,
/// section 2.2).
const SYN_OPTIONS: u32 = 10;
/// Kind, length and two bytes of padding before the SACK blocks, and the size of each block
/// (RFC 2018, section 3).
const SACK_HEADER: u32 = 4;
const SACK_BLOCK: u32 = 8;
/// The maximum number of SACK blocks beside timestamps (RFC 2018, section 3).
pub(super) const MAX_SACK_BLOCKS: usize = 3;

/// A range of bytes of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Offset of the first byte. 0 is the stream's first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
}

/// A range of bytes that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentRange {
    /// Offset of the first byte. 0 is the stream's first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// True if the bytes had been sent before.
    pub retransmission: bool,
}

/// The SACK blocks of a segment, in the order in which they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SackBlocks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: u8,
}

impl SackBlocks {
    /// Adds a block. Returns false if there is no room.
    pub(super) fn push(&mut self, block: ops::Range<u64>) -> bool {
        let Some(free) = self.blocks.get_mut(usize::from(self.count)) else {
            return false;
        };
        *free = (block.start, block.end);
        self.count += 1;
        true
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = ops::Range<u64>> + '_ {
        self.blocks[..usize::from(self.count)]
            .iter()
            .map(|&(start, end)| start..end)
    }
}

/// The control bit of a segment, besides ACK and FIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Control {
    #[default]
    None,
    /// Opens a connection. Carries the sender's maximum segment size.
    Syn { mss: u16 },
    /// Closes the connection immediately.
    Reset,
}

/// A TCP segment, sent in one IP packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    pub(super) control: Control,
    pub(super) fin: bool,
    /// Number of the first byte or of the SYN.
    pub(super) sequence: u64,
    /// The next expected number, if ACK is set.
    pub(super) acknowledgement: Option<u64>,
    /// Bytes beyond `acknowledgement` that the sender accepts.
    pub(super) window: u64,
    pub(super) sacks: SackBlocks,
    /// `TSval`: time at which the segment was sent.
    pub(super) timestamp: Instant,
    /// `TSecr`.
    pub(super) echo: Option<Instant>,
    pub(super) payload: Bytes,
    /// PSH: true if no data was waiting behind the payload.
    pub(super) push: bool,
    pub(super) retransmission: bool,
}

impl Segment {
    /// Returns the reset with which a host answers a segment if nothing listens (RFC 9293,
    /// section 3.10.7.1).
    #[must_use]
    pub fn refusal(now: Instant, of: &Self) -> Self {
        Self {
            control: Control::Reset,
            sequence: of.acknowledgement.unwrap_or(0),
            acknowledgement: Some(of.end()),
            timestamp: now,
            echo: Some(of.timestamp),
            ..Self::default()
        }
    }

    /// Returns a reset of the peer.
    pub(super) fn refused() -> Self {
        Self {
            control: Control::Reset,
            ..Self::default()
        }
    }

    /// Returns the size on the wire in bytes: IP and TCP headers, options and payload.
    pub fn wire_size(&self) -> u32 {
        let syn = match self.control {
            Control::Syn { .. } => SYN_OPTIONS,
            Control::None | Control::Reset => 0,
        };
        // The padding after the SYN options also pads the timestamps.
        let timestamps = if syn == 0 { TIMESTAMPS } else { TIMESTAMPS - 2 };
        let sacks = match u32::from(self.sacks.count) {
            0 => 0,
            n => SACK_HEADER + SACK_BLOCK * n,
        };
        IP_HEADER + TCP_HEADER + syn + timestamps + sacks + self.payload.len() as u32
    }

    /// Returns the offset of the payload in the stream. 0 is the stream's first byte.
    pub fn offset(&self) -> u64 {
        self.sequence.saturating_sub(1)
    }

    /// Returns the size of the payload in bytes.
    pub fn payload_size(&self) -> usize {
        self.payload.len()
    }

    /// Returns the echoed timestamp: the time at which this side sent the newest
    /// acknowledgement that the peer had.
    pub fn echo(&self) -> Option<Instant> {
        self.echo
    }

    /// Returns true if the segment opens a connection (SYN or SYN-ACK).
    pub(crate) fn is_syn(&self) -> bool {
        matches!(self.control, Control::Syn { .. })
    }

    /// Returns true if the segment resets the connection.
    pub(crate) fn is_reset(&self) -> bool {
        self.control == Control::Reset
    }

    /// Returns the number after the segment's last one.
    pub(super) fn end(&self) -> u64 {
        self.sequence + self.payload.len() as u64 + u64::from(self.fin) + u64::from(self.is_syn())
    }
}

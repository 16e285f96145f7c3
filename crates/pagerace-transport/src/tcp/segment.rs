//! A TCP segment: header fields (RFC 9293, section 3.1), payload, and how many
//! bytes both take on the wire.
//!
//! Sequence numbers count from the SYN, which is number 0; the stream's first
//! byte is number 1 and a FIN takes the number behind the last byte. Deviates:
//! they have 64 bits and never wrap, windows are whole bytes (no rounding to the
//! window scale), timestamps have nanoseconds. There is no checksum and there
//! are no ports.

use std::ops;

use bytes::Bytes;
use pagerace_core::Instant;

/// IPv4 header without options, in bytes (RFC 791, section 3.1).
const IP_HEADER: u32 = 20;
/// TCP header without options, in bytes (RFC 9293, section 3.1).
const TCP_HEADER: u32 = 20;
/// The timestamps option and two bytes of padding (RFC 7323, section 3.2 and
/// appendix A).
const TIMESTAMPS: u32 = 12;
/// Maximum segment size 4, SACK permitted 2, window scale 3, one byte of
/// padding (RFC 9293, section 3.7.1; RFC 2018, section 2; RFC 7323, section 2.2).
const SYN_OPTIONS: u32 = 10;
/// Kind, length and two bytes of padding before the SACK blocks, and each block
/// (RFC 2018, section 3).
const SACK_HEADER: u32 = 4;
const SACK_BLOCK: u32 = 8;
/// SACK blocks that fit beside timestamps (RFC 2018, section 3).
pub(super) const MAX_SACK_BLOCKS: usize = 3;

/// A run of bytes of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Where it begins; 0 is the stream's first byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// A run of bytes that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentRange {
    /// Where it begins; 0 is the stream's first byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// They had been sent before.
    pub retransmission: bool,
}

/// The SACK blocks of a segment, in the order in which they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SackBlocks {
    blocks: [(u64, u64); MAX_SACK_BLOCKS],
    count: u8,
}

impl SackBlocks {
    /// Adds a block if there is room; `false` if not.
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

/// Which control bit a segment has, besides ACK and FIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Control {
    #[default]
    None,
    /// Opens a connection; carries its sender's maximum segment size.
    Syn { mss: u16 },
    /// Ends it at once.
    Reset,
}

/// What one side sends the other in one IP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub(super) control: Control,
    pub(super) fin: bool,
    /// Number of the first byte, or of the SYN.
    pub(super) sequence: u64,
    /// The number expected next, if ACK is set.
    pub(super) acknowledgement: Option<u64>,
    /// Bytes beyond `acknowledgement` that the sender takes.
    pub(super) window: u64,
    pub(super) sacks: SackBlocks,
    /// `TSval`: when it was sent.
    pub(super) timestamp: Instant,
    /// `TSecr`.
    pub(super) echo: Option<Instant>,
    pub(super) payload: Bytes,
    /// PSH: nothing more was written behind the payload.
    pub(super) push: bool,
    pub(super) retransmission: bool,
}

impl Segment {
    /// What a host answers that nobody listens on: a reset (RFC 9293, section
    /// 3.10.7.1).
    #[must_use]
    pub fn refusal(now: Instant, of: &Self) -> Self {
        Self {
            control: Control::Reset,
            fin: false,
            sequence: of.acknowledgement.unwrap_or(0),
            acknowledgement: Some(of.end()),
            window: 0,
            sacks: SackBlocks::default(),
            timestamp: now,
            echo: Some(of.timestamp),
            payload: Bytes::new(),
            push: false,
            retransmission: false,
        }
    }

    /// Bytes on the wire: IP and TCP headers, options and payload.
    pub fn wire_size(&self) -> u32 {
        let syn = match self.control {
            Control::Syn { .. } => SYN_OPTIONS,
            Control::None | Control::Reset => 0,
        };
        // The padding behind SYN options pads the timestamps as well.
        let timestamps = if syn == 0 { TIMESTAMPS } else { TIMESTAMPS - 2 };
        let sacks = match u32::from(self.sacks.count) {
            0 => 0,
            n => SACK_HEADER + SACK_BLOCK * n,
        };
        IP_HEADER + TCP_HEADER + syn + timestamps + sacks + self.payload.len() as u32
    }

    /// Bytes of payload.
    pub fn payload_len(&self) -> usize {
        self.payload.len()
    }

    /// Where the payload begins in the stream; 0 is its first byte.
    pub fn offset(&self) -> u64 {
        self.sequence.saturating_sub(1)
    }

    /// Whether all of it was sent before.
    pub fn is_retransmission(&self) -> bool {
        self.retransmission
    }

    /// Whether it opens a connection (SYN or SYN-ACK).
    pub fn is_syn(&self) -> bool {
        matches!(self.control, Control::Syn { .. })
    }

    /// Whether its sender's stream ends with it.
    pub fn is_fin(&self) -> bool {
        self.fin
    }

    /// Whether it breaks the connection off.
    pub fn is_reset(&self) -> bool {
        self.control == Control::Reset
    }

    /// The number behind its last one.
    pub(super) fn end(&self) -> u64 {
        self.sequence + self.payload.len() as u64 + u64::from(self.fin) + u64::from(self.is_syn())
    }
}

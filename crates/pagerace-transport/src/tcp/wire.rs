//! Segments as bytes (RFC 9293, section 3.1), for a client whose peer is a real host over IPv4.
//!
//! The numbers of a [`Segment`] count from zero and have 64 bits. On the wire, sequence numbers
//! and timestamps begin anywhere and wrap, timestamps count milliseconds (RFC 7323), and windows
//! are scaled. The kernel and network cards join segments before a program sees them; they are
//! cut again.
//!
//! Checksums are written, but not verified: the kernel leaves out those of packets that it does
//! not put on a wire.

use std::net::SocketAddrV4;

use bytes::Bytes;
use pagerace_core::{Duration, Instant};

use super::segment::{Control, MAX_SACK_BLOCKS, SackBlocks, Segment, TIMESTAMPS};

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;

/// IPv4's number of TCP.
const PROTOCOL: u8 = 6;

/// IPv4 and TCP headers without options, in bytes.
const HEADER: usize = 20;

/// Bits by which this side's window is shifted, as Linux chooses for its default buffers: up to
/// 8 MiB.
const SCALE: u8 = 7;

/// The largest shift (RFC 7323, section 2.3).
const SCALE_MAX: u8 = 14;

/// The least maximum segment size that Linux accepts (`TCP_MIN_SND_MSS` and its headers).
const MSS_MIN: u16 = 88;

/// Bytes ahead of the next expected one within which a reset counts: more than any window here.
const RESET_REACH: u64 = 1 << 24;

/// The translation between segments and packets of one connection.
#[derive(Debug)]
pub struct Wire {
    local: SocketAddrV4,
    remote: SocketAddrV4,
    /// This side's first sequence number, and its timestamp at time zero.
    first: u32,
    /// This side's maximum segment size.
    mss: u16,
    /// The number after the highest one sent.
    sent: u64,
    /// The options of the peer's SYN; `None` before it has arrived.
    peer: Option<Peer>,
}

#[derive(Debug)]
struct Peer {
    first: u32,
    /// The number that was acknowledged last.
    next: u64,
    /// Bits by which the windows of the peer and of this side are shifted. Both are zero unless
    /// both sides scale.
    scales: (u8, u8),
    /// The first timestamp; `None` if the peer sends none.
    timestamp: Option<u32>,
    sack: bool,
    mss: u16,
}

/// The options of a segment.
#[derive(Default)]
struct Options {
    mss: Option<u16>,
    scale: Option<u8>,
    sack: bool,
    /// `TSval` and `TSecr`.
    timestamps: Option<(u32, u32)>,
    /// Sequence numbers on the wire.
    blocks: Vec<(u32, u32)>,
}

impl Wire {
    /// Creates the translation of a new connection. `first` is the first sequence number, which
    /// should be unpredictable.
    pub fn new(local: SocketAddrV4, remote: SocketAddrV4, first: u32) -> Self {
        Self {
            local,
            remote,
            first,
            mss: MSS_MIN,
            sent: 0,
            peer: None,
        }
    }

    /// Returns a segment as the content of an IP packet.
    pub fn encode(&mut self, segment: &Segment) -> Vec<u8> {
        self.sent = self.sent.max(segment.end());
        let options = self.options(segment);
        let (mut shift, mut acknowledgement) = (0, 0);
        if let Some(peer) = &mut self.peer {
            shift = peer.scales.1;
            if let Some(number) = segment.acknowledgement {
                peer.next = number;
                acknowledgement = peer.first.wrapping_add(number as u32);
            }
        }
        let mut flags = 0;
        match segment.control {
            // The window of a SYN is never scaled.
            Control::Syn { .. } => (flags, shift) = (SYN, 0),
            Control::Reset => flags = RST,
            Control::None => {}
        }
        let given = [
            (segment.fin, FIN),
            (segment.push, PSH),
            (segment.acknowledgement.is_some(), ACK),
        ];
        for (_, flag) in given.into_iter().filter(|(given, _)| *given) {
            flags |= flag;
        }
        let window = u16::try_from(segment.window >> shift).unwrap_or(u16::MAX);
        let sequence = self.first.wrapping_add(segment.sequence as u32);
        let words = (HEADER + options.len()) as u8 / 4;
        let mut packet = Vec::with_capacity(HEADER + options.len() + segment.payload.len());
        packet.extend(self.local.port().to_be_bytes());
        packet.extend(self.remote.port().to_be_bytes());
        packet.extend(sequence.to_be_bytes());
        packet.extend(acknowledgement.to_be_bytes());
        packet.extend([words << 4, flags]);
        packet.extend(window.to_be_bytes());
        // The checksum, which covers the whole packet, and an urgent pointer that is never used.
        packet.extend([0; 4]);
        packet.extend(options);
        packet.extend_from_slice(&segment.payload);
        let sum = self.checksum(&packet);
        packet[16..18].copy_from_slice(&sum.to_be_bytes());
        packet
    }

    /// Returns the options, padded to whole words.
    fn options(&mut self, segment: &Segment) -> Vec<u8> {
        let value = self.first.wrapping_add(millis(segment.timestamp));
        let peer = self.peer.as_ref();
        let base = peer.and_then(|peer| peer.timestamp);
        let echo = segment
            .echo
            .zip(base)
            .map_or(0, |(at, base)| base.wrapping_add(millis(at)));
        let stamps = [value.to_be_bytes(), echo.to_be_bytes()].concat();
        if let Control::Syn { mss } = segment.control {
            // Maximum segment size, SACK permitted, timestamps, window scale: as in Linux.
            self.mss = mss + TIMESTAMPS as u16;
            let mut options = vec![2, 4];
            options.extend(self.mss.to_be_bytes());
            options.extend([4, 2, 8, 10]);
            options.extend(stamps);
            options.extend([1, 3, 3, SCALE]);
            return options;
        }
        let Some(peer) = peer else {
            return Vec::new();
        };
        let mut options = Vec::new();
        if base.is_some() {
            options.extend([1, 1, 8, 10]);
            options.extend(stamps);
        }
        let blocks: Vec<_> = segment.sacks.iter().filter(|_| peer.sack).collect();
        if !blocks.is_empty() {
            options.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
        }
        for number in blocks.iter().flat_map(|block| [block.start, block.end]) {
            options.extend(peer.first.wrapping_add(number as u32).to_be_bytes());
        }
        options
    }

    /// Returns the checksum of a segment whose checksum is zero (RFC 9293, section 3.1).
    fn checksum(&self, segment: &[u8]) -> u16 {
        let pseudo = [
            &self.local.ip().octets()[..],
            &self.remote.ip().octets(),
            &[0, PROTOCOL],
            &(segment.len() as u16).to_be_bytes(),
        ];
        let sum: u32 = pseudo.into_iter().chain([segment]).map(sum_words).sum();
        let sum = (sum & 0xffff) + (sum >> 16);
        !((sum & 0xffff) + (sum >> 16)) as u16
    }

    /// Returns the segments of an IP packet, none if it is not one of this connection.
    pub fn decode(&mut self, now: Instant, packet: &[u8]) -> Vec<Segment> {
        self.read(now, packet).unwrap_or_default()
    }

    fn read(&mut self, now: Instant, packet: &[u8]) -> Option<Vec<Segment>> {
        let ip: &[u8; HEADER] = packet.first_chunk()?;
        let addresses = [&self.remote.ip().octets()[..], &self.local.ip().octets()].concat();
        if ip[0] >> 4 != 4 || ip[9] != PROTOCOL || ip[12..] != addresses {
            return None;
        }
        let length = usize::from(u16::from_be_bytes([ip[2], ip[3]]));
        let from = usize::from(ip[0] & 15) * 4;
        let tcp = packet.get(from..length.min(packet.len()))?;
        let head: &[u8; HEADER] = tcp.first_chunk()?;
        let ports = [self.remote.port(), self.local.port()].map(u16::to_be_bytes);
        if head[..4] != ports.concat() {
            return None;
        }
        let options_end = usize::from(head[12] >> 4) * 4;
        let options = Options::read(tcp.get(HEADER..options_end)?);
        let payload = tcp.get(options_end..)?;
        let word =
            |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (sequence, acknowledgement, flags) = (word(4), word(8), head[13]);
        let acknowledgement = if flags & ACK == 0 {
            None
        } else {
            Some(unwrap(self.sent, acknowledgement.wrapping_sub(self.first))?)
        };
        if flags & SYN != 0 {
            self.greet(sequence, acknowledgement, &options)?;
        }
        let Some(peer) = &self.peer else {
            // Only a refusal of the SYN may come before the peer's SYN.
            let refused = flags & RST != 0 && acknowledgement == Some(1);
            return refused.then(|| vec![Segment::refused()]);
        };
        let sequence = unwrap(peer.next, sequence.wrapping_sub(peer.first))?;
        // A reset counts only in the window, or anyone could send it (RFC 9293, section 3.10.7.4).
        if flags & RST != 0 {
            let ahead = sequence.checked_sub(peer.next)?;
            return (ahead < RESET_REACH).then(|| vec![Segment::refused()]);
        }
        let window = u64::from(u16::from_be_bytes([head[14], head[15]]));
        let mut whole = Segment {
            sequence,
            acknowledgement,
            window: window << peer.scales.0,
            sacks: self.blocks(&options),
            ..Segment::default()
        };
        if let Some(((value, echo), base)) = options.timestamps.zip(peer.timestamp) {
            whole.timestamp = Instant::ZERO + since(base, value).unwrap_or_default();
            let echo = since(self.first, echo).map(|after| Instant::ZERO + after);
            // An echo counts only beside an acknowledgement (RFC 7323, section 3.2).
            whole.echo = echo.filter(|at| acknowledgement.is_some() && *at <= now);
        }
        if flags & SYN != 0 {
            let mss = peer.mss - TIMESTAMPS as u16;
            (whole.control, whole.window) = (Control::Syn { mss }, window);
            return Some(vec![whole]);
        }
        let most = self.mss.min(peer.mss).max(MSS_MIN);
        let most = usize::from(most) - (options_end - HEADER);
        Some(cut(&whole, payload, most, flags))
    }

    /// Learns the options of the peer's SYN, unless it is one of another connection.
    fn greet(&mut self, first: u32, acknowledgement: Option<u64>, options: &Options) -> Option<()> {
        if acknowledgement.is_some_and(|number| number != 1) {
            return None;
        }
        let peer = self.peer.get_or_insert_with(|| Peer {
            first,
            next: 1,
            scales: options
                .scale
                .map_or((0, 0), |theirs| (theirs.min(SCALE_MAX), SCALE)),
            timestamp: options.timestamps.map(|(value, _)| value),
            sack: options.sack,
            // RFC 9293, section 3.7.1.
            mss: options.mss.unwrap_or(536).max(MSS_MIN),
        });
        (peer.first == first).then_some(())
    }

    fn blocks(&self, options: &Options) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        for (start, end) in &options.blocks {
            let ends = [start, end].map(|n| unwrap(self.sent, n.wrapping_sub(self.first)));
            if let [Some(start), Some(end)] = ends
                && start < end
            {
                blocks.push(start..end);
            }
        }
        blocks
    }
}

/// Cuts a segment's payload into segments of at most `most` bytes.
fn cut(whole: &Segment, payload: &[u8], most: usize, flags: u8) -> Vec<Segment> {
    let payload = Bytes::copy_from_slice(payload);
    let mut segments = Vec::new();
    let mut from = 0;
    loop {
        let to = payload.len().min(from + most);
        let last = to == payload.len();
        segments.push(Segment {
            sequence: whole.sequence + from as u64,
            payload: payload.slice(from..to),
            fin: last && flags & FIN != 0,
            push: last && flags & PSH != 0,
            ..whole.clone()
        });
        if last {
            return segments;
        }
        from = to;
    }
}

impl Options {
    /// Reads options up to the first that is malformed.
    fn read(mut bytes: &[u8]) -> Self {
        let mut options = Self::default();
        loop {
            bytes = match *bytes {
                [1, ref rest @ ..] => rest,
                // The end of the list is option 0.
                [kind, length, ..]
                    if kind > 1 && length > 1 && bytes.len() >= usize::from(length) =>
                {
                    let (option, rest) = bytes.split_at(length.into());
                    options.add(kind, &option[2..]);
                    rest
                }
                _ => return options,
            };
        }
    }

    fn add(&mut self, kind: u8, value: &[u8]) {
        let words: Vec<u32> = value
            .chunks_exact(4)
            .map(|w| u32::from_be_bytes([w[0], w[1], w[2], w[3]]))
            .collect();
        match (kind, value) {
            (2, [high, low]) => self.mss = Some(u16::from_be_bytes([*high, *low])),
            (3, [scale]) => self.scale = Some(*scale),
            (4, []) => self.sack = true,
            (5, _) => {
                let blocks = words.chunks_exact(2).take(MAX_SACK_BLOCKS);
                self.blocks = blocks.map(|pair| (pair[0], pair[1])).collect();
            }
            (8, [_, _, _, _, _, _, _, _]) => self.timestamps = Some((words[0], words[1])),
            _ => {}
        }
    }
}

/// Returns the 64-bit number with these low bits that is nearest to `near`, if it is not
/// negative.
fn unwrap(near: u64, low: u32) -> Option<u64> {
    let ahead = low.wrapping_sub(near as u32) as i32;
    near.checked_add_signed(ahead.into())
}

/// Returns the time of a timestamp after another; `None` if it lies before.
fn since(base: u32, value: u32) -> Option<Duration> {
    let ahead = value.wrapping_sub(base) as i32;
    Some(Duration::from_millis(u64::try_from(ahead).ok()?))
}

fn millis(at: Instant) -> u32 {
    (at.as_nanos() / 1_000_000) as u32
}

/// Returns the sum of 16-bit words; an odd byte counts as the high one of its word.
fn sum_words(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2);
    words
        .map(|pair| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low)))
        .sum()
}

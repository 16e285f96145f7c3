//! The trace of a script: which bytes of which response arrived when.

use std::collections::BTreeMap;

use pagerace_core::{Duration, Instant};

/// Bytes that extend a response beyond everything that arrived of it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Time at which the client read the packet.
    pub at: Instant,
    /// Index of the request in the script.
    pub ask: usize,
    /// Offset of the first byte on the stream.
    pub offset: u64,
    /// Number of bytes. Missing bytes before the packet count, as the server sent them before.
    pub bytes: u64,
}

/// Head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Time from the request to the head.
    pub after: Duration,
    /// `:status`.
    pub status: u16,
    /// `content-length`.
    pub length: Option<u64>,
    /// Size of the whole object by `content-range`.
    pub whole: Option<u64>,
    /// `content-type`, without parameters.
    pub media_type: String,
    /// `server`.
    pub server: String,
    /// `location`.
    pub location: String,
}

/// The end of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// All responses are complete.
    #[default]
    Complete,
    /// A limit of bytes or time ended the script.
    Limit(&'static str),
    /// The connection was lost or a request failed.
    Failed(String),
}

/// The result of playing a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Name of the script.
    pub script: &'static str,
    /// Time from the first packet to the end of the handshake.
    pub connect: Duration,
    /// Chunks in the order of arrival.
    pub chunks: Vec<Chunk>,
    /// Heads by request; `None` if none arrived.
    pub heads: Vec<Option<Head>>,
    /// Bytes of UDP payload that arrived.
    pub payload: u64,
    /// Stream bytes of responses that the client read, including repeated ones.
    pub received: u64,
    /// Stream bytes that arrived after later bytes of their stream.
    pub refilled: u64,
    /// Bytes of UDP payload that the client's own queue dropped.
    pub dropped: u64,
    /// Packets of the client that were lost. Requests or updates in them arrived late.
    pub lost_up: u64,
    /// Time of the last byte.
    pub finished: Instant,
    /// Time at which the script ended.
    pub ended: Instant,
    /// The end.
    pub end: End,
}

impl Trace {
    /// Returns the share of stream bytes that were sent again because the path lost them.
    pub fn loss(&self) -> f64 {
        let lost = self.refilled.saturating_sub(self.dropped);
        lost as f64 / self.received.max(1) as f64
    }

    /// Returns the bytes that count against limits: those of streams, or two thirds of the UDP
    /// payload beyond 64 KiB if they are more. The difference is an allowance for the handshake,
    /// headers, and what the client's queue drops.
    pub fn counted(&self) -> u64 {
        let beyond = self.payload.saturating_sub(ALLOWANCE);
        self.received.max(beyond - beyond / 3)
    }
}

/// Bytes of UDP payload of a connection that do not count.
const ALLOWANCE: u64 = 64 << 10;

/// The highest offsets of streams.
#[derive(Debug, Default)]
pub(crate) struct Marks(BTreeMap<usize, u64>);

impl Marks {
    /// Counts a STREAM frame. Returns the offset and the size of what it adds at the end, or
    /// `None` if it adds nothing there.
    pub(crate) fn add(&mut self, ask: usize, end: u64) -> Option<(u64, u64)> {
        let mark = self.0.entry(ask).or_default();
        let before = *mark;
        (end > before).then(|| {
            *mark = end;
            (before, end - before)
        })
    }
}

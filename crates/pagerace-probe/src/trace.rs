//! The trace of a script: which bytes of which response arrived when.

use std::collections::BTreeMap;

use pagerace_core::{Duration, Instant};
use pagerace_http::Field;

use crate::script::Script;

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

impl Head {
    /// Returns the size of the whole object, if the head says it.
    pub(crate) fn size(&self) -> Option<u64> {
        if self.status == 206 {
            self.whole
        } else {
            self.length
        }
    }

    /// Returns true if the response is a page.
    pub(crate) fn is_page(&self) -> bool {
        matches!(&self.media_type[..], "text/html" | "application/xhtml+xml")
    }

    /// Reads a head that arrived this long after its request; `None` if it is interim.
    pub(crate) fn read(fields: &[Field], after: Duration) -> Option<Self> {
        let text = |name: &str| {
            let value = pagerace_http::fields::get(fields, name);
            plain(&String::from_utf8_lossy(
                value.map_or(&[][..], |value| &value[..]),
            ))
        };
        let status = text(":status").parse().unwrap_or(0);
        if (100..200).contains(&status) {
            return None;
        }
        let media_type = text("content-type");
        let whole = text("content-range");
        let whole = whole.rsplit_once('/').map(|(_, whole)| whole.trim());
        Some(Self {
            after,
            status,
            length: text("content-length").parse().ok(),
            whole: whole.and_then(|whole| whole.parse().ok()),
            media_type: media_type
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
            server: text("server"),
            location: text("location"),
        })
    }
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
    /// Time from the first packet to the end of the handshake, over HTTP/2 to that of TCP.
    pub connect: Duration,
    /// Chunks in the order of arrival.
    pub chunks: Vec<Chunk>,
    /// Heads by request; `None` if none arrived.
    pub heads: Vec<Option<Head>>,
    /// Content of the responses in the order of arrival, if the job keeps it.
    pub content: Vec<u8>,
    /// Bytes of UDP payload that arrived, over HTTP/2 those of TCP payload; in virtual time,
    /// without TLS.
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
    /// Returns the trace of a script that begins.
    pub(crate) fn begin(script: &Script, now: Instant) -> Self {
        Self {
            script: script.name,
            connect: Duration::ZERO,
            chunks: Vec::new(),
            heads: vec![None; script.asks.len()],
            content: Vec::new(),
            payload: 0,
            received: 0,
            refilled: 0,
            dropped: 0,
            lost_up: 0,
            finished: now,
            ended: now,
            end: End::Complete,
        }
    }

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

/// Longest part of a text of the server that is read, in characters.
const TEXT_MAX: usize = 160;

/// Returns the beginning of a text of the server, without characters that a terminal obeys.
pub(crate) fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(TEXT_MAX).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::{TEXT_MAX, plain};

    #[test]
    fn texts_of_the_server_cannot_command_a_terminal() {
        assert_eq!(
            plain("\u{1b}[2Jé\n\u{9b}x"),
            "\u{fffd}[2Jé\u{fffd}\u{fffd}x"
        );
        assert_eq!(plain(&"é".repeat(500)).chars().count(), TEXT_MAX);
    }
}

//! Chromium's network log: head-of-line blocking of QUIC streams, and the number of
//! packets sent and received.
//!
//! <https://www.chromium.org/developers/design-documents/network-stack/netlog/>. The log
//! is one JSON object with a list of events, one event per line. The browser writes it
//! continuously and closes the object when it ends. If the browser was killed, the file
//! is truncated, and its complete lines are read. Times are whole milliseconds. Left out:
//! all events except those of QUIC.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use pagerace_core::{HolBlocked, HolStream};
use serde::{Deserialize, Serialize};

use crate::error::ChromiumError;

/// The HTTP/3 statistics of a network log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetLog {
    /// Head-of-line blocking of all streams of all connections.
    pub hol: HolBlocked,
    /// The QUIC connections that received stream data.
    pub connections: u64,
    /// The STREAM frames received.
    pub stream_frames: u64,
    /// The bytes of these frames, including retransmitted ones.
    pub stream_bytes: u64,
    /// The QUIC packets that the browser sent.
    pub packets_sent: u64,
    /// The QUIC packets that the browser received.
    pub packets_received: u64,
    /// The QUIC packets that the browser sent and declared lost.
    pub packets_lost: u64,
    /// The malformed lines of the event list: none in a complete file, and at most one if
    /// the browser was killed.
    pub broken_lines: u64,
    /// True if the log is complete.
    pub complete: bool,
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: u64,
    #[serde(default)]
    time: String,
    source: Source,
}

#[derive(Deserialize)]
struct Source {
    /// Negative for sources outside the network service.
    id: i64,
}

/// The parameters of a STREAM frame. Other events may have parameters of the same names
/// but other types.
#[derive(Deserialize)]
struct Frame {
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    stream_id: u64,
    offset: u64,
    length: u64,
}

/// The numbers of the event types, which differ between versions of Chromium.
struct Types {
    frame: u64,
    sent: Option<u64>,
    received: Option<u64>,
    lost: Option<u64>,
}

/// Reads a network log.
///
/// # Errors
/// Returns [`ChromiumError::File`] if the file cannot be read, and
/// [`ChromiumError::NetLog`] if it is not a network log or stops before its first event.
pub fn read(path: &Path) -> Result<NetLog, ChromiumError> {
    let file_error = |source: io::Error| ChromiumError::File {
        path: path.into(),
        source,
    };
    let file = File::open(path).map_err(file_error)?;
    parse(BufReader::new(file)).map_err(|error| match error {
        ParseError::Read(source) => file_error(source),
        ParseError::Content(found) => ChromiumError::NetLog {
            path: path.into(),
            found,
        },
    })
}

/// An error in the bytes of a network log.
#[derive(Debug)]
pub enum ParseError {
    /// The bytes cannot be read.
    Read(io::Error),
    /// The bytes are not a network log.
    Content(String),
}

/// Reads the bytes of a network log.
///
/// # Errors
/// Returns [`ParseError`] if the bytes cannot be read or are not a network log.
pub fn parse(mut from: impl BufRead) -> Result<NetLog, ParseError> {
    let mut line = Vec::new();
    next_line(&mut from, &mut line)?;
    let types = types(&line).map_err(ParseError::Content)?;
    next_line(&mut from, &mut line)?;
    if !line.starts_with(b"\"events\":") {
        return Err(ParseError::Content(
            "its second line does not begin the events".into(),
        ));
    }
    let mut log = NetLog::default();
    let mut streams: BTreeMap<(i64, u64), HolStream> = BTreeMap::new();
    loop {
        next_line(&mut from, &mut line)?;
        // An event ends with a brace, followed by a comma or the end of the list.
        let end = line.iter().rposition(|byte| !b",] ".contains(byte));
        let Some(end) = end else {
            log.complete = line.contains(&b']');
            break;
        };
        let (event, rest) = line.split_at(end + 1);
        if count(&mut log, &mut streams, &types, event).is_none() {
            log.broken_lines += 1;
        }
        if rest.contains(&b']') {
            log.complete = true;
            break;
        }
    }
    for stream in streams.values() {
        log.hol.bytes = log.hol.bytes.saturating_add(stream.blocked_bytes());
        let byte_ms = u64::try_from(stream.blocked_byte_time()).unwrap_or(u64::MAX);
        log.hol.byte_ms = log.hol.byte_ms.saturating_add(byte_ms);
    }
    let connections: BTreeSet<i64> = streams.keys().map(|(source, _)| *source).collect();
    log.connections = connections.len() as u64;
    Ok(log)
}

/// Reads the next line without its line terminator; empty at the end of the file.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> Result<(), ParseError> {
    line.clear();
    from.read_until(b'\n', line).map_err(ParseError::Read)?;
    while line.last().is_some_and(u8::is_ascii_whitespace) {
        line.pop();
    }
    Ok(())
}

/// Reads the event types from the first line, which names all numbers.
fn types(line: &[u8]) -> Result<Types, String> {
    #[derive(Deserialize)]
    struct Head {
        constants: Constants,
    }
    #[derive(Deserialize)]
    struct Constants {
        #[serde(rename = "logEventTypes")]
        types: BTreeMap<String, u64>,
    }
    let mut head = line.strip_suffix(b",").unwrap_or(line).to_vec();
    head.push(b'}');
    let head: Head = serde_json::from_slice(&head)
        .map_err(|e| format!("its first line has no constants ({e})"))?;
    let number = |name: &str| head.constants.types.get(name).copied();
    Ok(Types {
        frame: number("QUIC_SESSION_STREAM_FRAME_RECEIVED")
            .ok_or("its version lacks QUIC_SESSION_STREAM_FRAME_RECEIVED")?,
        sent: number("QUIC_SESSION_PACKET_SENT"),
        received: number("QUIC_SESSION_PACKET_RECEIVED"),
        lost: number("QUIC_SESSION_PACKET_LOST"),
    })
}

/// Counts one event; returns `None` if the text is not an event.
fn count(
    log: &mut NetLog,
    streams: &mut BTreeMap<(i64, u64), HolStream>,
    types: &Types,
    text: &[u8],
) -> Option<()> {
    let event: Line = serde_json::from_slice(text).ok()?;
    let kind = Some(event.kind);
    if kind == types.sent {
        log.packets_sent += 1;
    } else if kind == types.received {
        log.packets_received += 1;
    } else if kind == types.lost {
        log.packets_lost += 1;
    } else if event.kind == types.frame {
        let time = event.time.parse().ok()?;
        let Frame { params } = serde_json::from_slice(text).ok()?;
        log.stream_frames += 1;
        log.stream_bytes = log.stream_bytes.saturating_add(params.length);
        let stream = streams
            .entry((event.source.id, params.stream_id))
            .or_default();
        let end = params.offset.saturating_add(params.length);
        stream.arrived(time, params.offset, end);
    }
    Some(())
}

#[cfg(test)]
mod tests;

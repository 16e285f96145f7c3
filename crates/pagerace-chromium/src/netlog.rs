//! Chromium's network log: head-of-line blocking of QUIC streams.
//!
//! <https://www.chromium.org/developers/design-documents/network-stack/netlog/>. The log
//! is one JSON object with a list of events, one event per line. The browser writes it
//! continuously and closes the object when it ends. If the browser was killed, the file
//! is truncated, and its complete lines are read. Times are whole milliseconds. Left out:
//! all events except the STREAM frames of QUIC.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use pagerace_core::{HolBlocked, HolStream};
use serde::Deserialize;

use crate::error::ChromiumError;

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

/// Returns the head-of-line blocking of all streams of all connections in a network log.
///
/// # Errors
/// Returns [`ChromiumError::File`] if the file cannot be read, and
/// [`ChromiumError::NetLog`] if it is not a network log or stops before its first event.
pub fn read(path: &Path) -> Result<HolBlocked, ChromiumError> {
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

/// Reads the bytes of a network log. Malformed events are passed over.
///
/// # Errors
/// Returns [`ParseError`] if the bytes cannot be read or are not a network log.
pub fn parse(mut from: impl BufRead) -> Result<HolBlocked, ParseError> {
    let mut line = Vec::new();
    next_line(&mut from, &mut line)?;
    let frame_type = frame_type(&line).map_err(ParseError::Content)?;
    next_line(&mut from, &mut line)?;
    if !line.starts_with(b"\"events\":") {
        return Err(ParseError::Content(
            "its second line does not begin the events".into(),
        ));
    }
    let mut streams: BTreeMap<(i64, u64), HolStream> = BTreeMap::new();
    loop {
        next_line(&mut from, &mut line)?;
        // An event ends with a brace, followed by a comma or the end of the list.
        let end = line.iter().rposition(|byte| !b",] ".contains(byte));
        let Some(end) = end else { break };
        let (event, rest) = line.split_at(end + 1);
        let _ = count(&mut streams, frame_type, event);
        if rest.contains(&b']') {
            break;
        }
    }
    let mut hol = HolBlocked::default();
    for stream in streams.values() {
        hol.bytes = hol.bytes.saturating_add(stream.blocked_bytes());
        let byte_ms = u64::try_from(stream.blocked_byte_time()).unwrap_or(u64::MAX);
        hol.byte_ms = hol.byte_ms.saturating_add(byte_ms);
    }
    Ok(hol)
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

/// Reads the type of STREAM frames from the first line, which names the numbers of all events.
/// They differ between versions of Chromium.
fn frame_type(line: &[u8]) -> Result<u64, String> {
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
    let number = head
        .constants
        .types
        .get("QUIC_SESSION_STREAM_FRAME_RECEIVED");
    Ok(*number.ok_or("its version lacks QUIC_SESSION_STREAM_FRAME_RECEIVED")?)
}

/// Counts one event; returns `None` if the text is not an event.
fn count(
    streams: &mut BTreeMap<(i64, u64), HolStream>,
    frame_type: u64,
    text: &[u8],
) -> Option<()> {
    let event: Line = serde_json::from_slice(text).ok()?;
    if event.kind == frame_type {
        let time = event.time.parse().ok()?;
        let Frame { params } = serde_json::from_slice(text).ok()?;
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

//! Frames: a type, a length and a payload, parsed from bytes split at any point.
//!
//! Source: RFC 9114, sections 7.1 and 7.2; RFC 9218, section 7.2.

use bytes::Bytes;

use super::code::{Code, Fault};
use crate::varint;

pub(super) const DATA: u64 = 0x00;
pub(super) const HEADERS: u64 = 0x01;
pub(super) const CANCEL_PUSH: u64 = 0x03;
pub(super) const SETTINGS: u64 = 0x04;
pub(super) const PUSH_PROMISE: u64 = 0x05;
pub(super) const GOAWAY: u64 = 0x07;
pub(super) const MAX_PUSH_ID: u64 = 0x0d;
pub(super) const PRIORITY_UPDATE_REQUEST: u64 = 0xf_0700;
pub(super) const PRIORITY_UPDATE_PUSH: u64 = 0xf_0701;

/// Returns true for HTTP/2 frame types that HTTP/3 forbids: RFC 9114, section 7.2.8.
pub(super) const fn is_http2(ty: u64) -> bool {
    matches!(ty, 0x02 | 0x06 | 0x08 | 0x09)
}

/// Appends a frame.
pub(super) fn encode(ty: u64, payload: &[u8], out: &mut Vec<u8>) {
    encode_header(ty, payload.len() as u64, out);
    out.extend_from_slice(payload);
}

/// Appends the header of a frame with `len` bytes of payload.
pub(super) fn encode_header(ty: u64, len: u64, out: &mut Vec<u8>) {
    varint::encode(ty, out);
    varint::encode(len, out);
}

/// The treatment of a frame's payload, chosen when the header is parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Payload {
    /// Collect the complete payload.
    Collect {
        /// Longest accepted payload, in bytes.
        max: u64,
        /// Error code for a longer payload.
        or_else: Code,
    },
    /// Pass the payload on as it arrives.
    Stream,
    /// Skip the payload.
    Skip,
}

/// A parsed part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A complete frame.
    Frame(u64, Bytes),
    /// Part of the payload of a streamed frame; never empty.
    Streamed(Bytes),
}

/// Incremental parser of the frames on one stream. It holds at most one collected
/// payload.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
}

#[derive(Debug)]
enum State {
    /// Inside the type or the length, which are two integers of at most 8 bytes.
    Header {
        bytes: [u8; 16],
        len: usize,
    },
    Collecting {
        ty: u64,
        len: usize,
        payload: Vec<u8>,
    },
    Streaming {
        left: u64,
    },
    Skipping {
        left: u64,
    },
}

const START: State = State::Header {
    bytes: [0; 16],
    len: 0,
};

impl Reader {
    pub(super) const fn new() -> Self {
        Self { state: START }
    }

    /// Returns true if the stream may end here.
    pub(super) const fn is_between_frames(&self) -> bool {
        matches!(self.state, State::Header { len: 0, .. })
    }

    /// Parses the next piece of `input` and removes its bytes. Returns `None` when
    /// `input` is used up. `dispose` sees the type and length of each frame before its
    /// payload is read.
    pub(super) fn next(
        &mut self,
        input: &mut Bytes,
        mut dispose: impl FnMut(u64, u64) -> Result<Payload, Fault>,
    ) -> Result<Option<Piece>, Fault> {
        loop {
            match &mut self.state {
                State::Header { bytes, len } => {
                    let Some((ty, payload_len)) = read_header(bytes, len, input) else {
                        return Ok(None);
                    };
                    self.state = begin(ty, payload_len, dispose(ty, payload_len)?)?;
                }
                State::Collecting { ty, len, payload } => {
                    if payload.is_empty() && input.len() >= *len {
                        let piece = Piece::Frame(*ty, input.split_to(*len));
                        self.state = START;
                        return Ok(Some(piece));
                    }
                    let part = input.split_to(input.len().min(*len - payload.len()));
                    payload.extend_from_slice(&part);
                    if payload.len() < *len {
                        return Ok(None);
                    }
                    let piece = Piece::Frame(*ty, Bytes::from(std::mem::take(payload)));
                    self.state = START;
                    return Ok(Some(piece));
                }
                State::Streaming { left: 0 } | State::Skipping { left: 0 } => self.state = START,
                State::Streaming { left } => {
                    let part = take(left, input);
                    return Ok((!part.is_empty()).then_some(Piece::Streamed(part)));
                }
                State::Skipping { left } => {
                    if take(left, input).is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

/// Takes as much of `input` as `left` allows.
fn take(left: &mut u64, input: &mut Bytes) -> Bytes {
    let len = usize::try_from(*left).map_or(input.len(), |left| left.min(input.len()));
    *left -= len as u64;
    input.split_to(len)
}

fn begin(ty: u64, len: u64, payload: Payload) -> Result<State, Fault> {
    match payload {
        Payload::Stream => Ok(State::Streaming { left: len }),
        Payload::Skip => Ok(State::Skipping { left: len }),
        Payload::Collect { max, or_else } if len > max => {
            let reason = format!(
                "a frame of type 0x{ty:x} has {len} bytes, but at most {max} are \
                                  allowed"
            );
            Err(Fault::new(or_else, reason))
        }
        Payload::Collect { .. } => Ok(State::Collecting {
            ty,
            len: len as usize,
            payload: Vec::new(),
        }),
    }
}

/// Returns type and length, or `None` until both have arrived.
fn read_header(bytes: &mut [u8; 16], len: &mut usize, input: &mut Bytes) -> Option<(u64, u64)> {
    loop {
        let have = &bytes[..*len];
        if let Some((ty, ty_len)) = varint::decode(have)
            && let Some((payload_len, _)) = varint::decode(&have[ty_len..])
        {
            return Some((ty, payload_len));
        }
        if input.is_empty() {
            return None;
        }
        bytes[*len] = input.split_to(1)[0];
        *len += 1;
    }
}

#[cfg(test)]
mod tests;

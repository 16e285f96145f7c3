//! Frames: a header of nine bytes and a payload, parsed from bytes split at any point.
//!
//! Source: RFC 9113, sections 4.1 and 6; RFC 9218, section 7.1.

use std::ops::RangeInclusive;

use bytes::Bytes;

use super::code::Fault;

pub(super) const DATA: u8 = 0x0;
pub(super) const HEADERS: u8 = 0x1;
pub(super) const PRIORITY: u8 = 0x2;
pub(super) const RST_STREAM: u8 = 0x3;
pub(super) const SETTINGS: u8 = 0x4;
pub(super) const PUSH_PROMISE: u8 = 0x5;
pub(super) const PING: u8 = 0x6;
pub(super) const GOAWAY: u8 = 0x7;
pub(super) const WINDOW_UPDATE: u8 = 0x8;
pub(super) const CONTINUATION: u8 = 0x9;
pub(super) const PRIORITY_UPDATE: u8 = 0x10;

/// Flag of DATA and HEADERS.
pub(super) const END_STREAM: u8 = 0x1;
/// Flag of SETTINGS and PING.
pub(super) const ACK: u8 = 0x1;
/// Flag of HEADERS and CONTINUATION.
pub(super) const END_HEADERS: u8 = 0x4;
/// Flag of DATA and HEADERS.
pub(super) const PADDED: u8 = 0x8;
/// Flag of HEADERS.
pub(super) const HAS_PRIORITY: u8 = 0x20;

/// Length of a frame header in bytes.
pub(super) const HEADER_SIZE: usize = 9;

/// Largest payload in bytes, until settings change it.
pub(super) const MAX_SIZE_DEFAULT: u32 = 1 << 14;

/// Valid values of `SETTINGS_MAX_FRAME_SIZE`.
pub(super) const SIZES: RangeInclusive<u32> = MAX_SIZE_DEFAULT..=(1 << 24) - 1;

/// Mask of the 31 bits of a stream id. The bit above them is reserved and ignored.
pub(super) const STREAM_MASK: u32 = (1 << 31) - 1;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Length of the payload in bytes.
    pub(super) length: u32,
    pub(super) ty: u8,
    pub(super) flags: u8,
    pub(super) stream: u64,
}

impl Header {
    fn parse(bytes: [u8; HEADER_SIZE]) -> Self {
        let [a, b, c, ty, flags, stream @ ..] = bytes;
        Self {
            length: u32::from_be_bytes([0, a, b, c]),
            ty,
            flags,
            stream: stream_id(stream),
        }
    }

    pub(super) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns true if this implementation knows the frame type.
    pub(super) const fn is_known(&self) -> bool {
        matches!(self.ty, DATA..=CONTINUATION | PRIORITY_UPDATE)
    }
}

/// Decodes a stream id, without the reserved bit.
pub(super) fn stream_id(bytes: [u8; 4]) -> u64 {
    u64::from(u32::from_be_bytes(bytes) & STREAM_MASK)
}

/// Appends a frame.
pub(super) fn encode(ty: u8, flags: u8, stream: u64, payload: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&header(ty, flags, stream, payload.len()));
    out.extend_from_slice(payload);
}

/// Returns the header of a frame with `length` bytes of payload.
pub(super) fn header(ty: u8, flags: u8, stream: u64, length: usize) -> [u8; HEADER_SIZE] {
    debug_assert!(SIZES.end() >= &(length as u32), "{length} bytes of payload");
    let mut header = [0; HEADER_SIZE];
    header[..3].copy_from_slice(&(length as u32).to_be_bytes()[1..]);
    header[3..5].copy_from_slice(&[ty, flags]);
    header[5..].copy_from_slice(&(stream as u32).to_be_bytes());
    header
}

/// Removes the padding from the payload of a HEADERS frame: section 6.2.
pub(super) fn unpad(header: &Header, mut payload: Bytes) -> Result<Bytes, Fault> {
    if !header.has(PADDED) {
        return Ok(payload);
    }
    if payload.is_empty() {
        return Err(no_pad_length());
    }
    let padding = usize::from(payload.split_to(1)[0]);
    let Some(length) = payload.len().checked_sub(padding) else {
        return Err(Fault::protocol("more padding than payload"));
    };
    payload.truncate(length);
    Ok(payload)
}

/// A parsed part of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A complete frame of a known type other than DATA.
    Frame(Header, Bytes),
    /// The start of a DATA frame whose padding is valid.
    DataStart(Header),
    /// Part of the content of a DATA frame; never empty.
    Data(Header, Bytes),
    /// The end of a DATA frame, and the number of payload bytes that were padding, the
    /// Pad Length field included.
    DataEnd(Header, u32),
}

/// Incremental parser of frames. It holds at most one payload.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
}

#[derive(Debug)]
enum State {
    Header {
        bytes: [u8; HEADER_SIZE],
        len: usize,
    },
    Collecting {
        header: Header,
        payload: Vec<u8>,
    },
    PadLength(Header),
    Streaming {
        header: Header,
        left: u32,
        padding: u32,
    },
    Padding {
        header: Header,
        left: u32,
        padding: u32,
    },
    Skipping {
        left: u32,
    },
}

const START: State = State::Header {
    bytes: [0; HEADER_SIZE],
    len: 0,
};

impl Reader {
    pub(super) const fn new() -> Self {
        Self { state: START }
    }

    /// Parses the next piece of `input` and removes its bytes. Returns `None` when
    /// `input` is used up. `check` sees each header before its payload is read.
    pub(super) fn next(
        &mut self,
        input: &mut Bytes,
        mut check: impl FnMut(&Header) -> Result<(), Fault>,
    ) -> Result<Option<Piece>, Fault> {
        loop {
            match &mut self.state {
                State::Header { bytes, len } => {
                    let part = input.split_to(input.len().min(HEADER_SIZE - *len));
                    bytes[*len..*len + part.len()].copy_from_slice(&part);
                    *len += part.len();
                    if *len < HEADER_SIZE {
                        return Ok(None);
                    }
                    let header = Header::parse(*bytes);
                    check(&header)?;
                    self.state = begin(header)?;
                    if let State::Streaming { header, .. } = self.state {
                        return Ok(Some(Piece::DataStart(header)));
                    }
                }
                State::Collecting { header, payload } => {
                    let length = header.length as usize;
                    let part = input.split_to(input.len().min(length - payload.len()));
                    let payload = if part.len() == length {
                        part
                    } else {
                        payload.extend_from_slice(&part);
                        if payload.len() < length {
                            return Ok(None);
                        }
                        Bytes::from(std::mem::take(payload))
                    };
                    let piece = Piece::Frame(*header, payload);
                    self.state = START;
                    return Ok(Some(piece));
                }
                State::PadLength(header) => {
                    let header = *header;
                    if input.is_empty() {
                        return Ok(None);
                    }
                    let padding = u32::from(input.split_to(1)[0]);
                    // Section 6.1.
                    let Some(left) = (header.length - 1).checked_sub(padding) else {
                        return Err(Fault::protocol("more padding than payload"));
                    };
                    self.state = State::Streaming {
                        header,
                        left,
                        padding: padding + 1,
                    };
                    return Ok(Some(Piece::DataStart(header)));
                }
                State::Streaming {
                    header,
                    left: 0,
                    padding,
                } => {
                    self.state = State::Padding {
                        header: *header,
                        left: padding.saturating_sub(1),
                        padding: *padding,
                    };
                }
                State::Streaming { header, left, .. } => {
                    let part = take(left, input);
                    return Ok((!part.is_empty()).then_some(Piece::Data(*header, part)));
                }
                State::Padding {
                    header,
                    left: 0,
                    padding,
                } => {
                    let piece = Piece::DataEnd(*header, *padding);
                    self.state = START;
                    return Ok(Some(piece));
                }
                State::Skipping { left: 0 } => self.state = START,
                State::Padding { left, .. } | State::Skipping { left } => {
                    if take(left, input).is_empty() {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

/// Takes as much of `input` as `left` allows.
fn take(left: &mut u32, input: &mut Bytes) -> Bytes {
    let part = input.split_to(input.len().min(*left as usize));
    *left -= part.len() as u32;
    part
}

fn begin(header: Header) -> Result<State, Fault> {
    match header.ty {
        DATA if !header.has(PADDED) => Ok(State::Streaming {
            header,
            left: header.length,
            padding: 0,
        }),
        DATA if header.length == 0 => Err(no_pad_length()),
        DATA => Ok(State::PadLength(header)),
        _ if header.is_known() => Ok(State::Collecting {
            header,
            payload: Vec::new(),
        }),
        _ => Ok(State::Skipping {
            left: header.length,
        }),
    }
}

fn no_pad_length() -> Fault {
    Fault::size("a padded frame without the length of its padding")
}

#[cfg(test)]
mod tests;

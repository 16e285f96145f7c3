//! Parser of QUIC frames for accounting and qlog (RFC 9000, section 19; RFC 9221 for
//! DATAGRAM; draft-ietf-quic-ack-frequency).
//!
//! It reads only payloads that quinn-proto has written or accepted. A payload that does not
//! parse ends the iteration.
//!
//! Frames have the names and fields of qlog, and serialise to it
//! (draft-ietf-quic-qlog-quic-events-02, "QUIC Frames"). That draft does not define a DATAGRAM
//! frame; `datagram` is the name in later drafts.

use std::fmt::Write as _;
use std::iter;

use serde::{Serialize, Serializer};

/// Unit of the ACK delay in microseconds: quinn leaves `ack_delay_exponent` at its default.
const ACK_DELAY_UNIT_US: f64 = 8.0;

/// A frame, borrowed from a packet's payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "frame_type", rename_all = "snake_case")]
pub enum Frame<'a> {
    /// One or more PADDING bytes.
    Padding {
        /// Number of bytes.
        length: u64,
        /// The same number.
        payload_length: u64,
    },
    /// PING.
    Ping,
    /// ACK.
    Ack {
        /// Encoded ACK delay. Serialises to milliseconds.
        #[serde(serialize_with = "milliseconds")]
        ack_delay: u64,
        /// The packets that it acknowledges.
        acked_ranges: AckedRanges<'a>,
    },
    /// CRYPTO.
    Crypto {
        /// Offset in the handshake stream.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
    /// STREAM.
    Stream(StreamFrame),
    /// `MAX_DATA`.
    MaxData {
        /// Limit in bytes.
        maximum: u64,
    },
    /// `MAX_STREAM_DATA`.
    MaxStreamData {
        /// Stream id.
        stream_id: u64,
        /// Limit in bytes.
        maximum: u64,
    },
    /// `MAX_STREAMS`.
    MaxStreams {
        /// `bidirectional` or `unidirectional`.
        stream_type: &'static str,
        /// Maximum number of streams.
        maximum: u64,
    },
    /// `DATA_BLOCKED`.
    DataBlocked {
        /// Limit in bytes.
        limit: u64,
    },
    /// `STREAM_DATA_BLOCKED`.
    StreamDataBlocked {
        /// Stream id.
        stream_id: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// `STREAMS_BLOCKED`.
    StreamsBlocked {
        /// `bidirectional` or `unidirectional`.
        stream_type: &'static str,
        /// Stream limit.
        limit: u64,
    },
    /// `RESET_STREAM`.
    ResetStream {
        /// Stream id.
        stream_id: u64,
        /// Application error code.
        error_code: u64,
        /// Final size in bytes.
        final_size: u64,
    },
    /// `STOP_SENDING`.
    StopSending {
        /// Stream id.
        stream_id: u64,
        /// Application error code.
        error_code: u64,
    },
    /// `NEW_TOKEN`.
    NewToken {
        /// The token.
        #[serde(serialize_with = "with_length")]
        token: &'a [u8],
    },
    /// `NEW_CONNECTION_ID`.
    NewConnectionId {
        /// Sequence number.
        sequence_number: u64,
        /// Connection IDs with a lower sequence number are to be retired.
        retire_prior_to: u64,
        /// Number of bytes of the connection ID.
        connection_id_length: u8,
        /// The connection ID.
        #[serde(serialize_with = "as_hex")]
        connection_id: &'a [u8],
    },
    /// `RETIRE_CONNECTION_ID`.
    RetireConnectionId {
        /// Sequence number.
        sequence_number: u64,
    },
    /// `HANDSHAKE_DONE`.
    HandshakeDone,
    /// `PATH_CHALLENGE`.
    PathChallenge,
    /// `PATH_RESPONSE`.
    PathResponse,
    /// `CONNECTION_CLOSE`.
    ConnectionClose {
        /// `application` or `transport`: who closed the connection.
        error_space: &'static str,
        /// Error code.
        error_code: u64,
        /// The same code.
        raw_error_code: u64,
        /// Reason phrase.
        #[serde(serialize_with = "as_text")]
        reason: &'a [u8],
    },
    /// DATAGRAM.
    Datagram {
        /// Number of payload bytes.
        length: u64,
    },
    /// A frame without a name in qlog: [`IMMEDIATE_ACK`], [`ACK_FREQUENCY`], or one of a type
    /// that is not known, after which the others cannot be read.
    Unknown {
        /// The frame type.
        raw_frame_type: u64,
    },
}

/// Inclusive packet-number ranges, highest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckedRanges<'a> {
    first: (u64, u64),
    /// Gaps and lengths, as on the wire.
    others: &'a [u8],
}

impl AckedRanges<'_> {
    /// Returns the first and last packet number of each range.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let mut others = frames(self.others);
        iter::successors(Some(self.first), move |(low, _)| others.range_below(*low))
    }
}

impl Serialize for AckedRanges<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

/// Type of `IMMEDIATE_ACK` (draft-ietf-quic-ack-frequency). quinn sends it with probes.
pub const IMMEDIATE_ACK: u64 = 0x1f;
/// Type of `ACK_FREQUENCY` (draft-ietf-quic-ack-frequency).
pub const ACK_FREQUENCY: u64 = 0xaf;

/// A STREAM frame without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StreamFrame {
    /// Stream id.
    #[serde(rename = "stream_id")]
    pub id: u64,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// True if the stream ends with this frame.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fin: bool,
}

impl StreamFrame {
    /// Returns the offset after the last byte.
    pub const fn end(&self) -> u64 {
        self.offset + self.length
    }
}

/// Returns the frames of a packet's plaintext payload.
pub fn frames(payload: &[u8]) -> Frames<'_> {
    Frames { rest: payload }
}

/// Iterator over the frames of a payload.
#[derive(Clone, Debug)]
pub struct Frames<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Frames<'a> {
    type Item = Frame<'a>;

    fn next(&mut self) -> Option<Frame<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let frame = self.parse();
        if frame.is_none() {
            self.rest = &[];
        }
        frame
    }
}

impl<'a> Frames<'a> {
    fn varint(&mut self) -> Option<u64> {
        let (value, rest) = read_varint(self.rest)?;
        self.rest = rest;
        Some(value)
    }

    fn bytes(&mut self, n: u64) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(usize::try_from(n).ok()?)?;
        self.rest = rest;
        Some(head)
    }

    fn parse(&mut self) -> Option<Frame<'a>> {
        let kind = self.varint()?;
        Some(match kind {
            0x00 => {
                let run = self.rest.iter().take_while(|b| **b == 0).count();
                self.rest = &self.rest[run..];
                let length = 1 + run as u64;
                Frame::Padding {
                    length,
                    payload_length: length,
                }
            }
            0x01 => Frame::Ping,
            0x02 | 0x03 => self.ack(kind == 0x03)?,
            0x04 => Frame::ResetStream {
                stream_id: self.varint()?,
                error_code: self.varint()?,
                final_size: self.varint()?,
            },
            0x05 => Frame::StopSending {
                stream_id: self.varint()?,
                error_code: self.varint()?,
            },
            0x06 => {
                let offset = self.varint()?;
                let length = self.varint()?;
                self.bytes(length)?;
                Frame::Crypto { offset, length }
            }
            0x07 => {
                let n = self.varint()?;
                Frame::NewToken {
                    token: self.bytes(n)?,
                }
            }
            0x08..=0x0f => self.stream(kind)?,
            0x10 => Frame::MaxData {
                maximum: self.varint()?,
            },
            0x11 => Frame::MaxStreamData {
                stream_id: self.varint()?,
                maximum: self.varint()?,
            },
            0x12 | 0x13 => Frame::MaxStreams {
                stream_type: stream_type(kind == 0x12),
                maximum: self.varint()?,
            },
            0x14 => Frame::DataBlocked {
                limit: self.varint()?,
            },
            0x15 => Frame::StreamDataBlocked {
                stream_id: self.varint()?,
                limit: self.varint()?,
            },
            0x16 | 0x17 => Frame::StreamsBlocked {
                stream_type: stream_type(kind == 0x16),
                limit: self.varint()?,
            },
            0x18 => {
                let sequence_number = self.varint()?;
                let retire_prior_to = self.varint()?;
                let connection_id_length = self.bytes(1)?[0];
                let connection_id = self.bytes(connection_id_length.into())?;
                self.bytes(16)?;
                Frame::NewConnectionId {
                    sequence_number,
                    retire_prior_to,
                    connection_id_length,
                    connection_id,
                }
            }
            0x19 => Frame::RetireConnectionId {
                sequence_number: self.varint()?,
            },
            0x1c | 0x1d => {
                let error_code = self.varint()?;
                let error_space = if kind == 0x1c {
                    self.varint()?;
                    "transport"
                } else {
                    "application"
                };
                let n = self.varint()?;
                Frame::ConnectionClose {
                    error_space,
                    error_code,
                    raw_error_code: error_code,
                    reason: self.bytes(n)?,
                }
            }
            0x1a | 0x1b => {
                self.bytes(8)?;
                if kind == 0x1a {
                    Frame::PathChallenge
                } else {
                    Frame::PathResponse
                }
            }
            0x1e => Frame::HandshakeDone,
            0x30 | 0x31 => {
                let length = if kind == 0x31 {
                    self.varint()?
                } else {
                    self.rest.len() as u64
                };
                self.bytes(length)?;
                Frame::Datagram { length }
            }
            raw_frame_type => {
                match raw_frame_type {
                    IMMEDIATE_ACK => {}
                    ACK_FREQUENCY => {
                        for _ in 0..4 {
                            self.varint()?;
                        }
                    }
                    _ => self.rest = &[],
                }
                Frame::Unknown { raw_frame_type }
            }
        })
    }

    fn stream(&mut self, kind: u64) -> Option<Frame<'a>> {
        let id = self.varint()?;
        let offset = if kind & 4 != 0 { self.varint()? } else { 0 };
        let length = if kind & 2 != 0 {
            self.varint()?
        } else {
            self.rest.len() as u64
        };
        self.bytes(length)?;
        Some(Frame::Stream(StreamFrame {
            id,
            offset,
            length,
            fin: kind & 1 != 0,
        }))
    }

    fn ack(&mut self, ecn: bool) -> Option<Frame<'a>> {
        let largest = self.varint()?;
        let ack_delay = self.varint()?;
        let more = self.varint()?;
        let first = (largest.checked_sub(self.varint()?)?, largest);
        let others = self.rest;
        let mut low = first.0;
        for _ in 0..more {
            low = self.range_below(low)?.0;
        }
        let others = &others[..others.len() - self.rest.len()];
        if ecn {
            for _ in 0..3 {
                self.varint()?;
            }
        }
        Some(Frame::Ack {
            ack_delay,
            acked_ranges: AckedRanges { first, others },
        })
    }

    /// Reads the next lower range of acknowledged packets below packet `low`.
    fn range_below(&mut self, low: u64) -> Option<(u64, u64)> {
        let high = low.checked_sub(self.varint()?.checked_add(2)?)?;
        Some((high.checked_sub(self.varint()?)?, high))
    }
}

const fn stream_type(bidirectional: bool) -> &'static str {
    if bidirectional {
        "bidirectional"
    } else {
        "unidirectional"
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn milliseconds<S: Serializer>(ack_delay: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(*ack_delay as f64 * ACK_DELAY_UNIT_US / 1e3)
}

fn with_length<S: Serializer>(token: &[u8], to: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Token {
        length: usize,
        data: String,
    }
    let (length, data) = (token.len(), hex(token));
    Token { length, data }.serialize(to)
}

fn as_hex<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&hex(bytes))
}

fn as_text<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&String::from_utf8_lossy(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        write!(text, "{b:02x}").expect("a string takes everything");
        text
    })
}

/// Reads a variable-length integer (RFC 9000, section 16). Also returns the bytes after it.
pub(crate) fn read_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let first = *bytes.first()?;
    let n = 1_usize << (first >> 6);
    let (head, rest) = bytes.split_at_checked(n)?;
    let value = head[1..]
        .iter()
        .fold(u64::from(first & 0x3f), |v, b| v << 8 | u64::from(*b));
    Some((value, rest))
}

/// Returns the number of bytes of a variable-length integer.
pub(crate) const fn varint_size(value: u64) -> usize {
    match value {
        0..0x40 => 1,
        0x40..0x4000 => 2,
        0x4000..0x4000_0000 => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests;

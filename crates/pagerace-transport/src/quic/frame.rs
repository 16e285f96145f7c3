//! Parser of QUIC frames for accounting and qlog (RFC 9000, section 19; RFC 9221 for
//! DATAGRAM; draft-ietf-quic-ack-frequency).
//!
//! It reads only payloads that quinn-proto has written or accepted. A payload that does not
//! parse ends the iteration.

/// A frame, borrowed from a packet's payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// One or more PADDING bytes.
    Padding {
        /// Number of bytes.
        length: u64,
    },
    /// PING.
    Ping,
    /// ACK.
    Ack {
        /// Inclusive packet-number ranges, highest first.
        ranges: Vec<(u64, u64)>,
        /// Encoded ACK delay.
        delay: u64,
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
    MaxData(u64),
    /// `MAX_STREAM_DATA`.
    MaxStreamData {
        /// Stream id.
        id: u64,
        /// Limit in bytes.
        maximum: u64,
    },
    /// `MAX_STREAMS`.
    MaxStreams {
        /// True for bidirectional streams.
        bidirectional: bool,
        /// Maximum number of streams.
        maximum: u64,
    },
    /// `DATA_BLOCKED`.
    DataBlocked(u64),
    /// `STREAM_DATA_BLOCKED`.
    StreamDataBlocked {
        /// Stream id.
        id: u64,
        /// Limit in bytes.
        limit: u64,
    },
    /// `STREAMS_BLOCKED`.
    StreamsBlocked {
        /// True for bidirectional streams.
        bidirectional: bool,
        /// Stream limit.
        limit: u64,
    },
    /// `RESET_STREAM`.
    ResetStream {
        /// Stream id.
        id: u64,
        /// Application error code.
        code: u64,
        /// Final size in bytes.
        final_size: u64,
    },
    /// `STOP_SENDING`.
    StopSending {
        /// Stream id.
        id: u64,
        /// Application error code.
        code: u64,
    },
    /// `NEW_TOKEN`.
    NewToken {
        /// The token.
        token: &'a [u8],
    },
    /// `NEW_CONNECTION_ID`.
    NewConnectionId {
        /// Sequence number.
        sequence: u64,
        /// Connection IDs with a lower sequence number are to be retired.
        retire_prior_to: u64,
        /// The connection ID.
        id: &'a [u8],
    },
    /// `RETIRE_CONNECTION_ID`.
    RetireConnectionId(u64),
    /// `HANDSHAKE_DONE`.
    HandshakeDone,
    /// `PATH_CHALLENGE` or `PATH_RESPONSE`.
    PathValidation {
        /// True for the response.
        response: bool,
    },
    /// `IMMEDIATE_ACK` (draft-ietf-quic-ack-frequency). quinn sends it with probes.
    ImmediateAck,
    /// `ACK_FREQUENCY` (draft-ietf-quic-ack-frequency).
    AckFrequency,
    /// `CONNECTION_CLOSE`.
    ConnectionClose {
        /// True if the application closed the connection.
        application: bool,
        /// Error code.
        code: u64,
        /// Reason phrase.
        reason: &'a [u8],
    },
    /// DATAGRAM.
    Datagram {
        /// Number of payload bytes.
        length: u64,
    },
    /// A frame of any other type. The frames after it cannot be read.
    Unknown(u64),
}

/// A STREAM frame without its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamFrame {
    /// Stream id.
    pub id: u64,
    /// Offset of the first byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// True if the stream ends with this frame.
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
                Frame::Padding {
                    length: 1 + run as u64,
                }
            }
            0x01 => Frame::Ping,
            0x02 | 0x03 => self.ack(kind == 0x03)?,
            0x04 => Frame::ResetStream {
                id: self.varint()?,
                code: self.varint()?,
                final_size: self.varint()?,
            },
            0x05 => Frame::StopSending {
                id: self.varint()?,
                code: self.varint()?,
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
            0x10 => Frame::MaxData(self.varint()?),
            0x11 => Frame::MaxStreamData {
                id: self.varint()?,
                maximum: self.varint()?,
            },
            0x12 | 0x13 => Frame::MaxStreams {
                bidirectional: kind == 0x12,
                maximum: self.varint()?,
            },
            0x14 => Frame::DataBlocked(self.varint()?),
            0x15 => Frame::StreamDataBlocked {
                id: self.varint()?,
                limit: self.varint()?,
            },
            0x16 | 0x17 => Frame::StreamsBlocked {
                bidirectional: kind == 0x16,
                limit: self.varint()?,
            },
            0x18 => {
                let sequence = self.varint()?;
                let retire_prior_to = self.varint()?;
                let n = self.bytes(1)?[0];
                let id = self.bytes(u64::from(n))?;
                self.bytes(16)?;
                Frame::NewConnectionId {
                    sequence,
                    retire_prior_to,
                    id,
                }
            }
            0x19 => Frame::RetireConnectionId(self.varint()?),
            0x1c | 0x1d => {
                let code = self.varint()?;
                if kind == 0x1c {
                    self.varint()?;
                }
                let n = self.varint()?;
                Frame::ConnectionClose {
                    application: kind == 0x1d,
                    code,
                    reason: self.bytes(n)?,
                }
            }
            0x1a | 0x1b => {
                self.bytes(8)?;
                Frame::PathValidation {
                    response: kind == 0x1b,
                }
            }
            0x1e => Frame::HandshakeDone,
            0x1f => Frame::ImmediateAck,
            0xaf => {
                for _ in 0..4 {
                    self.varint()?;
                }
                Frame::AckFrequency
            }
            0x30 | 0x31 => {
                let length = if kind == 0x31 {
                    self.varint()?
                } else {
                    self.rest.len() as u64
                };
                self.bytes(length)?;
                Frame::Datagram { length }
            }
            other => {
                self.rest = &[];
                Frame::Unknown(other)
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
        let delay = self.varint()?;
        let more = self.varint()?;
        let mut low = largest.checked_sub(self.varint()?)?;
        let mut ranges = vec![(low, largest)];
        for _ in 0..more {
            let high = low.checked_sub(self.varint()?.checked_add(2)?)?;
            low = high.checked_sub(self.varint()?)?;
            ranges.push((low, high));
        }
        if ecn {
            for _ in 0..3 {
                self.varint()?;
            }
        }
        Some(Frame::Ack { ranges, delay })
    }
}

/// Reads a variable-length integer (RFC 9000, section 16). Also returns the bytes after it.
pub fn read_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let first = *bytes.first()?;
    let n = 1_usize << (first >> 6);
    let (head, rest) = bytes.split_at_checked(n)?;
    let value = head[1..]
        .iter()
        .fold(u64::from(first & 0x3f), |v, b| v << 8 | u64::from(*b));
    Some((value, rest))
}

/// Returns the number of bytes of a variable-length integer.
pub const fn varint_size(value: u64) -> usize {
    match value {
        0..0x40 => 1,
        0x40..0x4000 => 2,
        0x4000..0x4000_0000 => 4,
        _ => 8,
    }
}

#[cfg(test)]
mod tests;

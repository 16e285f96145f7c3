//! Frames in qlog form (draft-ietf-quic-qlog-quic-events-02, "QUIC Frames").
//!
//! This draft does not define a DATAGRAM frame; `datagram` is the name in later drafts.
//! Frames without a qlog name (`IMMEDIATE_ACK`, `ACK_FREQUENCY`) become `unknown` with
//! their frame type.

use std::fmt::Write as _;

use pagerace_transport::quic::frame::Frame;
use serde::Serialize;

/// Microseconds per unit of an encoded ACK delay. All our connections use the default
/// `ack_delay_exponent`, which is 3
/// (<https://www.rfc-editor.org/rfc/rfc9000#section-18.2>).
const ACK_DELAY_UNIT_US: f64 = 8.0;

/// Frame type of <https://datatracker.ietf.org/doc/html/draft-ietf-quic-ack-frequency>.
const IMMEDIATE_ACK: u64 = 0x1f;
/// Frame type of the same draft.
const ACK_FREQUENCY: u64 = 0xaf;

#[derive(Debug, Serialize)]
#[serde(tag = "frame_type", rename_all = "snake_case")]
pub(crate) enum QlogFrame {
    Padding {
        length: u64,
        payload_length: u64,
    },
    Ping,
    Ack {
        /// Delay in milliseconds.
        ack_delay: f64,
        /// Ranges as `[first, last]`, both included. The schema also allows `[n]` for a
        /// range of one packet, but not every tool reads that.
        acked_ranges: Vec<[u64; 2]>,
    },
    ResetStream {
        stream_id: u64,
        error_code: u64,
        final_size: u64,
    },
    StopSending {
        stream_id: u64,
        error_code: u64,
    },
    Crypto {
        offset: u64,
        length: u64,
    },
    NewToken {
        token: Token,
    },
    Stream {
        stream_id: u64,
        offset: u64,
        length: u64,
        #[serde(skip_serializing_if = "is_false")]
        fin: bool,
    },
    MaxData {
        maximum: u64,
    },
    MaxStreamData {
        stream_id: u64,
        maximum: u64,
    },
    MaxStreams {
        stream_type: &'static str,
        maximum: u64,
    },
    DataBlocked {
        limit: u64,
    },
    StreamDataBlocked {
        stream_id: u64,
        limit: u64,
    },
    StreamsBlocked {
        stream_type: &'static str,
        limit: u64,
    },
    NewConnectionId {
        sequence_number: u64,
        retire_prior_to: u64,
        connection_id_length: usize,
        connection_id: String,
    },
    RetireConnectionId {
        sequence_number: u64,
    },
    PathChallenge,
    PathResponse,
    ConnectionClose {
        error_space: &'static str,
        error_code: u64,
        raw_error_code: u64,
        reason: String,
    },
    HandshakeDone,
    Datagram {
        length: u64,
    },
    Unknown {
        raw_frame_type: u64,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct Token {
    length: usize,
    data: String,
}

impl From<Frame<'_>> for QlogFrame {
    fn from(frame: Frame<'_>) -> Self {
        match frame {
            Frame::Padding { length } => Self::Padding {
                length,
                payload_length: length,
            },
            Frame::Ping => Self::Ping,
            Frame::Ack { ranges, delay } => Self::Ack {
                ack_delay: delay as f64 * ACK_DELAY_UNIT_US / 1e3,
                acked_ranges: ranges.into_iter().map(|(low, high)| [low, high]).collect(),
            },
            Frame::ResetStream {
                id,
                code,
                final_size,
            } => Self::ResetStream {
                stream_id: id,
                error_code: code,
                final_size,
            },
            Frame::StopSending { id, code } => Self::StopSending {
                stream_id: id,
                error_code: code,
            },
            Frame::Crypto { offset, length } => Self::Crypto { offset, length },
            Frame::NewToken { token } => Self::NewToken {
                token: Token {
                    length: token.len(),
                    data: hex(token),
                },
            },
            Frame::Stream(s) => Self::Stream {
                stream_id: s.id,
                offset: s.offset,
                length: s.length,
                fin: s.fin,
            },
            Frame::MaxData(maximum) => Self::MaxData { maximum },
            Frame::MaxStreamData { id, maximum } => Self::MaxStreamData {
                stream_id: id,
                maximum,
            },
            Frame::MaxStreams {
                bidirectional,
                maximum,
            } => Self::MaxStreams {
                stream_type: stream_type(bidirectional),
                maximum,
            },
            Frame::DataBlocked(limit) => Self::DataBlocked { limit },
            Frame::StreamDataBlocked { id, limit } => Self::StreamDataBlocked {
                stream_id: id,
                limit,
            },
            Frame::StreamsBlocked {
                bidirectional,
                limit,
            } => Self::StreamsBlocked {
                stream_type: stream_type(bidirectional),
                limit,
            },
            Frame::NewConnectionId {
                sequence,
                retire_prior_to,
                id,
            } => Self::NewConnectionId {
                sequence_number: sequence,
                retire_prior_to,
                connection_id_length: id.len(),
                connection_id: hex(id),
            },
            Frame::RetireConnectionId(sequence_number) => {
                Self::RetireConnectionId { sequence_number }
            }
            Frame::PathValidation { response: false } => Self::PathChallenge,
            Frame::PathValidation { response: true } => Self::PathResponse,
            Frame::ConnectionClose {
                application,
                code,
                reason,
            } => Self::ConnectionClose {
                error_space: if application {
                    "application"
                } else {
                    "transport"
                },
                error_code: code,
                raw_error_code: code,
                reason: String::from_utf8_lossy(reason).into_owned(),
            },
            Frame::HandshakeDone => Self::HandshakeDone,
            Frame::ImmediateAck => Self::Unknown {
                raw_frame_type: IMMEDIATE_ACK,
            },
            Frame::AckFrequency => Self::Unknown {
                raw_frame_type: ACK_FREQUENCY,
            },
            Frame::Datagram { length } => Self::Datagram { length },
            Frame::Unknown(raw_frame_type) => Self::Unknown { raw_frame_type },
        }
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
const fn is_false(b: &bool) -> bool {
    !*b
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        write!(text, "{b:02x}").expect("a string takes everything");
        text
    })
}

#[cfg(test)]
mod tests;

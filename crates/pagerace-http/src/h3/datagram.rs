//! HTTP datagrams in QUIC DATAGRAM frames.
//!
//! Source: RFC 9297, section 2.1, <https://www.rfc-editor.org/rfc/rfc9297#section-2.1>.

use bytes::{Buf, Bytes};

use super::code::{Code, ConnectionError, Fault};
use super::{Connection, frame};
use crate::varint;

/// Largest quarter stream id, which belongs to the last client-initiated bidirectional
/// stream.
const QUARTER_MAX: u64 = (1 << 60) - 1;

/// Number of bytes that an HTTP datagram of `stream` adds to its payload.
///
/// # Panics
/// If `stream` is not a request stream.
pub const fn datagram_overhead(stream: u64) -> usize {
    assert!(stream.is_multiple_of(4), "datagrams belong to requests");
    varint::size(stream / 4)
}

/// Appends the quarter stream id, which begins each datagram of `stream`.
///
/// # Panics
/// If `stream` is not a request stream.
pub fn encode_datagram_head(stream: u64, out: &mut Vec<u8>) {
    assert!(stream.is_multiple_of(4), "datagrams belong to requests");
    varint::encode(stream / 4, out);
}

/// Splits a datagram into its request stream and its HTTP datagram payload.
fn decode(mut data: Bytes) -> Result<(u64, Bytes), Fault> {
    let Some((quarter, length)) = varint::decode(&data) else {
        let reason = "a datagram without a quarter stream id";
        return Err(Fault::new(Code::DATAGRAM_ERROR, reason));
    };
    if quarter > QUARTER_MAX {
        let reason = format!("quarter stream id {quarter} belongs to no stream");
        return Err(Fault::new(Code::DATAGRAM_ERROR, reason));
    }
    data.advance(length);
    Ok((quarter * 4, data))
}

impl Connection {
    /// Handles the payload of a DATAGRAM frame. A datagram is dropped, as the network
    /// might drop it, if its request is not known yet or was forgotten. The stream may
    /// have ended.
    ///
    /// # Errors
    /// [`ConnectionError`] if the peer broke the protocol. Close the connection with its
    /// code.
    pub fn handle_datagram(&mut self, data: Bytes) -> Result<(), ConnectionError> {
        let result = decode(data).map(|(stream, payload)| {
            if self.requests.contains_key(&stream) {
                self.events
                    .push_back(super::Event::Datagram { stream, payload });
            }
        });
        self.conclude(0, result)
    }
}

/// Returns a DATA frame with `content`, which the head of the response did not announce.
pub fn data_frame(content: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(content.len() + 9);
    frame::encode(frame::DATA, content, &mut out);
    out.into()
}

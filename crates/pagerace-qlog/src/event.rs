//! Packets as the qlog events `packet_sent` and `packet_received`
//! (draft-ietf-quic-qlog-quic-events-02).

use pagerace_sim::LoggedPacket;
use pagerace_transport::quic::Space;
use pagerace_transport::quic::frame::{Frame, frames};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Event<'a> {
    /// Time in milliseconds.
    time: f64,
    name: &'static str,
    data: PacketEvent<'a>,
}

#[derive(Serialize)]
struct PacketEvent<'a> {
    header: PacketHeader,
    raw: RawInfo,
    frames: Vec<Frame<'a>>,
}

#[derive(Serialize)]
struct PacketHeader {
    packet_type: &'static str,
    packet_number: u64,
}

#[derive(Serialize)]
struct RawInfo {
    /// Packet length in bytes, with header and authentication tag.
    length: usize,
    /// Length in bytes without header and tag.
    payload_length: usize,
}

impl<'a> Event<'a> {
    pub(crate) fn new(logged: &'a LoggedPacket) -> Self {
        let packet = &logged.packet;
        Self {
            time: logged.at.as_millis_f64(),
            name: if packet.sent {
                "transport:packet_sent"
            } else {
                "transport:packet_received"
            },
            data: PacketEvent {
                header: PacketHeader {
                    packet_type: packet_type(packet.space),
                    packet_number: packet.number,
                },
                raw: RawInfo {
                    length: packet.size,
                    payload_length: packet.payload.len(),
                },
                frames: frames(&packet.payload).collect(),
            },
        }
    }
}

const fn packet_type(space: Space) -> &'static str {
    match space {
        Space::Initial => "initial",
        Space::Handshake => "handshake",
        Space::ZeroRtt => "0RTT",
        Space::OneRtt => "1RTT",
    }
}

#[cfg(test)]
mod tests;

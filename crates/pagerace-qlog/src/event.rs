//! Packets as the qlog events `packet_sent` and `packet_received`
//! (draft-ietf-quic-qlog-quic-events-02).

use pagerace_sim::LoggedPacket;
use pagerace_transport::quic::Space;
use pagerace_transport::quic::frame::frames;
use serde::Serialize;

use crate::frame::QlogFrame;

#[derive(Serialize)]
pub(crate) struct Event {
    /// Time in milliseconds.
    time: f64,
    name: &'static str,
    data: PacketEvent,
}

#[derive(Serialize)]
struct PacketEvent {
    header: PacketHeader,
    raw: RawInfo,
    frames: Vec<QlogFrame>,
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

impl Event {
    pub(crate) fn new(logged: &LoggedPacket) -> Self {
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
                frames: frames(&packet.payload).map(QlogFrame::from).collect(),
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

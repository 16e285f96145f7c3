//! Packets as the qlog events `packet_sent` and `packet_received`
//! (draft-ietf-quic-qlog-quic-events-02).

use pagerace_core::object;
use pagerace_sim::LoggedPacket;
use pagerace_transport::quic::Space;
use pagerace_transport::quic::frame::frames;
use serde::Serialize;

pub(crate) fn event(logged: &LoggedPacket) -> impl Serialize {
    let packet = &logged.packet;
    object! {
        time: logged.at.as_millis_f64(),
        name: if packet.sent {
            "transport:packet_sent"
        } else {
            "transport:packet_received"
        },
        data: object! {
            header: object! {
                packet_type: packet_type(packet.space),
                packet_number: packet.number,
            },
            raw: object! {
                // With header and authentication tag.
                length: packet.size,
                payload_length: packet.payload.len(),
            },
            frames: frames(&packet.payload).collect::<Vec<_>>(),
        },
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

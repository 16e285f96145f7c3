//! Parser of packet headers: RFC 791 (IPv4), RFC 9293 (TCP), RFC 768 (UDP).
//!
//! Left out: IPv6, which is disabled in the testbed. Fragments are not assigned to their
//! TCP or UDP flow, as only the first one has ports.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

/// The direction of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// To the client.
    Down,
    /// To the servers.
    Up,
}

/// The protocol above IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// Any other protocol, such as ICMP, and fragments.
    Other,
}

/// Identification of a connection by addresses and ports. All packets of
/// [`Transport::Other`] between the client and one server form one flow with ports 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Flow {
    /// The protocol above IP.
    pub transport: Transport,
    /// The port of the client.
    pub client_port: u16,
    /// The address of the server.
    pub server: Ipv4Addr,
    /// The port of the server.
    pub server_port: u16,
}

/// The fields of a TCP header that the emulator uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpHeader {
    /// The sequence number of the first byte, or of the SYN.
    pub seq: u32,
    /// Number of payload bytes.
    pub payload: u32,
    /// True if the segment opens the connection (SYN).
    pub syn: bool,
    /// True if the sender has no more data to send (FIN).
    pub fin: bool,
}

const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
/// Mask of the more-fragments flag and the fragment offset.
const FRAGMENT: u16 = 0x3fff;
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;

/// Parses the headers of a packet; `None` if it is not a complete IPv4 packet.
pub(super) fn read(packet: &[u8], direction: Direction) -> Option<(Flow, Option<TcpHeader>)> {
    let header = packet.first_chunk::<20>()?;
    let header_bytes = usize::from(header[0] & 0x0f) * 4;
    let total = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if header[0] >> 4 != 4 || header_bytes < 20 || total < header_bytes || total > packet.len() {
        return None;
    }
    let address =
        |at: usize| Ipv4Addr::new(header[at], header[at + 1], header[at + 2], header[at + 3]);
    let server = match direction {
        Direction::Down => address(12),
        Direction::Up => address(16),
    };
    let is_whole = u16::from_be_bytes([header[6], header[7]]) & FRAGMENT == 0;
    let payload = &packet[header_bytes..total];
    let transport = match header[9] {
        PROTOCOL_TCP if is_whole && payload.len() >= 20 => Transport::Tcp,
        PROTOCOL_UDP if is_whole && payload.len() >= 8 => Transport::Udp,
        _ => Transport::Other,
    };
    if transport == Transport::Other {
        let flow = Flow {
            transport,
            client_port: 0,
            server,
            server_port: 0,
        };
        return Some((flow, None));
    }
    let port = |at: usize| u16::from_be_bytes([payload[at], payload[at + 1]]);
    let (source, destination) = (port(0), port(2));
    let (client_port, server_port) = match direction {
        Direction::Down => (destination, source),
        Direction::Up => (source, destination),
    };
    let flow = Flow {
        transport,
        client_port,
        server,
        server_port,
    };
    let tcp = (transport == Transport::Tcp).then(|| {
        let offset = usize::from(payload[12] >> 4) * 4;
        TcpHeader {
            seq: u32::from_be_bytes([payload[4], payload[5], payload[6], payload[7]]),
            payload: payload.len().saturating_sub(offset) as u32,
            syn: payload[13] & SYN != 0,
            fin: payload[13] & FIN != 0,
        }
    });
    Some((flow, tcp))
}

#[cfg(test)]
pub(super) mod tests;

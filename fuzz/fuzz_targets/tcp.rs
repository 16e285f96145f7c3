#![no_main]
use std::net::{Ipv4Addr, SocketAddrV4};

use libfuzzer_sys::fuzz_target;
use pagerace_core::Instant;
use pagerace_transport::tcp::{Connection, TcpSettings, Wire};

// Packets for a client that has sent its SYN. `data` is a list of (length, TCP segment).
fuzz_target!(|data: &[u8]| {
    let client = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), 50_000);
    let server = SocketAddrV4::new(Ipv4Addr::new(198, 51, 100, 1), 443);
    let now = Instant::ZERO;
    let mut wire = Wire::new(client, server, u32::MAX - 5);
    let mut connection = Connection::client(&TcpSettings::default(), now).expect("defaults");
    let mut rest = data;
    while let [length, bytes @ ..] = rest {
        while let Some(segment) = connection.poll_transmit(now) {
            wire.encode(&segment);
        }
        let (tcp, after) = bytes.split_at(usize::from(*length).min(bytes.len()));
        let [high, low] = (24 + u16::from(*length)).to_be_bytes();
        let head = [0x45, 0, high, low, 0, 0, 0, 0, 64, 6, 0, 0];
        let addresses = [server.ip().octets(), client.ip().octets()].concat();
        let ports = [server.port().to_be_bytes(), client.port().to_be_bytes()].concat();
        let packet = [&head[..], &addresses, &ports, tcp].concat();
        for segment in wire.decode(now, &packet) {
            connection.handle_segment(now, segment);
        }
        while connection.read().is_some() {}
        while connection.poll_event().is_some() {}
        rest = after;
    }
    wire.decode(now, data);
});

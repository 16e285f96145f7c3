use proptest::prelude::*;

use super::*;

/// Returns a packet between the client and 10.1.0.1.
pub(in crate::link) fn ipv4(protocol: u8, direction: Direction, payload: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 20];
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&(20 + payload.len() as u16).to_be_bytes());
    packet[8] = 64;
    packet[9] = protocol;
    let (client, server) = ([10, 0, 0, 1], [10, 1, 0, 1]);
    let (from, to) = match direction {
        Direction::Down => (server, client),
        Direction::Up => (client, server),
    };
    packet[12..16].copy_from_slice(&from);
    packet[16..20].copy_from_slice(&to);
    packet.extend(payload);
    packet
}

/// Returns a UDP packet of `size` bytes, including its IP header, between the client's
/// port 50,000 and the server's port 443.
pub(in crate::link) fn udp(direction: Direction, size: usize) -> Vec<u8> {
    let mut datagram = vec![0; size - 20];
    let ports = match direction {
        Direction::Down => [443_u16, 50_000],
        Direction::Up => [50_000, 443],
    };
    datagram[..2].copy_from_slice(&ports[0].to_be_bytes());
    datagram[2..4].copy_from_slice(&ports[1].to_be_bytes());
    ipv4(PROTOCOL_UDP, direction, &datagram)
}

/// Returns a TCP packet with `payload` bytes between the same ports.
pub(in crate::link) fn tcp(direction: Direction, flags: u8, seq: u32, payload: usize) -> Vec<u8> {
    let mut segment = vec![0; 20 + payload];
    let ports = match direction {
        Direction::Down => [443_u16, 50_000],
        Direction::Up => [50_000, 443],
    };
    segment[..2].copy_from_slice(&ports[0].to_be_bytes());
    segment[2..4].copy_from_slice(&ports[1].to_be_bytes());
    segment[4..8].copy_from_slice(&seq.to_be_bytes());
    segment[12] = 5 << 4;
    segment[13] = flags;
    ipv4(PROTOCOL_TCP, direction, &segment)
}

fn flow(transport: Transport) -> Flow {
    let (client_port, server_port) = match transport {
        Transport::Other => (0, 0),
        _ => (50_000, 443),
    };
    Flow {
        transport,
        client_port,
        server: Ipv4Addr::new(10, 1, 0, 1),
        server_port,
    }
}

#[test]
fn both_directions_are_one_flow() {
    for direction in [Direction::Down, Direction::Up] {
        let packet = udp(direction, 100);
        assert_eq!(read(&packet, direction), Some((flow(Transport::Udp), None)));
    }
}

#[test]
fn tcp_says_where_it_is() {
    let header = |flags, payload| {
        let packet = tcp(Direction::Down, flags, 0xffff_fff0, payload);
        let (found, header) = read(&packet, Direction::Down).unwrap();
        assert_eq!(found, flow(Transport::Tcp));
        header.unwrap()
    };
    let plain = TcpHeader {
        seq: 0xffff_fff0,
        payload: 7,
        syn: false,
        fin: false,
    };
    assert_eq!(header(0x10, 7), plain);
    assert!(header(0x12, 0).syn);
    assert!(header(0x11, 0).fin);
}

#[test]
fn the_rest_has_no_ports() {
    let icmp = ipv4(1, Direction::Up, &[8; 40]);
    let other = Some((flow(Transport::Other), None));
    assert_eq!(read(&icmp, Direction::Up), other);
    // The payload of a later fragment does not start with a UDP header.
    let mut fragment = udp(Direction::Up, 200);
    fragment[7] = 1;
    assert_eq!(read(&fragment, Direction::Up), other);
}

#[test]
fn what_is_not_ipv4_is_nothing() {
    let mut version_six = udp(Direction::Up, 100);
    version_six[0] = 0x65;
    assert_eq!(read(&version_six, Direction::Up), None);
    let whole = udp(Direction::Up, 100);
    assert_eq!(read(&whole[..99], Direction::Up), None, "cut");
    assert_eq!(read(&[], Direction::Up), None);
}

proptest! {
    #[test]
    fn no_bytes_panic_and_both_directions_agree(packet in prop::collection::vec(any::<u8>(), 0..80)) {
        let kind = |direction| read(&packet, direction).map(|(flow, tcp)| (flow.transport, tcp));
        prop_assert_eq!(kind(Direction::Down), kind(Direction::Up));
    }
}

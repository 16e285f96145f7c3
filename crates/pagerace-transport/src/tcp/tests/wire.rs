//! Tests of segments as bytes: whole connections, known bytes, and malformed packets.

use std::net::{Ipv4Addr, SocketAddrV4};

use bytes::Bytes;
use pagerace_core::{Instant, Rng};
use proptest::prelude::*;

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::segment::{Control, Segment};
use crate::tcp::{TcpSettings, Wire};

/// First sequence numbers, shortly before they wrap.
const FIRST: [u32; 2] = [u32::MAX - 700, u32::MAX - 90_000];

/// Header of IPv4 without options, in bytes.
const IP: usize = 20;

fn ends() -> [SocketAddrV4; 2] {
    [(7, 40_000), (8, 443)]
        .map(|(host, port)| SocketAddrV4::new(Ipv4Addr::new(127, 0, 0, host), port))
}

fn wires() -> [Wire; 2] {
    let [client, server] = ends();
    [
        Wire::new(client, server, FIRST[CLIENT]),
        Wire::new(server, client, FIRST[SERVER]),
    ]
}

/// Returns the IP packet of a segment, as the kernel makes it.
pub(super) fn packet(from: &mut Wire, segment: &Segment) -> Vec<u8> {
    let content = from.encode(segment);
    let ports = [&content[..2], &content[2..4]].map(|p| u16::from_be_bytes([p[0], p[1]]));
    let address = |port| ends().into_iter().find(|end| end.port() == port).unwrap();
    let length = (IP + content.len()) as u16;
    let mut packet = vec![0x45, 0];
    packet.extend(length.to_be_bytes());
    packet.extend([0, 0, 0, 0, 64, 6, 0, 0]);
    packet.extend(ports.map(|port| address(port).ip().octets()).concat());
    packet.extend(content);
    packet
}

/// Returns the wires of a connection whose handshake is complete.
fn greeted() -> [Wire; 2] {
    let [mut client, mut server] = wires();
    let syn = Segment {
        control: Control::Syn { mss: 1448 },
        ..Segment::default()
    };
    let answer = Segment {
        acknowledgement: Some(1),
        ..syn.clone()
    };
    let syn = packet(&mut client, &syn);
    assert_eq!(server.decode(at(0), &syn).len(), 1);
    let answer = packet(&mut server, &answer);
    assert_eq!(client.decode(at(0), &answer).len(), 1);
    [client, server]
}

#[test]
fn connections_work_over_bytes_with_losses_while_numbers_wrap() {
    for seed in 0..20 {
        let mut world = World::new(&TcpSettings::default(), ms(20));
        world.wires = Some(wires());
        world.ends[CLIENT].to_send = 3_000;
        world.ends[SERVER].to_send = 300_000;
        for (side, name) in [(CLIENT, "up"), (SERVER, "down")] {
            let mut rng = Rng::new(seed, name);
            world.paths[side].fates = Box::new(move |_, _| match rng.unit() {
                draw if draw < 0.04 => Fate::Drop,
                draw if draw < 0.08 => Fate::Late(ms(30)),
                draw if draw < 0.1 => Fate::Twice(ms(7)),
                _ => Fate::Pass,
            });
        }
        assert!(world.run(at(200_000)), "{seed}");
        for end in &world.ends {
            assert!(end.connection.is_closed() && end.lost.is_none(), "{seed}");
        }
        assert_eq!(world.ends[CLIENT].read, 300_000);
        assert_eq!(world.ends[SERVER].read, 3_000);
    }
}

#[test]
fn a_clean_connection_is_the_same_over_bytes() {
    let run = |wires| {
        let mut world = World::download(&TcpSettings::default(), ms(50), 200_000);
        world.wires = wires;
        assert!(world.run(at(60_000)));
        let data = world.data(SERVER).into_iter();
        data.map(|(time, s)| (time, s.offset(), s.payload.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(None), run(Some(wires())));
}

#[test]
fn a_syn_has_the_bytes_of_linux() {
    let [mut client, _] = wires();
    let segment = Segment {
        control: Control::Syn { mss: 1448 },
        window: 4 << 20,
        timestamp: at(5),
        ..Segment::default()
    };
    let bytes = client.encode(&segment);
    let first = FIRST[CLIENT].to_be_bytes();
    let stamp = FIRST[CLIENT].wrapping_add(5).to_be_bytes();
    assert_eq!(bytes[..4], [0x9c, 0x40, 0x01, 0xbb]);
    assert_eq!(bytes[4..8], first);
    // No acknowledgement, ten words of header, SYN, the largest window without scale.
    assert_eq!(bytes[8..16], [0, 0, 0, 0, 0xa0, 0x02, 0xff, 0xff]);
    let options = [
        &[2, 4, 5, 180, 4, 2, 8, 10][..],
        &stamp,
        &[0, 0, 0, 0, 1, 3, 3, 7],
    ];
    assert_eq!(bytes[20..], options.concat());
    // With the pseudo header, all words add up to ones.
    let pseudo = [127, 0, 0, 7, 127, 0, 0, 8, 0, 6, 0, 40];
    let words = [&pseudo[..], &bytes].concat();
    let sum: u32 = words
        .chunks(2)
        .map(|w| u32::from(u16::from_be_bytes([w[0], w[1]])))
        .sum();
    assert_eq!(sum % 0xffff, 0);
}

#[test]
fn joined_segments_are_cut() {
    let [mut client, mut server] = greeted();
    let payload: Vec<u8> = (0..4_000_u32).map(|n| n as u8).collect();
    let joined = Segment {
        sequence: 1,
        acknowledgement: Some(1),
        payload: payload.clone().into(),
        push: true,
        fin: true,
        ..Segment::default()
    };
    let joined = packet(&mut server, &joined);
    let parts = client.decode(at(1), &joined);
    let sizes: Vec<_> = parts.iter().map(|s| s.payload.len()).collect();
    assert_eq!(sizes, [1448, 1448, 1104]);
    let offsets: Vec<_> = parts.iter().map(Segment::offset).collect();
    assert_eq!(offsets, [0, 1448, 2896]);
    let ends: Vec<_> = parts.iter().map(|s| (s.fin, s.push)).collect();
    assert_eq!(ends, [(false, false), (false, false), (true, true)]);
    let all: Vec<u8> = parts.iter().flat_map(|s| s.payload.to_vec()).collect();
    assert_eq!(all, payload);
}

#[test]
fn resets_count_only_where_they_may() {
    let reset = |sequence| Segment {
        control: Control::Reset,
        sequence,
        acknowledgement: Some(1),
        ..Segment::default()
    };
    // In place of the SYN's answer.
    let [mut client, mut server] = wires();
    let syn = Segment {
        control: Control::Syn { mss: 1448 },
        ..Segment::default()
    };
    let syn = packet(&mut client, &syn);
    server.decode(at(0), &syn);
    let refusal = packet(&mut server, &reset(0));
    assert!(client.decode(at(0), &refusal)[0].is_reset());
    // Later: within the window, not before it and not far beyond.
    let [mut client, mut server] = greeted();
    for (sequence, counts) in [(1, true), (60_000, true), (0, false), (1 << 30, false)] {
        let packet = packet(&mut server, &reset(sequence));
        let found = client.decode(at(1), &packet);
        assert_eq!(
            found.first().is_some_and(Segment::is_reset),
            counts,
            "{sequence}"
        );
    }
}

#[test]
fn packets_of_other_connections_are_ignored() {
    let [mut client, mut server] = greeted();
    let data = Segment {
        sequence: 1,
        acknowledgement: Some(1),
        payload: Bytes::from_static(b"hello"),
        ..Segment::default()
    };
    let good = packet(&mut server, &data);
    assert_eq!(client.decode(at(1), &good).len(), 1);
    // Version, protocol, addresses, ports.
    for byte in [0, 9, 15, 19, 21, 23] {
        let mut other = good.clone();
        other[byte] ^= 0x10;
        assert_eq!(client.decode(at(1), &other), [], "byte {byte}");
    }
    // A second SYN of another connection.
    let [at_client, at_server] = ends();
    let mut stranger = Wire::new(at_server, at_client, 5);
    let syn = Segment {
        control: Control::Syn { mss: 1448 },
        acknowledgement: Some(1),
        ..Segment::default()
    };
    let syn = packet(&mut stranger, &syn);
    assert_eq!(client.decode(at(1), &syn), []);
}

proptest! {
    #[test]
    fn no_packet_is_too_malformed(
        tail in proptest::collection::vec(any::<u8>(), 0..120),
        flags in any::<u8>(),
        words in any::<u8>(),
        known in any::<bool>(),
    ) {
        let [mut client, mut server] = if known { greeted() } else { wires() };
        let mut bad = packet(&mut server, &Segment::default());
        bad.truncate(IP + 20);
        bad.extend(tail);
        bad[IP + 12] = words;
        bad[IP + 13] = flags;
        let length = bad.len() as u16;
        bad[2..4].copy_from_slice(&length.to_be_bytes());
        for cut in 0..=bad.len() {
            for segment in client.decode(Instant::ZERO, &bad[..cut]) {
                prop_assert!(segment.payload.len() <= bad.len());
            }
        }
    }
}

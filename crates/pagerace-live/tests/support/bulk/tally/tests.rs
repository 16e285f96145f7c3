use std::net::Ipv4Addr;

use pagerace_core::Instant;
use pagerace_live::link::{Flow, TcpHeader, Transport};

use super::*;

fn packet(direction: Direction, seq: u32, payload: u32, fate: Fate) -> LinkPacket {
    LinkPacket {
        at: Instant::ZERO,
        direction,
        size: payload + 52,
        flow: Flow {
            transport: Transport::Tcp,
            client_port: 50_000,
            server: Ipv4Addr::new(10, 0, 0, 2),
            server_port: 443,
        },
        fate,
        due: None,
        tcp: Some(TcpHeader {
            seq,
            payload,
            syn: false,
            fin: false,
        }),
    }
}

const DELIVERED: Fate = Fate::Delivered { at: Instant::ZERO };
const DROPPED: Fate = Fate::Dropped { at: Instant::ZERO };

#[test]
fn what_was_sent_before_is_repeated_even_where_numbers_wrap_around() {
    let first = u32::MAX - 99;
    let at = |offset: u32| first.wrapping_add(offset);
    let log = [
        packet(Direction::Down, first, 100, DELIVERED),
        packet(Direction::Down, at(100), 100, Fate::Lost),
        packet(Direction::Up, 7, 30, DELIVERED),
        packet(Direction::Down, at(200), 100, DROPPED),
        packet(Direction::Down, at(300), 100, DELIVERED),
        packet(Direction::Down, at(100), 100, DELIVERED),
        // The first half has been sent before.
        packet(Direction::Down, at(350), 100, DELIVERED),
        packet(Direction::Down, at(200), 100, DELIVERED),
    ];
    let expected = Tally {
        packets: 7,
        bytes: 7 * 152,
        lost: 1,
        dropped: 1,
        repeated_bytes: 250,
    };
    assert_eq!(Tally::of(&log), expected);
}

#[test]
fn connections_count_apart_and_acknowledgements_repeat_nothing() {
    let mut other = packet(Direction::Down, 1_000, 100, DELIVERED);
    other.flow.client_port += 1;
    let log = [
        packet(Direction::Down, 1_000, 100, DELIVERED),
        other,
        packet(Direction::Down, 1_100, 0, DELIVERED),
        packet(Direction::Down, 1_100, 0, DELIVERED),
    ];
    assert_eq!(Tally::of(&log).repeated_bytes, 0);
}

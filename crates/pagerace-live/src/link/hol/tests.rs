use std::net::Ipv4Addr;

use pagerace_core::Duration;
use proptest::prelude::*;

use super::super::packet::TcpHeader;
use super::*;

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// Returns a segment that arrives at the client at `at`, or never.
fn segment(port: u16, at: Option<u64>, seq: u32, payload: u32) -> LinkPacket {
    LinkPacket {
        at: ms(0),
        direction: Direction::Down,
        size: 40 + payload,
        flow: Flow {
            transport: Transport::Tcp,
            client_port: port,
            server: Ipv4Addr::new(10, 1, 0, 1),
            server_port: 443,
        },
        fate: at.map_or(Fate::Lost, |at| Fate::Delivered { at: ms(at) }),
        due: None,
        tcp: Some(TcpHeader {
            seq,
            payload,
            syn: false,
            fin: false,
        }),
    }
}

fn syn(at: u64, seq: u32) -> LinkPacket {
    let mut packet = segment(1, Some(at), seq, 0);
    packet.tcp.as_mut().unwrap().syn = true;
    packet
}

fn blocked(bytes: u64, byte_ms: u64) -> HolBlocked {
    HolBlocked { bytes, byte_ms }
}

#[test]
fn bytes_behind_a_gap_wait_for_it() {
    let log = [
        syn(0, 99),
        segment(1, Some(1), 100, 10),
        segment(1, None, 110, 10),
        segment(1, Some(2), 120, 10),
        segment(1, Some(4), 130, 5),
        // The retransmission fills the gap.
        segment(1, Some(12), 110, 10),
        segment(1, Some(13), 135, 10),
    ];
    assert_eq!(hol_blocked_tcp(&log), blocked(15, 10 * 10 + 5 * 8));
}

#[test]
fn a_byte_counts_once_and_from_its_first_arrival() {
    let log = [
        syn(0, u32::MAX - 4),
        segment(1, None, u32::MAX - 3, 10),
        // Past the wrap-around of the sequence numbers.
        segment(1, Some(2), 6, 10),
        segment(1, Some(3), 6, 20),
        segment(1, Some(5), 1, 10),
        segment(1, Some(8), u32::MAX - 3, 10),
    ];
    // Offsets: 10..20 since 2, 20..30 since 3, 5..10 since 5; all until 8.
    assert_eq!(hol_blocked_tcp(&log), blocked(25, 10 * 6 + 10 * 5 + 5 * 3));
}

#[test]
fn connections_do_not_block_each_other() {
    let log = [
        segment(1, None, 100, 10),
        segment(2, Some(1), 500, 10),
        segment(1, Some(2), 110, 10),
        segment(2, Some(3), 510, 10),
    ];
    // The bytes that still wait are counted, but their waiting time is not known.
    assert_eq!(hol_blocked_tcp(&log), blocked(10, 0));
    let order = [segment(1, Some(1), 100, 10), segment(1, Some(2), 110, 10)];
    assert_eq!(hol_blocked_tcp(&order), HolBlocked::default());
    assert_eq!(hol_blocked_tcp(&[]), HolBlocked::default());
}

#[test]
fn a_port_that_is_used_again_is_a_new_connection() {
    let log = [
        syn(0, 99),
        segment(1, Some(1), 100, 10),
        syn(5, 70_000),
        segment(1, Some(6), 70_001, 10),
        segment(1, Some(7), 70_011, 10),
        // A retransmission of the SYN changes nothing.
        syn(8, 70_000),
        segment(1, Some(9), 70_021, 10),
    ];
    assert_eq!(hol_blocked_tcp(&log), HolBlocked::default());
}

proptest! {
    /// Compares with the definition, byte by byte.
    #[test]
    fn as_defined(
        segments in prop::collection::vec((0_u32..40, 1_u32..12), 1..40),
        base in any::<u32>(),
    ) {
        let mut log = vec![syn(0, base.wrapping_sub(1))];
        let mut came: BTreeMap<u32, u64> = BTreeMap::new();
        let (mut bytes, mut byte_ms, mut readable) = (0, 0, 0);
        let mut blocked_since: BTreeMap<u32, u64> = BTreeMap::new();
        for (i, (start, length)) in segments.into_iter().enumerate() {
            let now = 1 + i as u64;
            log.push(segment(1, Some(now), base.wrapping_add(start), length));
            for byte in start..start + length {
                came.entry(byte).or_insert(now);
            }
            while came.contains_key(&readable) {
                if let Some(since) = blocked_since.remove(&readable) {
                    byte_ms += now - since;
                }
                readable += 1;
            }
            for byte in start.max(readable)..start + length {
                blocked_since.entry(byte).or_insert_with(|| {
                    bytes += 1;
                    now
                });
            }
        }
        prop_assert_eq!(hol_blocked_tcp(&log), blocked(bytes, byte_ms));
    }
}

//! Tests of the send buffer's limit, with segments of 1,448 bytes.

use super::{Content, SendMemory, buffer_segments};

const MSS: u64 = 1448;
const LOWAT: u64 = 16 << 10;

/// The memory of a connection with CUBIC.
fn memory() -> SendMemory {
    SendMemory::new(LOWAT, 2)
}

/// `segments` in flight, each in its own buffer.
fn sent(segments: u64) -> Content {
    Content {
        sent: segments * MSS,
        buffers: segments,
        unsent: 0,
    }
}

/// The number of segments after which a new connection stops, each written by itself. The bursts of
/// 21 are those of Linux 6.18 with CUBIC; with BBR, `SO_MEMINFO` reports a limit of 69,120
/// bytes.
#[test]
fn a_new_connection_has_room_for_twenty_segments() {
    let stops = |windows| {
        let memory = SendMemory::new(LOWAT, windows);
        (0..).find(|&n| memory.writable(sent(n)) == 0)
    };
    assert_eq!((stops(2), stops(3)), (Some(21), Some(31)));
}

#[test]
fn long_writes_have_less_bookkeeping() {
    let whole = Content {
        sent: 24 * MSS,
        buffers: 12,
        unsent: 0,
    };
    assert!(memory().writable(whole) > 0 && memory().writable(sent(24)) == 0);
}

#[test]
fn buffers_hold_what_leaves_in_a_millisecond() {
    // 9 Mbit/s and 100 Mbit/s.
    assert_eq!(buffer_segments(9_000_000 / 8, MSS), 2);
    assert_eq!(buffer_segments(100_000_000 / 8, MSS), 8);
    assert_eq!(buffer_segments(u64::MAX, MSS), 44);
}

#[test]
fn unsent_bytes_are_limited() {
    let unsent = |unsent| Content {
        sent: 0,
        buffers: 0,
        unsent,
    };
    let mut memory = memory();
    assert_eq!(memory.writable(unsent(LOWAT - 1)), 1);
    memory.on_sent(unsent(LOWAT));
    // The application is not woken for a few bytes.
    memory.on_ack(unsent(LOWAT / 2), None);
    assert_eq!(memory.writable(unsent(LOWAT / 2)), 0);
    memory.on_ack(unsent(LOWAT / 2 - 1), None);
    assert_eq!(memory.writable(unsent(LOWAT / 2 - 1)) as u64, LOWAT / 2 + 1);
}

#[test]
fn grows_if_it_stops_the_sender_and_the_window_does_not() {
    let mut memory = memory();
    memory.on_sent(sent(21));
    memory.on_ack(sent(19), None);
    assert_eq!(memory.writable(sent(19)), 0, "the window is full");
    memory.on_ack(sent(19), Some(2 * 40));
    assert!(memory.writable(sent(19)) > 0);
    assert!(memory.writable(sent(80)) > 0 && memory.writable(sent(81)) == 0);
}

#[test]
fn does_not_grow_while_there_is_room() {
    let mut memory = memory();
    memory.on_sent(sent(20));
    memory.on_ack(sent(18), Some(2 * 40));
    assert_eq!(memory.writable(sent(21)), 0);
}

#[test]
fn has_an_upper_bound() {
    let mut memory = memory();
    memory.on_sent(sent(21));
    memory.on_ack(sent(0), Some(1 << 20));
    let stops = (0..).find(|&n| memory.writable(sent(n)) == 0);
    assert_eq!(stops, Some((4_u64 << 20).div_ceil(2280)));
}

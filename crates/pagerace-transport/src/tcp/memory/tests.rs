//! Tests of the send buffer's limits, with segments of 1,448 bytes. The numbers of Linux 6.18 come
//! from `SO_MEMINFO` and `SIOCOUTQNSD` of sockets whose peer never acknowledged.

use super::{Content, SendMemory, buffer_segments, whole_buffer};

const MSS: u64 = 1448;
const LOWAT: u32 = 16 << 10;
const WHOLE: u64 = 45 * MSS;

fn memory_of(congestion: &str) -> SendMemory {
    let controller = pagerace_cc::build(congestion, MSS as u16).unwrap();
    SendMemory::new(controller.as_ref(), LOWAT)
}

fn memory() -> SendMemory {
    memory_of("cubic")
}

/// `segments` in flight, each in its own buffer.
fn sent(segments: u64) -> Content {
    Content {
        sent: segments * MSS,
        buffers: segments,
        unsent: 0,
    }
}

fn unsent(unsent: u64) -> Content {
    Content { unsent, ..sent(2) }
}

/// Returns the number of segments in flight from which on nothing more is written.
fn stops(memory: &SendMemory) -> Option<u64> {
    (0..10_000).find(|&n| memory.writable(sent(n), WHOLE) == 0)
}

#[test]
fn a_new_connection_has_room_for_twenty_segments() {
    // Linux sends 21 and 31.
    assert_eq!(stops(&memory()), Some(21));
    assert_eq!(stops(&memory_of("bbr")), Some(31));
}

#[test]
fn long_writes_have_less_bookkeeping() {
    let joined = Content {
        buffers: 11,
        ..sent(22)
    };
    assert!(memory().writable(joined, WHOLE) > 0 && memory().writable(sent(22), WHOLE) == 0);
}

#[test]
fn buffers_hold_what_leaves_in_a_millisecond() {
    // 9 Mbit/s and 100 Mbit/s.
    assert_eq!(buffer_segments(9_000_000 / 8, MSS), 2);
    assert_eq!(buffer_segments(100_000_000 / 8, MSS), 8);
    assert_eq!(buffer_segments(u64::MAX, MSS), 45);
}

#[test]
fn unsent_buffers_hold_half_of_the_peers_window() {
    assert_eq!(whole_buffer(65_535, MSS), 22 * MSS);
    assert_eq!(whole_buffer(8_000_000, MSS), WHOLE);
    assert_eq!(whole_buffer(0, MSS), MSS);
}

/// With a window of ten segments, Linux accepts 65,160 unsent bytes, whether the application
/// writes 1,448 or 16,406 at a time, and whether `TCP_NOTSENT_LOWAT` is 16 KiB or not set.
#[test]
fn the_last_unsent_buffer_takes_64_kib() {
    for write in [MSS, 16_406] {
        let (mut memory, mut written) = (memory(), 0);
        while memory.writable(unsent(written), WHOLE) > 0 {
            let accepted = write.min(WHOLE - written);
            memory.on_write(accepted, unsent(written), WHOLE);
            written += accepted;
        }
        assert_eq!(written, 65_160, "{write}");
    }
}

#[test]
fn a_write_beyond_the_last_buffer_is_taken_whole_and_is_the_last() {
    let mut memory = memory();
    // A record comes in pieces.
    let pieces = [16_400, 16_400, 16_400, 5, 16_000, 395];
    let mut written = 0;
    for piece in pieces {
        memory.on_write(piece, unsent(written), WHOLE);
        written += piece;
    }
    assert!(written > WHOLE);
    assert_eq!(memory.writable(unsent(written), WHOLE), 0);
}

#[test]
fn the_application_waits_until_few_bytes_are_unsent() {
    let mut memory = memory();
    memory.on_write(WHOLE, unsent(0), WHOLE);
    memory.on_idle(unsent(WHOLE), WHOLE);
    let half = u64::from(LOWAT) / 2;
    for left in [WHOLE - 2 * MSS, half] {
        memory.on_sent(left);
        memory.check(unsent(left), None);
        assert_eq!(memory.writable(unsent(left), WHOLE), 0, "{left}");
    }
    memory.on_sent(half - 1);
    memory.check(unsent(half - 1), None);
    let room = memory.writable(unsent(half - 1), WHOLE) as u64;
    assert_eq!(room, WHOLE - (half - 1));
}

#[test]
fn grows_if_it_stops_the_sender_and_the_window_does_not() {
    let mut memory = memory();
    memory.on_idle(sent(21), WHOLE);
    memory.check(sent(19), None);
    assert_eq!(memory.writable(sent(19), WHOLE), 0, "the window is full");
    memory.check(sent(19), Some(40));
    assert_eq!(stops(&memory), Some(81));
}

#[test]
fn does_not_grow_while_there_is_room() {
    let mut memory = memory();
    memory.on_idle(sent(20), WHOLE);
    memory.check(sent(18), Some(40));
    assert_eq!(stops(&memory), Some(21));
}

#[test]
fn has_an_upper_bound() {
    let mut memory = memory();
    memory.on_idle(sent(21), WHOLE);
    memory.check(sent(0), Some(1 << 20));
    // As Linux: 1,840 segments.
    assert_eq!(stops(&memory), Some((4_u64 << 20).div_ceil(2280)));
}

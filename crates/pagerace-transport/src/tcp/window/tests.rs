//! Tests of the advertised window and its growth.

use pagerace_core::{Duration, Instant};

use super::ReceiveWindow;

const MSS: u64 = 1448;

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn window() -> ReceiveWindow {
    ReceiveWindow::new(1448, 65_535, 6 << 20)
}

#[test]
fn makes_room_for_the_growth_that_it_saw() {
    let mut w = window();
    w.sample_rtt(Duration::from_millis(100));
    w.on_data(at(100), MSS, 0);
    w.on_read(at(150), 5 * MSS);
    assert_eq!(w.clamp, 65_535, "no round trip is over");
    // Twenty segments were read, and ten expected. The room is twice twenty plus sixteen,
    // plus twice the growth of 100 %.
    w.on_read(at(200), 1 + 20 * MSS);
    assert_eq!(w.clamp, 3 * (2 * 20 + 16) * MSS);
    let before = w.clamp;
    w.on_read(at(300), 1 + 40 * MSS);
    assert_eq!(w.clamp, before, "no more than last time");
    w.on_read(at(400), 1 + 4_000 * MSS);
    assert_eq!(w.clamp, 3 << 20, "half of the largest buffer");
}

#[test]
fn approaches_its_limit_with_the_segments_that_arrive() {
    let mut w = window();
    w.clamp = 100_000;
    w.on_data(at(1), MSS, 0);
    assert_eq!(w.advertise(1, 0), 65_535 + 2 * MSS);
    w.on_data(at(1), 0, 0);
    w.on_data(at(1), 127, 0);
    assert_eq!(
        w.advertise(1, 0),
        65_535 + 2 * MSS,
        "nothing worth the room"
    );
    (0..50).for_each(|_| w.on_data(at(1), MSS, 20_000));
    assert_eq!(w.advertise(1, 0), 80_000, "the rest waits for the reader");
    (0..50).for_each(|_| w.on_data(at(1), MSS, 0));
    assert_eq!(w.advertise(1, 0), 100_000);
    (0..50).for_each(|_| w.on_data(at(1), MSS, 0));
    assert_eq!(w.advertise(1, 0), 100_000);
}

#[test]
fn what_is_unread_takes_from_the_buffer_first() {
    let mut w = window();
    w.clamp = 100_000;
    assert_eq!(w.advertise(1, 20_000), 65_535);
    assert_eq!(w.advertise(30_001, 30_000), 65_535);
    assert_eq!(w.advertise(50_001, 50_000), 50_000);
}

#[test]
fn never_takes_an_offer_back_and_moves_in_whole_segments() {
    let mut w = window();
    assert_eq!(w.advertise(1, 0), 65_535);
    assert_eq!(w.advertise(10_001, 10_000), 55_535);
    assert_eq!(w.advertise(10_001, 9_000), 55_535, "less than a segment");
    assert_eq!(w.advertise(10_001, 8_000), 57_535);
    assert_eq!(w.advertise(10_001, 10_000), 57_535);
}

#[test]
fn an_update_is_worth_sending_when_the_window_doubles() {
    let mut w = window();
    w.advertise(1, 0);
    assert_eq!(w.advertise(65_536, 65_535), 0);
    assert!(!w.wants_update(65_536, 65_000));
    assert!(w.wants_update(65_536, 60_000));
    w.advertise(65_536, 45_535);
    assert!(!w.wants_update(65_536, 30_000), "20 kB are offered");
    assert!(w.wants_update(65_536, 20_000));
}

use super::*;

fn at(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Returns a queue of packets offered every millisecond from `from` on, so that each will
/// have waited for longer than the target.
fn standing_queue(from: u64, packets: u64) -> Fifo<u64> {
    let mut queue = Fifo::new();
    for ms in from..from + packets {
        queue.push(Queued {
            offered_at: at(ms),
            size: 1_500,
            payload: ms,
        });
    }
    queue
}

/// Takes a packet every millisecond; returns the milliseconds in which one was dropped.
fn drops(codel: &mut Codel, queue: &mut Fifo<u64>, ms: std::ops::Range<u64>) -> Vec<u64> {
    let mut dropped = Vec::new();
    for now in ms {
        let packet = codel.dequeue(at(now), queue, |_| dropped.push(now));
        assert!(packet.is_some(), "nothing is left for the bottleneck");
    }
    dropped
}

#[test]
fn drops_follow_the_control_law() {
    let mut codel = Codel::new(&CodelConfig::default());
    // At 1000 ms the head of the queue has waited 50 ms.
    let mut queue = standing_queue(950, 700);
    // The interval ends at 1100. The next drops are due at 1200, + 100/sqrt(2) = 1270.7, +
    // 100/sqrt(3) = 1328.4, + 50 = 1378.4, + 44.7 = 1423.2, + 40.8 = 1464.0, + 37.8 = 1501.8.
    let dropped = drops(&mut codel, &mut queue, 1_000..1_510);
    assert_eq!(
        dropped,
        [1_100, 1_200, 1_271, 1_329, 1_379, 1_424, 1_464, 1_502]
    );
}

#[test]
fn the_control_law_divides_the_interval_by_a_root() {
    let mut codel = Codel::new(&CodelConfig::default());
    for (count, ns) in [
        (1, 100_000_000),
        (2, 70_710_678),
        (3, 57_735_026),
        (400, 5_000_000),
    ] {
        codel.count = count;
        assert_eq!(codel.control_law(at(1)).as_nanos(), 1_000_000 + ns);
    }
}

#[test]
fn one_packet_in_time_ends_the_interval() {
    let mut codel = Codel::new(&CodelConfig::default());
    let mut late = standing_queue(0, 99);
    assert_eq!(drops(&mut codel, &mut late, 50..90), [0; 0]);
    // Offered at 88 ms and taken at 90 ms: a sojourn time of 2 ms.
    let mut prompt = standing_queue(88, 10);
    assert_eq!(drops(&mut codel, &mut prompt, 90..91), [0; 0]);
    // The interval starts again at 91 ms.
    let mut late = standing_queue(0, 300);
    assert_eq!(drops(&mut codel, &mut late, 91..192), [191]);
}

#[test]
fn a_packet_below_the_target_ends_the_drops() {
    let mut codel = Codel::new(&CodelConfig::default());
    let mut queue = standing_queue(0, 400);
    assert_eq!(drops(&mut codel, &mut queue, 50..300), [150, 250]);
    let mut prompt = standing_queue(298, 100);
    assert_eq!(drops(&mut codel, &mut prompt, 300..390), [0; 0]);
}

/// Returns the gap between the first two drops of a burst that begins `pause` ms after another.
fn gap_after_resuming(pause: u64) -> u64 {
    let mut codel = Codel::new(&CodelConfig::default());
    let mut queue = standing_queue(0, 900);
    // Five drops at 150, 250, 321, 379, 429, four more than at the start of the burst.
    let first = drops(&mut codel, &mut queue, 50..440);
    assert_eq!(first, [150, 250, 321, 379, 429]);
    let mut prompt = standing_queue(438, 100);
    assert_eq!(drops(&mut codel, &mut prompt, 440..441), [0; 0]);
    let begin = 441 + pause;
    let mut queue = standing_queue(begin - 50, 900);
    let again = drops(&mut codel, &mut queue, begin..begin + 250);
    assert_eq!(again[0], begin + 100);
    again[1] - again[0]
}

#[test]
fn a_burst_of_drops_is_resumed_at_its_rate_if_it_is_recent() {
    // interval / sqrt(4).
    assert_eq!(gap_after_resuming(0), 50);
    // The next drop was due at 473.7; the drop rate is forgotten sixteen intervals later.
    assert_eq!(gap_after_resuming(1_532), 50);
    assert_eq!(gap_after_resuming(1_533), 100);
}

#[test]
fn the_last_packet_is_never_dropped() {
    let mut codel = Codel::new(&CodelConfig::default());
    // The queue never holds more than one full packet besides the one that leaves.
    for ms in 1_000..3_000 {
        let mut queue = standing_queue(0, 2);
        let mut dropped = 0;
        assert!(
            codel
                .dequeue(at(ms), &mut queue, |_| dropped += 1)
                .is_some()
        );
        assert_eq!(dropped, 0);
    }
    // Two packets besides the one that leaves form a standing queue.
    let mut dropped = 0;
    for ms in 3_000..3_200 {
        let mut queue = standing_queue(0, 3);
        codel.dequeue(at(ms), &mut queue, |_| dropped += 1);
    }
    assert!(dropped > 0);
}

#[test]
fn an_empty_queue_gives_nothing() {
    let mut codel = Codel::new(&CodelConfig::default());
    let mut queue = Fifo::<u64>::new();
    assert!(codel.dequeue(at(1), &mut queue, |_| ()).is_none());
}

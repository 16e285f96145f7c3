use super::*;

fn queued(size: u32, payload: u32) -> Queued<u32> {
    Queued {
        offered_at: Instant::ZERO,
        size,
        payload,
    }
}

fn fq(quantum: u32) -> FqCodel<u32> {
    FqCodel::new(&FqCodelConfig {
        quantum,
        ..FqCodelConfig::default()
    })
}

fn take(fq: &mut FqCodel<u32>) -> Option<u32> {
    fq.dequeue(Instant::ZERO, |p| panic!("{} was dropped", p.payload))
        .map(|p| p.payload)
}

fn take_all(fq: &mut FqCodel<u32>) -> Vec<u32> {
    std::iter::from_fn(|| take(fq)).collect()
}

#[test]
fn flows_take_turns_of_a_quantum_each() {
    let mut fq = fq(1_500);
    for i in 0..3 {
        fq.push(1, queued(1_500, 10 + i));
        fq.push(2, queued(1_500, 20 + i));
        fq.push(3, queued(500, 30 + i));
    }
    assert_eq!((fq.len(), fq.bytes()), (9, 10_500));
    // Three small packets fit into one turn.
    assert_eq!(take_all(&mut fq), [10, 20, 30, 31, 32, 11, 21, 12, 22]);
    assert_eq!((fq.len(), fq.bytes()), (0, 0));
}

#[test]
fn what_a_packet_takes_too_much_is_paid_for_in_the_next_turns() {
    let mut fq = fq(500);
    for i in 0..2 {
        fq.push(1, queued(1_500, 10 + i));
    }
    for i in 0..8 {
        fq.push(2, queued(500, 20 + i));
    }
    // A packet of 1,500 bytes uses up three turns.
    assert_eq!(take_all(&mut fq), [10, 20, 21, 22, 11, 23, 24, 25, 26, 27]);
}

#[test]
fn a_flow_that_has_just_begun_goes_first() {
    let mut fq = fq(1_514);
    for i in 0..4 {
        fq.push(1, queued(1_500, 10 + i));
    }
    assert_eq!(take(&mut fq), Some(10));
    assert_eq!(take(&mut fq), Some(11));
    // Flow 1 has used its first turn and is no longer new.
    fq.push(2, queued(100, 20));
    assert_eq!(take(&mut fq), Some(20));
    assert_eq!(take(&mut fq), Some(12));
}

#[test]
fn flows_that_pause_after_each_packet_do_not_starve_the_others() {
    let mut fq = fq(1_514);
    for i in 0..50 {
        fq.push(1, queued(1_500, 100 + i));
    }
    // Flow 1 has used its first turn.
    assert_eq!((take(&mut fq), take(&mut fq)), (Some(100), Some(101)));
    let mut bulk = 0;
    for i in 0..60 {
        // Flows 2 and 3 alternate: whenever the bottleneck is free, one of them has just
        // become active and the other is empty.
        fq.push(2 + u64::from(i % 2), queued(1_500, i));
        bulk += u32::from(take(&mut fq).unwrap() >= 100);
    }
    // The fair share of flow 1 is a third.
    assert!((19..=22).contains(&bulk), "{bulk}");
}

#[test]
fn the_longest_queue_loses_half_of_its_bytes_from_its_head() {
    let mut fq = fq(1_514);
    for i in 0..4 {
        fq.push(2, queued(1_000, 20 + i));
    }
    for i in 0..10 {
        fq.push(1, queued(300, 10 + i));
    }
    let mut dropped = Vec::new();
    fq.shed(|p| dropped.push(p.payload));
    // 4,000 bytes against 3,000.
    assert_eq!(dropped, [20, 21]);
    assert_eq!((fq.len(), fq.bytes()), (12, 5_000));
    // At most 64 packets are dropped at once.
    for i in 0..200 {
        fq.push(3, queued(1_500, i));
    }
    dropped.clear();
    fq.shed(|p| dropped.push(p.payload));
    assert_eq!(dropped, (0..64).collect::<Vec<_>>());
}

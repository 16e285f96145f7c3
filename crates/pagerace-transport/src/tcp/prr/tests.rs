//! Tests of the segments that each acknowledgement allows.

use super::Prr;

/// Returns the number of segments that may be sent now.
fn allowed(prr: &Prr) -> usize {
    let mut prr = prr.clone();
    let sending = || prr.admits().then(|| prr.on_sent());
    std::iter::from_fn(sending).count()
}

/// The situation of RFC 6937's first example: one loss in a window of 20 segments, with
/// half of the window as the target. The first acknowledgement sends the retransmission.
/// After that every other one sends a segment until the target is reached.
#[test]
fn halves_in_proportion() {
    // 19 acknowledgements follow, for the 19 segments that arrived.
    let mut prr = Prr::new(20);
    let (mut in_flight, mut sent) = (19_u64, Vec::new());
    for _ in 0..19 {
        in_flight -= 1;
        prr.on_ack(1, in_flight, 10, false);
        let mut now = 0;
        while prr.admits() {
            prr.on_sent();
            in_flight += 1;
            now += 1;
        }
        sent.push(now);
    }
    assert_eq!(sent[..16], [1, 0].repeat(8));
    assert_eq!(sent.iter().sum::<i32>(), 10);
    assert_eq!(in_flight, 10);
}

/// The second example: 15 of 20 segments are lost at once, so far less than the target is
/// in flight. One segment leaves for each one that arrives, and another if acknowledgements
/// make progress.
#[test]
fn many_losses_send_no_burst() {
    let mut prr = Prr::new(20);
    let mut in_flight = 4;
    for _ in 0..4 {
        in_flight -= 1;
        prr.on_ack(1, in_flight, 10, false);
        assert_eq!(allowed(&prr), 1);
        prr.on_sent();
        in_flight += 1;
    }
    in_flight -= 1;
    prr.on_ack(1, in_flight, 10, true);
    assert_eq!(allowed(&prr), 2);
}

#[test]
fn never_more_than_the_target() {
    let mut prr = Prr::new(20);
    prr.on_ack(9, 8, 10, true);
    assert_eq!(allowed(&prr), 2);
    prr.on_sent();
    prr.on_ack(5, 9, 10, true);
    assert_eq!(allowed(&prr), 1);
}

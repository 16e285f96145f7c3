//! Tests of the bytes that each acknowledgement allows.

use super::Prr;

/// The situation of RFC 6937's first example: one loss in a window of 20 segments, with
/// half of the window as the target. The first acknowledgement sends the retransmission.
/// After that every other one sends a segment until the target is reached.
#[test]
fn halves_in_proportion() {
    // 19 acknowledgements follow, for the 19 segments that arrived.
    let mut prr = Prr::new(1, 20);
    let (mut in_flight, mut sent) = (19_u64, Vec::new());
    for _ in 0..19 {
        in_flight -= 1;
        prr.on_ack(1, in_flight, 10, false);
        let mut now = 0;
        while prr.admits(1) {
            prr.on_sent(1);
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
    let mut prr = Prr::new(1, 20);
    let mut in_flight = 4;
    for _ in 0..4 {
        in_flight -= 1;
        prr.on_ack(1, in_flight, 10, false);
        assert!(prr.admits(1) && !prr.admits(2));
        prr.on_sent(1);
        in_flight += 1;
    }
    in_flight -= 1;
    prr.on_ack(1, in_flight, 10, true);
    assert!(prr.admits(2) && !prr.admits(3));
}

#[test]
fn never_more_than_the_target() {
    let mut prr = Prr::new(1_000, 20_000);
    prr.on_ack(9_000, 9_500, 10_000, true);
    assert!(prr.admits(1_000));
    prr.on_sent(1_000);
    prr.on_ack(5_000, 9_500, 10_000, true);
    assert!(prr.admits(500) && !prr.admits(501));
}

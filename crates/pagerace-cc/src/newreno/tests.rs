use crate::Controller;
use crate::TcpAck;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, ack_window, at, packets};

use super::*;

/// Returns a controller that sent ten packets at 0 ms, two of which were
/// declared lost at 100 ms.
fn in_recovery() -> LossBased<NewReno> {
    let mut newreno = LossBased::<NewReno>::new(1_200);
    for _ in 0..10 {
        newreno.on_sent(at(0), MTU);
    }
    newreno.on_congestion(at(100), at(0), 2 * MTU, false);
    assert_eq!((packets(&newreno), newreno.ssthresh()), (5, Some(5 * MTU)));
    newreno
}

#[test]
fn recovery_lasts_until_all_that_was_outstanding_arrived() {
    let mut newreno = in_recovery();
    // The other eight packets arrive, and two that were sent since, which makes ten.
    for i in 0..10 {
        assert!(newreno.law.repair.is_some(), "packet {i}");
        newreno.on_ack(&ack(if i < 8 { 0 } else { 101 }, 201));
        newreno.on_ack_end(at(201), 9 * MTU);
    }
    assert_eq!((newreno.law.repair, packets(&newreno)), (None, 5));
    ack_window(&mut newreno, 202, 302);
    assert_eq!(packets(&newreno), 6);
}

/// TCP tells when data was sent for the first time.
#[test]
fn data_that_was_first_sent_in_recovery_does_not_end_it() {
    let mut newreno = in_recovery();
    let tcp = |first, sent| Ack {
        tcp: Some(TcpAck {
            first_sent_at: at(first),
            sacked: false,
        }),
        ..ack(sent, 310)
    };
    for _ in 0..8 {
        newreno.on_ack(&tcp(0, 0));
    }
    for _ in 0..5 {
        newreno.on_ack(&tcp(101, 101));
    }
    newreno.on_ack_end(at(201), 2 * MTU);
    assert_eq!(newreno.law.repair, Some(2 * MTU));
    // A packet that was lost again is not another event; the two repairs end recovery.
    newreno.on_congestion(at(210), at(105), MTU, false);
    assert_eq!(packets(&newreno), 5);
    newreno.on_ack(&tcp(0, 101));
    newreno.on_ack(&tcp(0, 211));
    newreno.on_ack_end(at(310), 4 * MTU);
    assert_eq!((newreno.law.repair, packets(&newreno)), (None, 5));
}

#[test]
fn data_beyond_a_gap_does_not_open_the_window() {
    let mut newreno = LossBased::<NewReno>::new(1_200);
    for sacked in [true, false] {
        let tcp = Some(TcpAck {
            first_sent_at: at(0),
            sacked,
        });
        newreno.on_ack(&Ack { tcp, ..ack(0, 100) });
        assert_eq!(packets(&newreno), if sacked { 10 } else { 11 });
    }
}

/// RFC 6582, section 3.2, step 2: duplicate acknowledgements beyond `recover` begin another one.
#[test]
fn a_loss_of_data_that_was_first_sent_in_recovery_begins_another() {
    let mut newreno = in_recovery();
    for _ in 0..10 {
        newreno.on_ack(&ack(0, 201));
    }
    assert!(newreno.on_lost_in_recovery(at(201), 4 * MTU));
    newreno.on_ack_end(at(201), 4 * MTU);
    assert_eq!((packets(&newreno), newreno.ssthresh()), (2, Some(3_000)));
    // Losses that come to light later belong to it.
    newreno.on_congestion(at(220), at(150), MTU, false);
    newreno.on_congestion(at(230), at(210), MTU, false);
    assert_eq!((newreno.law.repair, packets(&newreno)), (Some(4 * MTU), 2));
}

#[test]
fn the_loss_of_a_repair_does_not_halve_again_as_it_does_for_reno() {
    let mut newreno = in_recovery();
    newreno.on_congestion(at(250), at(101), MTU, false);
    assert_eq!(packets(&newreno), 5);
    let mut reno = LossBased::<crate::reno::Reno>::new(1_200);
    reno.on_congestion(at(100), at(0), 2 * MTU, false);
    reno.on_congestion(at(250), at(101), MTU, false);
    assert_eq!(packets(&reno), 2);
}

#[test]
fn after_recovery_nothing_is_sent_in_a_burst() {
    let mut newreno = in_recovery();
    for _ in 0..9 {
        newreno.on_ack(&ack(101, 201));
    }
    newreno.on_ack_end(at(201), MTU);
    // The acknowledgement of the last packet in flight leaves a window of two, not of five.
    newreno.on_ack(&ack(101, 202));
    newreno.on_ack_end(at(202), 0);
    assert_eq!((packets(&newreno), newreno.ssthresh()), (2, Some(5 * MTU)));
    // Slow start brings the window back to the threshold.
    ack_window(&mut newreno, 203, 303);
    assert_eq!(packets(&newreno), 4);
}

/// Each acknowledgement covers two packets, as in QUIC, and the window is full.
#[test]
fn the_acknowledgement_that_ends_recovery_costs_nothing() {
    let mut newreno = in_recovery();
    for _ in 0..5 {
        newreno.on_ack(&ack(101, 201));
        newreno.on_ack(&ack(101, 201));
        newreno.on_ack_end(at(201), 3 * MTU);
    }
    assert_eq!((newreno.law.repair, packets(&newreno)), (None, 5));
}

#[test]
fn recovery_ends_when_nothing_is_left_to_be_acknowledged() {
    let mut newreno = in_recovery();
    newreno.on_ack(&ack(0, 101));
    newreno.on_ack_end(at(101), 0);
    assert_eq!((newreno.law.repair, packets(&newreno)), (None, 2));
}

#[test]
fn a_timeout_ends_recovery() {
    let mut newreno = in_recovery();
    newreno.on_congestion(at(1_000), at(101), 5 * MTU, true);
    assert_eq!((newreno.law.repair, packets(&newreno)), (None, 2));
    newreno.on_ack(&ack(1_000, 1_100));
    // The threshold is half of five packets, and ends slow start.
    assert_eq!((packets(&newreno), newreno.ssthresh()), (3, Some(3_000)));
}

use crate::testing::{ack, at};

use super::*;

#[test]
fn losses_of_one_round_trip_are_one_event() {
    let mut recovery = Recovery::default();
    assert!(recovery.on_congestion(at(100), at(50), false));
    assert!(!recovery.on_congestion(at(150), at(100), false));
    assert!(recovery.on_ack(&ack(100, 200)));
    assert!(!recovery.on_ack(&ack(101, 201)));
    assert!(recovery.on_congestion(at(201), at(101), false));
}

#[test]
fn a_timer_that_expires_again_is_the_same_event() {
    let mut recovery = Recovery::default();
    assert!(recovery.on_congestion(at(1_000), at(500), true));
    assert!(!recovery.on_congestion(at(3_000), at(1_000), true));
    // A late packet from before the first expiry does not end the collapse.
    assert!(!recovery.on_ack(&ack(900, 3_100)));
    assert!(!recovery.on_congestion(at(7_000), at(3_000), true));
    // The retransmission gets through, so the next timeout is another event.
    assert!(!recovery.on_ack(&ack(3_000, 7_100)));
    assert!(recovery.on_congestion(at(9_000), at(7_200), true));
}

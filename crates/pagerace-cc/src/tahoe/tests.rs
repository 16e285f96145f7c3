use crate::Controller;
use crate::loss_based::LossBased;
use crate::testing::{MTU, ack, ack_window, at, packets};

use super::*;

#[test]
fn a_loss_leads_through_slow_start_to_half_the_window() {
    let mut tahoe = LossBased::<Tahoe>::new(1_200);
    ack_window(&mut tahoe, 0, 100);
    assert_eq!(packets(&tahoe), 20);
    tahoe.on_congestion(at(200), at(150), MTU, false);
    assert_eq!((packets(&tahoe), tahoe.ssthresh()), (2, Some(10 * MTU)));
    // A packet sent before the loss does not open the window.
    tahoe.on_ack(&ack(180, 280));
    assert_eq!(packets(&tahoe), 2);
    // The window goes 2, 4, 8, up to the threshold, and then grows by one per round trip.
    ack_window(&mut tahoe, 201, 301);
    ack_window(&mut tahoe, 301, 401);
    assert_eq!(packets(&tahoe), 8);
    tahoe.on_ack(&ack(401, 501));
    tahoe.on_ack(&ack(401, 501));
    assert_eq!(packets(&tahoe), 10);
    ack_window(&mut tahoe, 501, 601);
    assert_eq!(packets(&tahoe), 11);
}

#[test]
fn a_timer_that_expires_twice_keeps_the_threshold() {
    let mut tahoe = LossBased::<Tahoe>::new(1_200);
    tahoe.on_congestion(at(1_000), at(0), 10 * MTU, true);
    tahoe.on_congestion(at(3_000), at(1_000), MTU, true);
    assert_eq!((packets(&tahoe), tahoe.ssthresh()), (2, Some(5 * MTU)));
}

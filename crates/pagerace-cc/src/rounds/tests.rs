use crate::testing::{ack, at};

use super::*;

#[test]
fn a_round_trip_ends_with_what_was_sent_since_it_began() {
    let mut rounds = Rounds::default();
    assert!(rounds.on_ack(&ack(0, 100)));
    assert!(!rounds.on_ack(&ack(0, 100)));
    assert!(!rounds.on_ack(&ack(99, 150)));
    // This packet was sent in response to the first acknowledgement.
    assert!(rounds.on_ack(&ack(100, 200)));
    assert!(!rounds.on_ack(&ack(150, 250)));
    rounds.restart(at(260));
    assert!(!rounds.on_ack(&ack(200, 300)));
    assert!(rounds.on_ack(&ack(260, 360)));
}

#[test]
fn the_meter_keeps_a_round_trips_shortest_and_mean_and_the_extremes_of_all() {
    let mut meter = DelayMeter::default();
    let ms = Duration::from_millis;
    assert_eq!(meter.on_ack(&ack(0, 100), false).unwrap().samples, 1);
    assert_eq!(meter.on_ack(&ack(0, 120), false), None);
    assert_eq!(meter.on_ack(&ack(50, 160), false), None);
    let round = meter.on_ack(&ack(100, 230), false).unwrap();
    assert_eq!(
        round,
        RoundTrip {
            shortest: ms(110),
            mean: ms(120),
            samples: 3
        }
    );
    assert_eq!((meter.base(), meter.longest()), (ms(100), ms(130)));
    meter.forget(at(230));
    assert_eq!(meter.on_ack(&ack(200, 390), false), None);
    assert_eq!((meter.base(), meter.longest()), (ms(190), ms(190)));
}

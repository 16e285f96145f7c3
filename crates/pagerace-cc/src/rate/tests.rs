use crate::testing::{MTU, ack, at};

use super::*;

/// Returns the acknowledgement of a packet, with a minimum round trip time of 100 ms.
fn packet(sent_ms: u64, now_ms: u64) -> Ack {
    Ack {
        rtt_min: Duration::from_millis(100),
        ..ack(sent_ms, now_ms)
    }
}

fn rate(sample: Option<Sample>) -> DeliveryRate {
    sample.unwrap().rate.unwrap()
}

#[test]
fn a_steady_stream_shows_the_rate_of_its_acknowledgements() {
    // One packet every 10 ms with a round trip of 100 ms: 120 kB/s.
    let mut sampler = RateSampler::default();
    let mut last = None;
    for ms in (0..1_000).step_by(10) {
        if ms >= 100 {
            sampler.on_ack(&packet(ms - 100, ms));
            last = sampler.on_ack_end(at(ms), 9 * MTU);
        }
        sampler.on_sent(at(ms), MTU);
    }
    let last = last.unwrap();
    assert_eq!((last.acked, last.lost), (MTU, 0));
    assert_eq!((last.prior_in_flight, last.in_flight), (10 * MTU, 9 * MTU));
    assert_eq!(last.rtt, Some(Duration::from_millis(100)));
    assert_eq!(last.rate.unwrap().bytes_per_second, 120_000);
    assert!(sampler.records.len() <= 11);
}

#[test]
fn acknowledgements_that_were_squeezed_together_do_not_raise_the_rate() {
    let mut sampler = RateSampler::default();
    for ms in (0..100).step_by(10) {
        sampler.on_sent(at(ms), MTU);
    }
    // Sending took 90 ms. All acknowledgements arrive at once, 200 ms after the start.
    for ms in (0..100).step_by(10) {
        sampler.on_ack(&packet(ms, 200));
    }
    let first = rate(sampler.on_ack_end(at(200), 0));
    assert_eq!(first.bytes_per_second, 60_000);
    // Ten more packets follow. One is acknowledged at 300 ms and nine together
    // at 391 ms. The interval is the 191 ms since the last delivery at 200 ms.
    for ms in (200..300).step_by(10) {
        sampler.on_sent(at(ms), MTU);
    }
    sampler.on_ack(&packet(200, 300));
    sampler.on_ack_end(at(300), 9 * MTU);
    for ms in (210..300).step_by(10) {
        sampler.on_ack(&packet(ms, 391));
    }
    let second = rate(sampler.on_ack_end(at(391), 0));
    assert_eq!(second.bytes_per_second, 12_000_000 / 191);
}

#[test]
fn packets_of_one_instant_share_a_record_and_give_the_burst_over_a_round_trip() {
    let mut sampler = RateSampler::default();
    for _ in 0..10 {
        sampler.on_sent(at(0), MTU);
    }
    assert_eq!(sampler.records.len(), 1);
    for _ in 0..10 {
        sampler.on_ack(&packet(0, 100));
    }
    let rate = rate(sampler.on_ack_end(at(100), 0));
    assert_eq!(rate.bytes_per_second, 120_000);
    assert!(sampler.records.is_empty());
}

#[test]
fn samples_are_the_applications_until_what_was_in_flight_is_delivered() {
    let mut sampler = RateSampler::default();
    sampler.on_sent(at(0), MTU);
    sampler.on_app_limited(MTU);
    sampler.on_ack(&packet(0, 100));
    assert!(!rate(sampler.on_ack_end(at(100), 0)).app_limited);
    sampler.on_sent(at(100), MTU);
    sampler.on_sent(at(101), MTU);
    sampler.on_ack(&packet(100, 200));
    assert!(rate(sampler.on_ack_end(at(200), MTU)).app_limited);
    // More is delivered than was in flight at that time, so the sender is not limited.
    assert!(!sampler.is_app_limited());
    sampler.on_sent(at(200), MTU);
    sampler.on_ack(&packet(200, 300));
    assert!(!rate(sampler.on_ack_end(at(300), 0)).app_limited);
}

#[test]
fn a_sample_shorter_than_the_shortest_round_trip_is_none() {
    let mut sampler = RateSampler::default();
    sampler.on_sent(at(0), MTU);
    sampler.on_ack(&packet(0, 60));
    let sample = sampler.on_ack_end(at(60), 0).unwrap();
    assert_eq!((sample.acked, sample.rate), (MTU, None));
}

#[test]
fn records_of_lost_packets_go() {
    let mut sampler = RateSampler::default();
    for ms in 0..50 {
        sampler.on_sent(at(ms), MTU);
    }
    sampler.on_lost(49 * MTU);
    assert_eq!(sampler.in_flight(), MTU);
    sampler.on_ack(&packet(49, 149));
    let sample = sampler.on_ack_end(at(149), 0).unwrap();
    assert_eq!((sample.lost, sample.acked), (49 * MTU, MTU));
    assert_eq!((sampler.records.len(), sampler.recorded), (0, 0));
    // A late acknowledgement of a lost packet counts as delivered.
    sampler.on_ack(&packet(48, 150));
    let sample = sampler.on_ack_end(at(150), 0).unwrap();
    assert_eq!((sample.acked, sample.rate), (MTU, None));
    assert_eq!(sampler.delivered(), 2 * MTU);
}

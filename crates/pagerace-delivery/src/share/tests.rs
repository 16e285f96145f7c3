use super::{FairShare, Weight};
use crate::Response;
use crate::streams::tests::response;

const PACKET: u64 = 1200;

/// Sends `packets` packets of endless responses. Returns the bytes by position.
fn send(share: &mut FairShare, ready: &[Response], packets: usize) -> Vec<u64> {
    let mut sent = vec![0; ready.len()];
    for _ in 0..packets {
        let index = share.pick(ready);
        share.charge(ready[index].stream, PACKET);
        sent[index] += PACKET;
    }
    sent
}

fn endless(streams: &[u64]) -> Vec<Response> {
    streams.iter().map(|s| response(*s, u64::MAX)).collect()
}

fn share_of(weights: &[(u64, u32)]) -> FairShare {
    let mut share = FairShare::default();
    for &(stream, weight) in weights {
        share.join(stream, Weight::whole(weight));
    }
    share
}

#[test]
fn every_prefix_is_within_a_packet_of_the_share() {
    let weights = [255_u32, 24, 24, 8, 8, 8, 1];
    let sum = f64::from(weights.iter().sum::<u32>());
    let lanes: Vec<(u64, u32)> = (0..).step_by(4).zip(weights).collect();
    let mut share = share_of(&lanes);
    let ready = endless(&lanes.iter().map(|l| l.0).collect::<Vec<_>>());
    let mut sent = vec![0; ready.len()];
    for packet in 1..=5000_u64 {
        for (total, more) in sent.iter_mut().zip(send(&mut share, &ready, 1)) {
            *total += more;
        }
        for (bytes, weight) in sent.iter().zip(weights) {
            let ideal = (packet * PACKET) as f64 * f64::from(weight) / sum;
            let off = *bytes as f64 - ideal;
            assert!(
                off.abs() <= PACKET as f64,
                "weight {weight}: {off} bytes off at {packet}"
            );
        }
    }
}

#[test]
fn a_newcomer_has_no_claim_on_the_past() {
    let mut share = share_of(&[(0, 1), (4, 1)]);
    send(&mut share, &endless(&[0, 4]), 1000);
    share.join(8, Weight::whole(1));
    assert_eq!(
        send(&mut share, &endless(&[0, 4, 8]), 300),
        [100 * PACKET; 3]
    );
}

#[test]
fn being_blocked_earns_nothing() {
    let mut share = share_of(&[(0, 1), (4, 1)]);
    send(&mut share, &endless(&[0, 4]), 10);
    send(&mut share, &endless(&[0]), 1000);
    assert_eq!(send(&mut share, &endless(&[0, 4]), 20), [10 * PACKET; 2]);
}

#[test]
fn leaving_does_not_disturb_the_others() {
    let mut share = share_of(&[(0, 200), (4, 2), (8, 1)]);
    send(&mut share, &endless(&[0, 4, 8]), 77);
    share.leave(0);
    let sent = send(&mut share, &endless(&[4, 8]), 300);
    assert!(sent[0].abs_diff(200 * PACKET) <= 2 * PACKET, "{sent:?}");
}

#[test]
fn new_weights_count_from_now_on() {
    let mut share = share_of(&[(0, 1), (4, 1000)]);
    let ready = endless(&[0, 4]);
    send(&mut share, &ready, 5000);
    share.reweigh_all([Weight::whole(3), Weight::whole(1)].into_iter());
    let sent = send(&mut share, &ready, 400);
    assert!(sent[0].abs_diff(300 * PACKET) <= 2 * PACKET, "{sent:?}");
    // The same ratio in other units changes nothing.
    share.reweigh_all([Weight::real(0.003), Weight::real(0.001)].into_iter());
    let sent = send(&mut share, &ready, 400);
    assert!(sent[0].abs_diff(300 * PACKET) <= 2 * PACKET, "{sent:?}");
}

#[test]
fn a_packet_sent_at_a_low_weight_is_a_packet_at_a_high_one() {
    let mut share = share_of(&[(0, 1), (4, 1000)]);
    let ready = endless(&[0, 4]);
    while send(&mut share, &ready, 1)[0] == 0 {}
    share.reweigh_all([Weight::whole(1000); 2].into_iter());
    let sent = send(&mut share, &ready, 20);
    assert!(sent[0].abs_diff(sent[1]) <= 2 * PACKET, "{sent:?}");
}

#[test]
fn small_packets_are_charged_by_the_byte() {
    let mut share = share_of(&[(0, 1), (4, 1)]);
    let ready = endless(&[0, 4]);
    let (mut bytes, mut times) = ([0; 2], [0; 2]);
    for _ in 0..3000 {
        let index = share.pick(&ready);
        let packet = [100, PACKET][index];
        share.charge(ready[index].stream, packet);
        bytes[index] += packet;
        times[index] += 1;
    }
    assert!(bytes[0].abs_diff(bytes[1]) <= PACKET, "{bytes:?}");
    assert!(times[0] > 10 * times[1], "{times:?}");
}

#[test]
fn no_weight_is_zero() {
    assert_eq!(Weight::real(0.0), Weight(Weight::MIN));
    assert_eq!(Weight::real(f64::NAN), Weight(Weight::MIN));
    assert_eq!(Weight::real(1.0), Weight::whole(1));
}

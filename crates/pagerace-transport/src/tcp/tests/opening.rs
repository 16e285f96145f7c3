//! Tests of the handshake.

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::{Connection, Segment, TcpSettings};
use pagerace_core::Instant;

#[test]
fn takes_one_round_trip_before_the_client_and_one_and_a_half_before_the_server_may_send() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 0);
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].connected_at, Some(at(100)));
    assert_eq!(world.ends[SERVER].connected_at, Some(at(150)));
    let sizes: Vec<u32> = world.log.iter().map(|l| l.segment.wire_size()).collect();
    // 20 IP + 20 TCP + 20 options. The acknowledgement has 12 bytes of options.
    assert_eq!(sizes, [60, 60, 52]);
    for end in &world.ends {
        assert_eq!(end.connection.stats().smoothed_rtt, Some(ms(100)));
    }
}

#[test]
fn data_of_the_client_goes_right_behind_the_acknowledgement() {
    let mut world = World::new(&TcpSettings::default(), ms(50));
    world.ends[CLIENT].to_send = 500;
    world.ends[CLIENT].finishes = false;
    world.ends[SERVER].finishes = false;
    world.run(at(120));
    let sent = world.log.iter().filter(|l| l.from == CLIENT);
    let sent: Vec<_> = sent
        .map(|l| (l.at.as_millis_f64(), l.segment.payload.len()))
        .collect();
    assert_eq!(sent, [(0.0, 0), (100.0, 0), (100.0, 500)]);
    // If the acknowledgement of the handshake is lost, data completes the handshake.
    let mut world = World::new(&TcpSettings::default(), ms(50));
    world.ends[CLIENT].to_send = 500;
    world.paths[CLIENT].fates = Box::new(|_, s| {
        let bare = !s.is_syn() && s.payload.is_empty() && !s.fin;
        if bare { Fate::Drop } else { Fate::Pass }
    });
    world.run(at(300));
    assert_eq!(world.ends[SERVER].connected_at, Some(at(150)));
    assert_eq!(world.ends[SERVER].read, 500);
}

#[test]
fn a_lost_syn_is_sent_again_after_a_second_then_after_doubling_times() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 0);
    world.paths[CLIENT].fates = Box::new(|_, _| Fate::Drop);
    assert!(world.run(at(1_000_000)));
    let times: Vec<f64> = world.log.iter().map(|l| l.at.as_millis_f64()).collect();
    let expected = [0.0, 1e3, 3e3, 7e3, 15e3, 31e3, 63e3];
    assert_eq!(times, expected);
    // tcp_syn_retries = 6: the client gives up after 127 s.
    assert_eq!(world.now, at(127_000));
    let reason = world.ends[CLIENT].lost.as_deref().unwrap();
    assert!(reason.contains("not answered"), "{reason}");
    assert!(world.ends[CLIENT].connection.is_closed());
    assert_eq!(world.ends[CLIENT].connection.stats().rtos, 7);
}

#[test]
fn a_lost_syn_ack_is_sent_again_and_the_round_trip_is_still_known() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 1);
    let mut first = true;
    world.paths[SERVER].fates = Box::new(move |_, _| {
        if std::mem::take(&mut first) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    world.run(at(60_000));
    // The client's SYN and the server's SYN-ACK are repeated after a second each, 50 ms
    // apart. The first SYN-ACK that arrives answers the repeated SYN.
    assert_eq!(world.ends[CLIENT].connected_at, Some(at(1_100)));
    assert_eq!(
        world.ends[CLIENT].connection.stats().smoothed_rtt,
        Some(ms(100))
    );
    assert_eq!(world.ends[CLIENT].read, 1);
}

#[test]
fn a_host_without_listener_refuses() {
    let settings = TcpSettings::default();
    let mut client = Connection::client(&settings, Instant::ZERO).unwrap();
    let syn = client.poll_transmit(Instant::ZERO).unwrap();
    client.handle_segment(at(100), Segment::refusal(at(50), &syn));
    let event = client.poll_event().unwrap();
    assert!(format!("{event:?}").contains("refused"), "{event:?}");
    assert!(client.is_closed());
    assert_eq!(client.poll_timeout(), None);
    assert!(client.poll_transmit(at(100)).is_none());
}

#[test]
fn a_server_resets_what_belongs_to_no_connection() {
    let settings = TcpSettings::default();
    let mut world = World::download(&settings, ms(10), 0);
    world.run(at(1_000));
    let stray = world.log.last().unwrap().segment.clone();
    let mut other = Connection::server(&settings).unwrap();
    other.handle_segment(at(5), stray);
    assert!(other.poll_transmit(at(5)).unwrap().is_reset());
}

#[test]
fn the_smaller_maximum_segment_size_holds_for_both() {
    let small = TcpSettings {
        mss: 536,
        ..TcpSettings::default()
    };
    let mut world = World::with(&small, &TcpSettings::default(), ms(10));
    world.ends[SERVER].to_send = 10_000;
    world.run(at(10_000));
    assert_eq!(world.ends[CLIENT].read, 10_000);
    let longest = world.data(SERVER).iter().map(|d| d.1.payload.len()).max();
    assert_eq!(longest, Some(536));
}

#[test]
fn an_unknown_controller_is_an_error() {
    let settings = TcpSettings {
        congestion: "carrier-pigeon".to_owned(),
        ..TcpSettings::default()
    };
    let error = Connection::server(&settings).unwrap_err();
    assert!(error.to_string().contains("carrier-pigeon"));
}

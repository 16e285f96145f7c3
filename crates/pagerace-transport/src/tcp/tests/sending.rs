//! Tests of sending without loss.

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::TcpSettings;

const MSS: u64 = 1448;

/// Returns the number of data segments that the server sent in each round trip of `rtt`
/// after its handshake.
fn rounds(world: &World, begin: f64, rtt: f64) -> Vec<usize> {
    let mut rounds = Vec::new();
    for (time, _) in world.data(SERVER) {
        let round = ((time - begin) / rtt).floor() as usize;
        rounds.resize(rounds.len().max(round + 1), 0);
        rounds[round] += 1;
    }
    rounds
}

#[test]
fn begins_with_ten_segments_and_doubles() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 200 * MSS);
    world.ends[SERVER].connection.lift_send_buffer();
    assert!(world.run(at(60_000)));
    // The server is established at 150 ms. Acknowledgements never slow it down, because the
    // first ones are not delayed.
    assert_eq!(rounds(&world, 150.0, 100.0), [10, 20, 40, 80, 50]);
    assert_eq!(world.ends[CLIENT].read, 200 * MSS);
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!(stats.retransmitted_bytes, 0);
    assert_eq!((stats.rtos, stats.probes, stats.in_flight), (0, 0, 0));
}

#[test]
fn the_first_sixteen_segments_are_acknowledged_one_by_one_then_every_second() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 30 * MSS);
    world.paths[SERVER].rate = Some(10_000_000);
    assert!(world.run(at(60_000)));
    let acks: Vec<u64> = world
        .pure_acks(CLIENT)
        .iter()
        .skip(1) // the handshake's
        .map(|(_, s)| (s.acknowledgement.unwrap() - 1) / MSS)
        .collect();
    let mut expected: Vec<u64> = (1..=16).collect();
    expected.extend([18, 20, 22, 24, 26, 28, 30]);
    assert_eq!(acks, expected);
}

/// 17 segments, the last of which arrives alone at 60 ms. The client answers the first ten
/// soon or not at all.
fn seventeen(answers: bool) -> World {
    let mut world = World::download(&TcpSettings::default(), ms(10), 17 * MSS);
    world.run(at(42));
    if answers {
        world.ends[CLIENT].to_send = 100;
        world.pump();
    }
    world
}

#[test]
fn a_single_segment_waits_forty_milliseconds_where_answers_come_soon() {
    for (answers, wait) in [(false, 0.0), (true, 40.0)] {
        let mut world = seventeen(answers);
        assert!(world.run(at(60_000)));
        let last_data = world.data(SERVER).last().unwrap().0;
        let last_ack = world.pure_acks(CLIENT).last().unwrap().0;
        assert_eq!(last_ack, last_data + 10.0 + wait, "{answers}");
    }
}

#[test]
fn an_answer_takes_the_acknowledgement_along() {
    let mut world = seventeen(true);
    world.run(at(62));
    assert_eq!(world.ends[CLIENT].read, 17 * MSS);
    let before = world.pure_acks(CLIENT).len();
    world.ends[CLIENT].to_send += 100;
    world.pump();
    let (time, request) = world.data(CLIENT)[1];
    assert_eq!((time, request.acknowledgement), (62.0, Some(17 * MSS + 1)));
    assert!(world.run(at(60_000)));
    assert_eq!(world.pure_acks(CLIENT).len(), before);
}

#[test]
fn as_much_is_committed_ahead_as_in_linux() {
    let settings = TcpSettings {
        notsent_lowat: 5_000,
        ..TcpSettings::default()
    };
    let mut world = World::download(&settings, ms(50), 1_000_000);
    world.paths[SERVER].rate = Some(5_000_000);
    assert_eq!(world.ends[SERVER].connection.writable(), 0, "not connected");
    let (mut time, mut most) = (0, 0);
    while !world.run(at(time)) {
        let end = &world.ends[SERVER];
        let mut sent = 0;
        for (_, segment) in world.data(SERVER) {
            sent = sent.max(segment.offset() + segment.payload.len() as u64);
        }
        most = most.max(end.written - sent);
        time += 23;
    }
    // The last buffer is filled up to 64 KiB.
    assert!((64_000..=45 * MSS).contains(&most), "{most}");
    // The amount suffices for full segments.
    let short = world.data(SERVER);
    let short = short.iter().filter(|d| d.1.payload.len() < 1448).count();
    assert_eq!(short, 1);
    assert_eq!(world.ends[CLIENT].read, 1_000_000);
}

#[test]
fn a_window_that_is_not_used_does_not_grow() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 0);
    world.run(at(1_000));
    for i in 1..50 {
        // Three segments every 100 ms, while ten are allowed.
        world.ends[SERVER].to_send += 3 * MSS;
        world.run(at(1_000 + 100 * i));
    }
    assert_eq!(
        world.ends[SERVER].connection.stats().congestion_window,
        10 * MSS
    );
    // Six of ten are more than half, which counts as used in slow start.
    for i in 1..5 {
        world.ends[SERVER].to_send += 6 * MSS;
        world.run(at(6_000 + 100 * i));
    }
    assert!(world.ends[SERVER].connection.stats().congestion_window > 10 * MSS);
}

#[test]
fn an_idle_connection_begins_with_the_initial_window_again() {
    let windows = |settings: &TcpSettings, idle: u64| {
        let mut world = World::download(settings, ms(50), 150 * MSS);
        world.run(at(2_000));
        let before = world.ends[SERVER].connection.stats().congestion_window;
        let (last, sent) = (
            world.data(SERVER).last().unwrap().0,
            world.data(SERVER).len(),
        );
        world.now = at(last as u64 + idle);
        world.ends[SERVER].to_send += 400 * MSS;
        world.pump();
        (
            before / MSS,
            (world.data(SERVER).len() - sent) as u64,
            world,
        )
    };
    let on = TcpSettings::default();
    // The timeout is 100 ms + 200 ms. The connection is idle for slightly more than two
    // timeouts.
    let (before, burst, _) = windows(&on, 610);
    assert!(before >= 80, "{before}");
    assert_eq!(burst, before / 4);
    // After six timeouts, halving would lead below the initial window.
    let (_, burst, mut world) = windows(&on, 2_000);
    assert_eq!(burst, 10);
    // Slow start leads back to the previous window.
    let begin = world.now.as_millis_f64();
    world.log.clear();
    assert!(world.run(at(60_000)));
    assert_eq!(rounds(&world, begin, 100.0)[..4], [0, 20, 40, 80]);

    let off = TcpSettings {
        slow_start_after_idle: false,
        ..TcpSettings::default()
    };
    let (before, burst, _) = windows(&off, 2_000);
    assert_eq!(burst, before);
}

#[test]
fn the_first_burst_is_as_long_as_the_send_buffer_allows() {
    // A small response opens the window to 40 segments, then a large one is written.
    let mut world = World::download(&TcpSettings::default(), ms(50), 30 * MSS);
    world.ends[SERVER].record = Some(MSS);
    assert!(world.run(at(450)));
    world.now = at(450);
    let window = world.ends[SERVER].connection.stats().congestion_window / MSS;
    world.log.clear();
    world.ends[SERVER].to_send += 400 * MSS;
    world.run(at(540));
    let sent = world.data(SERVER).len();
    assert_eq!((window, sent), (40, 21));
    // Acknowledgements raise the limit, and the window stops the sender again.
    world.run(at(551));
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!(stats.in_flight, stats.congestion_window);
}

#[test]
fn a_short_pause_costs_nothing() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 150 * MSS);
    world.run(at(2_000));
    let window = world.ends[SERVER].connection.stats().congestion_window;
    let (last, sent) = (
        world.data(SERVER).last().unwrap().0,
        world.data(SERVER).len(),
    );
    assert!(world.now.as_millis_f64() > last);
    world.now = at(last as u64 + 290);
    world.ends[SERVER].to_send += 400 * MSS;
    world.pump();
    let burst = world.data(SERVER).len() - sent;
    assert_eq!(burst as u64, window / MSS);
}

#[test]
fn throughput_reaches_the_rate_of_the_link() {
    let mut world = World::download(&TcpSettings::default(), ms(20), 10_000_000);
    world.paths[SERVER].rate = Some(20_000_000);
    world.paths[SERVER].queue = ms(40);
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 10_000_000);
    let seconds = world.now.as_nanos() as f64 / 1e9;
    let payload_rate = 20e6 * 1448.0 / 1500.0;
    let ideal = 10_000_000.0 * 8.0 / payload_rate;
    assert!(seconds < ideal * 1.08, "{seconds} s, ideal {ideal} s");
}

#[test]
fn a_controller_with_a_rate_is_paced() {
    // The transfer ends before BBR stops for a sample of the round trip, after ten seconds.
    let bbr = TcpSettings {
        congestion: "bbr".to_owned(),
        ..TcpSettings::default()
    };
    let mut world = World::download(&bbr, ms(20), 20_000_000);
    world.paths[SERVER].rate = Some(20_000_000);
    world.paths[SERVER].queue = ms(80);
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 20_000_000);
    let seconds = world.now.as_nanos() as f64 / 1e9;
    let ideal = 20_000_000.0 * 8.0 / 20e6 * 1500.0 / 1448.0;
    assert!(seconds < ideal * 1.05, "{seconds}, ideal {ideal}");
    // Once the controller knows the rate, no two segments leave at the same time.
    let late: Vec<f64> = world
        .data(SERVER)
        .iter()
        .map(|d| d.0)
        .filter(|&t| t > 2_000.0)
        .collect();
    assert!(late.len() > 1_000);
    let closest = late
        .windows(2)
        .map(|w| w[1] - w[0])
        .fold(f64::MAX, f64::min);
    // 1448 bytes at 1.25 times 20 Mbit/s take 0.46 ms.
    assert!(closest > 0.4, "{closest} ms");
}

#[test]
fn losses_stop_cubic_and_not_bbr() {
    let seconds = |congestion: &str| {
        let settings = TcpSettings {
            congestion: congestion.to_owned(),
            ..TcpSettings::default()
        };
        let mut world = World::download(&settings, ms(20), 20_000_000);
        world.paths[SERVER].rate = Some(20_000_000);
        world.paths[SERVER].queue = ms(40);
        let mut rng = pagerace_core::Rng::new(1, "loss");
        world.paths[SERVER].fates = Box::new(move |_, _| {
            if rng.chance(0.01) {
                Fate::Drop
            } else {
                Fate::Pass
            }
        });
        assert!(world.run(at(600_000)));
        assert_eq!(world.ends[CLIENT].read, 20_000_000);
        world.now.as_nanos() as f64 / 1e9
    };
    let ideal = 20_000_000.0 * 8.0 / 20e6 * 1500.0 / 1448.0;
    let (bbr, cubic) = (seconds("bbr"), seconds("cubic"));
    assert!(bbr < ideal * 1.06, "{bbr}, ideal {ideal}");
    assert!(cubic > bbr * 1.5, "{cubic}, BBR {bbr}");
}

#[test]
fn both_directions_at_once() {
    let mut world = World::new(&TcpSettings::default(), ms(30));
    world.ends[CLIENT].to_send = 700_000;
    world.ends[SERVER].to_send = 900_000;
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 900_000);
    assert_eq!(world.ends[SERVER].read, 700_000);
    assert!(world.now < at(2_000), "{}", world.now);
}

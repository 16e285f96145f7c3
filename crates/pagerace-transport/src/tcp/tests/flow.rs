//! Tests of the receive window.

use pagerace_core::Rng;

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::TcpSettings;

#[test]
fn it_never_limits_a_fat_long_path_for_long() {
    // 100 Mbit/s x 100 ms: 1.2 MB in flight.
    let bytes = 40_000_000;
    let mut world = World::download(&TcpSettings::default(), ms(50), bytes);
    world.paths[SERVER].rate = Some(100_000_000);
    world.paths[SERVER].queue = ms(100);
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, bytes);
    // The same load with a window that is never the limit.
    let wide = TcpSettings {
        receive_window: 30_000_000,
        receive_buffer_max: 60_000_000,
        ..TcpSettings::default()
    };
    let mut free = World::download(&wide, ms(50), bytes);
    free.paths[SERVER].rate = Some(100_000_000);
    free.paths[SERVER].queue = ms(100);
    assert!(free.run(at(60_000)));
    let (tuned, free) = (world.now.as_millis_f64(), free.now.as_millis_f64());
    assert!(
        tuned <= free * 1.05,
        "{tuned} ms, {free} ms without a limit"
    );
}

/// Sends 20 MB over 100 Mbit/s x 100 ms, with a queue of a round trip and 1 % loss. The
/// controller is BBR, as it does not slow down for this loss.
fn lossy(settings: &TcpSettings, seed: u64) -> World {
    let settings = TcpSettings {
        congestion: "bbr".to_owned(),
        // The application is never late.
        notsent_lowat: 1 << 20,
        ..settings.clone()
    };
    let mut world = World::download(&settings, ms(50), 20_000_000);
    world.ends[SERVER].connection.lift_send_buffer();
    world.paths[SERVER].rate = Some(100_000_000);
    world.paths[SERVER].queue = ms(100);
    let mut rng = Rng::new(seed, "loss");
    world.paths[SERVER].fates = Box::new(move |_, _| {
        if rng.chance(0.01) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    assert!(world.run(at(60_000)), "seed {seed}");
    assert_eq!(world.ends[CLIENT].read, 20_000_000, "seed {seed}");
    world
}

fn lossy_millis(settings: &TcpSettings) -> f64 {
    (0..5)
        .map(|seed| lossy(settings, seed).now.as_millis_f64())
        .sum()
}

#[test]
fn losses_do_not_keep_it_from_growing() {
    let free = lossy_millis(&TcpSettings {
        receive_window: 30_000_000,
        receive_buffer_max: 60_000_000,
        ..TcpSettings::default()
    });
    let grown = lossy_millis(&TcpSettings {
        receive_buffer_max: 60_000_000,
        ..TcpSettings::default()
    });
    assert!(
        grown <= free * 1.02,
        "{grown} ms, {free} ms without a limit"
    );
    // BBR has up to 2.5 MB in flight, and a hole delays the acknowledgement of 1.25 MB or
    // more. Linux's maximum window of 3 MiB therefore costs a little.
    let tuned = lossy_millis(&TcpSettings::default());
    assert!(
        tuned <= free * 1.05,
        "{tuned} ms, {free} ms without a limit"
    );
}

#[test]
fn losses_neither_shrink_it_nor_take_it_beyond_its_limit() {
    for (buffer, widest) in [(400_000, 200_000), (6 << 20, 3 << 20)] {
        let settings = TcpSettings {
            receive_buffer_max: buffer,
            ..TcpSettings::default()
        };
        let world = lossy(&settings, 1);
        let (mut edge, mut most) = (0, 0);
        for logged in world.log.iter().filter(|l| l.from == CLIENT) {
            let segment = &logged.segment;
            let offered = segment.acknowledgement.unwrap_or(1) + segment.window;
            assert!(offered >= edge, "{offered} after {edge} at {}", logged.at);
            edge = offered;
            most = most.max(segment.window);
        }
        assert!(most <= widest && most > widest - 2_000, "{most}");
    }
}

#[test]
fn it_grows_while_a_hole_is_open() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 400_000);
    world.ends[SERVER].connection.lift_send_buffer();
    // The hole is a quarter into the third flight. When the flight's first segments are
    // read, the buffer grows to match the second flight.
    let hole = 40 * 1448;
    world.paths[SERVER].fates = Box::new(move |_, segment| {
        if segment.offset() == hole && !segment.retransmission {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    assert!(world.run(at(60_000)));
    let acks = world.pure_acks(CLIENT);
    let held: Vec<u64> = acks
        .iter()
        .filter(|a| a.1.acknowledgement == Some(1 + hole) && !a.1.sacks.is_empty())
        .map(|a| a.1.window)
        .collect();
    // The window grows by two segments for each one that arrives, up to the room in the
    // buffer.
    let (first, last) = (held[0], held[held.len() - 1]);
    assert!(first < 100_000 && last > 200_000, "{held:?}");
    let grows = |w: &[u64]| w[1] == (w[0] + 2 * 1448).min(last);
    assert!(held.windows(2).all(grows), "{held:?}");
}

#[test]
fn it_grows_to_its_limit_and_not_beyond() {
    let settings = TcpSettings {
        receive_buffer_max: 400_000,
        ..TcpSettings::default()
    };
    let mut world = World::download(&settings, ms(50), 20_000_000);
    world.ends[SERVER].connection.lift_send_buffer();
    world.paths[SERVER].rate = Some(100_000_000);
    assert!(world.run(at(60_000)));
    let windows = world.pure_acks(CLIENT).into_iter().map(|a| a.1.window);
    let widest = windows.clone().max().unwrap();
    assert!((190_000..=200_000).contains(&widest), "{widest}");
    assert_eq!(world.log[0].segment.window, 65_535);
    // The window allows 200 kB per 100 ms.
    let seconds = world.now.as_nanos() as f64 / 1e9;
    assert!(seconds > 20_000_000.0 / 200_000.0 * 0.1, "{seconds}");
}

#[test]
fn a_reader_that_stops_closes_the_window_and_opens_it_again() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 1_000_000);
    world.ends[CLIENT].reads = false;
    world.run(at(5_000));
    assert_eq!(world.ends[CLIENT].connection.delivered(), 65_535);
    let last = world.pure_acks(CLIENT).last().unwrap().1.window;
    assert_eq!(last, 0);
    // Probes follow after the retransmission timeout and its doubles, and each is answered.
    let probes: Vec<f64> = world.pure_acks(SERVER).iter().map(|p| p.0).collect();
    let gaps: Vec<f64> = probes.windows(2).map(|w| w[1] - w[0]).collect();
    assert!(probes.len() >= 3, "{probes:?}");
    assert!(gaps.iter().all(|g| *g >= 300.0), "{gaps:?}");
    world.ends[CLIENT].reads = true;
    let reopened = world.now;
    world.pump();
    world.run(reopened + ms(101));
    let resumed = world.data(SERVER).last().unwrap().0;
    assert_eq!(
        resumed,
        reopened.as_millis_f64() + 50.0,
        "the update says so"
    );
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 1_000_000);
    assert_eq!(world.ends[SERVER].lost, None);
}

#[test]
fn a_lost_window_update_is_found_by_a_probe() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 300_000);
    world.ends[CLIENT].reads = false;
    world.run(at(3_000));
    world.ends[CLIENT].reads = true;
    world.paths[CLIENT].fates = Box::new(|now, _| {
        if now < at(3_050) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    world.pump();
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 300_000);
}

#[test]
fn a_window_that_stays_closed_is_no_reason_to_give_up() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 300_000);
    world.ends[CLIENT].reads = false;
    assert!(!world.run(at(10_000_000)), "it goes on probing");
    assert_eq!(world.ends[SERVER].lost, None);
    // The connection is given up once probes go unanswered.
    world.paths[SERVER].fates = Box::new(|_, _| Fate::Drop);
    assert!(world.run(at(20_000_000)));
    let reason = world.ends[SERVER].lost.clone().unwrap();
    assert!(reason.contains("window"), "{reason}");
}

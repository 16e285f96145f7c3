//! Tests with arbitrary loss, reordering, duplication and delay: all bytes are delivered
//! once and in order, and every run terminates.

use pagerace_core::{Duration, Instant, Rng};

use super::world::{CLIENT, Fate, Fates, SERVER, World};
use crate::tcp::TcpSettings;

const DEADLINE: Instant = Instant::from_nanos(200_000 * 1_000_000_000);

struct Hostility {
    loss: f64,
    late: f64,
    twice: f64,
    /// Maximum delay of a late or duplicated segment, in nanoseconds.
    latest: u64,
}

fn fates(seed: u64, name: &str, h: &Hostility) -> Fates {
    let mut rng = Rng::new(seed, name);
    let (loss, late, twice, latest) = (h.loss, h.late, h.twice, h.latest);
    Box::new(move |_, _| {
        let by = Duration::from_nanos(rng.below(latest));
        let draw = rng.unit();
        if draw < loss {
            Fate::Drop
        } else if draw < loss + late {
            Fate::Late(by)
        } else if draw < loss + late + twice {
            Fate::Twice(by)
        } else {
            Fate::Pass
        }
    })
}

fn hostile_world(seed: u64) -> World {
    let mut rng = Rng::new(seed, "shape");
    let controllers = pagerace_cc::registry();
    let delay = Duration::from_nanos(1 + rng.below(150_000_000));
    let client = TcpSettings {
        mss: [536, 1448][rng.below(2) as usize],
        congestion: controllers[rng.below(controllers.len() as u64) as usize]
            .name
            .to_owned(),
        receive_window: [4_000, 20_000, 65_535][rng.below(3) as usize],
        slow_start_after_idle: rng.chance(0.5),
        ..TcpSettings::default()
    };
    let server = TcpSettings {
        congestion: client.congestion.clone(),
        ..TcpSettings::default()
    };
    let mut world = World::with(&client, &server, delay);
    world.ends[CLIENT].to_send = rng.below(50_000);
    world.ends[SERVER].to_send = rng.below(400_000);
    for (side, name) in [(CLIENT, "up"), (SERVER, "down")] {
        let h = Hostility {
            loss: rng.unit() * 0.3,
            late: rng.unit() * 0.4,
            twice: rng.unit() * 0.2,
            latest: 1 + rng.below(400_000_000),
        };
        world.paths[side].fates = fates(seed, name, &h);
        if rng.chance(0.5) {
            world.paths[side].rate = Some(100_000 + rng.below(20_000_000));
            world.paths[side].queue = Duration::from_nanos(10_000_000 + rng.below(500_000_000));
        }
    }
    world
}

fn assert_complete(world: &World, seed: u64) {
    for side in [CLIENT, SERVER] {
        let (end, peer) = (&world.ends[side], &world.ends[1 - side]);
        assert_eq!(end.lost, None, "seed {seed}");
        assert_eq!(end.read, peer.to_send, "seed {seed}, side {side}");
        assert_eq!(end.connection.delivered(), peer.to_send, "seed {seed}");
        assert!(end.finished_at.is_some(), "seed {seed}");
        assert!(end.connection.is_closed(), "seed {seed}");
        assert_eq!(end.connection.stats().in_flight, 0, "seed {seed}");
    }
}

#[test]
fn all_bytes_arrive_once_and_in_order() {
    for seed in 0..400 {
        let mut world = hostile_world(seed);
        let idle = world.run(DEADLINE);
        assert!(idle, "seed {seed} does not end");
        assert_complete(&world, seed);
    }
}

#[test]
fn sent_and_received_ranges_account_for_every_byte() {
    for seed in 400..440 {
        let mut world = hostile_world(seed);
        assert!(world.run(DEADLINE), "seed {seed}");
        for side in [CLIENT, SERVER] {
            let length = world.ends[side].to_send as usize;
            let (mut once, mut again) = (vec![0_u32; length], 0);
            let connection = &mut world.ends[side].connection;
            connection.drain_sent(|sent| {
                if sent.retransmission {
                    again += sent.length;
                } else {
                    let range = sent.offset as usize..(sent.offset + sent.length) as usize;
                    once[range].iter_mut().for_each(|n| *n += 1);
                }
            });
            assert!(once.iter().all(|&n| n == 1), "seed {seed}");
            assert_eq!(again, connection.stats().retransmitted_bytes, "seed {seed}");
            let mut arrived = vec![false; length];
            world.ends[1 - side].connection.drain_received(|range| {
                let range = range.offset as usize..(range.offset + range.length) as usize;
                arrived[range].iter_mut().for_each(|a| *a = true);
            });
            assert!(arrived.iter().all(|&a| a), "seed {seed}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_segments() {
    let trace = || {
        let mut world = hostile_world(7);
        world.run(DEADLINE);
        let log = world.log.into_iter();
        log.map(|l| (l.at, l.from, l.segment)).collect::<Vec<_>>()
    };
    assert_eq!(trace(), trace());
}

#[test]
fn a_path_that_dies_ends_the_connection() {
    let mut world = hostile_world(3);
    world.ends[SERVER].to_send = 4_000_000;
    let dead = Instant::from_nanos(2_000_000_000);
    for path in &mut world.paths {
        path.fates = Box::new(move |now, _| if now > dead { Fate::Drop } else { Fate::Pass });
    }
    world.run(DEADLINE);
    assert!(world.ends[SERVER].lost.is_some());
    assert!(world.ends[CLIENT].read < 4_000_000);
}

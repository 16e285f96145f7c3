//! Tests of loss recovery.

use super::world::{CLIENT, Fate, SERVER, World, at, ms};
use crate::tcp::{Segment, TcpSettings};

const MSS: u64 = 1448;

/// Drops the first transmission of the server's segments with the numbers `lost`, from 0.
fn losing(world: &mut World, lost: &'static [u64]) {
    world.paths[SERVER].fates = Box::new(move |_, segment: &Segment| {
        let number = segment.offset() / MSS;
        let first = !segment.payload.is_empty() && !segment.retransmission;
        if first && lost.contains(&number) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
}

fn retransmissions(world: &World) -> Vec<(f64, u64)> {
    let data = world.data(SERVER).into_iter();
    data.filter(|d| d.1.retransmission)
        .map(|(time, s)| (time, s.offset() / MSS))
        .collect()
}

#[test]
fn a_hole_is_repaired_one_round_trip_after_it_was_made() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 60 * MSS);
    losing(&mut world, &[12]);
    assert!(world.run(at(60_000)));
    // Segments 10.. leave at 250 ms. Three SACKed segments behind the hole have arrived at
    // 350 ms.
    assert_eq!(retransmissions(&world), [(350.0, 12)]);
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.segments_lost, stats.rtos, stats.probes), (1, 0, 0));
    assert_eq!(stats.retransmitted_bytes, MSS);
    assert_eq!(world.ends[CLIENT].read, 60 * MSS);
}

#[test]
fn many_holes_are_repaired_together() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 120 * MSS);
    losing(&mut world, &[11, 13, 15, 17, 20, 21, 22]);
    assert!(world.run(at(60_000)));
    let repairs = retransmissions(&world);
    let numbers: Vec<u64> = repairs.iter().map(|r| r.1).collect();
    assert_eq!(numbers, [11, 13, 15, 17, 20, 21, 22]);
    assert!(repairs.iter().all(|r| r.0 == 350.0), "{repairs:?}");
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.segments_lost, stats.rtos, stats.probes), (7, 0, 0));
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 200 * MSS);
    let mut drops = 2;
    world.paths[SERVER].fates = Box::new(move |_, s| {
        if !s.payload.is_empty() && s.offset() == 12 * MSS && drops > 0 {
            drops -= 1;
            return Fate::Drop;
        }
        Fate::Pass
    });
    assert!(world.run(at(60_000)));
    let repairs = retransmissions(&world);
    assert_eq!(repairs.len(), 2);
    // Segments sent after the first retransmission arrive a round trip later.
    assert!((445.0..=476.0).contains(&repairs[1].0), "{repairs:?}");
    assert_eq!(world.ends[SERVER].connection.stats().rtos, 0);
}

/// Segment 75 and its first repair are lost, and with `also` the first segment that is sent in
/// recovery. Returns the slow start threshold after that, in segments.
fn threshold_after_recovery(congestion: &str, also: bool) -> u64 {
    let settings = TcpSettings {
        receive_window: 1 << 20,
        congestion: congestion.to_owned(),
        ..TcpSettings::default()
    };
    let mut world = World::download(&settings, ms(50), 2_000 * MSS);
    let (mut drops, mut highest, mut later) = (2, 0, also);
    world.paths[SERVER].fates = Box::new(move |_, s| {
        if s.payload.is_empty() {
            return Fate::Pass;
        }
        let number = s.offset() / MSS;
        let new = drops == 0 && number > highest;
        highest = highest.max(number);
        if number == 75 && drops > 0 {
            drops -= 1;
            return Fate::Drop;
        }
        if new && later {
            later = false;
            return Fate::Drop;
        }
        Fate::Pass
    });
    world.run(at(1_000));
    world.ends[SERVER].connection.stats().ssthresh.unwrap() / MSS
}

#[test]
fn newreno_halves_again_for_what_was_first_sent_in_recovery() {
    let once = threshold_after_recovery("newreno", false);
    let twice = threshold_after_recovery("newreno", true);
    assert!((once / 2..once * 5 / 8).contains(&twice), "{once} {twice}");
}

#[test]
fn a_lost_tail_is_found_by_a_probe_after_two_round_trips() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    losing(&mut world, &[7, 8, 9]);
    assert!(world.run(at(60_000)));
    // The last acknowledgement arrives at 250 ms. The probe follows 2 SRTT later with the
    // last segment, and its SACK shows that the other two are lost. One segment was
    // delivered, so one is sent (PRR's conservative bound).
    assert_eq!(
        retransmissions(&world),
        [(450.0, 9), (550.0, 7), (650.0, 8)]
    );
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.rtos, stats.probes), (0, 1));
    assert_eq!(world.ends[CLIENT].read, 10 * MSS);
}

#[test]
fn a_probe_prefers_new_data() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    losing(&mut world, &[9]);
    world.run(at(440));
    // Written after the flight, while the window has room.
    world.ends[SERVER].to_send += MSS;
    let sent = world.data(SERVER).len();
    world.pump();
    assert_eq!(world.data(SERVER).len(), sent + 1, "the window has room");
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[CLIENT].read, 11 * MSS);
    assert_eq!(world.ends[SERVER].connection.stats().rtos, 0);
}

#[test]
fn a_probe_that_repaired_a_loss_costs_window() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    losing(&mut world, &[9]);
    assert!(world.run(at(700)));
    let before = world.ends[SERVER].connection.stats();
    assert_eq!((before.probes, before.ssthresh), (1, None));
    // RFC 8985, section 7.4: an acknowledgement beyond the probe reveals the repaired loss.
    world.ends[SERVER].to_send += MSS;
    assert!(world.run(at(60_000)));
    let after = world.ends[SERVER].connection.stats();
    assert!(after.ssthresh.is_some());
    assert!(after.congestion_window < before.congestion_window);
}

/// RFC 8985, section 7.4.2: only a DSACK of the probe's own range shows that the probe was
/// needless.
#[test]
fn a_probe_that_repaired_a_loss_costs_window_although_the_path_duplicates_another_segment() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    world.paths[SERVER].fates = Box::new(|_, s| match s.offset() / MSS {
        9 if !s.payload.is_empty() && !s.retransmission => Fate::Drop,
        // The second copy arrives at 650 ms, after the probe.
        3 => Fate::Twice(ms(450)),
        _ => Fate::Pass,
    });
    assert!(world.run(at(700)));
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.probes, stats.ssthresh), (1, None));
    let acks = world.pure_acks(CLIENT);
    let (sent, last) = acks.last().unwrap();
    assert_eq!((*sent, last.sacks.iter().count()), (650.0, 1));
    world.ends[SERVER].to_send += MSS;
    assert!(world.run(at(60_000)));
    assert!(world.ends[SERVER].connection.stats().ssthresh.is_some());
}

#[test]
fn a_probe_for_a_lost_acknowledgement_costs_nothing() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    let mut dropped = 0;
    world.paths[CLIENT].fates = Box::new(move |now, _| {
        // Drops the acknowledgements of the first flight's last two segments.
        if now == at(200) {
            dropped += 1;
            if dropped > 8 {
                return Fate::Drop;
            }
        }
        Fate::Pass
    });
    assert!(world.run(at(700)));
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!(stats.probes, 1);
    world.ends[SERVER].to_send += MSS;
    assert!(world.run(at(60_000)));
    assert_eq!(world.ends[SERVER].connection.stats().ssthresh, None);
}

/// A loss is repaired. Later the last acknowledgements are lost, and a probe repeats data
/// that had arrived. The resulting DSACK explains the probe and not the earlier
/// retransmission.
#[test]
fn a_needless_probe_takes_no_reduction_back() {
    let last_data = |world: &World| world.data(SERVER).last().map(|(sent, _)| *sent);
    let run = |silent_from: f64| {
        let mut world = World::download(&TcpSettings::default(), ms(50), 150 * MSS);
        losing(&mut world, &[12]);
        world.paths[CLIENT].fates = Box::new(move |now, _| {
            if (silent_from..silent_from + 100.0).contains(&now.as_millis_f64()) {
                Fate::Drop
            } else {
                Fate::Pass
            }
        });
        assert!(world.run(at(5_000)));
        world
    };
    let undisturbed = run(f64::INFINITY);
    let end = last_data(&undisturbed).unwrap();
    // The acknowledgements of the last flight leave the client one path delay later.
    let world = run(end + 49.0);
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.segments_lost, stats.probes), (1, 1), "{stats:?}");
    assert_eq!(stats.undone, 0, "{stats:?}");
}

#[test]
fn timeouts_double() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    world.paths[SERVER].fates = Box::new(|now, _| {
        if now > at(140) && now < at(30_000) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    assert!(world.run(at(600_000)));
    let times: Vec<f64> = retransmissions(&world).iter().map(|r| r.0).collect();
    // Sent at 150 ms. The probe follows after 2 SRTT. Then RTO = SRTT + 200 ms = 300 ms and
    // its doubles: 300, 600, 1200 ...
    assert_eq!(times[0], 350.0);
    let gaps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    assert_eq!(
        gaps[..7],
        [300.0, 600.0, 1200.0, 2400.0, 4800.0, 9600.0, 19200.0]
    );
    assert_eq!(world.ends[CLIENT].read, 10 * MSS);
    let stats = world.ends[SERVER].connection.stats();
    assert_eq!((stats.rtos, stats.probes), (7, 1));
    // RFC 5681, section 3.1: repeated timeouts do not change ssthresh.
    assert_eq!(stats.ssthresh, Some(7 * MSS));
}

#[test]
fn silence_ends_the_connection_after_fifteen_timeouts() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    world.paths[SERVER].fates = Box::new(|now, _| {
        if now > at(140) {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    assert!(world.run(at(10_000_000)));
    let reason = world.ends[SERVER].lost.clone().unwrap();
    assert!(reason.contains("no acknowledgement"), "{reason}");
    assert_eq!(world.ends[SERVER].connection.stats().rtos, 15);
    // 350 ms, then 0.3 s * (2^9 - 1) up to 120 s, then 120 s each: about 15 minutes, as
    // documented by Linux.
    let minutes = world.now.as_nanos() as f64 / 60e9;
    assert!((14.0..18.0).contains(&minutes), "{minutes}");
}

#[test]
fn sending_continues_in_proportion_while_losses_are_repaired() {
    // With the default receive window, a hole closes the window before recovery ends.
    let settings = TcpSettings {
        receive_window: 1 << 20,
        ..TcpSettings::default()
    };
    let mut world = World::download(&settings, ms(50), 2_000 * MSS);
    world.ends[SERVER].connection.lift_send_buffer();
    world.paths[SERVER].rate = Some(100_000_000);
    losing(&mut world, &[75]);
    assert!(world.run(at(60_000)));
    // Segments 70..150 leave at 450 ms in a burst, and 79 acknowledgements return spread
    // over it. CUBIC keeps 70 % of the window: 7 segments for 10 acknowledgements, evenly
    // spaced.
    let data = world.data(SERVER);
    let repair = data.iter().position(|d| d.1.retransmission).unwrap();
    let begin = data[repair].0;
    let acks: Vec<f64> = world
        .log
        .iter()
        .filter(|l| l.from == CLIENT)
        .map(|l| l.at.as_millis_f64() + 50.0)
        .filter(|&t| t >= begin && t < begin + 9.0)
        .collect();
    let sent = data
        .iter()
        .filter(|d| d.0 >= begin && d.0 < begin + 9.0)
        .count();
    assert!(acks.len() > 50, "{}", acks.len());
    let ratio = sent as f64 / acks.len() as f64;
    assert!((0.66..0.74).contains(&ratio), "{sent} for {}", acks.len());
    // Even spacing: no long gap between segments, and no burst.
    let after: Vec<f64> = data[repair..repair + sent].iter().map(|d| d.0).collect();
    let widest = after.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::max);
    assert!(widest < 0.5, "{widest}");
}

#[test]
fn late_acknowledgements_are_found_out_and_the_window_is_restored() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 100 * MSS);
    // The path becomes 600 ms longer for a while, so a timeout fires spuriously.
    world.paths[CLIENT].fates = Box::new(|now, _| {
        if now >= at(300) && now < at(2_000) {
            Fate::Late(ms(600))
        } else {
            Fate::Pass
        }
    });
    world.run(at(900));
    let during = world.ends[SERVER].connection.stats();
    assert_eq!(during.rtos, 1);
    assert!(during.congestion_window < 20 * MSS);
    assert!(world.run(at(60_000)));
    let after = world.ends[SERVER].connection.stats();
    assert_eq!(after.undone, 1);
    assert!(after.congestion_window >= 20 * MSS, "{after:?}");
    assert_eq!(world.ends[CLIENT].read, 100 * MSS);
}

#[test]
fn reordering_is_learnt() {
    let run = |late: u64| {
        let mut world = World::download(&TcpSettings::default(), ms(50), 1_000 * MSS);
        world.paths[SERVER].rate = Some(50_000_000);
        let mut number = 0;
        world.paths[SERVER].fates = Box::new(move |_, s| {
            number += u64::from(!s.payload.is_empty());
            if number % 20 == 0 {
                Fate::Late(ms(late))
            } else {
                Fate::Pass
            }
        });
        assert!(world.run(at(60_000)));
        assert_eq!(world.ends[CLIENT].read, 1_000 * MSS);
        world.ends[SERVER].connection.stats()
    };
    // 3 ms are a dozen segments but less than a quarter of the round trip. Only the first
    // late segments are declared lost, and these reductions are undone.
    let stats = run(3);
    assert!(stats.segments_lost <= 3, "{stats:?}");
    assert_eq!(stats.rtos, 0);
    assert!(stats.undone >= 1, "{stats:?}");
}

#[test]
fn blocks_name_the_latest_arrival_first() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 10 * MSS);
    losing(&mut world, &[1, 3, 5, 7]);
    world.run(at(200));
    let blocks: Vec<Vec<(u64, u64)>> = world
        .pure_acks(CLIENT)
        .iter()
        .filter(|(time, _)| *time == 200.0)
        .map(|(_, s)| {
            let blocks = s.sacks.iter();
            blocks
                .map(|b| ((b.start - 1) / MSS, (b.end - 1) / MSS))
                .collect()
        })
        .collect();
    let expected: Vec<Vec<(u64, u64)>> = vec![
        vec![],
        vec![(2, 3)],
        vec![(4, 5), (2, 3)],
        vec![(6, 7), (4, 5), (2, 3)],
        vec![(8, 9), (6, 7), (4, 5)],
        vec![(8, 10), (6, 7), (4, 5)],
    ];
    assert_eq!(blocks, expected);
    // 52 bytes, plus 4 for the option's header and 8 for each block.
    let sizes: Vec<u32> = world.pure_acks(CLIENT)[1..]
        .iter()
        .map(|a| a.1.wire_size())
        .collect();
    assert_eq!(sizes, [52, 64, 72, 80, 80, 80]);
}

#[test]
fn a_duplicate_is_reported_once() {
    let mut world = World::download(&TcpSettings::default(), ms(50), 3 * MSS);
    world.paths[SERVER].fates = Box::new(|_, s| {
        if !s.payload.is_empty() && s.offset() == MSS {
            Fate::Twice(ms(5))
        } else {
            Fate::Pass
        }
    });
    assert!(world.run(at(60_000)));
    let reports: Vec<_> = world
        .pure_acks(CLIENT)
        .iter()
        .filter(|a| !a.1.sacks.is_empty())
        .map(|a| (a.0, a.1.sacks.iter().collect::<Vec<_>>()))
        .collect();
    assert_eq!(reports, [(205.0, vec![1 + MSS..1 + 2 * MSS])]);
}

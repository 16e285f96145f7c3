use pagerace_core::{Duration, Rng};
use proptest::prelude::*;

use super::super::packet::tests::{ipv4, tcp, udp};
use super::*;

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

fn run_on(network: &str) -> Run {
    Run::new(&Network::parse(network).unwrap(), 1, 1_000)
}

fn ms(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

fn end(run: Run) -> LinkReport {
    run.end_load(Clock::start(), Drops::default(), Scheduling::RealTime)
}

/// Delivers all due packets, as the emulator does, and returns their number.
fn deliver(run: &mut Run, now: Instant) -> usize {
    let mut packets = 0;
    while let Some(delivery) = run.poll(now) {
        run.handle_delivery(delivery, now);
        packets += 1;
    }
    packets
}

#[test]
fn time_zero_is_the_first_packet_of_the_client() {
    let mut run = run_on("rate 8mbit rtt 20ms");
    // Packets from the kernel, from the server, and from an old connection.
    let icmp = ipv4(1, Direction::Up, &[0; 8]);
    assert_eq!(run.offer(Direction::Up, ms(1), &icmp), Verdict::Pass);
    let early = udp(Direction::Down, 100);
    assert_eq!(run.offer(Direction::Down, ms(2), &early), Verdict::Stray);
    let old = tcp(Direction::Up, ACK, 1, 5);
    assert_eq!(run.offer(Direction::Up, ms(3), &old), Verdict::Stray);
    assert_eq!(run.next_at(), None);
    let opening = tcp(Direction::Up, SYN, 1, 0);
    assert_eq!(run.offer(Direction::Up, ms(500), &opening), Verdict::Taken);
    // 40 bytes at 8 Mbit/s take 40 us.
    let due = ms(510) + Duration::from_micros(40);
    assert_eq!(run.next_at(), Some(due));
    assert!(run.poll(ms(510)).is_none());
    let delivery = run.poll(due + Duration::from_micros(3)).unwrap();
    assert_eq!(delivery.bytes(), opening);
    run.handle_delivery(delivery, due + Duration::from_micros(3));
    assert_eq!(run.zero, Some(ms(500)));
    let ended = end(run);
    assert_eq!(ended.strays, 2);
    let packet = ended.packets[0];
    assert_eq!(packet.at, Instant::ZERO);
    assert_eq!(packet.due, Some(Instant::from_nanos(10_040_000)));
    let at = Instant::from_nanos(10_043_000);
    assert_eq!(packet.fate, Fate::Delivered { at });
    assert_eq!(ended.lateness.max(), Duration::from_micros(3));
}

#[test]
fn a_connection_that_begins_belongs_to_the_load() {
    let mut run = run_on("rate 8mbit rtt 20ms");
    let taken = |run: &mut Run, direction, packet: &[u8]| {
        run.offer(direction, ms(1), packet) == Verdict::Taken
    };
    assert!(taken(
        &mut run,
        Direction::Up,
        &tcp(Direction::Up, SYN, 1, 0)
    ));
    assert!(taken(
        &mut run,
        Direction::Down,
        &tcp(Direction::Down, SYN | ACK, 9, 0)
    ));
    assert!(!taken(
        &mut run,
        Direction::Down,
        &udp(Direction::Down, 100)
    ));
    assert!(taken(&mut run, Direction::Up, &udp(Direction::Up, 100)));
    assert!(taken(&mut run, Direction::Down, &udp(Direction::Down, 100)));
    assert!(taken(
        &mut run,
        Direction::Down,
        &ipv4(1, Direction::Down, &[0; 8])
    ));
    let elsewhere = {
        let mut packet = udp(Direction::Up, 100);
        packet[16..20].copy_from_slice(&[224, 0, 0, 251]);
        packet
    };
    assert!(!taken(&mut run, Direction::Up, &elsewhere), "to no server");
    assert!(!taken(&mut run, Direction::Up, &[0x60; 60]), "IPv6");
    assert_eq!(end(run).strays, 3);
}

#[test]
fn the_queue_and_the_end_leave_their_marks() {
    let mut run = run_on("rate 8mbit rtt 20ms queue 2p");
    for _ in 0..3 {
        run.offer(Direction::Up, ms(1), &udp(Direction::Up, 1_000));
    }
    assert_eq!(
        deliver(&mut run, ms(12)),
        1,
        "1 ms to cross, 10 ms to travel"
    );
    let ended = end(run);
    let fates: Vec<Fate> = ended.packets.iter().map(|p| p.fate).collect();
    let at = Instant::from_nanos(11_000_000);
    assert_eq!(fates[0], Fate::Delivered { at });
    assert_eq!(fates[1], Fate::InFlight);
    assert_eq!(fates[2], Fate::Dropped { at: Instant::ZERO });
    assert_eq!((ended.up.queue_drops, ended.up.delivered), (1, 1));
}

#[test]
fn a_full_log_does_not_stop_the_link() {
    let network = Network::parse("rate 100mbit rtt 2ms queue 100000p").unwrap();
    // The limit exceeds one block of the log.
    let mut run = Run::new(&network, 1, 5_000);
    for _ in 0..5_100 {
        run.offer(Direction::Up, ms(1), &udp(Direction::Up, 60));
    }
    assert_eq!(deliver(&mut run, ms(10_000)), 5_100);
    let ended = end(run);
    assert_eq!((ended.packets.len(), ended.unlogged), (5_000, 100));
    assert_eq!(ended.up.delivered, 5_100);
    assert_eq!(ended.lateness.count(), 5_100);
    let delivered = |p: &LinkPacket| matches!(p.fate, Fate::Delivered { .. });
    assert!(ended.packets.iter().all(delivered));
}

#[test]
fn a_managed_queue_drops_and_is_polled_on() {
    let mut run = run_on("rate 1mbit rtt 20ms queue codel");
    for k in 0..200 {
        let now = ms(1 + 2 * k);
        deliver(&mut run, now);
        run.offer(Direction::Up, now, &udp(Direction::Up, 1_000));
    }
    deliver(&mut run, ms(60_000));
    assert_eq!(run.next_at(), None);
    let ended = end(run);
    assert!(ended.up.queue_drops > 0);
    assert_eq!(ended.up.queue_drops + ended.up.delivered, 200);
    let dropped = |p: &&LinkPacket| matches!(p.fate, Fate::Dropped { .. });
    assert_eq!(
        ended.packets.iter().filter(dropped).count() as u64,
        ended.up.queue_drops
    );
}

proptest! {
    /// However late a run is polled, its packets meet the same fates as on links that are
    /// polled in time.
    #[test]
    fn the_fates_are_those_of_the_link(
        gaps in prop::collection::vec((0_u64..3_000_000, 40_usize..1_500), 1..200),
        late in 0_u64..50_000_000,
    ) {
        let network = Network::parse("rate 4mbit rtt 20ms loss 5% burst 2 queue 10p").unwrap();
        let mut run = Run::new(&network, 9, 1_000);
        let mut now = ms(3);
        for (gap, size) in &gaps {
            now += Duration::from_nanos(*gap);
            run.offer(Direction::Up, now, &udp(Direction::Up, *size));
        }
        deliver(&mut run, now + Duration::from_secs(10) + Duration::from_nanos(late));
        let ended = end(run);

        let mut link = Link::new(&network.up, Rng::new(9, "link/up"));
        let mut expected = vec![None; gaps.len()];
        for (i, packet) in ended.packets.iter().enumerate() {
            if link.enqueue(packet.at, packet.size, 0, i).is_err() {
                expected[i] = Some((Fate::Dropped { at: packet.at }, None));
            }
        }
        while let Some(exit) = link.poll(Instant::MAX) {
            match exit {
                Exit::Delivered { at, payload, .. } => {
                    expected[payload] = Some((Fate::Delivered { at }, Some(at)));
                }
                Exit::Lost { at, payload, .. } => expected[payload] = Some((Fate::Lost, Some(at))),
                Exit::Dropped { .. } => {}
            }
        }
        for (packet, expected) in ended.packets.iter().zip(expected) {
            let (fate, due) = expected.unwrap();
            prop_assert_eq!(packet.due, due);
            prop_assert_eq!(
                std::mem::discriminant(&packet.fate),
                std::mem::discriminant(&fate)
            );
        }
    }
}

#[test]
fn servers_stand_at_their_distances_beyond_the_link() {
    let opening = tcp(Direction::Up, SYN, 1, 0);
    let (flow, _) = packet::read(&opening, Direction::Up).unwrap();
    let distances = BTreeMap::from([(flow.server, Duration::from_millis(80))]);
    let mut run = run_on("rate 8mbit rtt 20ms").with_distances(distances);
    assert_eq!(run.offer(Direction::Up, ms(0), &opening), Verdict::Taken);
    // 40 bytes at 8 Mbit/s take 40 us. Half the distance follows in each direction.
    let crossed = ms(10) + Duration::from_micros(40);
    assert_eq!(run.next_at(), Some(crossed));
    assert!(run.poll(crossed).is_none());
    let due = ms(50) + Duration::from_micros(40);
    assert_eq!(run.next_at(), Some(due));
    let delivery = run.poll(due).unwrap();
    assert_eq!((delivery.direction, delivery.due), (Direction::Up, due));
    run.handle_delivery(delivery, due);
    let answer = tcp(Direction::Down, SYN | ACK, 9, 0);
    assert_eq!(run.offer(Direction::Down, due, &answer), Verdict::Taken);
    assert_eq!(deliver(&mut run, ms(100)), 0);
    assert_eq!(deliver(&mut run, ms(101)), 1);
}

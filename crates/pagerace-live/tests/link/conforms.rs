//! The live link conforms to the link model in its rates, losses and queues.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::UdpSocket;

use pagerace_core::{Duration, Instant, Rng};
use pagerace_live::link::{Direction, Fate, Flow, LinkPacket, LinkReport, hol_blocked_tcp};
use pagerace_net::{Exit, Link, Network};

use crate::common::{Bed, is_believable, network, open};

/// Sends datagrams from the server as fast as possible and waits until the link has
/// processed them.
fn blast(bed: &Bed, network: &Network, packets: usize, payload: usize) -> LinkReport {
    let (server, client) = (bed.server_udp(), bed.client_udp());
    let reader = drain(client.try_clone().unwrap());
    bed.testbed.begin(network, 11).unwrap();
    client.send(b"go").unwrap();
    let (_, from) = server.recv_from(&mut [0; 10]).unwrap();
    for _ in 0..packets {
        server.send_to(&vec![0; payload], from).unwrap();
    }
    // Half a second without a datagram means that all have passed.
    reader.join().unwrap();
    let report = bed.testbed.finish().unwrap();
    // A sender that is faster than the emulator can overflow the device's queue.
    assert_eq!(report.down.enqueued + report.kernel_drops, packets as u64);
    report
}

/// Reads until no more datagrams arrive, so that no buffer stays full for long.
fn drain(socket: UdpSocket) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut buffer = [0; 2_000];
        while socket.recv(&mut buffer).is_ok() {
            let quiet = std::time::Duration::from_millis(500);
            socket.set_read_timeout(Some(quiet)).unwrap();
        }
    })
}

/// Returns the bits per second that were delivered to the client between two times.
fn rate(packets: &[LinkPacket], from: Instant, to: Instant) -> f64 {
    let mut came: Vec<(Instant, u32)> = (packets.iter())
        .filter(|p| p.direction == Direction::Down)
        .filter_map(|p| match p.fate {
            Fate::Delivered { at } if at >= from && at <= to => Some((at, p.size)),
            _ => None,
        })
        .collect();
    came.sort_unstable();
    // Exclude the first packet, whose bits were sent before the measured span.
    let bytes: u32 = came[1..].iter().map(|(_, size)| size).sum();
    let span = came[came.len() - 1].0.since(came[0].0);
    f64::from(bytes) * 8.0 / span.as_secs_f64()
}

fn assert_rate(report: &LinkReport, from: Instant, to: Instant, expected: f64) {
    if is_believable(report) {
        let found = rate(&report.packets, from, to);
        let error = found / expected - 1.0;
        assert!(error.abs() <= 0.01, "{found} instead of {expected} bit/s");
    }
}

#[test]
fn a_burst_drains_at_the_rate() {
    let Some(bed) = open() else { return };
    let report = blast(
        &bed,
        &network("rate 50mbit rtt 10ms queue 10000p"),
        4_000,
        1_472,
    );
    assert_eq!(report.down.delivered, 4_000);
    assert_eq!(report.kernel_drops, 0);
    assert_rate(&report, Instant::ZERO, Instant::MAX, 50e6);
}

#[test]
fn a_step_in_the_rate_is_felt() {
    let Some(bed) = open() else { return };
    let stepped = network("rate 40mbit for 500ms then 10mbit rtt 10ms queue 10000p");
    let report = blast(&bed, &stepped, 3_000, 1_472);
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    assert_rate(&report, at(50), at(500), 40e6);
    assert_rate(&report, at(520), at(1_800), 10e6);
}

#[test]
fn kernel_tcp_fills_the_link() {
    let Some(bed) = open() else { return };
    bed.testbed.set_congestion("cubic").unwrap();
    let sender = bed.sender(6_000_000);
    let link = network("rate 20mbit rtt 20ms queue 100p");
    bed.testbed.begin(&link, 1).unwrap();
    assert_eq!(bed.fetch(), 6_000_000);
    sender.join().unwrap();
    let report = bed.testbed.finish().unwrap();
    let at = |ms| Instant::ZERO + Duration::from_millis(ms);
    assert_rate(&report, at(500), at(2_000), 20e6);
}

#[test]
fn losses_come_as_often_and_as_long_as_the_model_has_it() {
    let Some(bed) = open() else { return };
    let (mean, length) = (0.05, 4.0);
    let lossy = network("rate 200mbit rtt 10ms loss 5% burst 4 queue 100000p");
    // Fewer packets would do, but these exceed the buffers between sender and link.
    let packets = 60_000;
    let report = blast(&bed, &lossy, packets, 30);
    let down = (report.packets.iter()).filter(|p| p.direction == Direction::Down);
    let lost: Vec<bool> = down.map(|p| p.fate == Fate::Lost).collect();
    assert!(lost.len() > packets / 2, "{} reached the link", lost.len());
    let losses = lost.iter().filter(|l| **l).count();
    assert_eq!(report.down.lost as usize, losses);
    let losses = losses as f64;
    let bursts =
        lost.windows(2).filter(|w| !w[0] && w[1]).count() as f64 + f64::from(u8::from(lost[0]));
    // A chain with correlation c = 1 - p - r has (1 + c) / (1 - c) times the variance of
    // independent losses.
    let r = 1.0 / length;
    let p = r * mean / (1.0 - mean);
    let correlation = 1.0 - p - r;
    let n = lost.len() as f64;
    let variance = n * mean * (1.0 - mean) * (1.0 + correlation) / (1.0 - correlation);
    let deviation = (losses - n * mean) / variance.sqrt();
    assert!(deviation.abs() < 4.0, "{losses} losses, {deviation} sigma");
    // Burst lengths are geometric with variance (1 - r) / r^2.
    let error = ((1.0 - r) / (r * r) / bursts).sqrt();
    let deviation = (losses / bursts - length) / error;
    assert!(
        deviation.abs() < 4.0,
        "{} long, {deviation} sigma",
        losses / bursts
    );
}

/// Returns the fates and due times of a log's packets on both links in virtual time.
fn offline(network: &Network, seed: u64, packets: &[LinkPacket]) -> Vec<(Fate, Option<Instant>)> {
    let mut flows: BTreeMap<Flow, u64> = BTreeMap::new();
    let mut outcomes = vec![(Fate::InFlight, None); packets.len()];
    for (direction, config, name) in [
        (Direction::Down, &network.down, "link/down"),
        (Direction::Up, &network.up, "link/up"),
    ] {
        let mut link = Link::new(config, Rng::new(seed, name));
        for (i, packet) in packets.iter().enumerate() {
            let next = flows.len() as u64;
            let flow = *flows.entry(packet.flow).or_insert(next);
            if packet.direction != direction {
                continue;
            }
            if link.enqueue(packet.at, packet.size, flow, i).is_err() {
                outcomes[i] = (Fate::Dropped { at: packet.at }, None);
            }
        }
        let last = packets.last().map_or(Instant::ZERO, |p| p.at);
        while let Some(at) = link.next_at() {
            match link.poll(at.max(last)) {
                Some(Exit::Delivered { at, payload, .. }) => {
                    outcomes[payload] = (Fate::Delivered { at }, Some(at));
                }
                Some(Exit::Lost { at, payload, .. }) => outcomes[payload] = (Fate::Lost, Some(at)),
                Some(Exit::Dropped { at, payload }) => {
                    outcomes[payload] = (Fate::Dropped { at }, None);
                }
                None => {}
            }
        }
    }
    outcomes
}

/// Asserts that on a link in virtual time the same packets at the same times meet the
/// same fate and are due at the same nanosecond. Packets in flight at the end are not
/// compared.
fn assert_conforms(network: &Network, seed: u64, report: &LinkReport) {
    assert_eq!(report.unlogged, 0);
    let expected = offline(network, seed, &report.packets);
    for (i, (packet, (fate, due))) in report.packets.iter().zip(expected).enumerate() {
        match (packet.fate, fate) {
            (Fate::InFlight, _) => {}
            (Fate::Delivered { at }, Fate::Delivered { .. }) => {
                assert_eq!(packet.due, due, "packet {i}");
                assert!(due.is_some_and(|due| due <= at), "packet {i} came early");
            }
            (found, expected) => {
                assert_eq!(found, expected, "packet {i}");
                assert_eq!(packet.due, due, "packet {i}");
            }
        }
    }
}

/// Fetches over a network and checks conformance; `None` if that was skipped.
fn assert_tcp_conforms(text: &str) -> Option<LinkReport> {
    let bed = open()?;
    bed.testbed.set_congestion("cubic").unwrap();
    let link = network(text);
    let sender = bed.sender(1_000_000);
    bed.testbed.begin(&link, 5).unwrap();
    assert_eq!(bed.fetch(), 1_000_000);
    sender.join().unwrap();
    let report = bed.testbed.finish().unwrap();
    assert_conforms(&link, 5, &report);
    Some(report)
}

#[test]
fn every_packet_meets_the_fate_of_the_model() {
    let lossy = "rate 10mbit rtt 20ms loss 2% burst 2 queue 30p jitter 3ms";
    let Some(report) = assert_tcp_conforms(lossy) else {
        return;
    };
    assert!(report.down.lost > 0);
    let blocked = hol_blocked_tcp(&report.packets);
    assert!(blocked.bytes > 0 && blocked.byte_ms > 0, "{blocked:?}");
}

#[test]
fn a_clean_link_blocks_nobody() {
    let Some(report) = assert_tcp_conforms("rate 50mbit rtt 10ms queue 10000p") else {
        return;
    };
    assert_eq!((report.down.lost, report.down.queue_drops), (0, 0));
    assert_eq!(hol_blocked_tcp(&report.packets).bytes, 0);
}

#[test]
fn reordering_and_managed_queues_conform() {
    assert_tcp_conforms("rate 10mbit rtt 20ms queue codel jitter 2ms normal reorder");
}

#[test]
fn fair_queues_know_the_connections() {
    let Some(bed) = open() else { return };
    bed.testbed.set_congestion("cubic").unwrap();
    let link = network("rate 8mbit rtt 20ms loss 1% queue fq-codel");
    let sender = bed.sender(500_000);
    let (server, client) = (bed.server_udp(), bed.client_udp());
    let reader = drain(client.try_clone().unwrap());
    bed.testbed.begin(&link, 5).unwrap();
    client.send(b"go").unwrap();
    let (_, from) = server.recv_from(&mut [0; 10]).unwrap();
    let blaster = std::thread::spawn(move || {
        for _ in 0..500 {
            server.send_to(&[0; 1_200], from).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    });
    assert_eq!(bed.fetch(), 500_000);
    for thread in [sender, blaster, reader] {
        thread.join().unwrap();
    }
    let report = bed.testbed.finish().unwrap();
    assert!(report.down.queue_drops > 0);
    assert_conforms(&link, 5, &report);
}

#[test]
fn a_trace_conforms() {
    let Some(bed) = open() else { return };
    let path = std::env::temp_dir().join(format!("link-trace-{}", std::process::id()));
    let mut file = std::fs::File::create(&path).unwrap();
    for ms in (0..200).filter(|ms| ms % 7 < 4) {
        writeln!(file, "{ms}").unwrap();
    }
    let link = network(&format!("rate trace:{} rtt 30ms queue 50p", path.display()));
    std::fs::remove_file(&path).unwrap();
    let report = blast(&bed, &link, 300, 1_000);
    assert!(report.down.queue_drops > 0 && report.down.delivered > 0);
    assert_conforms(&link, 11, &report);
}

//! Packets cross the link, and the report describes them.

use std::io::{Read, Write};

use pagerace_core::{Duration, Instant};
use pagerace_live::LiveError;
use pagerace_live::link::{Direction, Fate, LinkPacket, Transport};

use crate::common::{is_believable, network, open};

#[test]
fn a_round_trip_takes_both_delays() {
    let Some(bed) = open() else { return };
    let (server, client) = (bed.server_udp(), bed.client_udp());
    bed.testbed
        .begin(&network("rate 10mbit delay 30ms delay-up 20ms"), 1)
        .unwrap();
    client.send(b"ask").unwrap();
    let mut buffer = [0; 100];
    let (_, from) = server.recv_from(&mut buffer).unwrap();
    server.send_to(b"answer!", from).unwrap();
    assert_eq!(client.recv(&mut buffer).unwrap(), 7);
    let report = bed.testbed.finish().unwrap();
    let [up, down] = report.packets[..] else {
        panic!("{:?}", report.packets);
    };
    assert_eq!(
        (up.direction, down.direction),
        (Direction::Up, Direction::Down)
    );
    assert_eq!((up.size, down.size), (20 + 8 + 3, 20 + 8 + 7));
    assert_eq!(up.flow, down.flow);
    assert_eq!(up.flow.transport, Transport::Udp);
    assert_eq!(up.flow.server_port, 443);
    assert_eq!(up.flow.client_port, client.local_addr().unwrap().port());
    assert_eq!(up.at, Instant::ZERO, "it sets time zero");
    // 31 bytes at 10 Mbit/s take 24.8 us.
    assert_eq!(up.due, Some(Instant::from_nanos(20_024_800)));
    assert_eq!(down.due, Some(down.at + Duration::from_nanos(30_028_000)));
    let Fate::Delivered { at } = up.fate else {
        panic!("{up:?}")
    };
    assert!(at >= up.due.unwrap() && down.at >= at);
    assert_eq!((report.down.delivered, report.up.delivered), (1, 1));
    assert_eq!(report.lateness.count(), 2);
    assert_eq!(
        (report.strays, report.kernel_drops, report.socket_drops),
        (0, 0, 0)
    );
    assert!(
        report
            .started
            .is_some_and(|since_boot| !since_boot.is_zero())
    );
}

#[test]
fn tcp_crosses_whole_and_in_either_direction() {
    let Some(bed) = open() else { return };
    bed.testbed.set_congestion("cubic").unwrap();
    let sender = bed.sender(300_000);
    bed.testbed
        .begin(&network("rate 20mbit rtt 20ms loss 1%"), 7)
        .unwrap();
    assert_eq!(bed.fetch(), 300_000);
    sender.join().unwrap();
    let report = bed.testbed.finish().unwrap();
    assert!(
        report.packets.iter().all(|p| p.size <= 1_500),
        "no offloads"
    );
    let payload: u64 = (report.packets.iter())
        .filter(|p| p.direction == Direction::Down && matches!(p.fate, Fate::Delivered { .. }))
        .map(|p| u64::from(p.tcp.unwrap().payload))
        .sum();
    assert!(payload >= 300_000, "{payload}");
    let opening = report.packets[0].tcp.unwrap();
    assert!(opening.syn && opening.payload == 0);
}

#[test]
fn what_is_left_of_one_load_stays_out_of_the_next() {
    let Some(bed) = open() else { return };
    let (server, client) = (bed.server_udp(), bed.client_udp());
    let slow = network("rate 1mbit rtt 400ms");
    bed.testbed.begin(&slow, 1).unwrap();
    client.send(b"old").unwrap();
    let old = bed.testbed.finish().unwrap();
    assert_eq!(old.packets[0].fate, Fate::InFlight);
    // The client opens a new connection while the server still answers the old one.
    bed.testbed
        .begin(&network("rate 10mbit rtt 10ms"), 2)
        .unwrap();
    server
        .send_to(b"late", client.local_addr().unwrap())
        .unwrap();
    let other = bed.client_udp();
    other.send(b"new").unwrap();
    let mut buffer = [0; 100];
    let (length, from) = server.recv_from(&mut buffer).unwrap();
    assert_eq!(&buffer[..length], b"new", "the old one never arrives");
    server.send_to(b"yes", from).unwrap();
    other.recv(&mut buffer).unwrap();
    let report = bed.testbed.finish().unwrap();
    assert_eq!(report.packets.len(), 2);
    assert_eq!(report.strays, 1);
    assert!(matches!(bed.testbed.finish(), Err(LiveError::NotBegun)));
}

#[test]
fn between_loads_packets_pass() {
    let Some(bed) = open() else { return };
    let echo = bed.sender(10);
    assert_eq!(bed.fetch(), 10);
    echo.join().unwrap();
}

#[test]
fn a_connection_that_is_older_than_the_load_is_cut() {
    let Some(bed) = open() else { return };
    let address = bed.testbed.server_address(700).unwrap();
    let listener = bed
        .testbed
        .server()
        .run(move || std::net::TcpListener::bind((address, 80)).unwrap());
    let mut stream = bed
        .testbed
        .client()
        .run(move || std::net::TcpStream::connect((address, 80)).unwrap());
    let (mut accepted, _) = listener.accept().unwrap();
    bed.testbed
        .begin(&network("rate 10mbit rtt 10ms"), 1)
        .unwrap();
    stream.write_all(b"too late").unwrap();
    let wait = std::time::Duration::from_millis(100);
    accepted.set_read_timeout(Some(wait)).unwrap();
    assert!(accepted.read(&mut [0; 8]).is_err());
    let report = bed.testbed.finish().unwrap();
    assert!(report.packets.is_empty() && report.strays > 0);
    assert_eq!(report.started, None);
}

#[test]
fn every_controller_of_the_kernel_can_be_pinned() {
    let Some(bed) = open() else { return };
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    for name in names.unwrap().split_whitespace() {
        bed.testbed.set_congestion(name).unwrap();
        let address = bed.testbed.server_address(1).unwrap();
        let bind = move || std::net::TcpListener::bind((address, 443)).unwrap();
        let listener = bed.testbed.server().run(bind);
        let connect = move || std::net::TcpStream::connect((address, 443)).unwrap();
        let client = bed.testbed.client().run(connect);
        let (server, _) = listener.accept().unwrap();
        for end in [&client, &server] {
            let used = socket2::SockRef::from(end).tcp_congestion().unwrap();
            let used = String::from_utf8_lossy(&used);
            assert_eq!(used.trim_end_matches('\0'), name);
        }
    }
    let error = bed.testbed.set_congestion("wishful").unwrap_err();
    assert!(error.to_string().contains("reno"), "{error}");
    let error = bed.testbed.set_congestion("cubic dev lo").unwrap_err();
    assert!(matches!(error, LiveError::Congestion { .. }), "{error}");
}

#[test]
fn commands_run_inside() {
    let Some(bed) = open() else { return };
    let mut command = std::process::Command::new("ip");
    command
        .args(["-brief", "address"])
        .stdout(std::process::Stdio::piped());
    let child = bed.testbed.client().spawn(command).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("10.0.0.1/32"), "{text}");
    assert_eq!(text.lines().count(), 2, "lo and the link: {text}");
}

#[test]
fn a_panic_inside_comes_out() {
    let Some(bed) = open() else { return };
    let run = || bed.testbed.client().run(|| panic!("as planned"));
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    assert_eq!(result.unwrap_err().downcast_ref(), Some(&"as planned"));
    assert_eq!(bed.testbed.client().run(|| 7), 7, "and the next one runs");
}

#[test]
fn the_wait_of_a_packet_is_its_own_time() {
    let Some(bed) = open() else { return };
    let (server, client) = (bed.server_udp(), bed.client_udp());
    bed.testbed
        .begin(&network("rate 10mbit rtt 40ms queue 100000b"), 1)
        .unwrap();
    client.send(b"ask").unwrap();
    let (_, from) = server.recv_from(&mut [0; 10]).unwrap();
    for _ in 0..400 {
        server.send_to(&[0; 1_000], from).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    while let Ok(length) = client.recv(&mut [0; 2_000]) {
        assert_eq!(length, 1_000);
        client
            .set_read_timeout(Some(std::time::Duration::from_millis(200)))
            .unwrap();
    }
    let report = bed.testbed.finish().unwrap();
    let mut late: Vec<Duration> = report
        .packets
        .iter()
        .map(|p: &LinkPacket| match p.fate {
            Fate::Delivered { at } => at.since(p.due.unwrap()),
            _ => panic!("{p:?}"),
        })
        .collect();
    late.sort_unstable();
    assert_eq!(late.len(), 401);
    assert_eq!(report.lateness.max(), late[400]);
    if is_believable(&report) {
        // The tail is the machine's; an emulator that polls or batches shows in the middle.
        let median = late[late.len() / 2];
        eprintln!("lateness: {}", report.lateness);
        assert!(
            median <= Duration::from_micros(200),
            "{median:?}: {}",
            report.lateness
        );
    }
}

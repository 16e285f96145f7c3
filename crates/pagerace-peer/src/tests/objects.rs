//! Tests of objects in datagrams, end to end, over a path that loses packets.

use pagerace_transport::quic::DEFAULT_MTU;

use super::*;

/// Loses every tenth packet after the handshake.
const TENTH: fn(usize) -> bool = |n| n > 12 && n.is_multiple_of(10);

fn datagrams(p: &mut Pipe) -> usize {
    // Frames include the head and the end marker, which are sent on the stream.
    p.server.take_frames().len()
}

#[test]
fn nothing_is_lost_where_nothing_is_lost() {
    let mut p = Pipe::with_policy("datagram:non-essential");
    p.ask(1, "GET", "/x/200000", "");
    p.ask(2, "GET", "/50000", "");
    p.ask(3, "HEAD", "/x/5000", "");
    p.ask(4, "GET", "/x/0", "");
    p.run(LONG);
    let bytes: Vec<_> = p.got.values().map(|g| g.bytes).collect();
    assert_eq!(bytes, [200_000, 50_000, 0, 0]);
    assert!(p.got.values().all(|g| g.end.is_some() && !g.incomplete));
    let report = p.client.loss_report(1).expect("it came in datagrams");
    assert_eq!((report.length, report.lost_bytes), (200_000, 0));
    assert_eq!(report.sent, Some(report.arrived));
    for token in [2, 3, 4] {
        assert_eq!(p.client.loss_report(token), None, "it came on its stream");
    }
}

#[test]
fn datagrams_fill_their_packets() {
    let bytes = |policy: &str| {
        let mut p = Pipe::with_policy(policy);
        p.ask(1, "GET", "/x/1000000", "");
        p.run(LONG);
        (p.from_server, datagrams(&mut p))
    };
    let (streams, _) = bytes("late");
    let (packets, frames) = bytes("datagram:non-essential");
    let most = usize::from(DEFAULT_MTU) - 40;
    assert!(frames >= 1_000_000 / most, "{frames}");
    assert!(
        packets < streams * 102 / 100,
        "{packets} packets, {streams} on the stream"
    );
}

#[test]
fn what_is_lost_is_lost() {
    let mut p = Pipe::with_policy("datagram:non-essential");
    p.lose_from_server = TENTH;
    p.ask(1, "GET", "/x/200000", "");
    p.run(LONG);
    let got = &p.got[&1];
    assert!(got.incomplete && got.end.is_none());
    let report = p.client.loss_report(1).expect("it came in datagrams");
    let share = report.missing_bytes() as f64 / 200_000.0;
    assert!((0.05..0.15).contains(&share), "{report:?}");
    let sent = report.sent.expect("the end marker is reliable");
    assert!(report.arrived < sent);
    assert_eq!(
        p.server.stats().retransmitted_bytes,
        0,
        "nothing was sent again"
    );
}

#[test]
fn ranges_repair_what_was_lost() {
    let mut p = Pipe::with_policy("deadline:60s,repair");
    p.lose_from_server = TENTH;
    p.repairs = true;
    p.ask(1, "GET", "/x/200000", "");
    p.ask(2, "GET", "/x/70000", "");
    p.run(LONG);
    for (token, length) in [(1, 200_000), (2, 70_000)] {
        let got = &p.got[&token];
        assert!(
            got.incomplete && got.end.is_some() && !got.failed,
            "{got:?}"
        );
        assert_eq!(got.bytes, length);
        let report = p.client.loss_report(token).expect("it came in datagrams");
        assert!(report.lost_bytes > 0 && report.missing_bytes() == 0);
        assert_eq!(report.repaired_bytes, report.lost_bytes);
    }
    // The client has no further events once both responses are over.
    assert_eq!(p.client.poll_event(), None);
}

#[test]
fn parity_restores_what_was_lost() {
    let mut p = Pipe::with_policy("fec:0.3");
    p.lose_from_server = TENTH;
    p.ask(1, "GET", "/x/200000", "");
    p.run(LONG);
    let got = &p.got[&1];
    assert!(!got.incomplete && got.end.is_some());
    assert_eq!(got.bytes, 200_000);
    let report = p.client.loss_report(1).expect("it came in datagrams");
    assert!(report.restored_bytes > 0 && report.missing_bytes() == 0);
}

#[test]
fn at_the_deadline_the_server_stops_and_the_client_goes_on() {
    let mut p = Pipe::with_policy("deadline:200ms");
    p.ask(1, "GET", "/x/2000000", "");
    p.run(LONG);
    // The link carries 10 Mbit/s for the rest of 200 ms after the handshake.
    let bytes = p.client.loss_report(1).expect("it began").arrived * 1_100;
    assert!((50_000..250_000).contains(&bytes), "{bytes}");
    let ended = p.now;
    assert!(
        ended < Instant::ZERO + Duration::from_millis(300),
        "{ended}"
    );
    let before = p.from_server;
    p.got.clear();
    p.ask(2, "GET", "/10000", "");
    p.run(LONG);
    // Packets that the server sent in the half round trip before it knew, and 9 more.
    assert!(p.from_server - before < 50, "no more of it was sent");
    assert_eq!(p.got[&2].bytes, 10_000);
}

#[test]
fn a_client_that_takes_no_datagrams_gets_streams() {
    for (datagrams, objects) in [(false, false), (true, false), (false, true)] {
        let settings = QuicSettings {
            datagrams,
            ..QuicSettings::default()
        };
        let h3 = pagerace_http::h3::Config {
            object_datagrams: objects,
            ..pagerace_http::h3::Config::default()
        };
        let mut p = Pipe::with("fifo", "datagram:non-essential", settings, h3);
        p.lose_from_server = TENTH;
        p.ask(1, "GET", "/x/200000", "");
        p.run(LONG);
        assert_eq!(p.got[&1].bytes, 200_000);
        assert!(p.got[&1].end.is_some());
        assert_eq!(p.client.loss_report(1), None);
        assert!(p.server.stats().retransmitted_bytes > 0);
    }
}

#[test]
fn a_part_is_no_object_of_its_own() {
    let mut p = Pipe::with_policy("datagram:non-essential");
    let mut fields = vec![Field::from_static("range", "bytes=10-19")];
    for (name, value) in [
        (":path", "/x/5000"),
        (":authority", "localhost"),
        (":scheme", "https"),
        (":method", "GET"),
    ] {
        fields.insert(0, Field::from_static(name, value));
    }
    p.client.request(p.now, 1, fields, None, None);
    p.got.insert(1, Got::default());
    p.run(LONG);
    assert_eq!((p.got[&1].status.as_str(), p.got[&1].bytes), ("206", 10));
    assert_eq!(p.client.loss_report(1), None);
}

#[test]
fn late_responses_wait_for_all_others() {
    let ends = |policy: &str| {
        let mut p = Pipe::with_policy(policy);
        p.ask(1, "GET", "/x/300000", "");
        p.ask(2, "GET", "/300000", "");
        p.run(LONG);
        (p.end(1), p.end(2))
    };
    let (first, second) = ends("datagram:fonts");
    assert!(first < second, "first come, first served");
    let (late, other) = ends("late");
    assert!(other < late);
    assert!(
        late <= second + Duration::from_millis(5),
        "the link is never idle"
    );
}

#[test]
fn repairs_of_streams_come_before_new_datagrams() {
    // Half of the bytes are sent on a stream that loses a packet, while datagrams are
    // being sent.
    let end = |policy: &str| {
        let mut p = Pipe::with(
            "round-robin",
            policy,
            QuicSettings {
                datagrams: true,
                ..QuicSettings::default()
            },
            pagerace_http::h3::Config {
                object_datagrams: true,
                ..pagerace_http::h3::Config::default()
            },
        );
        p.lose_from_server = |n| n == 40;
        p.ask(1, "GET", "/60000", "");
        p.ask(2, "GET", "/x/3000000", "");
        p.run(LONG);
        p.end(1)
    };
    let (streams, datagrams) = (end("late:fonts"), end("datagram:non-essential"));
    let later = datagrams.since(streams);
    assert!(later < Duration::from_millis(20), "{streams} {datagrams}");
}

/// Under any losses, each object ends and the connection continues.
#[test]
fn every_object_ends_under_any_losses() {
    for (i, policy) in [
        "datagram:non-essential",
        "deadline:300ms",
        "deadline:300ms,repair",
        "fec:0.1",
        "fec:0.2,repair,all",
        "adaptive",
        "adaptive:500ms",
    ]
    .iter()
    .enumerate()
    {
        for losses in [
            (|n: usize| n % 7 == 3) as fn(usize) -> bool,
            |n| (n.wrapping_mul(2_654_435_761) >> 9).is_multiple_of(3),
            |n| (20..60).contains(&n) || (200..206).contains(&n),
            |n| (n.wrapping_mul(2_654_435_761) >> 7).is_multiple_of(8),
        ] {
            let mut p = Pipe::with_policy(policy);
            p.lose_from_server = losses;
            p.repairs = true;
            for token in 0..12 {
                let path = match token % 3 {
                    0 => "/30000",
                    1 => "/x/50000",
                    _ => "/x/3000",
                };
                p.ask(token, "GET", path, "");
            }
            p.run(Duration::from_secs(300));
            for (token, got) in &p.got {
                assert!(
                    got.end.is_some() || got.failed,
                    "{i} {policy} {token} {got:?}"
                );
                let whole = [30_000, 50_000, 3_000][(*token % 3) as usize];
                assert!(got.failed || got.bytes == whole, "{policy} {token} {got:?}");
            }
            assert_eq!(p.lost, None);
        }
    }
}

use std::collections::BTreeMap;

use pagerace_core::{Duration, Priority, Protocol};
use pagerace_transport::tls::{Handshake, RecordSize, Version};

use super::pipe::{DELAY, LONG, Pipe};
use crate::hol::Blocked;
use crate::tcp::RecordEnds;

#[test]
fn a_page_of_twenty_responses_arrives_whole_over_h2() {
    for lose in [vec![], vec![5, 9, 10, 11, 40, 77]] {
        let mut p = Pipe::new(Protocol::H2, 1, "round-robin");
        p.lose.clone_from(&lose);
        for token in 0..20 {
            p.ask(0, token, "GET", &format!("/{}", token * 3_000), "");
        }
        p.run(LONG);
        for token in 0..20 {
            p.end(token);
            assert_eq!(p.got[&token].bytes, token * 3_000, "{lose:?}");
        }
        assert!(p.lost.is_empty(), "{:?}", p.lost);
        assert_eq!(
            p.pairs[0].hol.total() != Blocked::default(),
            !lose.is_empty()
        );
    }
}

#[test]
fn twenty_responses_over_six_h1_connections() {
    let mut p = Pipe::new(Protocol::H1, 6, "fifo");
    p.lose = vec![6, 20];
    let mut next = 0;
    while next < 20 {
        for on in 0..6 {
            if p.pairs[on].client.capacity() > 0 && next < 20 {
                p.ask(on, next, "GET", &format!("/{}", next * 3_000), "");
                next += 1;
            }
        }
        p.run(Duration::from_millis(10));
    }
    p.run(LONG);
    for token in 0..20 {
        p.end(token);
        assert_eq!(p.got[&token].bytes, token * 3_000);
    }
    for pair in &p.pairs {
        assert_eq!(pair.hol.total().other_bytes, 0, "one response at a time");
    }
}

#[test]
fn methods_statuses_and_content_of_requests() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let mut p = Pipe::new(protocol, 4, "fifo");
        p.ask(0, 0, "HEAD", "/5000", "");
        p.ask(1, 1, "POST", "/10", "");
        p.ask(2, 2, "GET", "/nowhere", "");
        p.ask(3, 3, "GET", "/slow", "");
        p.run(LONG);
        let bytes: Vec<_> = p.got.values().map(|g| g.bytes).collect();
        assert_eq!(bytes, [0, 10, 0, 0], "{protocol}");
        let status: Vec<_> = p.got.values().map(|g| g.status.as_str()).collect();
        assert_eq!(status, ["200", "200", "404", "200"]);
        assert!(p.end(3) >= p.end(2) + Duration::from_millis(490));
        // The connections accept more requests.
        p.ask(0, 9, "GET", "/7", "");
        p.run(LONG);
        assert_eq!(p.got[&9].bytes, 7);
    }
}

#[test]
fn a_103_response_leaves_before_the_think_time() {
    for protocol in [Protocol::H1, Protocol::H2] {
        let mut p = Pipe::new(protocol, 1, "fifo");
        p.ask(0, 0, "GET", "/early/40000", "");
        p.run(LONG);
        let early = p.got[&0].early.unwrap();
        assert!(p.end(0) >= early + Duration::from_millis(480), "{protocol}");
        assert_eq!(p.got[&0].status, "200");
        assert_eq!(p.got[&0].bytes, 40_000, "{protocol}");
        p.ask(0, 1, "GET", "/7", "");
        p.run(LONG);
        assert_eq!((p.got[&1].bytes, p.got[&1].early), (7, None));
    }
}

/// The handshakes of TCP and TLS precede the request. The time until the request is sent
/// therefore excludes the request's own round trip.
#[test]
fn round_trips_before_the_request() {
    let round_trips = |version, handshake| {
        let mut p = Pipe::with(Protocol::H2, 1, "fifo", |client, server| {
            for tls in [&mut client.tls, &mut server.tls] {
                (tls.version, tls.handshake) = (version, handshake);
            }
        });
        p.ask(0, 0, "GET", "/10", "");
        p.run(LONG);
        let sent = p.got[&0].sent.unwrap().since_start().as_nanos();
        sent / (2 * DELAY.as_nanos())
    };
    assert_eq!(round_trips(Version::Tls12, Handshake::Full), 3);
    assert_eq!(round_trips(Version::Tls12, Handshake::Resumed), 2);
    assert_eq!(round_trips(Version::Tls13, Handshake::Full), 2);
    assert_eq!(round_trips(Version::Tls13, Handshake::Resumed), 2);
    assert_eq!(round_trips(Version::Tls13, Handshake::EarlyData), 1);
}

/// Returns the order of response bytes on the wire, without retransmissions.
fn wire(p: &Pipe) -> Vec<(u64, u64)> {
    let fresh = p.pairs[0].frames.iter().filter(|f| !f.retransmission);
    let mut order: Vec<(u64, u64)> = Vec::new();
    for frame in fresh {
        match order.last_mut() {
            Some((stream, bytes)) if *stream == frame.stream => *bytes += frame.length,
            _ => order.push((frame.stream, frame.length)),
        }
    }
    order
}

#[test]
fn the_wire_follows_a_strict_order() {
    let mut p = Pipe::new(Protocol::H2, 1, "eps");
    p.lose = vec![15, 16];
    for (token, urgency) in [(0, 5), (1, 3), (2, 1), (3, 4)] {
        p.ask(0, token, "GET", "/100000", &format!("u={urgency}"));
    }
    p.run(LONG);
    let order: Vec<u64> = wire(&p).iter().map(|(s, _)| *s).collect();
    assert_eq!(order, [5, 3, 7, 1], "by urgency, each in one go");
}

/// A more urgent response overtakes all bytes except those that are committed: the window in
/// flight, 64 KiB of unsent bytes, and one record.
#[test]
fn urgent_responses_wait_for_no_more_than_is_committed() {
    let mut p = Pipe::new(Protocol::H2, 1, "eps");
    p.ask(0, 0, "GET", "/9000000", "u=5");
    p.run(Duration::from_millis(600));
    let before = p.pairs[0].frames.iter().map(|f| f.length).sum::<u64>();
    assert!(before > 100_000, "under way");
    p.ask(0, 1, "GET", "/5000", "u=0");
    // Run until the request has arrived.
    p.run(DELAY + Duration::from_millis(1));
    let sent: u64 = p.pairs[0].frames.iter().map(|f| f.length).sum();
    p.run(LONG);
    let order = wire(&p);
    assert_eq!(order.len(), 3, "{order:?}");
    assert_eq!((order[0].0, order[1].0), (1, 3));
    let committed = 45 * 1448 + 16_384 + 22;
    assert!(
        order[0].1 <= sent + committed,
        "{} bytes went first, {sent} had been sent",
        order[0].1
    );
}

#[test]
fn an_update_changes_the_order() {
    for (tree, updates) in [(true, true), (false, true)] {
        let mut p = Pipe::with(Protocol::H2, 1, "eps", |client, _| {
            use crate::stream::TreeStyle;
            client.stream.tree = if tree {
                TreeStyle::Chromium
            } else {
                TreeStyle::None
            };
            client.stream.priority_updates = updates;
        });
        p.ask(0, 0, "GET", "/900000", "u=1");
        p.ask(0, 1, "GET", "/900000", "u=5");
        p.run(Duration::from_millis(250));
        assert!(p.got[&0].bytes > 0 && p.got[&1].bytes == 0);
        p.pairs[0].client.reprioritise(1, Priority::new(0, false));
        p.run(LONG);
        assert!(p.end(1) < p.end(0));
    }
}

/// With Chromium's chain, the tree strategy sends in order of urgency, and follows
/// updates by PRIORITY frames.
#[test]
fn the_signalled_tree_is_followed() {
    let mut p = Pipe::with(Protocol::H2, 1, "h2-tree", |client, _| {
        client.stream.priority_updates = false;
    });
    for (token, urgency) in [(0, 4), (1, 3), (2, 0), (3, 3)] {
        p.ask(0, token, "GET", "/600000", &format!("u={urgency}"));
    }
    p.run(Duration::from_millis(200));
    p.pairs[0].client.reprioritise(0, Priority::new(1, false));
    p.run(LONG);
    let mut order: Vec<u64> = wire(&p).iter().map(|(s, _)| *s).collect();
    order.dedup();
    assert_eq!(order, [5, 1, 3, 7]);
}

#[test]
fn shares_are_held_on_the_wire() {
    let mut p = Pipe::new(Protocol::H2, 1, "round-robin");
    for token in 0..4 {
        p.ask(0, token, "GET", "/150000", "");
    }
    p.run(LONG);
    let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
    for (stream, length) in wire(&p).iter().take(80) {
        *bytes.entry(*stream).or_default() += length;
    }
    let (least, most) = (bytes.values().min().unwrap(), bytes.values().max().unwrap());
    assert!(most - least <= 2 * 1_500, "{bytes:?}");
}

/// Every byte that the server wrote leaves in exactly one segment, and lost bytes leave
/// again.
#[test]
fn frames_are_what_left() {
    let mut p = Pipe::new(Protocol::H2, 1, "round-robin");
    p.lose = vec![12];
    for token in 0..3 {
        p.ask(0, token, "GET", "/40000", "");
    }
    p.run(LONG);
    let mut next: BTreeMap<u64, u64> = BTreeMap::new();
    for frame in p.pairs[0].frames.iter().filter(|f| !f.retransmission) {
        let next = next.entry(frame.stream).or_default();
        assert_eq!(frame.offset, *next);
        *next += frame.length;
    }
    for (stream, bytes) in next {
        assert!((40_000..43_000).contains(&bytes), "{stream}: {bytes}");
    }
    let again = p.pairs[0].frames.iter().filter(|f| f.retransmission);
    assert_eq!(again.map(|f| f.length).sum::<u64>(), 1_448);
    assert_eq!(p.pairs[0].server.stats().retransmitted_bytes, 1_448);
}

#[test]
fn narrow_windows_only_slow_things_down() {
    for (stream, connection) in [(1_500, 65_535), (2_003, 65_535), (70_000, 65_536)] {
        for strategy in ["round-robin", "sequential", "h2-tree"] {
            let mut p = Pipe::with(Protocol::H2, 1, strategy, |client, _| {
                client.stream.h2.stream_window = stream;
                client.stream.h2.connection_window = connection;
            });
            for token in 0..4 {
                p.ask(0, token, "GET", "/60000", "");
            }
            p.run(LONG);
            let bytes: Vec<_> = p.got.values().map(|g| g.bytes).collect();
            assert_eq!(bytes, [60_000; 4], "{strategy}, {stream}");
        }
    }
}

#[test]
fn more_requests_than_the_server_allows_at_once_wait_their_turn() {
    let mut p = Pipe::with(Protocol::H2, 1, "round-robin", |_, server| {
        server.stream.h2.max_concurrent_streams = Some(7);
    });
    // The server may refuse requests that the client sends before it knows the limit.
    p.ask(0, 1_000, "GET", "/1", "");
    p.run(LONG);
    for token in 0..60 {
        p.ask(0, token, "GET", "/2000", "");
    }
    assert_eq!(p.pairs[0].client.capacity(), 0);
    p.run(LONG);
    assert!((0..60).all(|t| p.got[&t].bytes == 2_000 && p.got[&t].end.is_some()));
    assert_eq!(p.pairs[0].client.capacity(), 7);
}

/// Two responses take turns by large records, and one segment is lost. Its response waits
/// only for itself, and the other one only for it.
#[test]
fn a_lost_segment_blocks_the_other() {
    let mut p = Pipe::with(Protocol::H2, 1, "round-robin", |_, server| {
        server.tls.records = RecordSize::Fixed(16_384);
    });
    p.lose = vec![52];
    for token in 0..2 {
        p.ask(0, token, "GET", "/300000", "");
    }
    p.run(LONG);
    let pair = &p.pairs[0];
    let again: Vec<_> = pair.frames.iter().filter(|f| f.retransmission).collect();
    let [lost] = again[..] else {
        panic!("one segment of one response: {again:?}");
    };
    let (mine, others) = (lost.stream, 4 - lost.stream);
    let (mine, others) = (pair.hol.blocked(mine), pair.hol.blocked(others));
    assert_eq!((mine.other_bytes, others.own_bytes), (0, 0));
    assert!(mine.own_bytes > 0 && others.other_bytes > 16_384);
    // Between the gap and its repair, there is at least one round trip.
    let rtt_ms = 2 * DELAY.as_nanos() / 1_000_000;
    assert!(others.other_byte_ms() > 16_384 * rtt_ms / 2);
    assert_eq!(pair.hol.gaps().len(), 2);
}

/// As Chromium 156 and rustls do: tickets, settings and requests are written one after the other.
#[test]
fn the_end_of_the_handshake_and_the_first_frames_are_segments_of_their_own() {
    let mut p = Pipe::with(Protocol::H2, 1, "fifo", |_, server| {
        server.record_ends = RecordEnds::Short;
    });
    p.ask(0, 0, "GET", "/1", "");
    p.run(LONG);
    let [server, client] = p.sizes.map(|sizes| {
        // IP and TCP headers take 52 bytes.
        let data = sizes.into_iter().filter(|size| *size > 60);
        data.map(|size| size - 52).collect::<Vec<_>>()
    });
    // The first message; the end of the handshake; preface and request; the answer to the settings.
    assert_eq!(client, [246, 80, 120, 31]);
    // The handshake in two; tickets; settings; the answer to the client's, and the response.
    assert_eq!(server, [1448, 1001, 184, 62, 64]);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let mut p = Pipe::new(Protocol::H2, 1, "fifo");
    p.lose = (0..1_000).collect();
    p.ask(0, 0, "GET", "/1", "");
    p.run(Duration::from_secs(300));
    assert!(p.got[&0].failed);
    assert_eq!(p.lost.len(), 1, "{:?}", p.lost);
    assert_eq!(p.pairs[0].client.capacity(), 0);
}

/// The same input gives the same result.
#[test]
fn a_load_repeats() {
    let load = || {
        let mut p = Pipe::new(Protocol::H2, 2, "hybrid");
        p.lose = vec![7, 30, 31];
        for token in 0..12 {
            p.ask(token as usize % 2, token, "GET", "/50000", "u=2, i");
        }
        p.run(LONG);
        let pairs = p
            .pairs
            .into_iter()
            .map(|pair| (pair.frames, pair.hol.total()));
        (pairs.collect::<Vec<_>>(), p.trace)
    };
    assert_eq!(load(), load());
}

/// The second response finds an open window, so that each of its records can end with a
/// short segment.
#[test]
fn records_end_with_short_segments_where_a_server_writes_one_by_one() {
    let segments = |record_ends| {
        let mut p = Pipe::with(Protocol::H2, 1, "sequential", |_, server| {
            server.record_ends = record_ends;
            server.tls.records = RecordSize::Fixed(16_384);
        });
        p.ask(0, 0, "GET", "/500000", "");
        p.run(LONG);
        let before = p.pairs[0].server.tcp_stats().segments_sent;
        p.ask(0, 1, "GET", "/150000", "");
        p.run(LONG);
        assert_eq!(p.got[&1].bytes, 150_000);
        p.pairs[0].server.tcp_stats().segments_sent - before
    };
    let (joined, short) = (segments(RecordEnds::Joined), segments(RecordEnds::Short));
    // 150,000 bytes are ten records.
    let more = short - joined;
    assert!((5..=10).contains(&more), "{joined} and {short} segments");
}

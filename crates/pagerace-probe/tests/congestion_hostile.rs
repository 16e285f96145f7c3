//! Hostile servers and the client that looks for congestion controllers.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

mod support;

use std::collections::BTreeSet;
use std::net::{SocketAddr, SocketAddrV4};

use bytes::BytesMut;
use pagerace_core::{Duration, Instant, Rng};
use pagerace_probe::congestion::{Fetch, Loader, Trial, trials};
use pagerace_probe::world::{World, watch_tampered};
use pagerace_probe::{End, Play as _, Server};
use pagerace_transport::quic::keys::FlightSizes;
use pagerace_transport::quic::{ClientKeys, Epoch};
use pagerace_transport::tcp::Wire;
use pagerace_transport::tls::{Session, TlsSettings};
use support::site;

const RTT: Duration = Duration::from_millis(30);
const LENGTH: u64 = 300_000;

fn world() -> World {
    let network = "rate 40mbit rtt 30ms queue 200p";
    support::world("fifo".parse().unwrap(), network, site(1, LENGTH))
}

fn fetch(trial: Trial) -> Fetch {
    Fetch {
        trial,
        path_rtt: RTT,
        path: "/0".to_owned(),
        length: LENGTH,
        requests: 100,
        patience: None,
    }
}

/// Random bytes in frames, streams and header sections.
#[test]
fn malformed_packets_end_a_trial_within_its_limits() {
    let world = world();
    let mut complete = BTreeSet::new();
    for seed in 0..100 {
        let mut rng = Rng::new(seed, "tamper");
        let rarely = 0.01 * rng.unit() * rng.unit() * rng.unit();
        let [_, trial] = trials(RTT);
        let (time, bytes) = (trial.time, trial.bytes());
        let watched = watch_tampered(&world, fetch(trial), seed, |data| {
            // The beginning of a packet is its header, which QUIC protects on its own.
            while rng.chance(rarely) && data.len() > 20 {
                let at = 10 + rng.below(data.len() as u64 - 10) as usize;
                data[at] = rng.below(256) as u8;
            }
        });
        assert!(watched.time <= time, "seed {seed}");
        assert!(
            watched.payload <= bytes + bytes / 2 + 1_500,
            "seed {seed}: {}",
            watched.payload
        );
        complete.insert(watched.end == End::Complete);
    }
    assert_eq!(complete.len(), 2, "some trials survive and some do not");
}

/// Empty datagrams add nothing to the bytes, and each is remembered.
#[test]
fn empty_datagrams_end_a_trial() {
    for size in [0, 1] {
        let server = Server {
            remote: SocketAddr::from(([192, 0, 2, 1], 443)),
            name: "probe.example".to_owned(),
            authority: "probe.example".to_owned(),
        };
        let [trial, _] = trials(RTT);
        let most = trial.bytes() as usize / 40;
        let keys = ClientKeys::Null(FlightSizes::default());
        let (now, epoch) = (Instant::ZERO, Epoch::new());
        let mut loader = Loader::connect(fetch(trial), &server, keys, 1, now, epoch).unwrap();
        let mut sent = 0;
        while !loader.is_over() {
            assert!(sent < most, "the limit does not hold");
            loader.handle_packet(now, BytesMut::zeroed(size));
            sent += 1;
        }
        let watched = loader.finish();
        assert_eq!(watched.end, End::Limit("packets"));
    }
}

/// Packets of frames with one byte each and gaps between them.
#[test]
fn a_stream_of_gaps_ends_a_trial() {
    let [trial, _] = trials(RTT);
    let mut offset = 0_u32;
    let watched = watch_tampered(&world(), fetch(trial), 1, |data| {
        // A short header (RFC 9000, section 17.3.1) with a connection ID of eight bytes.
        let is_short = data[0] & 0x80 == 0;
        if !is_short || data.len() < 1_000 {
            return;
        }
        let begin = 1 + 8 + usize::from(data[0] & 3) + 1;
        let end = data.len() - 16;
        for frame in data[begin..end].chunks_mut(8) {
            let Ok(frame) = <&mut [u8; 8]>::try_from(&mut *frame) else {
                // Padding.
                frame.fill(0);
                continue;
            };
            // STREAM with offset and length: stream 0, an offset of four bytes, one byte.
            offset += 2;
            let [a, b, c, d] = (offset | 0x8000_0000).to_be_bytes();
            *frame = [0x0e, 0, a, b, c, d, 1, 0];
        }
    });
    let End::Failed(reason) = &watched.end else {
        panic!("{:?} after {offset} bytes", watched.end);
    };
    assert_eq!(reason, "a stream has more than 1000 gaps");
}

/// A segment with one byte, a gigabyte after the last: as many segments as bytes seem lost.
#[test]
fn a_leap_of_sequence_numbers_ends_a_trial() {
    const FIRST: u32 = 7;
    let client: SocketAddrV4 = "192.0.2.1:50000".parse().unwrap();
    let server: SocketAddrV4 = "198.51.100.1:443".parse().unwrap();
    let [trial, _] = trials(RTT);
    let most = trial.bytes() as usize / 40;
    let now = Instant::ZERO;
    let tls = Session::client(&TlsSettings::default());
    let mut wire = Wire::new(client, server, FIRST);
    let mut loader = Loader::connect_tcp(fetch(trial), "probe.example", tls, 1, now);
    while let Some(segment) = loader.poll_transmit(now, &mut Vec::new()) {
        wire.encode(&segment);
    }
    // SYN and ACK, then ACK (RFC 9293, section 3.1).
    for (sequence, flags, payload) in [(0_u32, 0x12, &[][..]), (1 << 30, 0x10, &[1])] {
        let length = 40 + payload.len() as u8;
        let packet = [
            &[0x45, 0, 0, length, 0, 0, 0, 0, 64, 6, 0, 0][..],
            &server.ip().octets(),
            &client.ip().octets(),
            &server.port().to_be_bytes(),
            &client.port().to_be_bytes(),
            &sequence.to_be_bytes(),
            &(FIRST + 1).to_be_bytes(),
            &[5 << 4, flags, 0xff, 0xff, 0, 0, 0, 0],
            payload,
        ]
        .concat();
        for segment in wire.decode(now, &packet) {
            loader.handle_packet(now, segment);
        }
    }
    assert!(loader.is_over());
    let watched = loader.finish();
    assert_eq!(watched.end, End::Limit("packets"));
    assert!(watched.offered.len() < most, "{}", watched.offered.len());
}

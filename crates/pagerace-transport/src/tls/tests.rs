//! Tests with two sessions and the bytes between them.

mod sizes;

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;

use super::record::{self, Kind};
use super::*;
use crate::chunks::Chunks;

const VERSIONS: [Version; 2] = [Version::Tls12, Version::Tls13];
const HANDSHAKES: [Handshake; 3] = [Handshake::Full, Handshake::Resumed, Handshake::EarlyData];

fn settings(version: Version, handshake: Handshake) -> TlsSettings {
    TlsSettings {
        version,
        handshake,
        ..TlsSettings::default()
    }
}

fn pair(version: Version, handshake: Handshake) -> [Session; 2] {
    let settings = settings(version, handshake);
    [Session::client(&settings), Session::server(&settings)]
}

/// Chromium 156 sends 1,934 to 1,998 bytes, including the record.
#[test]
fn a_browsers_hello_is_as_large_as_chromiums() {
    for version in VERSIONS {
        for handshake in HANDSHAKES {
            let hello = |client_hello| {
                let settings = TlsSettings {
                    client_hello,
                    ..settings(version, handshake)
                };
                let mut ends = [Session::client(&settings), Session::server(&settings)];
                let bytes = drain(&mut ends[0]);
                ends[1].handle_data(bytes.clone().into()).unwrap();
                talk(&mut ends);
                assert!(ends[0].can_write() && ends[1].can_write());
                bytes.len()
            };
            let (small, browser) = (hello(ClientHello::Small), hello(ClientHello::Browser));
            assert_eq!(browser - small, ClientHello::Browser.extra());
            if (version, handshake) == (Version::Tls13, Handshake::Full) {
                assert!((1_934..=1_998).contains(&browser), "{browser}");
            }
        }
    }
}

/// Returns all bytes that a session has for the stream.
fn drain(session: &mut Session) -> Vec<u8> {
    std::iter::from_fn(|| session.poll_write())
        .flat_map(Vec::from)
        .collect()
}

/// Returns all plaintext that a session has received.
fn plaintext(session: &mut Session) -> Vec<u8> {
    std::iter::from_fn(|| session.poll_read())
        .flat_map(Vec::from)
        .collect()
}

/// Exchanges bytes until neither side has anything to send. Returns the number of times
/// that the stream carried bytes in either direction.
fn talk(ends: &mut [Session; 2]) -> usize {
    let mut turns = 0;
    while (0..2).any(|from| {
        let bytes = drain(&mut ends[from]);
        ends[1 - from].handle_data(bytes.clone().into()).unwrap();
        turns += usize::from(!bytes.is_empty());
        !bytes.is_empty()
    }) {}
    turns
}

/// Returns the number of one-way trips until the server reads the request, and until the
/// client reads the first byte of the response.
fn trips(version: Version, handshake: Handshake) -> (usize, usize) {
    let mut ends = pair(version, handshake);
    let (mut requested, mut answered) = (false, false);
    let mut request_at = None;
    for trip in 1..=12 {
        let from = (trip - 1) % 2;
        if from == 0 && !requested && ends[0].can_write() {
            ends[0].write(Bytes::from_static(b"GET"));
            requested = true;
        }
        if from == 1 && request_at.is_some() && !answered && ends[1].can_write() {
            ends[1].write(Bytes::from_static(b"200"));
            answered = true;
        }
        let bytes = drain(&mut ends[from]);
        ends[1 - from].handle_data(bytes.into()).unwrap();
        let read = plaintext(&mut ends[1 - from]);
        if read == b"GET" {
            request_at = Some(trip);
        }
        if read == b"200" {
            return (request_at.unwrap(), trip);
        }
    }
    panic!("no answer");
}

#[test]
fn round_trips_are_those_of_the_documents() {
    use {Handshake as H, Version as V};
    // TCP's own round trip comes before these.
    assert_eq!(trips(V::Tls12, H::Full), (5, 6));
    assert_eq!(trips(V::Tls12, H::Resumed), (3, 4));
    assert_eq!(trips(V::Tls12, H::EarlyData), (3, 4));
    assert_eq!(trips(V::Tls13, H::Full), (3, 4));
    assert_eq!(trips(V::Tls13, H::Resumed), (3, 4));
    assert_eq!(trips(V::Tls13, H::EarlyData), (1, 2));
}

#[test]
fn both_ends_connect_and_then_have_nothing_to_say() {
    for version in VERSIONS {
        for handshake in HANDSHAKES {
            let mut ends = pair(version, handshake);
            assert!(!ends[0].is_connected() && !ends[1].is_connected());
            talk(&mut ends);
            for end in &mut ends {
                assert!(
                    end.is_connected() && end.can_write(),
                    "{version} {handshake:?}"
                );
                assert_eq!(plaintext(end), b"");
                assert_eq!(end.poll_write(), None);
            }
        }
    }
}

#[test]
fn a_record_can_be_read_only_when_it_is_whole() {
    for version in VERSIONS {
        let mut ends = pair(version, Handshake::Full);
        talk(&mut ends);
        ends[1].write(Bytes::from(vec![7; 1_000]));
        let record = drain(&mut ends[1]);
        assert_eq!(record.len(), 1_000 + overhead(version));
        let (most, last) = record.split_at(record.len() - 1);
        ends[0].handle_data(most.to_vec().into()).unwrap();
        assert_eq!(ends[0].poll_read(), None);
        ends[0].handle_data(last.to_vec().into()).unwrap();
        assert_eq!(plaintext(&mut ends[0]), [7; 1_000]);
    }
}

/// Returns the lengths of the records in a stream.
fn record_lengths(mut stream: &[u8]) -> Vec<usize> {
    let mut lengths = Vec::new();
    while let [_, _, _, a, b, rest @ ..] = stream {
        let length = usize::from(u16::from_be_bytes([*a, *b]));
        lengths.push(5 + length);
        stream = &rest[length..];
    }
    lengths
}

#[test]
fn records_are_a_segment_at_first_and_then_large() {
    for version in VERSIONS {
        let mut ends = pair(version, Handshake::Full);
        talk(&mut ends);
        ends[1].write(Bytes::from(vec![0; 300_000]));
        let lengths = record_lengths(&drain(&mut ends[1]));
        let small = (200_usize << 10).div_ceil(1_448 - overhead(version));
        assert!(lengths[..small].iter().all(|n| *n == 1_448));
        let (last, large) = lengths[small..].split_last().unwrap();
        assert!(large.iter().all(|n| *n == 16_384 + overhead(version)));
        assert!(!large.is_empty() && *last <= 16_384 + overhead(version));
    }
}

#[test]
fn a_fixed_record_size_is_kept() {
    let mut settings = settings(Version::Tls13, Handshake::Full);
    for (asked, got) in [(0, 1), (4_096, 4_096), (1 << 20, MAX_PLAINTEXT)] {
        settings.records = RecordSize::Fixed(asked);
        let mut ends = [Session::client(&settings), Session::server(&settings)];
        talk(&mut ends);
        assert_eq!(ends[1].record_limit(), got);
        ends[1].write(Bytes::from(vec![0; got + 1]));
        let records = record_lengths(&drain(&mut ends[1]));
        let overhead = overhead(Version::Tls13);
        assert_eq!(records, [got + overhead, 1 + overhead]);
    }
}

/// A frame's header and its payload share a record if they are written one after the other.
#[test]
fn writes_share_a_record() {
    let mut ends = pair(Version::Tls13, Handshake::Full);
    talk(&mut ends);
    ends[1].write(Bytes::from_static(b"head"));
    ends[1].write(Bytes::from_static(b"payload"));
    let bytes = drain(&mut ends[1]);
    assert_eq!(bytes.len(), 11 + overhead(Version::Tls13));
    ends[0].handle_data(bytes.into()).unwrap();
    assert_eq!(plaintext(&mut ends[0]), b"headpayload");
}

#[test]
fn early_data_ends_at_its_limit_and_goes_on_after_the_handshake() {
    let mut ends = pair(Version::Tls13, Handshake::EarlyData);
    let body: Vec<u8> = (0..20_000_u32).map(|i| i as u8).collect();
    ends[0].write(body.clone().into());
    let first = drain(&mut ends[0]);
    assert!(!ends[0].can_write());
    assert_eq!(ends[0].record_limit(), 0);
    ends[1].handle_data(first.into()).unwrap();
    assert_eq!(plaintext(&mut ends[1]), body[..14_336]);
    assert!(ends[1].can_write() && !ends[1].is_connected());
    talk(&mut ends);
    assert_eq!(plaintext(&mut ends[1]), body[14_336..]);
}

#[test]
fn what_may_not_be_sent_yet_waits() {
    for version in VERSIONS {
        let mut ends = pair(version, Handshake::Full);
        ends[0].write(Bytes::from_static(b"early"));
        assert!(!ends[0].can_write());
        let hello = drain(&mut ends[0]);
        ends[1].handle_data(hello.into()).unwrap();
        assert_eq!(plaintext(&mut ends[1]), b"");
        talk(&mut ends);
        assert_eq!(plaintext(&mut ends[1]), b"early");
    }
}

#[test]
fn a_stream_that_is_no_tls_is_told_at_once() {
    let mut server = Session::server(&TlsSettings::default());
    let error = server
        .handle_data(Bytes::from_static(b"GET / HTTP/1.1\r\n"))
        .unwrap_err();
    assert_eq!(
        error,
        Error::NotARecord {
            offset: 0,
            kind: b'G',
            version: 0x4554
        }
    );
    // Every later call fails too.
    assert_eq!(server.handle_data(Bytes::new()), Err(error));
}

/// RFC 8446, section 5.1; RFC 5246, section 6.2.1.
#[test]
fn only_application_data_may_be_empty() {
    for version in VERSIONS {
        let answer = |kind| {
            let mut ends = pair(version, Handshake::Full);
            talk(&mut ends);
            let mut bytes = Vec::new();
            record::write(version, kind, true, Chunks::default(), |piece| {
                bytes.extend(piece);
            });
            ends[0].handle_data(bytes.into())
        };
        answer(Kind::Application).unwrap();
        let error = answer(Kind::Handshake).unwrap_err();
        let Error::Length { length, least, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(length + 1, least);
    }
}

#[test]
fn application_data_before_its_time_is_refused() {
    let mut server = Session::server(&settings(Version::Tls13, Handshake::Full));
    let mut early = Session::client(&settings(Version::Tls13, Handshake::EarlyData));
    early.write(Bytes::from_static(b"GET"));
    let error = server.handle_data(drain(&mut early).into()).unwrap_err();
    assert!(matches!(error, Error::Unexpected { .. }), "{error}");
}

#[test]
fn a_session_of_another_version_is_refused() {
    for version in VERSIONS {
        let other = match version {
            Version::Tls12 => Version::Tls13,
            Version::Tls13 => Version::Tls12,
        };
        let mut ends = [
            Session::client(&settings(version, Handshake::Full)),
            Session::server(&settings(other, Handshake::Full)),
        ];
        let hello = drain(&mut ends[0]);
        ends[1].handle_data(hello.into()).unwrap();
        let answer = drain(&mut ends[1]);
        ends[0].handle_data(answer.into()).unwrap_err();
    }
}

/// Splits `bytes` at these positions.
fn cut(bytes: &[u8], cuts: &[usize]) -> Vec<Bytes> {
    let mut cuts: Vec<_> = cuts.iter().map(|c| c % (bytes.len() + 1)).collect();
    cuts.sort_unstable();
    cuts.push(bytes.len());
    let mut from = 0;
    cuts.iter()
        .map(|&to| {
            let piece = Bytes::copy_from_slice(&bytes[from..to]);
            from = to;
            piece
        })
        .collect()
}

fn any_settings() -> impl Strategy<Value = TlsSettings> {
    (
        0..2_usize,
        0..3_usize,
        prop_oneof![
            Just(RecordSize::Dynamic),
            (1..20_000_usize).prop_map(RecordSize::Fixed)
        ],
        0..70_000_usize,
    )
        .prop_map(|(version, handshake, records, certificate)| TlsSettings {
            version: VERSIONS[version],
            handshake: HANDSHAKES[handshake],
            records,
            certificate,
            ..TlsSettings::default()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_byte_arrives_once_and_in_order_however_it_is_cut(
        settings in any_settings(),
        writes in vec((any::<bool>(), 0..9_000_usize), 0..12),
        cuts in vec(any::<usize>(), 0..12),
    ) {
        let mut ends = [Session::client(&settings), Session::server(&settings)];
        let (mut sent, mut got) = ([vec![], vec![]], [vec![], vec![]]);
        for turn in 0..writes.len() + 6 {
            if let Some(&(server, length)) = writes.get(turn) {
                let data: Vec<u8> = (0..length).map(|i| (i * 7 + turn) as u8).collect();
                sent[usize::from(server)].extend(&data);
                ends[usize::from(server)].write(data.into());
            }
            for from in 0..2 {
                for piece in cut(&drain(&mut ends[from]), &cuts) {
                    ends[1 - from].handle_data(piece).unwrap();
                    got[from].extend(plaintext(&mut ends[1 - from]));
                }
            }
        }
        prop_assert!(ends.iter().all(Session::is_connected));
        prop_assert_eq!(got, sent);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        settings in any_settings(),
        client in any::<bool>(),
        pieces in vec(vec(any::<u8>(), 0..300), 0..6),
    ) {
        let mut session = if client { Session::client(&settings) } else { Session::server(&settings) };
        for piece in pieces {
            let _ = session.handle_data(piece.into());
        }
        plaintext(&mut session);
    }

    /// The change may affect bytes beyond the header, which arbitrary bytes rarely reach.
    #[test]
    fn a_changed_byte_never_panics_nor_adds_any(
        settings in any_settings(),
        at in any::<usize>(),
        flip in 1..=255_u8,
        when in 0..6_usize,
    ) {
        let mut ends = [Session::client(&settings), Session::server(&settings)];
        ends[0].write(Bytes::from(vec![1; 3_000]));
        ends[1].write(Bytes::from(vec![2; 3_000]));
        for trip in 0..8 {
            let from = trip % 2;
            let mut bytes = drain(&mut ends[from]);
            if trip == when && !bytes.is_empty() {
                let at = at % bytes.len();
                bytes[at] ^= flip;
            }
            if ends[1 - from].handle_data(bytes.into()).is_err() {
                break;
            }
        }
        for end in &mut ends {
            prop_assert!(plaintext(end).len() <= 3_000);
        }
    }
}

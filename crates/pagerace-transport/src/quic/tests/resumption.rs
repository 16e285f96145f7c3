//! Tests of resumed connections.

use super::*;

const ROUND_TRIP: Duration = Duration::from_millis(40);

fn visit(handshake: Handshake, lengths: &[u64], lose: impl Fn(usize, usize) -> bool) -> Run {
    let sizes = FlightSizes::default();
    let keys = (
        ClientKeys::null(sizes, handshake),
        ServerKeys::null(sizes, handshake),
    );
    run_with(Setup::new(keys), lengths, sequential, lose)
}

/// Returns the number of round trips until the first byte of the response. The result is
/// rounded, as each packet takes about a millisecond.
fn round_trips(run: &Run) -> u64 {
    let trip = ROUND_TRIP.as_nanos();
    (run.first_byte.as_nanos() + trip / 4) / trip
}

#[test]
fn the_first_byte_comes_after_the_round_trips_of_the_documents() {
    let clean = |_, _| false;
    let [full, resumed, early] = [Handshake::Full, Handshake::Resumed, Handshake::EarlyData]
        .map(|handshake| visit(handshake, &[50_000], clean));
    assert_eq!(round_trips(&full), 2);
    assert_eq!(round_trips(&resumed), 2);
    assert_eq!(round_trips(&early), 1);
    // The server's flight is smaller, so the request leaves earlier.
    assert!(resumed.first_byte < full.first_byte);
    let saved = full.done.since(early.done);
    assert!(saved > Duration::from_millis(39), "{saved}");
}

#[test]
fn requests_leave_in_the_first_flight() {
    let run = visit(Handshake::EarlyData, &[20_000], |_, _| false);
    let requests = run.packets.iter().filter(|p| p.space == Space::ZeroRtt);
    let frames = requests.flat_map(|p| frame::frames(&p.payload));
    let streams = frames.filter(|f| matches!(f, Frame::Stream(s) if s.fin && s.length == 3));
    // Each request is sent once and received once.
    assert_eq!(streams.count(), 2);
    // The client's first datagram contains all that the server needs to answer.
    assert_eq!(run.wire[0], (0, false, 1_200));
    let second = run.wire.iter().find(|w| !w.1 && w.0 > 0).unwrap();
    assert!(second.0 > 40_000_000, "{second:?}");
}

/// Without the address token, the server would stop at three times the bytes that the
/// client has sent.
#[test]
fn the_first_answer_is_an_initial_window_and_not_three_times_the_request() {
    let run = visit(Handshake::EarlyData, &[50_000], |_, _| false);
    let in_flight_one = run.wire.iter().filter(|w| w.1 && w.0 < 40_000_000);
    let bytes: usize = in_flight_one.map(|w| w.2).sum();
    assert!((10_000..=12_000).contains(&bytes), "{bytes} bytes");
}

#[test]
fn the_wire_follows_the_schedule_from_the_first_flight_on() {
    let sizes = FlightSizes::default();
    for handshake in [Handshake::Resumed, Handshake::EarlyData] {
        for lose in [(|_| false) as fn(usize) -> bool, one_in_fifty] {
            let keys = (
                ClientKeys::null(sizes, handshake),
                ServerKeys::null(sizes, handshake),
            );
            let run = run_with(Setup::new(keys), &PAGE, round_robin, |side, n| {
                side == 1 && lose(n)
            });
            assert_eq!(run.server.wire, run.server.decided, "{handshake:?}");
            let bytes: u64 = run.server.high.values().sum();
            assert_eq!(bytes, PAGE.iter().sum::<u64>());
        }
    }
}

/// Requests larger than a datagram. Each of the first packets of either side is lost in
/// turn.
#[test]
fn lost_packets_of_the_first_flights_are_repaired() {
    for handshake in [Handshake::Full, Handshake::Resumed, Handshake::EarlyData] {
        let sizes = FlightSizes::default();
        for victim in 0..2 {
            for number in 0..8 {
                let keys = (
                    ClientKeys::null(sizes, handshake),
                    ServerKeys::null(sizes, handshake),
                );
                let setup = Setup {
                    request: |_| 2_000,
                    ..Setup::new(keys)
                };
                // `run_with` panics unless every response arrives.
                let run = run_with(setup, &[20_000, 20_000], sequential, |side, n| {
                    side == victim && n == number
                });
                assert!(
                    run.done < Instant::from_nanos(5_000_000_000),
                    "{handshake:?} {victim} {number}"
                );
            }
        }
    }
}

/// The client's first datagram is lost, so `ClientHello` and token are sent again. The loss
/// of the request is detected only when a later packet is acknowledged.
#[test]
fn a_lost_first_datagram_costs_a_probe_timeout() {
    let run = visit(Handshake::EarlyData, &[20_000], |side, n| {
        side == 0 && n == 0
    });
    // RFC 9002, section 6.2.2: three times the initial 333 ms.
    let least = Duration::from_millis(999) + ROUND_TRIP;
    assert!(run.first_byte.since_start() > least);
    assert!(run.first_byte.since_start() < least + ROUND_TRIP * 3);
}

#[test]
fn a_resumed_run_repeats_to_the_byte() {
    let once = || {
        visit(Handshake::EarlyData, &PAGE, |side, n| {
            side == 1 && one_in_fifty(n)
        })
    };
    let (a, b) = (once(), once());
    assert_eq!((a.wire, a.packets), (b.wire, b.packets));
}

/// Returns the handshake bytes of rustls over QUIC: `ClientHello`, `ServerHello`, server
/// flight, client Finished and tickets. Transport parameters are `parameters` bytes long on
/// both sides.
fn rustls_sizes(handshake: Handshake, parameters: usize) -> [usize; 5] {
    use std::sync::Arc;

    use rustls::pki_types::{PrivateKeyDer, ServerName};
    use rustls::quic::{ClientConnection, ServerConnection, Version};

    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = [&rustls::version::TLS13];
    let identity = Identity::new(&["localhost"]).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    roots.add(identity.chain()[0].clone()).unwrap();
    let mut client = rustls::ClientConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let mut server = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(identity.chain(), PrivateKeyDer::Pkcs8(identity.key()))
        .unwrap();
    client.alpn_protocols = vec![b"h3".to_vec()];
    server.alpn_protocols = vec![b"h3".to_vec()];
    if handshake == Handshake::EarlyData {
        client.enable_early_data = true;
        server.max_early_data_size = u32::MAX;
    }
    let (client, server) = (Arc::new(client), Arc::new(server));
    let visit = || {
        let name = ServerName::try_from("localhost").unwrap();
        let parameters = vec![0; parameters];
        let mut client =
            ClientConnection::new(client.clone(), Version::V1, name, parameters.clone()).unwrap();
        let mut server = ServerConnection::new(server.clone(), Version::V1, parameters).unwrap();
        let mut flights = [(); 5].map(|()| Vec::new());
        client.write_hs(&mut flights[0]);
        server.read_hs(&flights[0]).unwrap();
        // Each call ends where the keys change.
        server.write_hs(&mut flights[1]);
        server.write_hs(&mut flights[2]);
        client.read_hs(&flights[1]).unwrap();
        client.write_hs(&mut Vec::new());
        client.read_hs(&flights[2]).unwrap();
        client.write_hs(&mut flights[3]);
        server.read_hs(&flights[3]).unwrap();
        server.write_hs(&mut flights[4]);
        client.read_hs(&flights[4]).unwrap();
        flights.map(|f| f.len())
    };
    let first = visit();
    if handshake == Handshake::Full {
        first
    } else {
        visit()
    }
}

#[test]
fn null_flights_have_the_sizes_of_rustls() {
    const PARAMETERS: usize = 50;
    for handshake in [Handshake::Full, Handshake::Resumed, Handshake::EarlyData] {
        let sizes = FlightSizes::default().of(handshake);
        let ours = [
            sizes.client_hello + PARAMETERS,
            sizes.server_hello,
            sizes.server_flight + PARAMETERS,
            sizes.client_finished,
            sizes.ticket * sizes.tickets,
        ];
        assert_eq!(ours, rustls_sizes(handshake, PARAMETERS), "{handshake:?}");
    }
}

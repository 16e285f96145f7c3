//! Clients that ask for large files and accept nothing of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pagerace_core::Protocol;
use pagerace_http::h2;

use super::*;
use crate::stream::{StreamClient, StreamClientConfig, StreamServer, StreamServerConfig};

const FILE: u64 = 100_000_000;
const REQUESTS: u64 = 30;
/// The most that a server reads of a file at once.
const READ: usize = 1 << 16;
/// The most that a server may hold for each request.
const HELD: u64 = 2 * READ as u64;

/// A file that counts the bytes that were read.
#[derive(Clone, Debug, Default)]
struct Counted(Arc<AtomicU64>);

impl Store for Counted {
    fn read_at(&self, _offset: u64, max: usize) -> Option<Bytes> {
        let n = max.min(READ);
        self.0.fetch_add(n as u64, Ordering::Relaxed);
        Some(vec![1; n].into())
    }
}

impl Site for Counted {
    fn reply(&mut self, _request: &Request) -> Reply {
        Reply {
            think_time: Duration::ZERO,
            early: Vec::new(),
            fields: vec![Field::from_static(":status", "200")],
            body: Body::Stored {
                store: Arc::new(self.clone()),
                offset: 0,
                length: FILE,
            },
            facts: crate::server::UNKNOWN,
            nature: Nature::ESSENTIAL,
        }
    }
}

fn fields() -> Vec<Field> {
    vec![
        Field::from_static(":method", "GET"),
        Field::from_static(":scheme", "https"),
        Field::from_static(":authority", "localhost"),
        Field::from_static(":path", "/"),
    ]
}

/// Exchanges datagrams for 10 s with a client whose streams have no window, not even for
/// heads, and returns the bytes that the server read and those that the client received.
fn over_quic() -> (u64, u64) {
    let (epoch, sizes) = (Epoch::new(), FlightSizes::default());
    let keys = ServerKeys::Null(sizes);
    let file = Counted::default();
    let config = ServerConfig::new(keys, "round-robin".parse().unwrap(), 1);
    let mut server = Server::new(&config, epoch, file.clone()).unwrap();
    let config = ClientConfig {
        settings: QuicSettings {
            stream_receive_window: 0,
            ..QuicSettings::default()
        },
        keys: ClientKeys::Null(sizes),
        seed: 2,
        h3: pagerace_http::h3::Config::default(),
        record: false,
    };
    let mut client =
        Client::connect(&config, Instant::ZERO, epoch, address(), "localhost").unwrap();
    for token in 0..REQUESTS {
        client.request(Instant::ZERO, token, fields(), None, None);
    }
    let (mut buf, mut received) = (Vec::new(), 0);
    let from = ([10, 0, 0, 1], 9).into();
    for ms in 0..10_000 {
        let now = Instant::ZERO + Duration::from_millis(ms);
        client.handle_timeout(now);
        server.handle_timeout(now);
        while let Some(t) = client.poll_transmit(now, &mut buf) {
            server.handle_datagram(now, from, BytesMut::from(&buf[..t.size]));
        }
        while let Some(t) = server.poll_transmit(now, &mut buf) {
            client.handle_datagram(now, BytesMut::from(&buf[..t.size]));
        }
        while let Some(event) = client.poll_event() {
            if let ClientEvent::Data { data, .. } = event {
                received += data.len() as u64;
            }
        }
    }
    (file.0.load(Ordering::Relaxed), received)
}

#[test]
fn a_server_of_http3_reads_no_more_than_a_client_accepts() {
    let (read, received) = over_quic();
    println!("{read} bytes read");
    assert_eq!(received, 0);
    assert!(read <= REQUESTS * HELD, "{read} bytes were read");
}

#[test]
fn a_server_of_http2_reads_no_more_than_a_client_accepts() {
    let file = Counted::default();
    let config = StreamServerConfig::new("round-robin".parse().unwrap());
    let mut server = StreamServer::new(Protocol::H2, &config, file.clone());
    let mut client = StreamClient::new(
        Protocol::H2,
        &StreamClientConfig {
            h2: h2::Config {
                stream_window: 0,
                ..h2::Config::chromium()
            },
            ..StreamClientConfig::default()
        },
    );
    for token in 0..REQUESTS {
        client.request(token, fields(), None, None);
    }
    let now = Instant::ZERO;
    let mut heads = 0;
    for _ in 0..1_000 {
        while let Some(data) = client.poll_output(1 << 20) {
            server.handle_data(now, data);
        }
        server.handle_timeout(now);
        while let Some(output) = server.poll_output(now, 1 << 14) {
            client.handle_data(now, [output.head, output.content].concat().into());
        }
        while let Some(event) = client.poll_event() {
            match event {
                ClientEvent::Head { .. } => heads += 1,
                ClientEvent::Data { data, .. } => assert!(data.is_empty()),
                _ => {}
            }
        }
    }
    assert_eq!(heads, REQUESTS, "the window holds no heads back");
    let read = file.0.load(Ordering::Relaxed);
    println!("{read} bytes read");
    assert!(read <= REQUESTS * HELD, "{read} bytes were read");
}

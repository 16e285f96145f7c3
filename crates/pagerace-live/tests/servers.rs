//! The servers of a page on loopback sockets: protocols, names, limits and reports.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking, its helpers too"
)]

#[allow(dead_code, reason = "other tests use more of it")]
#[path = "support/client.rs"]
mod client;
#[path = "support/memory.rs"]
mod memory;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pagerace_core::Protocol;
use pagerace_http::h3;
#[cfg(target_os = "linux")]
use pagerace_live::Guard;
use pagerace_live::site::ServedSite;
use pagerace_live::{FolderSite, LiveError, LocalCa, OriginServer, Servers, ServersConfig};
use pagerace_peer::ClientConfig;
use pagerace_peer::stream::StreamClientConfig;
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::client_keys_trusting;

use client::{Fetch, Fetched, TcpClientConfig, client_tls, get_over_tcp};
use memory::MemorySite;

impl ServedSite for MemorySite {}

const PATIENCE: Duration = Duration::from_secs(30);

fn origin(protocol: Protocol, host: &str) -> OriginServer {
    OriginServer {
        address: Ipv4Addr::LOCALHOST.into(),
        port: 0,
        protocol,
        hosts: vec![host.to_owned()],
    }
}

fn site() -> MemorySite {
    let body: Vec<u8> = (0..200_000_u32).map(|i| (i % 251) as u8).collect();
    MemorySite::default().with("/a", body)
}

/// Returns the configuration of an HTTP/3 client that trusts the authority.
fn quic(ca: &LocalCa) -> ClientConfig {
    ClientConfig {
        settings: QuicSettings::default(),
        keys: client_keys_trusting(ca.certificate_der()).unwrap(),
        seed: 1,
        h3: h3::Config::default(),
        record: false,
    }
}

fn get(ca: &LocalCa, protocol: Protocol, address: SocketAddr, host: &str) -> anyhow::Result<usize> {
    let fetched = fetch(ca, protocol, address, host)?;
    assert_eq!(fetched.status, 200);
    Ok(fetched.body.len())
}

fn fetch(
    ca: &LocalCa,
    protocol: Protocol,
    address: SocketAddr,
    host: &str,
) -> anyhow::Result<Fetched> {
    let requests = [Fetch::get("/a")];
    let mut fetched = if protocol.is_tcp() {
        let config = TcpClientConfig {
            protocol,
            stream: StreamClientConfig::default(),
            tls: client_tls(ca.certificate_der(), protocol)?,
        };
        get_over_tcp(address, host, &config, &requests, PATIENCE)?
    } else {
        client::get(address, host, &quic(ca), &requests, PATIENCE)?
    };
    Ok(fetched.remove(0))
}

#[test]
fn each_origin_speaks_its_protocol_under_its_name() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig {
        tcp_congestion: cfg!(target_os = "linux").then(|| "reno".to_owned()),
        ..ServersConfig::new(ca.clone())
    };
    let names = [
        (Protocol::H1, "one.example"),
        (Protocol::H2, "two.example"),
        (Protocol::H3, "three.example"),
        (Protocol::H2, "four.example"),
        (Protocol::H3, "five.example"),
    ];
    let origins = names.map(|(protocol, host)| origin(protocol, host));
    let servers = Servers::start(None, &config, &origins, site()).unwrap();
    let addresses = servers.addresses().to_vec();
    for ((protocol, host), address) in names.iter().zip(&addresses) {
        assert_eq!(get(&ca, *protocol, *address, host).unwrap(), 200_000);
    }
    // The certificate is not valid for another server's name.
    assert!(get(&ca, Protocol::H2, addresses[1], "one.example").is_err());
    assert!(servers.is_serving());
    let report = servers.stop();
    assert_eq!(report.failures, Vec::<String>::new());
    assert_eq!(report.tcp_connections, 4);
    assert!(report.quic.packets_sent > 300);
}

#[test]
fn servers_stop_when_they_are_dropped() {
    let config = ServersConfig::new(Arc::new(LocalCa::new().unwrap()));
    let servers = Servers::start(None, &config, &[origin(Protocol::H2, "a.example")], site());
    let servers = servers.unwrap();
    let address = servers.addresses()[0];
    drop(servers);
    // The address can be bound again.
    drop(std::net::TcpListener::bind(address).unwrap());
}

#[test]
fn what_cannot_be_is_an_error() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig::new(ca);
    let start = |config: &ServersConfig, origin| Servers::start(None, config, &[origin], site());
    let elsewhere = OriginServer {
        address: Ipv4Addr::new(192, 0, 2, 1).into(),
        ..origin(Protocol::H3, "a.example")
    };
    assert!(matches!(
        start(&config, elsewhere),
        Err(LiveError::Bind { .. })
    ));
    let unknown = ServersConfig {
        quic_congestion: "none-such".into(),
        tcp_congestion: Some("none-such".into()),
        ..config
    };
    for (protocol, expected) in [(Protocol::H3, "none-such"), (Protocol::H2, "none-such")] {
        let error = start(&unknown, origin(protocol, "a.example")).err();
        let error = error.expect("it is unknown").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn what_a_site_lacks_is_told() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let folder = FolderSite::new(&std::env::temp_dir()).unwrap();
    let config = ServersConfig::new(ca.clone());
    let origins = [origin(Protocol::H2, "a.example")];
    let servers = Servers::start(None, &config, &origins, folder).unwrap();
    let config = TcpClientConfig {
        protocol: Protocol::H2,
        stream: StreamClientConfig::default(),
        tls: client_tls(ca.certificate_der(), Protocol::H2).unwrap(),
    };
    let requests = [Fetch::get("/pagerace-none")];
    let address = servers.addresses()[0];
    let fetched = get_over_tcp(address, "a.example", &config, &requests, PATIENCE).unwrap();
    assert_eq!(fetched[0].status, 404);
    let expected = ["GET https://a.example/pagerace-none"];
    assert_eq!(servers.unknown(), expected);
    assert_eq!(servers.stop().unknown, expected);
}

/// Opens connections from another loopback address and occasionally sends a byte on each,
/// until `stop` is set.
#[cfg(target_os = "linux")]
fn trickle(address: SocketAddr, connections: usize, stop: &AtomicBool) {
    use std::io::Write as _;
    use std::net::TcpStream;

    use socket2::{Domain, Socket, Type};

    let open = || -> std::io::Result<TcpStream> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into())?;
        socket.connect(&address.into())?;
        Ok(socket.into())
    };
    let mut sockets: Vec<Option<TcpStream>> = (0..connections).map(|_| open().ok()).collect();
    while !stop.load(Ordering::Relaxed) {
        for socket in &mut sockets {
            // The first byte of a TLS handshake record that is never completed.
            let sent = socket.as_mut().is_some_and(|s| s.write_all(&[22]).is_ok());
            if !sent {
                *socket = open().ok();
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn slow_clients_of_one_address_do_not_lock_others_out() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig {
        connections_max: 16,
        guard: Some(Guard {
            per_address_max: 4,
            handshake_timeout: pagerace_core::Duration::from_millis(300),
            ..Guard::default()
        }),
        ..ServersConfig::new(ca.clone())
    };
    let origins = [origin(Protocol::H2, "a.example")];
    let servers = Servers::start(None, &config, &origins, site()).unwrap();
    let address = servers.addresses()[0];
    let stop = Arc::new(AtomicBool::new(false));
    let attack = {
        let stop = stop.clone();
        std::thread::spawn(move || trickle(address, 64, &stop))
    };
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..5 {
        let size = get(&ca, Protocol::H2, address, "a.example");
        assert_eq!(size.unwrap(), 200_000);
        std::thread::sleep(Duration::from_millis(100));
    }
    stop.store(true, Ordering::Relaxed);
    attack.join().unwrap();
    let report = servers.stop();
    assert!(
        report.tcp_connections > 5 + 4,
        "handshakes that take too long make room for others"
    );
}

/// The head of a request comes byte by byte and never ends, although the connection never idles.
#[cfg(target_os = "linux")]
#[test]
fn a_head_that_never_ends_does_not_keep_its_connection() {
    use std::io::Write as _;
    use std::net::TcpStream;

    const BYTES: usize = 1_000;
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig {
        guard: Some(Guard {
            idle_timeout: pagerace_core::Duration::from_millis(300),
            ..Guard::default()
        }),
        ..ServersConfig::new(ca.clone())
    };
    let origins = [origin(Protocol::H1, "a.example")];
    let servers = Servers::start(None, &config, &origins, site()).unwrap();
    let tls = client_tls(ca.certificate_der(), Protocol::H1).unwrap();
    let name = "a.example".try_into().unwrap();
    let tls = rustls::ClientConnection::new(tls, name).unwrap();
    let socket = TcpStream::connect(servers.addresses()[0]).unwrap();
    let mut client = rustls::StreamOwned::new(tls, socket);
    client.write_all(b"GET /a HTTP/1.1\r\nx: ").unwrap();
    let ended = (0..BYTES).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        client.write_all(b"a").is_err()
    });
    assert!(ended, "the server waits for the rest of the head");
    servers.stop();
}

#[test]
fn answers_name_the_port_of_http3() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let protocols = [Protocol::H2, Protocol::H3];
    for announces in [true, false] {
        let config = ServersConfig {
            announces,
            ..ServersConfig::new(ca.clone())
        };
        let origins = protocols.map(|p| origin(p, "a.example"));
        let servers = Servers::start(None, &config, &origins, site()).unwrap();
        let addresses = servers.addresses();
        let expected = format!("h3=\":{}\"; ma=86400", addresses[1].port());
        for (protocol, address) in protocols.into_iter().zip(addresses) {
            let fetched = fetch(&ca, protocol, *address, "a.example").unwrap();
            let field = pagerace_http::fields::get(&fetched.fields, "alt-svc");
            let named = announces || protocol == Protocol::H3;
            let expected = named.then_some(expected.as_bytes());
            assert_eq!(field.map(|v| &v[..]), expected, "{protocol}");
        }
    }
}

/// A server over TCP that tests look into, and its address.
#[cfg(target_os = "linux")]
mod tcp {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;
    use std::thread::JoinHandle;

    use pagerace_live::tcp::{TlsServer, TlsServerConfig};
    use pagerace_peer::stream::StreamServerConfig;
    use pagerace_transport::quic::keys::{Identity, server_tls};
    use rustls::{ClientConnection, StreamOwned};
    use socket2::{Domain, Socket, Type};

    use super::*;

    /// Bytes of the file that nobody reads: more than the buffers of both kernels.
    const FILE: usize = 30_000_000;
    /// Attackers at once.
    const CROWD: usize = 100;
    const IDLE: Duration = Duration::from_millis(500);

    struct Served {
        address: SocketAddr,
        certificate: Vec<u8>,
        stop: Arc<AtomicBool>,
        thread: JoinHandle<u64>,
    }

    impl Served {
        fn start(protocol: Protocol) -> Self {
            Self::with_max(protocol, 256)
        }

        /// Starts a server with at most this number of connections.
        fn with_max(protocol: Protocol, connections_max: usize) -> Self {
            let identity = Identity::new(&["localhost"]).unwrap();
            let alpn: &[u8] = if protocol == Protocol::H2 {
                b"h2"
            } else {
                b"http/1.1"
            };
            let tls = server_tls(identity.chain(), identity.key(), &[alpn]).unwrap();
            let stream = StreamServerConfig::new("fifo".parse().unwrap());
            let config = TlsServerConfig {
                guard: Some(Guard {
                    idle_timeout: pagerace_core::Duration::from_nanos(IDLE.as_nanos() as u64),
                    ..Guard::default()
                }),
                connections_max,
                ..TlsServerConfig::new(stream, Arc::new(tls))
            };
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let site = site().with("/large", vec![7; FILE]);
            let mut server = TlsServer::bind(any, &config, site).unwrap();
            let address = server.local_address().unwrap();
            let stop = Arc::new(AtomicBool::new(false));
            let stopped = stop.clone();
            let thread = std::thread::spawn(move || {
                server.run(&stopped).unwrap();
                server.visits()
            });
            let certificate = identity.certificate().to_vec();
            Self {
                address,
                certificate,
                stop,
                thread,
            }
        }

        /// Fetches a file as a good client does.
        fn get(&self, protocol: Protocol) {
            let config = TcpClientConfig {
                protocol,
                stream: StreamClientConfig::default(),
                tls: client_tls(&self.certificate, protocol).unwrap(),
            };
            let requests = [Fetch::get("/a")];
            let got = get_over_tcp(self.address, "localhost", &config, &requests, PATIENCE);
            assert_eq!(got.unwrap()[0].body.len(), 200_000);
        }

        /// Connects with a small buffer for what arrives.
        fn connect(&self) -> TcpStream {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_recv_buffer_size(4_096).unwrap();
            socket.connect(&self.address.into()).unwrap();
            socket.into()
        }

        fn shake_hands(&self, protocol: Protocol) -> StreamOwned<ClientConnection, TcpStream> {
            let tls = client_tls(&self.certificate, protocol).unwrap();
            let name = "localhost".try_into().unwrap();
            StreamOwned::new(ClientConnection::new(tls, name).unwrap(), self.connect())
        }

        /// Requests a large file, of which the caller reads nothing.
        fn ask_for_much(&self) -> StreamOwned<ClientConnection, TcpStream> {
            let mut client = self.shake_hands(Protocol::H1);
            let request = b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n";
            client.write_all(request).unwrap();
            client
        }

        /// Stops the server and returns how often it visited a connection.
        fn visits(self) -> u64 {
            self.stop.store(true, Ordering::Relaxed);
            self.thread.join().unwrap()
        }
    }

    /// Clients that wait in the middle of their handshakes. Visits are counted, because time
    /// depends on the machine.
    #[test]
    fn slow_clients_cost_a_good_one_no_work() {
        let alone = Served::start(Protocol::H2);
        alone.get(Protocol::H2);
        let alone = alone.visits();
        let served = Served::start(Protocol::H2);
        let crowd: Vec<TcpStream> = (0..CROWD)
            .map(|_| {
                let mut socket = served.connect();
                socket.write_all(&[22]).unwrap();
                socket
            })
            .collect();
        served.get(Protocol::H2);
        let besieged = served.visits();
        drop(crowd);
        // A connection is visited when it opens, and when its byte comes. How the good client's
        // bytes come in pieces differs from run to run.
        let own = 2 * CROWD as u64;
        println!("{alone} visits alone, {besieged} besieged");
        assert!(
            besieged < own + 4 * alone,
            "{besieged} visits, {alone} alone"
        );
    }

    /// Clients that request a large file and read nothing of it: the kernel closes the window.
    #[test]
    fn clients_that_read_nothing_cost_no_work_and_are_dropped() {
        let served = Served::start(Protocol::H1);
        let mut crowd: Vec<_> = (0..CROWD).map(|_| served.ask_for_much()).collect();
        served.get(Protocol::H1);
        std::thread::sleep(2 * IDLE);
        for client in &mut crowd {
            client.sock.set_read_timeout(Some(PATIENCE)).unwrap();
            let mut rest = Vec::new();
            let ended = client.read_to_end(&mut rest);
            assert!(
                ended.is_err() && rest.len() < FILE,
                "{ended:?}, {} bytes",
                rest.len()
            );
        }
        let visits = served.visits();
        println!("{visits} visits");
        // The buffers of both kernels take less than a hundred turns.
        assert!(visits < 100 * (CROWD as u64 + 1), "{visits} visits");
    }

    /// All connections are taken by clients that read nothing.
    #[test]
    fn the_slowest_makes_room_for_a_new_client() {
        const MAX: usize = 4;
        let served = Served::with_max(Protocol::H1, MAX);
        let crowd: Vec<_> = (0..MAX).map(|_| served.ask_for_much()).collect();
        for _ in 0..2 * MAX {
            served.get(Protocol::H1);
        }
        drop(crowd);
        served.visits();
    }

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let head = [0, 0, payload.len() as u8, kind, flags, 0, 0, 0, stream];
        [&head, payload].concat()
    }

    /// Pings do not let a client idle, and each byte of window takes a byte of the response.
    #[test]
    fn clients_that_take_next_to_nothing_are_dropped() {
        let ping = frame(6, 0, 0, &[0; 8]);
        let byte = frame(8, 0, 1, &[0, 0, 0, 1]);
        assert!(is_dropped(&ping) && is_dropped(&byte));
    }

    /// Returns true if the server drops a client whose window of HTTP/2 is closed, and that repeats
    /// a frame.
    fn is_dropped(again: &[u8]) -> bool {
        let served = Served::start(Protocol::H2);
        let mut client = served.shake_hands(Protocol::H2);
        // SETTINGS_INITIAL_WINDOW_SIZE is 0. GET https://localhost/a: RFC 7541, appendix A.
        let request = b"\x82\x87\x41\x09localhost\x44\x02/a";
        let begin = [
            &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
            &frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]),
            &frame(1, 5, 1, request),
        ];
        client.write_all(&begin.concat()).unwrap();
        let pause = IDLE / 10;
        client.sock.set_read_timeout(Some(pause)).unwrap();
        let mut bytes = [0; 1_024];
        let ended = (0..100).any(|_| {
            let sent = client.write_all(again).and_then(|()| client.flush());
            let ended = matches!(client.read(&mut bytes), Ok(0)) || sent.is_err();
            std::thread::sleep(pause);
            ended
        });
        served.visits();
        ended
    }
}

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

use client::{Fetch, TcpClientConfig, client_tls, get_over_tcp};
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
    let requests = [Fetch::get("/a")];
    let fetched = if protocol.is_tcp() {
        let config = TcpClientConfig {
            protocol,
            stream: StreamClientConfig::default(),
            tls: client_tls(ca.certificate_der(), protocol)?,
        };
        get_over_tcp(address, host, &config, &requests, PATIENCE)?
    } else {
        client::get(address, host, &quic(ca), &requests, PATIENCE)?
    };
    assert_eq!(fetched[0].status, 200);
    Ok(fetched[0].body.len())
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
fn answers_over_http3_name_the_port_of_the_server() {
    let ca = Arc::new(LocalCa::new().unwrap());
    let config = ServersConfig::new(ca.clone());
    let origins = [origin(Protocol::H3, "a.example")];
    let servers = Servers::start(None, &config, &origins, site()).unwrap();
    let address = servers.addresses()[0];
    let requests = [Fetch::get("/a")];
    let fetched = client::get(address, "a.example", &quic(&ca), &requests, PATIENCE).unwrap();
    let field = pagerace_http::fields::get(&fetched[0].fields, "alt-svc");
    let expected = format!("h3=\":{}\"; ma=86400", address.port());
    assert_eq!(field.map(|v| &v[..]), Some(expected.as_bytes()));
}

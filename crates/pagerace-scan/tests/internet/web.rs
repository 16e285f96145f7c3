//! Servers that behave: hyper over TCP, quinn with the crate `h3` over QUIC.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use quinn::crypto::rustls::QuicServerConfig;
use quinn::{IdleTimeout, TransportConfig, VarInt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use super::authority::Names;
use super::certificate::{Identities, config};
use super::ours;
use super::path::{self, Losses};

/// Which certificate a server has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Identity {
    #[default]
    Good,
    SelfSigned,
    Expired,
    WrongName,
    Fat,
    Giant,
}

/// Properties of a server over QUIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quic {
    /// 200 if it is `None`.
    pub status: Option<u16>,
    pub says: Says,
    pub retry: bool,
    pub no_tickets: bool,
    pub early_data: bool,
    /// Refuses early data although its tickets offer it: as after a restart, it lost the keys.
    pub forgets: bool,
    /// Refuses every second connection.
    pub once: bool,
}

/// The transport parameters of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Says {
    #[default]
    Plain,
    Tuned,
    Ours,
}

impl Quic {
    pub fn parameters(self) -> &'static Parameters {
        match self.says {
            Says::Plain => &PLAIN,
            Says::Tuned => &TUNED,
            Says::Ours => &ours::PARAMETERS,
        }
    }
}

/// Transport parameters and SETTINGS of a server.
#[derive(Debug)]
pub struct Parameters {
    pub idle_ms: u32,
    pub udp_payload: u16,
    pub data: u32,
    pub stream_data: u32,
    pub streams: u32,
    pub migrates: bool,
    /// Names an address that clients should rather use: one where nothing listens.
    pub preferred: bool,
    pub datagrams: Option<u16>,
    pub field_section: u64,
    pub connect: bool,
}

pub const PLAIN: Parameters = Parameters {
    idle_ms: 30_000,
    udp_payload: 1472,
    data: 1_500_000,
    stream_data: 1_250_000,
    streams: 100,
    migrates: true,
    preferred: false,
    datagrams: None,
    field_section: 65_536,
    connect: false,
};

pub const TUNED: Parameters = Parameters {
    idle_ms: 25_000,
    udp_payload: 1350,
    data: 300_000,
    stream_data: 70_000,
    streams: 7,
    migrates: false,
    preferred: true,
    datagrams: Some(9_000),
    field_section: 12_345,
    connect: true,
};

/// The preferred address of [`TUNED`].
const PREFERRED: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(127, 59, 0, 1), 9);

impl Parameters {
    fn config(&self, crypto: QuicServerConfig) -> quinn::ServerConfig {
        let mut transport = TransportConfig::default();
        transport
            .max_idle_timeout(Some(IdleTimeout::from(VarInt::from_u32(self.idle_ms))))
            .receive_window(VarInt::from_u32(self.data))
            .stream_receive_window(VarInt::from_u32(self.stream_data))
            .max_concurrent_bidi_streams(VarInt::from_u32(self.streams))
            .datagram_receive_buffer_size(self.datagrams.map(usize::from));
        let mut config = quinn::ServerConfig::with_crypto(Arc::new(crypto));
        config
            .transport_config(Arc::new(transport))
            .migration(self.migrates)
            .preferred_address_v4(self.preferred.then_some(PREFERRED));
        config
    }
}

/// Properties of a server.
#[derive(Clone, Debug, Default)]
pub struct Web {
    pub names: Names,
    /// The server of `pagerace serve`, whose other properties must be as this describes them.
    pub is_ours: bool,
    /// Nothing listens on TCP.
    pub no_tcp: bool,
    pub h2: bool,
    /// TLS without ALPN.
    pub no_alpn: bool,
    pub tls12: bool,
    /// 200 if it is `None`.
    pub status: Option<u16>,
    pub alt_svc: Option<&'static str>,
    pub server: Option<&'static str>,
    pub location: Option<&'static str>,
    pub identity: Identity,
    pub quic: Option<Quic>,
    /// UDP is open and silent, so that a handshake times out.
    pub udp_silent: bool,
    /// The server at the IPv6 address, which is `::1`.
    pub six: Option<Box<Web>>,
    /// One way.
    pub delay: Duration,
    /// Share of datagrams lost each way, and of flights over TCP that come late.
    pub loss: f64,
}

impl Web {
    /// Returns for how long each flight over TCP waits on a connection, the `nth` to the server:
    /// the server's part of the handshake, and the response. A lost one comes a retransmission
    /// timeout later, as no packet of this machine can be lost before the kernel.
    pub fn waits(&self, at: SocketAddr, nth: u64) -> [Duration; 2] {
        let SocketAddr::V4(v4) = at else {
            return [2 * self.delay; 2];
        };
        let mut losses = Losses::new(self.loss, u64::from(v4.ip().to_bits()) << 20 | nth);
        [(); 2].map(|()| {
            let rtt = 2 * self.delay;
            // There or back.
            let lost = losses.next_is_lost() | losses.next_is_lost();
            if lost { rtt + timeout(rtt) } else { rtt }
        })
    }
}

/// Returns the timeout after the first round trip (RFC 6298, section 2.2, with the minimum of
/// Linux).
fn timeout(rtt: Duration) -> Duration {
    rtt + (2 * rtt).max(Duration::from_millis(200))
}

pub fn serve(web: &Web, at: SocketAddr, identities: &Identities) {
    if web.is_ours {
        // All of them run in threads of their own.
        return;
    }
    let key = identities.get(web.identity);
    let alpn: &[&str] = match (web.no_alpn, web.h2) {
        (true, _) => &[],
        (false, true) => &["h2", "http/1.1"],
        (false, false) => &["http/1.1"],
    };
    if !web.no_tcp {
        let acceptor = TlsAcceptor::from(Arc::new(config(key, alpn, web.tls12)));
        tcp(web.clone(), at, acceptor);
    }
    if let Some(quic) = web.quic {
        let mut tls = config(key, &["h3"], false);
        tls.send_tls13_tickets = if quic.no_tickets { 0 } else { 2 };
        if quic.early_data {
            tls.max_early_data_size = u32::MAX;
        }
        let shaped = !web.delay.is_zero() || web.loss > 0.0;
        let place = if shaped {
            "127.0.0.1:0".parse().unwrap()
        } else {
            at
        };
        let actual = udp(quic, place, tls, web.server);
        if shaped {
            path::carry(at, actual, web.delay, web.loss);
        }
    } else if web.udp_silent {
        let socket = std::net::UdpSocket::bind(at).unwrap();
        // Held open until the runtime ends.
        tokio::spawn(async move {
            std::future::pending::<()>().await;
            drop(socket);
        });
    }
}

fn listener(at: SocketAddr) -> TcpListener {
    let listener = std::net::TcpListener::bind(at).unwrap();
    listener.set_nonblocking(true).unwrap();
    TcpListener::from_std(listener).unwrap()
}

fn tcp(web: Web, at: SocketAddr, acceptor: TlsAcceptor) {
    let listener = listener(at);
    let web = Arc::new(web);
    let count = AtomicU64::new(0);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let waits = web.waits(at, count.fetch_add(1, Ordering::Relaxed));
            tokio::spawn(answer(stream, acceptor.clone(), Arc::clone(&web), waits));
        }
    });
}

async fn answer(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    web: Arc<Web>,
    [first, second]: [Duration; 2],
) -> Option<()> {
    // The client's clock runs from its first bytes.
    stream.peek(&mut [0]).await.ok()?;
    tokio::time::sleep(first).await;
    let stream = acceptor.accept(stream).await.ok()?;
    let two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let io = TokioIo::new(stream);
    let service = service_fn(move |_: Request<_>| {
        let web = Arc::clone(&web);
        async move {
            tokio::time::sleep(second).await;
            Ok::<_, Infallible>(response(&web))
        }
    });
    if two {
        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        server.serve_connection(io, service).await.ok()
    } else {
        let server = hyper::server::conn::http1::Builder::new();
        server.serve_connection(io, service).await.ok()
    }
}

fn response(web: &Web) -> Response<Empty<Bytes>> {
    let mut response = Response::builder().status(web.status.unwrap_or(200));
    for (name, value) in [
        ("alt-svc", web.alt_svc),
        ("server", web.server),
        ("location", web.location),
    ] {
        if let Some(value) = value {
            response = response.header(name, value);
        }
    }
    response.body(Empty::new()).unwrap()
}

/// Starts an endpoint, and returns where it listens.
fn udp(
    quic: Quic,
    at: SocketAddr,
    tls: rustls::ServerConfig,
    server: Option<&'static str>,
) -> SocketAddr {
    let parameters = quic.parameters();
    // Tickets of the first configuration are unknown to the other.
    let mut other = tls.clone();
    other.session_storage = rustls::server::ServerSessionMemoryCache::new(32);
    let other = parameters.config(QuicServerConfig::try_from(other).unwrap());
    let other = Arc::new(other);
    let config = parameters.config(QuicServerConfig::try_from(tls).unwrap());
    let mut of_all = quinn::EndpointConfig::default();
    of_all.max_udp_payload_size(parameters.udp_payload).unwrap();
    let socket = std::net::UdpSocket::bind(at).unwrap();
    let runtime = Arc::new(quinn::TokioRuntime);
    let endpoint = quinn::Endpoint::new(of_all, Some(config), socket, runtime).unwrap();
    let actual = endpoint.local_addr().unwrap();
    tokio::spawn(async move {
        let mut count = 0_u64;
        while let Some(incoming) = endpoint.accept().await {
            if quic.retry && !incoming.remote_address_validated() {
                let _ = incoming.retry();
                continue;
            }
            count += 1;
            if quic.once && count.is_multiple_of(2) {
                incoming.refuse();
                continue;
            }
            let connecting = if quic.forgets && count.is_multiple_of(2) {
                incoming.accept_with(Arc::clone(&other))
            } else {
                incoming.accept()
            };
            tokio::spawn(async move {
                let connecting = connecting.ok()?;
                let connection = match connecting.into_0rtt() {
                    Ok((connection, _)) => connection,
                    Err(connecting) => connecting.await.ok()?,
                };
                http3(connection, quic, server).await
            });
        }
    });
    actual
}

async fn http3(
    connection: quinn::Connection,
    quic: Quic,
    server: Option<&'static str>,
) -> Option<()> {
    let parameters = quic.parameters();
    let connection = h3_quinn::Connection::new(connection);
    let mut connection: h3::server::Connection<_, Bytes> = h3::server::builder()
        .max_field_section_size(parameters.field_section)
        .enable_extended_connect(parameters.connect)
        .enable_datagram(parameters.datagrams.is_some())
        .build(connection)
        .await
        .ok()?;
    while let Some(resolver) = connection.accept().await.ok()? {
        let (_, mut stream) = resolver.resolve_request().await.ok()?;
        let mut response = Response::builder().status(quic.status.unwrap_or(200));
        if let Some(server) = server {
            response = response.header("server", server);
        }
        stream
            .send_response(response.body(()).unwrap())
            .await
            .ok()?;
        stream.finish().await.ok()?;
    }
    Some(())
}

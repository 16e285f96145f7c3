//! Our own endpoints of a transfer. Each runs on its own thread inside a namespace.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context as _, Result, bail};
use pagerace_core::{Duration, Instant, Protocol};
use pagerace_delivery::StrategySpec;
use pagerace_http::Field;
use pagerace_live::link::Namespace;
use pagerace_live::tcp::{TlsServer, TlsServerConfig, server_tls};
use pagerace_live::{LiveError, QuicServer};
use pagerace_peer::server::UNKNOWN;
use pagerace_peer::stream::{StreamClientConfig, StreamServerConfig};
use pagerace_peer::{Body, ClientConfig, ClientEvent, Reply, Request, ServerConfig, Site};
use pagerace_transport::quic::QuicSettings;
use pagerace_transport::quic::keys::{Identity, client_keys_trusting};

use super::PATIENCE;
use super::programs::Program;
use crate::client::{Client, Connection, SILENT, TcpClient, TcpClientConfig, client_tls};

/// The host name in the certificates of transfers.
pub(super) const NAME: &str = "localhost";

/// Measurements of a client, since it started to connect.
pub(super) struct Seen {
    pub(super) connect: Duration,
    pub(super) finished: Duration,
    pub(super) bytes: u64,
}

/// A site that answers every request immediately with a body of a fixed size.
struct BulkSite(u64);

impl Site for BulkSite {
    fn reply(&mut self, _request: &Request) -> Reply {
        Reply {
            think_time: pagerace_core::Duration::ZERO,
            early: Vec::new(),
            fields: vec![Field::from_static(":status", "200")],
            body: Body::Filler(self.0),
            facts: UNKNOWN,
            nature: pagerace_delivery::reliability::Nature::ESSENTIAL,
        }
    }
}

/// A server that runs until it is stopped.
pub(super) enum Running {
    Thread {
        stop: Arc<AtomicBool>,
        thread: JoinHandle<Result<(), LiveError>>,
    },
    Program(Program),
}

impl Running {
    fn start(serve: impl FnOnce(&AtomicBool) -> Result<(), LiveError> + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = std::thread::spawn(move || serve(&flag));
        Self::Thread { stop, thread }
    }

    pub(super) fn stop(self) -> Result<()> {
        match self {
            Self::Thread { stop, thread } => {
                stop.store(true, Ordering::Relaxed);
                Ok(thread.join().expect("a server does not panic")?)
            }
            Self::Program(program) => program.stop(),
        }
    }
}

fn fifo() -> StrategySpec {
    "fifo".parse().expect("fifo is registered")
}

/// Starts a server of HTTP/1.1 and HTTP/2 and returns it with its certificate (DER).
pub(super) fn tcp_server(
    namespace: &Namespace,
    address: SocketAddr,
    bytes: u64,
) -> Result<(Running, Vec<u8>)> {
    let identity = Identity::new(&[NAME])?;
    let config = TlsServerConfig::new(StreamServerConfig::new(fifo()), server_tls(&identity)?);
    let mut server = namespace.run(move || TlsServer::bind(address, &config, BulkSite(bytes)))?;
    let running = Running::start(move |stop| server.run(stop));
    Ok((running, identity.certificate().to_vec()))
}

/// Starts a server of HTTP/3 and returns it with its certificate (DER).
pub(super) fn quic_server(
    namespace: &Namespace,
    address: SocketAddr,
    bytes: u64,
    seed: u64,
    settings: &QuicSettings,
) -> Result<(Running, Vec<u8>)> {
    let identity = Identity::new(&[NAME])?;
    let config = ServerConfig {
        settings: settings.clone(),
        ..ServerConfig::new(identity.server_keys()?, fifo(), seed)
    };
    let mut server = namespace.run(move || QuicServer::bind(address, &config, BulkSite(bytes)))?;
    let running = Running::start(move |stop| server.run(stop));
    Ok((running, identity.certificate().to_vec()))
}

/// Runs a transfer over TCP as the client.
pub(super) fn tcp_client(
    namespace: &Namespace,
    address: SocketAddr,
    protocol: Protocol,
    certificate: &[u8],
    bytes: u64,
) -> Result<Seen> {
    let config = TcpClientConfig {
        protocol,
        stream: StreamClientConfig::default(),
        tls: client_tls(certificate, protocol)?,
    };
    namespace.run(move || {
        let mut client = TcpClient::connect(address, NAME, &config)?;
        let seen = fetch(&mut client, bytes)?;
        client.close();
        Ok(seen)
    })
}

/// Runs a transfer over QUIC as the client.
pub(super) fn quic_client(
    namespace: &Namespace,
    address: SocketAddr,
    certificate: &[u8],
    bytes: u64,
    seed: u64,
    settings: &QuicSettings,
) -> Result<Seen> {
    let config = ClientConfig {
        settings: settings.clone(),
        keys: client_keys_trusting(certificate)?,
        seed,
        h3: pagerace_http::h3::Config::default(),
        record: false,
    };
    namespace.run(move || {
        let mut client = Client::connect(address, NAME, &config)?;
        let seen = fetch(&mut client, bytes)?;
        client.close();
        Ok(seen)
    })
}

/// Sends one request and reads its response as it arrives.
///
/// The path tells programs the size. Our own servers know it.
fn fetch(client: &mut impl Connection, bytes: u64) -> Result<Seen> {
    let fields = vec![
        Field::from_static(":method", "GET"),
        Field::from_static(":scheme", "https"),
        Field::from_static(":authority", NAME),
        Field::new(":path", format!("/bytes/{bytes}")),
    ];
    client.request(0, fields, None, None);
    let mut seen = Seen {
        connect: Duration::ZERO,
        finished: Duration::ZERO,
        bytes: 0,
    };
    loop {
        let event = client.next_event(PATIENCE)?.context(SILENT)?;
        let now = client.now().since(Instant::ZERO);
        match event {
            ClientEvent::Connected => seen.connect = now,
            ClientEvent::Sent { .. }
            | ClientEvent::Interim { .. }
            | ClientEvent::Head { .. }
            | ClientEvent::Incomplete { .. } => {}
            ClientEvent::Data { data, .. } => seen.bytes += data.len() as u64,
            ClientEvent::End { .. } => {
                seen.finished = now;
                return Ok(seen);
            }
            ClientEvent::Failed { code, .. } => bail!("the request failed with error 0x{code:x}"),
            ClientEvent::Lost { reason } => bail!("the connection is lost: {reason}"),
        }
    }
}

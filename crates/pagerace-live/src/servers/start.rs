//! Opens the sockets of the servers and starts their threads.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use mio::net::TcpListener;
use pagerace_core::rng::derive_seed;
use pagerace_peer::ServerConfig;
use pagerace_peer::stream::StreamServerConfig;
use pagerace_transport::quic::QuicSettings;

use super::announced::Announced;
use super::{Namespace, OriginServer, Servers, ServersConfig, ServersReport};
use crate::site::ServedSite;
use crate::socket::Socket;
use crate::tcp::{TlsServer, TlsServerConfig};
use crate::{LiveError, QuicServer};

/// A bound socket.
enum Bound {
    Tcp(TcpListener),
    Udp(Box<Socket>),
}

impl Bound {
    fn udp(&self) -> Option<&Socket> {
        match self {
            Self::Tcp(_) => None,
            Self::Udp(socket) => Some(socket),
        }
    }
}

pub(super) fn start<S: ServedSite>(
    namespace: Option<&Namespace>,
    config: &ServersConfig,
    origins: &[OriginServer],
    site: S,
) -> Result<Servers, LiveError> {
    let sockets = open(namespace, config, origins)?;
    let alternative = match sockets.iter().find_map(Bound::udp) {
        Some(socket) if config.announces => Some(socket.local_address()?.port()),
        _ => None,
    };
    let mut addresses = Vec::new();
    let mut tcp = None;
    let mut quic = None;
    for (i, (origin, socket)) in origins.iter().zip(sockets).enumerate() {
        let leaf = config.ca.issue(&origin.hosts)?;
        match socket {
            Bound::Tcp(listener) => {
                addresses.push(listener.local_addr().map_err(LiveError::Tcp)?);
                let tls = leaf.tcp(origin.protocol, config.tickets)?;
                if tcp.is_none() {
                    let config = tcp_config(config, tls.clone());
                    tcp = Some(TlsServer::empty(
                        &config,
                        Announced::new(site.clone(), alternative),
                    )?);
                }
                let server = tcp.as_mut().expect("just made");
                server.add(listener, tls)?;
            }
            Bound::Udp(socket) => {
                let address = socket.local_address()?;
                let port = address.port();
                addresses.push(address);
                let keys = leaf.quic(config.tickets)?;
                let seed = derive_seed(config.seed, &format!("origin/{i}"));
                let config = ServerConfig {
                    settings: QuicSettings {
                        guard: config.guard,
                        ..config.settings.quic(&config.quic_congestion)
                    },
                    retransmission: config.settings.retransmission,
                    h3: config.h3.clone(),
                    // Responses are whole: browsers do not support object datagrams, and
                    // these sites do not classify objects.
                    ..ServerConfig::new(keys, config.strategy.clone(), seed)
                };
                if quic.is_none() {
                    quic = Some(QuicServer::empty()?);
                }
                let server = quic.as_mut().expect("just made");
                server.add(*socket, &config, Announced::new(site.clone(), Some(port)))?;
            }
        }
    }
    let mut servers = Servers {
        addresses,
        stop: Arc::new(AtomicBool::new(false)),
        threads: Vec::new(),
        unknown: Box::new(move || site.unknown()),
    };
    if let Some(mut server) = tcp {
        servers.spawn("tcp-servers", move |stop| {
            let end = server.run(stop);
            ServersReport {
                tcp_connections: server.accepted(),
                failures: failure(end),
                ..ServersReport::default()
            }
        })?;
    }
    if let Some(mut server) = quic {
        servers.spawn("quic-servers", move |stop| {
            let end = server.run(stop);
            ServersReport {
                quic: server.stats(),
                failures: failure(end),
                ..ServersReport::default()
            }
        })?;
    }
    Ok(servers)
}

fn tcp_config(config: &ServersConfig, tls: Arc<rustls::ServerConfig>) -> TlsServerConfig {
    let mut stream = StreamServerConfig::new(config.strategy.clone());
    stream.h2 = config.h2.clone();
    TlsServerConfig {
        connections_max: config.connections_max,
        guard: config.guard,
        ..TlsServerConfig::new(stream, tls)
    }
}

fn failure(end: Result<(), LiveError>) -> Vec<String> {
    end.err().iter().map(ToString::to_string).collect()
}

impl Servers {
    fn spawn(
        &mut self,
        name: &str,
        serve: impl FnOnce(&AtomicBool) -> ServersReport + Send + 'static,
    ) -> Result<(), LiveError> {
        let stop = self.stop.clone();
        let work = move || serve(&stop);
        let thread = thread::Builder::new().name(name.to_owned());
        self.threads
            .push(thread.spawn(work).map_err(LiveError::Socket)?);
        Ok(())
    }
}

/// Opens all sockets, in the order of the origins.
fn open(
    namespace: Option<&Namespace>,
    config: &ServersConfig,
    origins: &[OriginServer],
) -> Result<Vec<Bound>, LiveError> {
    let origins = origins.to_vec();
    let congestion = config.tcp_congestion.clone();
    let all = move || {
        let bound = origins.iter().map(|o| bind(o, congestion.as_deref()));
        bound.collect::<Result<Vec<_>, _>>()
    };
    match namespace {
        #[cfg(target_os = "linux")]
        Some(namespace) => namespace.run(all),
        #[cfg(not(target_os = "linux"))]
        Some(none) => match *none {},
        None => all(),
    }
}

fn bind(origin: &OriginServer, congestion: Option<&str>) -> Result<Bound, LiveError> {
    let address = SocketAddr::new(origin.address, origin.port);
    if !origin.protocol.is_tcp() {
        return Ok(Bound::Udp(Box::new(Socket::bind(address)?)));
    }
    let listener =
        TcpListener::bind(address).map_err(|source| LiveError::Bind { address, source })?;
    if let Some(name) = congestion {
        // Accepted connections inherit the controller.
        set_congestion(&listener, name).map_err(|_| LiveError::Congestion {
            name: name.to_owned(),
            available: available(),
        })?;
    }
    Ok(Bound::Tcp(listener))
}

#[cfg(target_os = "linux")]
fn set_congestion(listener: &TcpListener, name: &str) -> io::Result<()> {
    socket2::SockRef::from(listener).set_tcp_congestion(name.as_bytes())
}

#[cfg(not(target_os = "linux"))]
fn set_congestion(_listener: &TcpListener, _name: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

fn available() -> String {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let names = std::fs::read_to_string(path).unwrap_or_default();
    let names = names.trim();
    if names.is_empty() {
        "none that can be chosen".to_owned()
    } else {
        names.to_owned()
    }
}

//! The servers of a whole page: one address for each origin, as on the web.
//!
//! One thread serves all TCP sockets (HTTP/1.1, HTTP/2) and one all UDP sockets (HTTP/3),
//! as a testbed has few processors and the browser needs them. If a network namespace is
//! given, the sockets are opened inside it and stay there.
//!
//! Left out: different versions of HTTP for different host names on one TCP address, and
//! redirection from port 80.

mod announced;
mod report;
mod start;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use pagerace_core::Protocol;
use pagerace_delivery::StrategySpec;
use pagerace_http::{h2, h3};
use pagerace_peer::LoadSettings;
use pagerace_transport::quic::{Guard, QuicSettings};

pub use crate::ca::{Leaf, LocalCa};
#[cfg(target_os = "linux")]
use crate::link::Namespace;
use crate::site::ServedSite;
use crate::{LiveError, secret_seed};
pub use report::ServersReport;

/// An uninhabited stand-in for platforms without network namespaces.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Namespace {}

/// Identity, address and protocol of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginServer {
    /// IP address to listen on.
    pub address: IpAddr,
    /// Port to listen on; 0 selects any free port.
    pub port: u16,
    /// Over TCP, [`Protocol::H1`] offers only HTTP/1.1 and [`Protocol::H2`] both
    /// versions. [`Protocol::H3`] listens on UDP.
    pub protocol: Protocol,
    /// Host names in the certificate.
    pub hosts: Vec<String>,
}

/// Settings of the servers.
#[derive(Clone, Debug)]
pub struct ServersConfig {
    /// The strategy that orders response bytes.
    pub strategy: StrategySpec,
    /// Settings of loads, of which servers have two: the size of QUIC's packets, and when lost
    /// bytes are retransmitted (HTTP/3 only).
    pub settings: LoadSettings,
    /// Congestion controller of QUIC, a name in `pagerace_cc`'s registry.
    pub quic_congestion: String,
    /// Congestion controller of TCP, a name that the kernel knows. If `None`, the default
    /// of the route or of the kernel applies. A controller that a route locks takes
    /// precedence.
    pub tcp_congestion: Option<String>,
    /// Limits of HTTP/2.
    pub h2: h2::Config,
    /// Limits of HTTP/3.
    pub h3: h3::Config,
    /// Maximum number of concurrent TCP connections. A further one takes the place of the one
    /// whose client takes responses most slowly.
    pub connections_max: usize,
    /// Limits for untrusted clients; `None` if all clients are trusted.
    pub guard: Option<Guard>,
    /// Seed of all randomness in QUIC. It must be secret on a real network.
    pub seed: u64,
    /// True if returning clients may resume TLS sessions. Otherwise every handshake is a
    /// full one, as in the first visit of a simulation.
    pub tickets: bool,
    /// True if responses over TCP announce the first HTTP/3 server by its port (RFC 7838).
    pub announces: bool,
    /// The certificate authority that signs the certificates.
    pub ca: Arc<LocalCa>,
}

impl ServersConfig {
    /// The strategy `sequential`, QUIC as in [`QuicSettings::default`], an unpredictable seed
    /// (0 if the system provides no random bytes), no session resumption, and no
    /// announcement of HTTP/3 over TCP.
    pub fn new(ca: Arc<LocalCa>) -> Self {
        Self {
            strategy: "sequential".parse().expect("it is in the registry"),
            settings: LoadSettings::default(),
            quic_congestion: QuicSettings::default().congestion,
            tcp_congestion: None,
            h2: h2::Config::server(),
            h3: h3::Config {
                // Real sites set large cookies.
                max_field_section_size: 1 << 20,
                ..h3::Config::default()
            },
            connections_max: 1024,
            guard: None,
            seed: secret_seed().unwrap_or_default(),
            tickets: false,
            announces: false,
            ca,
        }
    }
}

/// A set of servers that run until they are stopped or dropped.
pub struct Servers {
    addresses: Vec<SocketAddr>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<ServersReport>>,
    unknown: Box<dyn Fn() -> Vec<String> + Send>,
}

impl Servers {
    /// Opens all sockets, in `namespace` if one is given, and starts serving.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Name`], [`LiveError::Controller`],
    /// [`LiveError::Congestion`], or an error from setting up sockets or TLS.
    pub fn start<S: ServedSite>(
        namespace: Option<&Namespace>,
        config: &ServersConfig,
        origins: &[OriginServer],
        site: S,
    ) -> Result<Self, LiveError> {
        start::start(namespace, config, origins, site)
    }

    /// Returns the addresses of the servers, in the order of the origins.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns true if all threads still serve. If not, [`stop`](Self::stop) reports why.
    pub fn is_serving(&self) -> bool {
        !self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Returns the requests so far for resources that the site does not have; see
    /// [`ServersReport::unknown`].
    pub fn unknown(&self) -> Vec<String> {
        (self.unknown)()
    }

    /// Stops all servers. Open connections are dropped without a closing message.
    pub fn stop(mut self) -> ServersReport {
        self.stop.store(true, Ordering::Relaxed);
        let mut report = ServersReport::default();
        for thread in self.threads.drain(..) {
            match thread.join() {
                Ok(part) => report.merge(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        report.unknown = (self.unknown)();
        report
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // Failures are only reported by `stop`.
            let _ = thread.join();
        }
    }
}

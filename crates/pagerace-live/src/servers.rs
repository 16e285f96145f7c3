//! The servers of a whole page: one address for each origin, as on the web.
//!
//! One thread serves all TCP sockets (HTTP/1.1, HTTP/2) and one all UDP sockets
//! (HTTP/3): a testbed has few processors, and the browser wants them. Sockets are
//! opened inside a network namespace if one is given, and stay there.
//!
//! Left out: servers that speak several versions of HTTP on one TCP address by
//! host name, and redirection from port 80.

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
use pagerace_peer::Retransmission;
use pagerace_transport::quic::{Guard, Settings};

pub use crate::ca::{Leaf, LocalCa};
#[cfg(target_os = "linux")]
use crate::link::Namespace;
use crate::site::ServedSite;
use crate::{LiveError, secret_seed};
pub use report::ServersReport;

/// Where there are no namespaces, none can be given.
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub enum Namespace {}

/// One server: who it is, where, and what it speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginServer {
    /// Where it listens.
    pub address: IpAddr,
    /// On which port; 0 takes any free one.
    pub port: u16,
    /// [`Protocol::H1`] offers HTTP/1.1 alone, [`Protocol::H2`] both, over TCP;
    /// [`Protocol::H3`] listens on UDP.
    pub protocol: Protocol,
    /// Names in its certificate.
    pub hosts: Vec<String>,
}

/// How servers serve.
#[derive(Clone, Debug)]
pub struct ServersConfig {
    /// Which response's bytes go next.
    pub strategy: StrategySpec,
    /// When lost bytes are sent again; of HTTP/3.
    pub retransmission: Retransmission,
    /// Congestion controller of QUIC, a name of `pagerace_cc`'s registry.
    pub quic_congestion: String,
    /// UDP payload size of QUIC in bytes, at least 1200.
    pub quic_mtu: u16,
    /// Congestion controller of TCP, a name that the kernel knows; the kernel's
    /// default, or the route's, where `None`. A route that locks its own wins.
    pub tcp_congestion: Option<String>,
    /// HTTP/2's limits.
    pub h2: h2::Config,
    /// HTTP/3's limits.
    pub h3: h3::Config,
    /// TCP connections at once; more are closed as soon as they come.
    pub connections_max: usize,
    /// Limits on clients that the servers do not know; `None` where they know them.
    pub guard: Option<Guard>,
    /// Everything random of QUIC follows from it; on a real network a secret.
    pub seed: u64,
    /// Whether a client that comes back may resume TLS; else each handshake is a
    /// full one, as in the first visit of a simulation.
    pub tickets: bool,
    /// Keep what was sent for [`ServersReport::quic_frames`] and
    /// [`ServersReport::tcp_frames`].
    pub record_frames: bool,
    /// Who signs the certificates.
    pub ca: Arc<LocalCa>,
}

impl ServersConfig {
    /// The strategy `sequential`, QUIC as in
    /// [`Settings::default`], a seed that nobody can guess (0 if the system has no
    /// random bytes to give), no resumption.
    pub fn new(ca: Arc<LocalCa>) -> Self {
        let quic = Settings::default();
        Self {
            strategy: "sequential".parse().expect("it is in the registry"),
            retransmission: Retransmission::default(),
            quic_congestion: quic.congestion,
            quic_mtu: quic.mtu,
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
            record_frames: false,
            ca,
        }
    }
}

/// Servers that serve until they are stopped or dropped.
pub struct Servers {
    addresses: Vec<SocketAddr>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<ServersReport>>,
    unknown: Box<dyn Fn() -> Vec<String> + Send>,
}

impl Servers {
    /// Opens all sockets, in `namespace` if there is one, and begins to serve.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Name`], [`LiveError::Controller`],
    /// [`LiveError::Congestion`], or that sockets or TLS cannot be set up.
    pub fn start<S: ServedSite>(
        namespace: Option<&Namespace>,
        config: &ServersConfig,
        origins: &[OriginServer],
        site: S,
    ) -> Result<Self, LiveError> {
        start::start(namespace, config, origins, site)
    }

    /// Where they listen, in the order of the origins.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Whether all threads still serve; if not, [`stop`](Self::stop) says why.
    pub fn is_serving(&self) -> bool {
        !self.threads.iter().any(JoinHandle::is_finished)
    }

    /// Requests for what the site does not have, so far; see
    /// [`ServersReport::unknown`].
    pub fn unknown(&self) -> Vec<String> {
        (self.unknown)()
    }

    /// Stops all servers; open connections are dropped without a word.
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
            // Whoever drops them does not ask how it went.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests;

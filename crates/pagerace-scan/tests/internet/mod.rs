//! An Internet of its own on loopback addresses: an authority for the DNS, and servers of known
//! behaviour, each kind at addresses of its own. A domain is `NUMBER.KIND.test`.
//!
//! All servers end with the value, and no packet leaves the machine.

#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "this is test code, of which each test uses a part and is a crate of its own"
)]

pub mod asked;
pub mod authority;
pub mod certificate;
pub mod hostile;
pub mod ours;
pub mod path;
pub mod web;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use certificate::Authority;
use pagerace_live::{LocalCa, Servers};
use web::Web;

/// Behaviour of the servers of a kind.
#[derive(Clone, Debug)]
pub enum Server {
    /// Behaves.
    Web(Web),
    /// Nothing listens there.
    Dead,
    /// Misbehaves.
    Hostile(hostile::Hostile),
}

/// A kind of server, and how many addresses it has.
#[derive(Clone, Debug)]
pub struct Kind {
    pub name: &'static str,
    pub addresses: u32,
    pub server: Server,
}

pub fn kind(name: &'static str, addresses: u32, server: Server) -> Kind {
    Kind {
        name,
        addresses,
        server,
    }
}

/// A running Internet.
pub struct Internet {
    pub resolver: SocketAddr,
    pub port: u16,
    /// The certificates of the authorities, in PEM.
    pub ca: String,
    pub log: Arc<authority::Log>,
    pub identities: Arc<certificate::Identities>,
    /// The servers of `pagerace serve`.
    _ours: Vec<Servers>,
    runtime: Option<tokio::runtime::Runtime>,
}

/// The address of a kind's server.
pub fn address(kind: usize, i: u32) -> Ipv4Addr {
    Ipv4Addr::new(127, 60 + kind as u8, (i / 250) as u8, 1 + (i % 250) as u8)
}

impl Internet {
    /// Starts all servers on `threads` threads.
    pub fn start(kinds: Vec<Kind>, threads: usize) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .enable_all()
            .build()
            .unwrap();
        let port = free_port();
        let names: Vec<String> = kinds.iter().map(|k| format!("*.{}.test", k.name)).collect();
        let ca = Authority::new();
        let our_ca = Arc::new(LocalCa::new().unwrap());
        let pem = ca.pem() + &our_ca.certificate_pem();
        let mut ours = Vec::new();
        let guard = runtime.enter();
        let identities = Arc::new(ca.identities(&names));
        for (index, kind) in kinds.iter().enumerate() {
            for i in 0..kind.addresses {
                let at = SocketAddr::new(IpAddr::V4(address(index, i)), port);
                serve(&kind.server, at, &identities);
            }
            if matches!(&kind.server, Server::Web(web) if web.is_ours) {
                let each = (0..kind.addresses).map(|i| IpAddr::V4(address(index, i)));
                ours.push(ours::start(our_ca.clone(), &names[index], each, port));
            }
            if let Server::Web(Web { six: Some(six), .. }) = &kind.server {
                let at = SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), port);
                web::serve(six, at, &identities);
            }
        }
        let (resolver, log) = authority::start(kinds);
        drop(guard);
        Self {
            resolver,
            port,
            ca: pem,
            log,
            identities,
            _ours: ours,
            runtime: Some(runtime),
        }
    }
}

impl Internet {
    /// Puts a server that runs elsewhere on this machine at the first address of a kind.
    pub fn place(&self, kind: usize, server: SocketAddr) {
        let _guard = self.runtime.as_ref().unwrap().enter();
        let at = SocketAddr::new(IpAddr::V4(address(kind, 0)), self.port);
        path::carry(at, server, Duration::ZERO, 0.0);
    }
}

impl Drop for Internet {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

fn serve(server: &Server, at: SocketAddr, identities: &Arc<certificate::Identities>) {
    match server {
        Server::Web(web) => web::serve(web, at, identities),
        Server::Dead => {}
        Server::Hostile(hostile) => hostile::serve(*hostile, at, identities),
    }
}

/// Returns a port that is free for TCP and UDP at all addresses. It lies below those that Linux
/// gives to clients, so that none takes it before the servers do.
fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + (std::process::id() % 200) as u16 * 100;
    let any = Ipv4Addr::UNSPECIFIED;
    (0..100)
        .map(|_| first + NEXT.fetch_add(1, Ordering::Relaxed))
        .find(|port| {
            TcpListener::bind((any, *port)).is_ok() && UdpSocket::bind((any, *port)).is_ok()
        })
        .unwrap()
}

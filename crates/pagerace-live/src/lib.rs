//! The engine over real sockets: the servers that the simulator runs in virtual time, here
//! over UDP (HTTP/3) and TCP (HTTP/1.1, HTTP/2) with real TLS.
//!
//! | module | contents |
//! |---|---|
//! | [`server`] | a UDP socket that serves a [`pagerace_peer::Site`] through a strategy |
//! | [`tcp`] | a server of HTTP/1.1 and HTTP/2 on TCP sockets |
//! | [`probe`] | a script of a probe, played against a real server |
//! | [`site`] | sites from memory or from a folder |
//! | [`replay`] | a recorded page as a site |
//! | [`servers`] | many servers at once, one address for each origin |
//! | [`ca`] | a certificate authority for one run |
//! | `link` | two network namespaces and an emulated link between them (Linux) |
//! | `names` | the DNS server of the live world (Linux) |
//! | [`clock`] | the one place that reads the clock |
//!
//! Each transport uses one thread for all its sockets and one system call per datagram.
//! Pacing and think times are accurate to a fraction of a millisecond on Linux and to a
//! millisecond elsewhere. Left out: ECN, GSO, early data, and path MTU discovery.

pub mod ca;
pub mod clock;
pub mod error;
mod lateness;
#[cfg(target_os = "linux")]
pub mod link;
#[cfg(target_os = "linux")]
pub mod names;
pub mod probe;
pub mod replay;
pub mod server;
pub mod servers;
pub mod site;
mod socket;
pub mod tcp;
mod wait;
#[cfg(target_os = "linux")]
pub mod world;

pub use ca::LocalCa;
pub use clock::Clock;
pub use error::LiveError;
pub use lateness::Lateness;
pub use pagerace_transport::quic::Guard;
pub use replay::ReplaySite;
pub use server::QuicServer;
pub use servers::{OriginServer, Servers, ServersConfig, ServersReport};
pub use site::FolderSite;

/// Returns an unpredictable number for the seed of a live server or client.
///
/// # Errors
/// [`LiveError::Random`]: the operating system provides no random bytes.
pub fn secret_seed() -> Result<u64, LiveError> {
    let mut bytes = [0; 8];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| LiveError::Random)?;
    Ok(u64::from_be_bytes(bytes))
}

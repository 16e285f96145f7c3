//! The engine over real sockets: the same servers and clients that the simulator
//! runs in virtual time, on UDP (HTTP/3) and TCP (HTTP/1.1, HTTP/2), with real TLS.
//!
//! | module | what |
//! |---|---|
//! | [`server`] | a UDP socket that serves a [`pagerace_peer::Site`] through a strategy |
//! | [`client`] | one connection to a server, and [`get`] for a handful of requests |
//! | [`tcp`] | server and client of HTTP/1.1 and HTTP/2 on TCP sockets |
//! | [`site`] | sites from memory or from a folder |
//! | [`clock`] | the one place that reads the clock |
//!
//! Plain and portable: one thread and one socket, one datagram per system call.
//! Left out: pacing below the timer of the socket (some milliseconds; what it
//! delays leaves as a burst that the congestion window bounds), ECN, GSO, and
//! path MTU discovery.

pub mod client;
pub mod clock;
pub mod error;
pub mod server;
pub mod site;
mod socket;
pub mod tcp;

pub use client::{Client, Fetch, Fetched, get};
pub use clock::Clock;
pub use error::LiveError;
pub use server::Server;
pub use site::{FolderSite, MemorySite};

/// A number that nobody can guess, for the seed of a live server or client.
///
/// # Errors
/// [`LiveError::Random`]: the operating system has none to give.
pub fn secret_seed() -> Result<u64, LiveError> {
    let mut bytes = [0; 8];
    let random = rustls::crypto::ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| LiveError::Random)?;
    Ok(u64::from_be_bytes(bytes))
}

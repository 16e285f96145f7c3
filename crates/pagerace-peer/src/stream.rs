//! HTTP/1.1 and HTTP/2 peers over any byte stream.
//!
//! Plaintext in, plaintext out: what carries it is the owner's business. The
//! simulator puts our TLS and TCP below ([`crate::tcp`]), the live world rustls
//! and a socket.
//!
//! The server binds bytes late: each [`StreamServer::poll_output`] is one
//! decision of the strategy, so the owner should ask only when the bytes can leave
//! soon. HTTP/1.1 has one response at a time, so there the strategy has no choice.

mod client;
mod server;
mod tree;

pub use client::{StreamClient, StreamClientConfig, TreeStyle};
pub use server::{Output, StreamServer, StreamServerConfig};

#[cfg(test)]
mod tests;

//! HTTP/1.1 and HTTP/2 peers over any byte stream.
//!
//! Input and output are plaintext, which the owner carries. The simulator uses simulated
//! TLS and TCP ([`crate::tcp`]), and live loads use rustls and a socket.
//!
//! The server binds bytes late: each [`StreamServer::poll_output`] is one decision of the
//! strategy. The owner should therefore call it only when the bytes can leave soon.
//! HTTP/1.1 has one response at a time, so the strategy has no choice there.

mod client;
mod server;
mod tree;

pub use client::{StreamClient, StreamClientConfig, TreeStyle};
pub use server::{Output, Progress, StreamServer, StreamServerConfig};

#[cfg(test)]
mod tests;

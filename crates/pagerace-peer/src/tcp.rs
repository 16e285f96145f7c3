//! HTTP/1.1 and HTTP/2 over our own TLS and TCP: one connection in virtual time.
//!
//! Each end is a [`pagerace_transport::tcp::Connection`] with a
//! [`pagerace_transport::tls::Session`] on it, and a peer of [`crate::stream`] on
//! that. The server writes a record only while TCP asks for bytes (as servers do
//! with `TCP_NOTSENT_LOWAT`), so that what the strategy picks leaves soon;
//! [`Layout`] remembers which response each byte of its TCP stream belongs to.
//!
//! Left out: what belongs to kernels and not to delivery, see the transport; and
//! coalescing of several connections' work on one thread.

mod client;
mod layout;
mod server;

pub use client::{TcpClient, TcpClientConfig};
pub use layout::{Layout, Record, Span};
pub use server::{LEAST_ROOM, RecordEnds, TcpServer, TcpServerConfig};

#[cfg(test)]
mod tests;

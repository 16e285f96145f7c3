//! HTTP/1.1 and HTTP/2 over simulated TLS and TCP: one connection in virtual time.
//!
//! Each end is a [`pagerace_transport::tcp::Connection`] that carries a
//! [`pagerace_transport::tls::Session`], which carries a peer of [`crate::stream`]. The
//! server writes a record only while TCP asks for bytes (as servers do with
//! `TCP_NOTSENT_LOWAT`), so that the strategy's choice leaves soon. [`Layout`] records
//! which response each byte of the server's TCP stream belongs to.
//!
//! Left out: kernel behaviour that does not concern delivery (see the transport), and
//! coalescing of several connections' work on one thread.

mod client;
mod layout;
mod server;

pub use client::{ClientTls, TcpClient, TcpClientConfig};
pub use layout::{Layout, Record, Span};
pub use server::{LEAST_ROOM, RecordEnds, TcpServer, TcpServerConfig};

#[cfg(test)]
mod tests;

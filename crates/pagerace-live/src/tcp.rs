//! HTTP/1.1 and HTTP/2 over kernel sockets and real TLS: the peers of
//! [`pagerace_peer::stream`] on top of rustls and TCP.
//!
//! ALPN selects the protocol: `h2`, else HTTP/1.1. On Linux a server sets
//! `TCP_NOTSENT_LOWAT` and writes one TLS record at a time, or several to a kernel that goes on to
//! take more. The kernel then wakes it only when little is unsent, but takes up to 64 KiB at
//! once, so the strategy decides that much ahead. Elsewhere the kernel's whole send buffer lies
//! between the strategy and the network.
//!
//! Left out: HTTP without TLS, early data, and more than one thread.

mod connection;
mod server;
pub(crate) mod wire;

use std::sync::Arc;

use pagerace_core::Protocol;
use pagerace_transport::quic::keys::{self, Identity};

pub use server::{TlsServer, TlsServerConfig};

use crate::LiveError;

/// ALPN protocol identifiers (RFC 7301; RFC 9113, section 3.2).
pub(crate) const ALPN_H2: &[u8] = b"h2";
pub(crate) const ALPN_H1: &[u8] = b"http/1.1";

/// Returns a TLS configuration for a server with this identity that offers HTTP/2 and
/// HTTP/1.1.
///
/// # Errors
/// [`LiveError::Tls`]: rustls rejects the certificate.
pub fn server_tls(identity: &Identity) -> Result<Arc<rustls::ServerConfig>, LiveError> {
    let config = keys::server_tls(identity.chain(), identity.key(), &[ALPN_H2, ALPN_H1])?;
    Ok(Arc::new(config))
}

/// Returns the protocol that ALPN negotiated.
fn protocol(alpn: Option<&[u8]>) -> Protocol {
    if alpn == Some(ALPN_H2) {
        Protocol::H2
    } else {
        Protocol::H1
    }
}

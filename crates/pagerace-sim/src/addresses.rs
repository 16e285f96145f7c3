//! Addresses of simulated endpoints. Every connection has endpoints of its own, so one
//! pair of addresses serves all.

use std::net::SocketAddr;

/// Name in the certificate, the same for all simulated servers.
pub(crate) const SERVER_NAME: &str = "localhost";

pub(crate) fn client_address() -> SocketAddr {
    ([10, 0, 0, 1], 50_000).into()
}

pub(crate) fn server_address() -> SocketAddr {
    ([10, 0, 0, 2], 443).into()
}

//! Where simulated ends live. Each connection has ends of its own, so one pair
//! of addresses serves all.

use std::net::SocketAddr;

/// The certificate's name; the same for all simulated servers.
pub(crate) const SERVER_NAME: &str = "localhost";

pub(crate) fn client_address() -> SocketAddr {
    ([10, 0, 0, 1], 50_000).into()
}

pub(crate) fn server_address() -> SocketAddr {
    ([10, 0, 0, 2], 443).into()
}

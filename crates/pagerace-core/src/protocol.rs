//! The HTTP versions that Pagerace simulates.

use crate::names;
use serde::{Deserialize, Serialize};

names! {
    /// An HTTP version, including its transport.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Protocol as "protocol" {
        /// HTTP/1.1 over TLS and TCP (RFC 9112): several connections, each with one response at
        /// a time.
        H1 = "h1" | "http/1.1" | "http1.1" | "http/1" | "http1",
        /// HTTP/2 over TLS and TCP (RFC 9113): concurrent responses on one connection.
        H2 = "h2" | "http/2" | "http2",
        /// HTTP/3 over QUIC (RFC 9114).
        H3 = "h3" | "http/3" | "http3",
    }
}

impl Protocol {
    /// Returns true if this version runs over TCP.
    pub const fn is_tcp(self) -> bool {
        matches!(self, Self::H1 | Self::H2)
    }
}

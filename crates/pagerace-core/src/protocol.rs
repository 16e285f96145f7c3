//! The HTTP versions that Pagerace simulates.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// An HTTP version, including its transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1 over TLS and TCP (RFC 9112): several connections, each with one response at
    /// a time.
    H1,
    /// HTTP/2 over TLS and TCP (RFC 9113): concurrent responses on one connection.
    H2,
    /// HTTP/3 over QUIC (RFC 9114).
    H3,
}

impl Protocol {
    /// All versions, oldest first.
    pub const ALL: [Self; 3] = [Self::H1, Self::H2, Self::H3];

    /// Returns the name that users write: `h1`, `h2` or `h3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::H1 => "h1",
            Self::H2 => "h2",
            Self::H3 => "h3",
        }
    }

    /// Returns true if this version runs over TCP.
    pub const fn is_tcp(self) -> bool {
        matches!(self, Self::H1 | Self::H2)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error for a name that belongs to no protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown protocol `{0}`; choose h1, h2 or h3")]
pub struct UnknownProtocol(
    /// The unknown name.
    pub String,
);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        let known = Self::ALL.into_iter().find(|p| p.name() == name);
        known.ok_or_else(|| UnknownProtocol(name.to_owned()))
    }
}

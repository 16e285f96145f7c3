//! The versions of HTTP that can be raced.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A version of HTTP, and with it a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// HTTP/1.1 over TLS and TCP (RFC 9112): one response at a time on each of
    /// several connections.
    H1,
    /// HTTP/2 over TLS and TCP (RFC 9113): many responses on one connection.
    H2,
    /// HTTP/3 over QUIC (RFC 9114).
    H3,
}

impl Protocol {
    /// All of them, oldest first.
    pub const ALL: [Self; 3] = [Self::H1, Self::H2, Self::H3];

    /// As users write it: `h1`, `h2` or `h3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::H1 => "h1",
            Self::H2 => "h2",
            Self::H3 => "h3",
        }
    }

    /// Whether it runs over TCP.
    pub const fn is_tcp(self) -> bool {
        matches!(self, Self::H1 | Self::H2)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No protocol has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no protocol is called `{0}`; there are h1, h2 and h3")]
pub struct UnknownProtocol(
    /// What was written.
    pub String,
);

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        let known = Self::ALL.into_iter().find(|p| p.name() == name);
        known.ok_or_else(|| UnknownProtocol(name.to_owned()))
    }
}

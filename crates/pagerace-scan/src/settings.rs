//! Settings of a scan, with limits that are on by default.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Largest rate of a scan, in domains each second.
pub const RATE_MAX: f64 = 10_000.0;

/// The settings of a scan. Each limit holds unless it is changed; none can be turned off.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Domains that begin each second.
    pub rate: f64,
    /// Connections to one address each second, over all domains.
    pub address_rate: f64,
    /// Domains under way at once.
    pub in_flight: usize,
    /// Time of one step: an answer of the DNS, connect, handshake, response.
    pub timeout: Duration,
    /// Bytes that one connection may receive.
    pub bytes_max: u64,
    /// The port of HTTPS and HTTP/3.
    pub port: u16,
    /// True to connect to addresses that are not of the public Internet.
    pub private_addresses: bool,
    /// The value of `user-agent`.
    pub user_agent: String,
    /// Worker threads.
    pub threads: usize,
}

impl Default for Settings {
    /// Ten domains each second, four connections to an address each second, 1000 domains under
    /// way, 5 s for a step, 128 KiB for a connection.
    fn default() -> Self {
        Self {
            rate: 10.0,
            address_rate: 4.0,
            in_flight: 1000,
            timeout: Duration::from_secs(5),
            bytes_max: 128 * 1024,
            port: 443,
            private_addresses: false,
            user_agent: "pagerace-scan".to_owned(),
            threads: 1,
        }
    }
}

/// The settings that decide what rows say. A journal goes on only with the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decisive {
    pub(crate) timeout_ms: u64,
    pub(crate) bytes_max: u64,
    pub(crate) port: u16,
    pub(crate) private_addresses: bool,
    /// Digest of the roots that judge certificates.
    pub(crate) roots: String,
}

impl Decisive {
    pub(crate) fn new(settings: &Settings, roots: &str) -> Self {
        Self {
            timeout_ms: settings.timeout.as_millis() as u64,
            bytes_max: settings.bytes_max,
            port: settings.port,
            private_addresses: settings.private_addresses,
            roots: roots.to_owned(),
        }
    }
}

//! The limit of a queue in front of a bottleneck.

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

use crate::units::{self, BitRate};

/// The size in bytes of the largest IP packet that a link is expected to carry.
pub const MTU: u64 = 1_500;

/// The limit of a queue, including the packet in service.
///
/// The bandwidth-delay product of a direction is its rate times the round-trip time of
/// the whole network. Sander et al. 2022 size the queues of both directions in this way.
/// The rate is the mean of a recorded trace and the highest rate of a schedule; the
/// round-trip time is the longest of a schedule. The size of a queue does not change
/// during a run, and a queue that is too small for the worst moment would drop packets
/// before the path is full.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum QueueLimit {
    /// A number of packets.
    Packets(u32),
    /// A number of bytes on the wire.
    Bytes(u64),
    /// A multiple of the bandwidth-delay product.
    Bdp {
        /// The multiple.
        multiple: f64,
        /// The resulting limit in bytes; at least two packets of 1,500 bytes, so that
        /// short and slow paths work at all. [`Network`](crate::Network) computes it anew
        /// whenever a network is created.
        bytes: u64,
    },
}

impl QueueLimit {
    /// One bandwidth-delay product, not yet resolved.
    pub(crate) const ONE_BDP: Self = Self::Bdp {
        multiple: 1.0,
        bytes: 0,
    };

    /// The values that [`parse`](Self::parse) accepts.
    pub(crate) const EXPECTED: &str = "a limit such as `1bdp`, `100p` or `64kb`";

    /// Returns true if a packet of `size` bytes fits behind the waiting ones.
    pub fn admits(&self, waiting_packets: u64, waiting_bytes: u64, size: u32) -> bool {
        self.holds(waiting_packets + 1, waiting_bytes + u64::from(size))
    }

    /// Returns true if the numbers of packets and bytes are within the limit.
    pub fn holds(&self, packets: u64, bytes: u64) -> bool {
        match *self {
            Self::Packets(limit) => packets <= u64::from(limit),
            Self::Bytes(limit) | Self::Bdp { bytes: limit, .. } => bytes <= limit,
        }
    }

    /// Returns the limit for a direction of rate `rate`, on a network with round-trip
    /// time `rtt`.
    #[must_use]
    pub fn resolve(self, rate: BitRate, rtt: Duration) -> Self {
        match self {
            Self::Bdp { multiple, .. } => {
                let bytes = (rate.bytes_in(rtt) as f64 * multiple).round() as u64;
                Self::Bdp {
                    multiple,
                    bytes: bytes.max(2 * MTU),
                }
            }
            other => other,
        }
    }

    /// Rejects limits below one full packet.
    pub(crate) fn check(&self) -> Result<(), String> {
        match *self {
            Self::Packets(0) => Err("a queue needs room for one packet".to_owned()),
            Self::Bytes(b) if b < MTU => Err(format!(
                "a queue of {b} bytes has no room for a packet of {MTU}"
            )),
            Self::Bdp { multiple, .. } if !(multiple > 0.0 && multiple <= 1e6) => {
                Err(format!("a queue of {multiple} bdp is not in 0 to 1000000"))
            }
            _ => Ok(()),
        }
    }

    /// Parses `100p`, `64kb` or `1bdp`. The error names the values that are expected.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (number, unit) = units::split(text);
        let limit = match unit.as_str() {
            "p" => number.parse().ok().map(Self::Packets),
            "bdp" => units::parse_number(number).map(|multiple| Self::Bdp { multiple, bytes: 0 }),
            _ => units::parse_bytes(text).map(Self::Bytes),
        };
        let limit = limit.ok_or_else(|| Self::EXPECTED.to_owned())?;
        limit
            .check()
            .map_err(|why| format!("{}; {why}", Self::EXPECTED))?;
        Ok(limit)
    }

    /// Returns a description for people: `25000 bytes (1 BDP)`.
    pub(crate) fn to_human(self) -> String {
        match self {
            Self::Packets(n) => format!("{n} packets"),
            Self::Bytes(n) => format!("{n} bytes"),
            Self::Bdp { multiple, bytes } => format!("{bytes} bytes ({multiple} BDP)"),
        }
    }
}

impl fmt::Display for QueueLimit {
    /// Writes the limit in the syntax of the grammar: `1bdp`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(n) => write!(f, "{n}p"),
            Self::Bytes(n) => write!(f, "{n}b"),
            Self::Bdp { multiple, .. } => write!(f, "{multiple}bdp"),
        }
    }
}

#[cfg(test)]
mod tests;

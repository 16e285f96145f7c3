//! Queue disciplines in front of a bottleneck.
//!
//! Tail drop is first in, first out: a packet that does not fit is refused, and waiting
//! packets stay. `CoDel` and `FQ-CoDel` choose a packet when the bottleneck becomes free,
//! and drop packets that have waited for too long.
//!
//! Left out: explicit congestion notification. `CoDel` always drops where it could mark,
//! because none of the simulated transports sends ECN-capable packets.

mod codel;
mod fifo;
mod fq_codel;
mod limit;

use std::fmt;

use pagerace_core::Duration;
use serde::{Deserialize, Serialize};

pub use self::codel::CodelConfig;
pub use self::fq_codel::FqCodelConfig;
pub use self::limit::{MTU, QueueLimit};

pub(crate) use self::codel::Codel;
pub(crate) use self::fifo::{Fifo, Queued};
pub(crate) use self::fq_codel::FqCodel;

use crate::units::BitRate;

/// The queue in front of a bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queue {
    /// Controlled delay (RFC 8289).
    Codel(CodelConfig),
    /// One queue per flow, each with controlled delay (RFC 8290).
    FqCodel(FqCodelConfig),
    /// First in, first out, up to a limit.
    #[serde(untagged)]
    TailDrop(QueueLimit),
}

impl Queue {
    /// Tail drop with a limit of one bandwidth-delay product, not yet resolved.
    pub(crate) const ONE_BDP: Self = Self::TailDrop(QueueLimit::ONE_BDP);

    /// Returns the limit of the queue.
    pub fn limit(&self) -> QueueLimit {
        match self {
            Self::Codel(codel) => codel.limit,
            Self::FqCodel(fq) => fq.codel.limit,
            Self::TailDrop(limit) => *limit,
        }
    }

    /// Returns the queue with its limit resolved by [`QueueLimit::resolve`].
    #[must_use]
    pub fn resolve(mut self, rate: BitRate, rtt: Duration) -> Self {
        let limit = self.limit_mut();
        *limit = limit.resolve(rate, rtt);
        self
    }

    /// Returns the limit, to change it.
    pub(crate) fn limit_mut(&mut self) -> &mut QueueLimit {
        match self {
            Self::Codel(codel) => &mut codel.limit,
            Self::FqCodel(fq) => &mut fq.codel.limit,
            Self::TailDrop(limit) => limit,
        }
    }

    /// Rejects limits below one full packet and invalid parameters.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Codel(codel) => codel.check(),
            Self::FqCodel(fq) => fq.check(),
            Self::TailDrop(limit) => limit.check(),
        }
    }

    /// Returns a description for people: `a queue of 25000 bytes (1 BDP)`.
    pub(crate) fn to_human(self) -> String {
        let limit = self.limit().to_human();
        match self {
            Self::Codel(c) => format!("a CoDel queue{} of at most {limit}", c.control_for_people()),
            Self::FqCodel(fq) => format!(
                "FQ-CoDel queues{} of at most {limit} together",
                fq.codel.control_for_people()
            ),
            Self::TailDrop(_) => format!("a queue of {limit}"),
        }
    }
}

impl From<QueueLimit> for Queue {
    fn from(limit: QueueLimit) -> Self {
        Self::TailDrop(limit)
    }
}

impl fmt::Display for Queue {
    /// Writes the queue in the syntax of the grammar: `1bdp`, `codel target 10ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codel(codel) => write!(f, "codel{codel}"),
            Self::FqCodel(fq) => write!(f, "fq-codel{fq}"),
            Self::TailDrop(limit) => limit.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;

//! What the browser wants of the network.

use pagerace_core::Priority;
use pagerace_page::ResourceId;

/// Something the network side has to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Request the resource, with this priority signal.
    Fetch {
        /// Which.
        resource: ResourceId,
        /// What the request signals (RFC 9218).
        priority: Priority,
    },
    /// Change the priority of a request that was made (`PRIORITY_UPDATE`).
    Reprioritise {
        /// Which.
        resource: ResourceId,
        /// The new signal.
        priority: Priority,
    },
}

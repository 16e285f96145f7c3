//! Instructions of the browser to the network.

use pagerace_core::Priority;
use pagerace_page::ResourceId;

/// An action that the network side performs now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Requests the resource with this priority signal.
    Fetch {
        /// The resource to request.
        resource: ResourceId,
        /// The priority signal of the request (RFC 9218).
        priority: Priority,
    },
    /// Looks up the name of the resource's host. The request follows.
    LookUp {
        /// The resource that will be requested.
        resource: ResourceId,
    },
    /// Connects to the resource's origin. The request may follow.
    Connect {
        /// The resource that would be requested.
        resource: ResourceId,
    },
    /// Gives up an earlier request, of which nothing more is reported.
    Cancel {
        /// The resource of the request.
        resource: ResourceId,
    },
    /// Changes the priority of an earlier request (`PRIORITY_UPDATE`).
    Reprioritise {
        /// The resource of the request.
        resource: ResourceId,
        /// The new signal.
        priority: Priority,
    },
}

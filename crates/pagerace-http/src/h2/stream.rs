//! One stream: which sides are open, its windows, and its message.
//!
//! Source: RFC 9113, section 5.1. A stream that is not there is idle or closed.

use bytes::Bytes;

use super::flow::{ReceiveWindow, SendWindow};
use super::inbound::Inbound;

/// A stream that is open or half closed.
#[derive(Debug)]
pub(super) struct Stream {
    /// The message that the peer sends.
    pub(super) inbound: Inbound,
    /// Whether the peer has ended its side.
    pub(super) remote_closed: bool,
    /// Whether we have ended ours.
    pub(super) local_closed: bool,
    pub(super) receive: ReceiveWindow,
    pub(super) send: SendWindow,
    /// On a client, what is left of the request's content.
    pub(super) body: Bytes,
}

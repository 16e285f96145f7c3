//! State of one stream: its half-closed flags, windows and message.
//!
//! Source: RFC 9113, section 5.1. A stream without an entry is idle or closed.

use bytes::Bytes;

use super::flow::{ReceiveWindow, SendWindow};
use crate::message::Progress;

/// A stream that is open or half closed.
#[derive(Debug)]
pub(super) struct Stream {
    /// The message that the peer sends.
    pub(super) inbound: Progress,
    /// True if the peer has ended its side.
    pub(super) remote_closed: bool,
    /// True if this end has ended its side.
    pub(super) local_closed: bool,
    pub(super) receive: ReceiveWindow,
    pub(super) send: SendWindow,
    /// On a client, the rest of the request's content.
    pub(super) body: Bytes,
}

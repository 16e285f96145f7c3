//! Packets as they were sealed and opened, for logs.

use pagerace_core::Instant;
use pagerace_transport::quic::PacketRecord;

/// Which end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The browser's end.
    Client,
    /// The server's end.
    Server,
}

/// A packet that one end sealed or opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedPacket {
    /// When.
    pub at: Instant,
    /// Which connection, by order of opening.
    pub connection: u32,
    /// Which end.
    pub side: Side,
    /// What it held.
    pub packet: PacketRecord,
}

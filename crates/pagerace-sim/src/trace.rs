//! Log entries for packets as they were sealed and opened.

use pagerace_core::Instant;
use pagerace_transport::quic::PacketRecord;

/// End of a connection.
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
    /// Time of sealing or opening.
    pub at: Instant,
    /// Number of the connection, in order of opening.
    pub connection: u32,
    /// End that sealed or opened the packet.
    pub side: Side,
    /// Contents of the packet.
    pub packet: PacketRecord,
}

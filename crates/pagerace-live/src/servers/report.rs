//! The report of servers that have stopped.

use pagerace_peer::SentFrame;
use pagerace_peer::server::ServerStats;

/// Counters and failures of servers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServersReport {
    /// Requests for resources that the site does not have: each once, in the form
    /// `GET https://host/path`.
    pub unknown: Vec<String>,
    /// Number of accepted TCP connections.
    pub tcp_connections: u64,
    /// Sums over all QUIC connections.
    pub quic: ServerStats,
    /// Frames sent over TCP, if recorded.
    pub tcp_frames: Vec<SentFrame>,
    /// Frames sent over QUIC, if recorded.
    pub quic_frames: Vec<SentFrame>,
    /// Reasons why servers ended before they were stopped.
    pub failures: Vec<String>,
}

impl ServersReport {
    pub(super) fn merge(&mut self, mut other: Self) {
        self.unknown.append(&mut other.unknown);
        self.tcp_connections += other.tcp_connections;
        self.quic.packets_sent += other.quic.packets_sent;
        self.quic.packets_lost += other.quic.packets_lost;
        self.quic.retransmitted_bytes += other.quic.retransmitted_bytes;
        self.tcp_frames.append(&mut other.tcp_frames);
        self.quic_frames.append(&mut other.quic_frames);
        self.failures.append(&mut other.failures);
    }
}

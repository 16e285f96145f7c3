//! The report of servers that have stopped.

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
        self.failures.append(&mut other.failures);
    }
}

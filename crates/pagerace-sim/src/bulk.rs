//! Large transfers, each over one connection: what transports and congestion
//! controllers do without a page, alone or side by side.

mod transfer;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_net::Network;
use pagerace_transport::tls;
use serde::{Deserialize, Serialize};

use self::transfer::Transfers;
use crate::{ScenarioError, TransportSettings};

/// A transfer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BulkScenario {
    /// Bytes of the response's body.
    pub bytes: u64,
    /// Over which network.
    pub network: Network,
    /// In which version of HTTP.
    pub protocol: Protocol,
    /// The server's congestion controller.
    pub congestion: String,
    /// Largest UDP payload of QUIC, in bytes.
    pub quic_mtu: u16,
    /// TLS of TCP connections.
    pub tcp_tls: tls::Version,
    /// Virtual time after which it is given up.
    pub deadline: Duration,
}

/// One of several transfers that share a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Bytes of the response's body.
    pub bytes: u64,
    /// In which version of HTTP.
    pub protocol: Protocol,
    /// The server's congestion controller.
    pub congestion: String,
    /// When its connection is opened.
    pub starts_at: Duration,
}

/// How a transfer went.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BulkOutcome {
    /// The connection was set up and the request could leave.
    pub connect: Duration,
    /// The last body byte arrived (or the transfer was given up).
    pub finished_at: Instant,
    /// Body bytes that arrived.
    pub bytes: u64,
    /// Bytes the server put on the wire, IP headers and lost packets included.
    pub bytes_down: u64,
    /// Bytes the client put on the wire, likewise.
    pub bytes_up: u64,
    /// Packets the server sent.
    pub packets_sent: u64,
    /// Packets the server declared lost.
    pub packets_lost: u64,
    /// Bytes the server sent again.
    pub retransmitted_bytes: u64,
    /// Packets the downlink's queue dropped.
    pub queue_drops: u64,
    /// Body bytes that arrived in each span of [`BULK_INTERVAL`], from the start.
    pub arrived: Vec<u64>,
    /// The server's congestion window in bytes, once in each interval.
    pub window: Vec<u64>,
    /// Bytes that wait for the bottleneck, once in each interval.
    pub queued: Vec<u64>,
    /// Why it did not finish, if it did not.
    pub failure: Option<String>,
}

/// The step of a transfer's series.
pub const BULK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs a transfer alone. The same arguments give the same outcome.
///
/// # Errors
/// The scenario names an unknown controller. A transfer that does not finish
/// is no error but a [`BulkOutcome::failure`].
pub fn run_bulk(scenario: &BulkScenario, seed: u64) -> Result<BulkOutcome, ScenarioError> {
    let flow = Flow {
        bytes: scenario.bytes,
        protocol: scenario.protocol,
        congestion: scenario.congestion.clone(),
        starts_at: Duration::ZERO,
    };
    let transport = TransportSettings {
        quic_mtu: scenario.quic_mtu,
        tcp_tls: scenario.tcp_tls,
        ..TransportSettings::default()
    };
    let network = &scenario.network;
    let outcomes = run_flows(&[flow], network, &transport, scenario.deadline, seed)?;
    Ok(outcomes.into_iter().next().expect("one flow, one outcome"))
}

/// Runs transfers side by side over the same two links; their outcomes in the
/// same order. Each flow has a controller of its own, whatever `transport` says.
///
/// # Errors
/// As [`run_bulk`].
pub fn run_flows(
    flows: &[Flow],
    network: &Network,
    transport: &TransportSettings,
    deadline: Duration,
    seed: u64,
) -> Result<Vec<BulkOutcome>, ScenarioError> {
    let mut transfers = Transfers::new(flows, network, transport, seed);
    transfers.run(deadline)?;
    Ok(transfers.finish())
}

#[cfg(test)]
mod tests;

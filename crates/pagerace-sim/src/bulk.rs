//! Bulk transfers, each over one connection, alone or side by side. They show transports
//! and congestion controllers without a page.

mod transfer;

use pagerace_core::{Duration, Instant, Protocol};
use pagerace_net::Network;
use serde::{Deserialize, Serialize};

use self::transfer::Transfers;
use crate::event_loop::Record;
use crate::{Ledger, LoadSettings, ScenarioError};

/// A bulk transfer that runs alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BulkScenario {
    /// Length of the response body in bytes.
    pub bytes: u64,
    /// The network that the transfer runs over.
    pub network: Network,
    /// HTTP version of the connection.
    pub protocol: Protocol,
    /// The server's congestion controller.
    pub congestion: String,
    /// Settings of the connection.
    pub settings: LoadSettings,
}

impl BulkScenario {
    fn flow(&self) -> Flow {
        Flow {
            bytes: self.bytes,
            protocol: self.protocol,
            congestion: self.congestion.clone(),
            starts_at: Duration::ZERO,
        }
    }
}

/// One of several transfers that share a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// Length of the response body in bytes.
    pub bytes: u64,
    /// HTTP version of the connection.
    pub protocol: Protocol,
    /// The server's congestion controller.
    pub congestion: String,
    /// Time at which the connection is opened.
    pub starts_at: Duration,
}

/// Result of a transfer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BulkOutcome {
    /// Time from the opening of the connection until the request could leave.
    pub connect: Duration,
    /// Time at which the last body byte arrived, or at which the transfer failed or was
    /// given up.
    pub finished_at: Instant,
    /// Body bytes that arrived.
    pub bytes: u64,
    /// Bytes that the server put on the wire, including IP headers and lost packets.
    pub bytes_down: u64,
    /// Bytes that the client put on the wire, counted likewise.
    pub bytes_up: u64,
    /// Packets that the server sent.
    pub packets_sent: u64,
    /// Packets that the server declared lost.
    pub packets_lost: u64,
    /// Bytes that the server sent again.
    pub retransmitted_bytes: u64,
    /// Packets that the downlink's queue dropped.
    pub queue_drops: u64,
    /// Body bytes that arrived in each interval of [`BULK_INTERVAL`], from time zero.
    pub arrived: Vec<u64>,
    /// The server's congestion window in bytes at the end of each interval.
    pub window: Vec<u64>,
    /// Bytes waiting for the downlink's bottleneck at the end of each interval.
    pub queued: Vec<u64>,
    /// Reason why the transfer did not finish, if it did not.
    pub failure: Option<String>,
}

/// Sampling interval of the series in [`BulkOutcome`].
pub const BULK_INTERVAL: Duration = Duration::from_millis(100);

/// Runs a transfer alone. The same arguments give the same outcome.
///
/// # Errors
/// Returns an error if the scenario names an unknown controller. A transfer that does not
/// finish is not an error: see [`BulkOutcome::failure`].
pub fn run_bulk(scenario: &BulkScenario, seed: u64) -> Result<BulkOutcome, ScenarioError> {
    let outcomes = run_flows(
        &[scenario.flow()],
        &scenario.network,
        &scenario.settings,
        seed,
    )?;
    Ok(outcomes.into_iter().next().expect("one flow, one outcome"))
}

/// Runs transfers side by side over the same two links, and returns their outcomes in the
/// order of `flows`.
///
/// # Errors
/// Returns the errors of [`run_bulk`], and an error if real TLS cannot be set up.
pub fn run_flows(
    flows: &[Flow],
    network: &Network,
    settings: &LoadSettings,
    seed: u64,
) -> Result<Vec<BulkOutcome>, ScenarioError> {
    let mut transfers = Transfers::new(flows, network, settings, seed, Record::Nothing)?;
    transfers.run()?;
    Ok(transfers.finish())
}

/// Runs transfers as [`run_flows`] does, and also returns the ledger of their packets.
///
/// # Errors
/// Returns the errors of [`run_flows`].
pub fn run_flows_with_ledger(
    flows: &[Flow],
    network: &Network,
    settings: &LoadSettings,
    seed: u64,
) -> Result<(Vec<BulkOutcome>, Ledger), ScenarioError> {
    let mut transfers = Transfers::new(flows, network, settings, seed, Record::Wire)?;
    transfers.run()?;
    let ledger = transfers.ledger();
    Ok((transfers.finish(), ledger))
}

#[cfg(test)]
mod tests;

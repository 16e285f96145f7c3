//! Simulation of page loads in virtual time. A scenario and a seed determine the outcome.
//!
//! Components and the data flow between them:
//!
//! ```text
//! Browser --fetch--> Pool --> Client ==packets==> uplink   ==> Server <-- PageSite
//!    ^                          |                                |
//!    +------- bytes ------------+ <==packets== downlink <========+ Strategy
//! ```
//!
//! All connections share the two links, as all connections of a household or a phone
//! share its access link. The `event_loop` module moves packets and time.
//!
//! Not modelled: cross traffic, different paths to different servers (their recorded
//! distance is left out, their think time kept), ECN, path MTU discovery, connection
//! migration, and lost name lookups.

mod addresses;
mod alarm;
pub mod bulk;
mod changed;
mod connector;
pub mod counterfactual;
mod ends;
mod event_loop;
pub mod explain;
mod ids;
pub mod ledger;
pub mod outcome;
mod page_load;
mod pool;
pub mod protocols;
pub mod recording;
pub mod reliability;
pub mod scenario;
mod site;
mod timing;
mod trace;
pub mod visit;
mod wire;
pub mod world;

use changed::Changed;
use event_loop::Record;
use page_load::PageLoad;

pub use bulk::{
    BULK_INTERVAL, BulkOutcome, BulkScenario, Flow, run_bulk, run_flows, run_flows_with_ledger,
};
pub use counterfactual::Counterfactuals;
pub use explain::{Explainable, Explained, Part, Parts, Step, explain};
pub use ledger::Ledger;
pub use outcome::{
    FrameSent, HolGap, Outcome, PacketDrop, ResourceTiming, Trace, TransportCounters,
};
pub use pagerace_delivery::reliability::ReliabilitySpec;
pub use pagerace_peer::settings::{CERTIFICATES, QUIC_MTU};
pub use pagerace_peer::tcp::RecordEnds;
pub use pagerace_peer::{
    Connections, EarlyData, H3Discovery, LoadSettings, NameLookup, OriginRtt, Reprioritisation,
    Retransmission,
};
pub use pagerace_transport::tls::Version as TlsVersion;
pub use pool::distances;
pub use protocols::{ProtocolMap, ProtocolMapError};
pub use recording::{fit, reproduce};
pub use reliability::{ObjectDelivery, ObjectNeed, ObjectState};
pub use scenario::Scenario;
pub use trace::{LoggedPacket, Side};
pub use visit::Visit;
pub use world::World;

/// Error of a scenario that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The congestion controller does not exist.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// Real TLS was requested for a resumed or warm visit, which it does not support.
    #[error(
        "real TLS supports cold visits only; use modelled keys for resumed and warm ones (packet \
         sizes are the same)"
    )]
    RealResumption,
    /// The load did not reach the metric.
    #[error("the load has no {metric} to explain: {failure}")]
    NoMetric {
        /// Name of the metric.
        metric: &'static str,
        /// Reason why the metric is missing.
        failure: String,
    },
    /// Real TLS was requested from a build without it.
    #[error(
        "this build has no real TLS; use modelled keys, or build Pagerace with its default features"
    )]
    NoTls,
    /// Real TLS could not be set up.
    #[cfg(feature = "tls")]
    #[error(transparent)]
    Tls(#[from] pagerace_transport::quic::keys::TlsError),
    /// The client of a connection could not be set up.
    #[error(transparent)]
    Client(#[from] pagerace_peer::client::ClientError),
}

/// Loads the page once. The same arguments give the same outcome, byte for byte, on any
/// machine.
///
/// If `record` is true, the outcome includes [`Outcome::trace`].
///
/// # Errors
/// Returns an error if the scenario cannot be run. A load that does not finish is not an
/// error: see [`Outcome::failure`].
pub fn run(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, ScenarioError> {
    let record = if record {
        Record::Wire
    } else {
        Record::Nothing
    };
    let changed = Changed::new(scenario);
    let load = PageLoad::run(changed.scenario(), seed, record)?;
    Ok(changed.restore(load.finish().0))
}

/// Loads the page as [`run`] does with `record`, and also returns the packets that
/// clients and servers sealed or opened, in that order in time. The log lacks the
/// server's side of each connection's first packet, which the server opens before the
/// connection exists.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn run_logged(
    scenario: &Scenario,
    seed: u64,
) -> Result<(Outcome, Vec<LoggedPacket>), ScenarioError> {
    let changed = Changed::new(scenario);
    let (outcome, packets) = PageLoad::run(changed.scenario(), seed, Record::Packets)?.finish();
    Ok((changed.restore(outcome), packets))
}

/// Loads the page as [`run`] does with `record`, and also returns the ledger of its packets.
///
/// # Errors
/// Returns the errors of [`run`].
pub fn run_with_ledger(scenario: &Scenario, seed: u64) -> Result<(Outcome, Ledger), ScenarioError> {
    let mut load = PageLoad::run(scenario, seed, Record::Wire)?;
    let ledger = load.ledger();
    Ok((load.finish().0, ledger))
}

//! A scenario and a seed in, an outcome out, in virtual time.
//!
//! The pieces and how they meet:
//!
//! ```text
//! Browser --fetch--> Pool --> Client ==packets==> uplink   ==> Server <-- PageSite
//!    ^                          |                                |
//!    +------- bytes ------------+ <==packets== downlink <========+ Strategy
//! ```
//!
//! All connections share the two links, as all connections of a home or a
//! phone share its access link. `world` is the loop that moves time.
//!
//! Not modelled: cross traffic, paths that differ between servers (their
//! recorded distance is left out, their think time kept), ECN, path MTU
//! discovery, connection migration, lost name look-ups.

mod addresses;
mod alarm;
pub mod bulk;
pub mod counterfactual;
mod ends;
pub mod explain;
pub mod objects;
pub mod outcome;
mod pool;
pub mod protocols;
pub mod recording;
pub mod scenario;
mod site;
mod timing;
mod trace;
pub mod visit;
mod wire;
mod world;

pub use bulk::{BULK_INTERVAL, BulkOutcome, BulkScenario, Flow, run_bulk, run_flows};
pub use counterfactual::{Counterfactuals, paint_critical};
pub use explain::{Explainable, Explained, Part, Parts, Step, explain};
pub use objects::{ObjectDelivery, ObjectNeed, ObjectState};
pub use outcome::{
    FrameSent, HolGap, Outcome, PacketDrop, ResourceTiming, Trace, TransportCounters,
};
pub use pagerace_delivery::reliability::ReliabilitySpec;
pub use pagerace_peer::Retransmission;
pub use pagerace_peer::tcp::RecordEnds;
pub use pagerace_transport::tls::Version as TlsVersion;
pub use protocols::{ProtocolMap, ProtocolMapError};
pub use recording::{fit_paints, reproduce};
pub use scenario::{Connections, NameLookup, Reprioritisation, Scenario, TransportSettings};
pub use trace::{LoggedPacket, Side};
pub use visit::{EarlyData, Visit};

/// A scenario that cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// There is no such congestion controller.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// Real TLS knows no earlier visit.
    #[error(
        "real TLS is there for cold visits only; for resumed and warm ones use modelled keys, \
         which have the same sizes"
    )]
    RealResumption,
    /// A load has no such metric.
    #[error("the load has no {metric} to explain: {failure}")]
    NoMetric {
        /// Which.
        metric: &'static str,
        /// Why not.
        failure: String,
    },
    /// Real TLS was asked for and could not be set up.
    #[error(transparent)]
    Tls(#[from] pagerace_transport::quic::keys::TlsError),
    /// A client could not be set up.
    #[error(transparent)]
    Client(#[from] pagerace_peer::client::ClientError),
}

/// Loads the page once. The same arguments give the same outcome, byte for
/// byte, on any machine.
///
/// `record` asks for [`Outcome::trace`].
///
/// # Errors
/// The scenario names something that does not exist. A load that does not
/// finish is no error but an [`Outcome::failure`].
pub fn run(scenario: &Scenario, seed: u64, record: bool) -> Result<Outcome, ScenarioError> {
    let mut world = world::World::new(scenario, seed, record, false)?;
    world.run()?;
    Ok(world.finish().0)
}

/// As [`run`] with `record`, and the packets that servers and clients sealed or
/// opened, in the order in which that happened. Left out is each connection's
/// first packet as the server opened it, which belongs to no connection yet.
///
/// # Errors
/// As [`run`].
pub fn run_logged(
    scenario: &Scenario,
    seed: u64,
) -> Result<(Outcome, Vec<LoggedPacket>), ScenarioError> {
    let mut world = world::World::new(scenario, seed, true, true)?;
    world.run()?;
    Ok(world.finish())
}

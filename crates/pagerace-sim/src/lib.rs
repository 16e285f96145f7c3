//! A scenario and a seed in, an outcome out, in virtual time.

pub mod outcome;
pub mod scenario;

pub use outcome::{
    FrameSent, HolGap, Outcome, PacketDrop, ResourceTiming, Trace, TransportCounters,
};
pub use scenario::{Connections, Retransmission, Scenario, TransportSettings};

/// Loads the page once. The same arguments give the same outcome, byte for
/// byte, on any machine.
///
/// `record` asks for [`Outcome::trace`].
pub fn run(_scenario: &Scenario, _seed: u64, _record: bool) -> Outcome {
    unimplemented!()
}

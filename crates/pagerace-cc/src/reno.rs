//! Reno as specified by RFC 9002, section 7 and appendix B: the rules of RFC
//! 5681, with one window reduction for all losses of a round trip.
//!
//! Deviation: congestion avoidance counts whole packets (RFC 3465's byte
//! counting), whereas appendix B adds a rounded-down share of a packet for each
//! acknowledgement. The rounding falls behind the rule of one packet per round
//! trip that section 7.3.3 sets.
//!
//! Left out: the reaction of the Reno of 1990 to several losses in one window
//! (it halved the window for each of them, or waited for its timer). Loss
//! detection and retransmission belong to the transport here, and both
//! transports know from selective acknowledgements which packets are missing.

use crate::loss_based::Law;

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reno;

impl Law for Reno {}

#[cfg(test)]
mod tests;

//! Tahoe: slow start, congestion avoidance, and a return to slow start after
//! every loss, as in Jacobson's "Congestion Avoidance and Control" (SIGCOMM
//! 1988) and 4.3BSD-Tahoe.
//!
//! Deviation: the initial window is ten packets and the minimum two (RFC 9002,
//! section 7.2), whereas both were one in 1988. Only lost data is
//! retransmitted, whereas Tahoe went back to the first loss and retransmitted
//! everything after it.

use crate::aimd::Aimd;
use crate::loss_based::{Law, LossEvent};

/// Returns to slow start after every loss.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tahoe;

impl Law for Tahoe {
    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new {
            aimd.set_ssthresh(aimd.window() / 2);
            aimd.collapse();
        }
    }
}

#[cfg(test)]
mod tests;

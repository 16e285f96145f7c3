//! The part that loss-based controllers share: a window that acknowledgements open, and
//! that each congestion event and each timeout reduces.

use std::fmt;

use pagerace_core::Instant;

use crate::aimd::Aimd;
use crate::flight::Flight;
use crate::recovery::Recovery;
use crate::{Ack, Controller};

/// A controller whose window follows a law of growth and reduction.
#[derive(Clone, Debug)]
pub(crate) struct LossBased<L> {
    pub(crate) aimd: Aimd,
    pub(crate) law: L,
    recovery: Recovery,
    flight: Flight,
}

/// Losses, with their place in the congestion events of the connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LossEvent {
    pub(crate) now: Instant,
    /// True if the losses begin a congestion event, which reduces the window. False if
    /// they belong to the last one.
    pub(crate) is_new: bool,
    /// As in [`Controller::on_congestion`].
    pub(crate) persistent: bool,
    /// Bytes in flight before the losses.
    pub(crate) outstanding: u64,
}

/// The law by which a loss-based controller changes its window. The defaults are Reno's.
pub(crate) trait Law: Clone + fmt::Debug + Default + Send + Sync + 'static {
    /// Called when a packet is sent while nothing is in flight.
    fn on_idle_end(&mut self, _now: Instant) {}

    /// Called when a packet is acknowledged. `in_recovery` is true if it was sent before
    /// recovery began.
    fn on_ack(&mut self, aimd: &mut Aimd, ack: &Ack, in_recovery: bool) {
        // RFC 9002, section 7.8: an underutilised window does not grow.
        if !in_recovery && !ack.app_limited {
            aimd.grow(ack.bytes);
        }
    }

    /// Called at the end of an acknowledgement that leaves `in_flight` bytes.
    fn on_ack_end(&mut self, _aimd: &mut Aimd, _in_flight: u64) {}

    /// As [`Controller::on_lost_in_recovery`].
    fn on_lost_in_recovery(&mut self, _: &mut Aimd, _now: Instant, _outstanding: u64) -> bool {
        false
    }

    /// Called when packets are declared lost. If the losses are persistent, the window
    /// is reduced to the minimum afterwards.
    fn on_loss(&mut self, aimd: &mut Aimd, event: &LossEvent) {
        if event.is_new {
            aimd.reduce(aimd.window() / 2);
        }
    }
}

impl<L: Law> LossBased<L> {
    /// Creates the controller in its state at the start of a connection.
    pub(crate) fn new(mtu: u16) -> Self {
        Self {
            aimd: Aimd::new(mtu),
            law: L::default(),
            recovery: Recovery::default(),
            flight: Flight::default(),
        }
    }
}

impl<L: Law> Controller for LossBased<L> {
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        if self.flight.is_empty() {
            self.law.on_idle_end(now);
        }
        self.flight.handle_sent(bytes);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.flight.handle_settled(ack.bytes);
        let in_recovery = self.recovery.on_ack(ack);
        self.law.on_ack(&mut self.aimd, ack, in_recovery);
    }

    fn on_ack_end(&mut self, _now: Instant, in_flight: u64) {
        self.flight.set(in_flight);
        self.law.on_ack_end(&mut self.aimd, in_flight);
    }

    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool) {
        let event = LossEvent {
            now,
            is_new: self.recovery.on_congestion(now, sent_at, persistent),
            persistent,
            outstanding: self.flight.bytes().max(lost_bytes),
        };
        self.flight.handle_settled(lost_bytes);
        self.law.on_loss(&mut self.aimd, &event);
        if persistent {
            self.aimd.collapse();
        }
    }

    fn on_lost_in_recovery(&mut self, now: Instant, outstanding: u64) -> bool {
        let again = self
            .law
            .on_lost_in_recovery(&mut self.aimd, now, outstanding);
        if again {
            self.recovery.on_congestion(now, now, false);
        }
        again
    }

    fn window(&self) -> u64 {
        self.aimd.window()
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.aimd.set_mtu(mtu);
    }

    fn ssthresh(&self) -> Option<u64> {
        self.aimd.ssthresh()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

//! The additive-increase, multiplicative-decrease window of the early TCPs, on
//! which several controllers build.

use pagerace_core::Duration;

use crate::{initial_window, minimum_window, mul_div};

/// A window and its slow start threshold, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Aimd {
    mtu: u16,
    window: u64,
    ssthresh: Option<u64>,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    acked: u64,
}

impl Aimd {
    /// Creates the window in its state at the start of a connection.
    pub(crate) fn new(mtu: u16) -> Self {
        Self {
            mtu,
            window: initial_window(mtu),
            ssthresh: None,
            acked: 0,
        }
    }

    pub(crate) fn mtu(&self) -> u64 {
        u64::from(self.mtu)
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    /// The minimum window.
    pub(crate) fn minimum(&self) -> u64 {
        minimum_window(self.mtu)
    }

    /// The bytes of the window that correspond to `part` of the time `whole`.
    pub(crate) fn share(&self, part: Duration, whole: Duration) -> u64 {
        mul_div(self.window, part.as_nanos(), whole.as_nanos())
    }

    pub(crate) fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }

    pub(crate) fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh)
    }

    /// Grows the window as Reno does for `bytes` acknowledged bytes.
    pub(crate) fn grow(&mut self, bytes: u64) {
        if self.in_slow_start() {
            self.slow_start(bytes);
        } else {
            self.avoid(bytes, self.window);
        }
    }

    /// Grows the window by the acknowledged bytes (RFC 9002, section 7.3.1).
    pub(crate) fn slow_start(&mut self, bytes: u64) {
        self.window += bytes;
    }

    /// Grows the window by one packet per `every` acknowledged bytes. If `every`
    /// is the window, this is the congestion avoidance of RFC 9002, section 7.3.3.
    pub(crate) fn avoid(&mut self, bytes: u64, every: u64) {
        self.acked += bytes;
        if self.acked >= every {
            self.acked -= every;
            self.window += self.mtu();
        }
    }

    /// Sets the window, which is at least the minimum window.
    pub(crate) fn set(&mut self, window: u64) {
        self.window = window.max(self.minimum());
        self.acked = 0;
    }

    /// Sets the threshold, which is at least the minimum window.
    pub(crate) fn set_ssthresh(&mut self, ssthresh: u64) {
        self.ssthresh = Some(ssthresh.max(self.minimum()));
    }

    /// Sets both window and threshold, which ends slow start.
    pub(crate) fn reduce(&mut self, window: u64) {
        self.set(window);
        self.ssthresh = Some(self.window);
    }

    /// Reduces the window to the minimum after persistent congestion (RFC 9002,
    /// section 7.6.2) or a timeout (RFC 5681, section 3.1).
    pub(crate) fn collapse(&mut self) {
        self.set(0);
    }

    /// Sets the maximum packet size.
    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(self.minimum());
    }
}

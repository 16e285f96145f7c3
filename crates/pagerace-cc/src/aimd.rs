//! A window that grows as TCP's first ones do: slow start, then a packet now
//! and then. What several controllers build on.

use crate::{initial_window, minimum_window};

/// A window and its threshold, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Aimd {
    mtu: u16,
    window: u64,
    ssthresh: Option<u64>,
    /// Bytes acknowledged since the window last grew in congestion avoidance.
    acked: u64,
}

impl Aimd {
    /// At the beginning of a connection.
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

    pub(crate) fn ssthresh(&self) -> Option<u64> {
        self.ssthresh
    }

    pub(crate) fn in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh)
    }

    /// Reno's growth by `bytes` acknowledged.
    pub(crate) fn grow(&mut self, bytes: u64) {
        if self.in_slow_start() {
            self.slow_start(bytes);
        } else {
            self.avoid(bytes, self.window);
        }
    }

    /// RFC 9002, section 7.3.1: as much as is acknowledged.
    pub(crate) fn slow_start(&mut self, bytes: u64) {
        self.window += bytes;
    }

    /// A packet for each `every` bytes acknowledged; with a window of bytes,
    /// this is the congestion avoidance of RFC 9002, section 7.3.3.
    pub(crate) fn avoid(&mut self, bytes: u64, every: u64) {
        self.acked += bytes;
        if self.acked >= every {
            self.acked -= every;
            self.window += self.mtu();
        }
    }

    /// Sets the window, but not below the least.
    pub(crate) fn set(&mut self, window: u64) {
        self.window = window.max(minimum_window(self.mtu));
        self.acked = 0;
    }

    /// Sets the threshold, but not below the least window.
    pub(crate) fn set_ssthresh(&mut self, ssthresh: u64) {
        self.ssthresh = Some(ssthresh.max(minimum_window(self.mtu)));
    }

    /// Sets window and threshold: the end of slow start.
    pub(crate) fn reduce(&mut self, window: u64) {
        self.set(window);
        self.ssthresh = Some(self.window);
    }

    /// Persistent congestion (RFC 9002, section 7.6.2) and a timeout (RFC
    /// 5681, section 3.1): begin with the least window.
    pub(crate) fn collapse(&mut self) {
        self.set(0);
    }

    /// The largest packet has a new size.
    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(minimum_window(mtu));
    }
}

//! Helpers shared by the tests of several controllers.

use pagerace_core::{Duration, Instant};

use crate::{Ack, Controller};

/// The packet size of the tests.
pub(crate) const MTU: u64 = 1_200;

/// Returns the instant `ms` milliseconds after the start.
pub(crate) fn at(ms: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(ms)
}

/// Returns the acknowledgement of a packet; both times are in milliseconds.
pub(crate) fn ack(sent_ms: u64, now_ms: u64) -> Ack {
    let rtt = Duration::from_millis(now_ms - sent_ms);
    Ack {
        now: at(now_ms),
        sent_at: at(sent_ms),
        tcp: None,
        bytes: MTU,
        rtt_latest: rtt,
        rtt_min: rtt,
        rtt_smoothed: rtt,
        app_limited: false,
    }
}

/// Acknowledges a window of packets at once; both times are in milliseconds.
pub(crate) fn ack_window(controller: &mut dyn Controller, sent_ms: u64, now_ms: u64) {
    for _ in 0..controller.window() / MTU {
        controller.on_ack(&ack(sent_ms, now_ms));
    }
}

/// Returns the window in whole packets.
pub(crate) fn packets(controller: &dyn Controller) -> u64 {
    controller.window() / MTU
}

//! Congestion avoidance of Linux's CUBIC (`bictcp_update` and `bictcp_recalc_ssthresh` of
//! `net/ipv4/tcp_cubic.c`, `tcp_cong_avoid_ai` of `tcp_cong.c`, 6.18).
//!
//! It counts whole packets, and differs from RFC 9438 where that costs throughput, mostly at
//! small windows and short round trips:
//! * The pace is computed anew when the window has changed, or else 32 times a second, so that
//!   it can lag behind by several round trips.
//! * The window grows towards the estimate of Reno's by one packet for each packet that it lacks
//!   per round trip, so that it lags behind the estimate.
//! * The estimate grows no faster once it has reached the old window.
//! * What is left after a loss is rounded down.
//!
//! Before the first loss, the window grows by at least a twentieth per round trip.
//!
//! Deviations: times are not rounded to the kernel's ticks, and an underused window stops the
//! curve's time at each acknowledgement, not only after a pause (`CA_EVENT_TX_START`).

use pagerace_core::{Duration, Instant};

use super::C;
use crate::Ack;

/// Time between two computations of the pace while the window stays the same: `HZ / 32`.
const REST: Duration = Duration::from_nanos(1_000_000_000 / 32);
/// Time between two evaluations of the cubic function.
const TICK: Duration = Duration::from_millis(1);
/// The share of the window left after a loss, in 1,024ths.
const BETA: u64 = 717;
/// Acknowledged packets per packet of growth of Reno's estimate, in eighths of the window:
/// `8 * (1024 + BETA) / 3 / (1024 - BETA)`.
const RENO_EIGHTHS: u64 = 8 * (1024 + BETA) / 3 / (1024 - BETA);
/// The largest pace before the first loss: a packet for 20 acknowledged ones.
const UNTESTED_PACE: u64 = 20;
/// The least window in packets.
const LEAST: u64 = 2;

/// Window growth, in packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Linux {
    /// Packets of the acknowledgement that is being processed.
    acked: u64,
    latest: Option<Ack>,
    /// Acknowledged packets for which the window grows by one.
    pace: u64,
    /// The window when the pace was computed, and the time.
    computed: Option<(u64, Instant)>,
    epoch: Option<Epoch>,
    /// Acknowledged packets that the estimate of Reno's window has not used yet.
    for_reno: u64,
    /// The estimate of Reno's window.
    reno: u64,
    /// Acknowledged packets that the window has not used yet.
    for_window: u64,
    /// The window before the last loss, possibly lowered by fast convergence.
    last_max: Option<u64>,
}

/// The cubic function of a congestion avoidance stage.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Instant,
    /// Seconds until the plateau.
    k: f64,
    /// The plateau in packets.
    origin: u64,
}

impl Linux {
    /// Handles the acknowledgement of a packet.
    pub(super) fn on_packet(&mut self, ack: &Ack) {
        self.acked += 1;
        self.latest = Some(*ack);
    }

    /// Discards the packets reported for the current acknowledgement.
    pub(super) fn forget_packets(&mut self) {
        self.acked = 0;
        self.latest = None;
    }

    /// Completes an acknowledgement, and returns the packets by which the window grows.
    pub(super) fn on_ack_end(&mut self, window: u64) -> u64 {
        let acked = std::mem::take(&mut self.acked);
        let Some(ack) = self.latest.take() else {
            return 0;
        };
        self.update(window, acked, &ack);
        let mut growth = 0;
        if self.for_window >= self.pace {
            self.for_window = 0;
            growth = 1;
        }
        self.for_window += acked;
        growth += self.for_window / self.pace;
        self.for_window %= self.pace;
        growth
    }

    fn update(&mut self, window: u64, acked: u64, ack: &Ack) {
        self.for_reno += acked;
        let rested = self
            .computed
            .map(|(of, at)| (of == window, ack.now.since(at)));
        if rested.is_some_and(|(same, time)| same && time <= REST) {
            return;
        }
        if self.epoch.is_none() || rested.is_none_or(|(_, time)| time >= TICK) {
            self.computed = Some((window, ack.now));
            self.pace = self.cubic_pace(window, acked, ack);
        }
        let step = window * RENO_EIGHTHS / 8;
        while self.for_reno > step {
            self.for_reno -= step;
            self.reno += 1;
        }
        if self.reno > window {
            self.pace = self.pace.min(window / (self.reno - window));
        }
        self.pace = self.pace.max(2);
    }

    /// Returns the acknowledged packets per packet of growth that follow the cubic function.
    fn cubic_pace(&mut self, window: u64, acked: u64, ack: &Ack) -> u64 {
        let epoch = *self.epoch.get_or_insert_with(|| {
            self.for_reno = acked;
            self.reno = window;
            let origin = self.last_max.unwrap_or(0).max(window);
            Epoch {
                start: ack.now,
                k: libm::cbrt((origin - window) as f64 / C),
                origin,
            }
        });
        let x = (ack.now.since(epoch.start) + ack.rtt_min).as_secs_f64() - epoch.k;
        let offset = (C * x * x * x).abs() as u64;
        let target = if x < 0.0 {
            epoch.origin.saturating_sub(offset)
        } else {
            epoch.origin + offset
        };
        let pace = if target > window {
            window / (target - window)
        } else {
            100 * window
        };
        if self.last_max.is_none() {
            pace.min(UNTESTED_PACE)
        } else {
            pace
        }
    }

    /// Excludes a span from the time since the last loss.
    pub(super) fn skip(&mut self, time: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += time;
        }
    }

    /// Handles a loss, and returns the window that is left.
    pub(super) fn on_loss(&mut self, window: u64) -> u64 {
        let shrinking = self.last_max.is_some_and(|last| window < last);
        self.last_max = Some(if shrinking {
            window * (1024 + BETA) / 2048
        } else {
            window
        });
        self.epoch = None;
        self.for_window = 0;
        (window * BETA / 1024).max(LEAST)
    }

    /// Forgets everything after a timeout.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }
}

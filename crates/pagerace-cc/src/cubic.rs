//! CUBIC (RFC 9438), with slow start, recovery and window limits from RFC 9002, section 7.
//!
//! Deviation: a loss reduces the window, not the bytes in flight. Section 4.6
//! permits this if, as here, an underutilised window does not grow.
//! Three of the registry's controllers are CUBIC with different slow starts:
//! plain, Linux's `HyStart`, and `HyStart`++, which section 4.10 recommends. The
//! variant with Linux's `HyStart` also has Linux's congestion avoidance ([`linux`]).
//! Left out: spurious losses (section 4.9).

use pagerace_core::{Duration, Instant};

use crate::hystart::HyStart;
use crate::hystart_plus::HyStartPlus;
use crate::recovery::Recovery;
use crate::{Ack, Controller, initial_window, minimum_window};
use linux::Linux;

mod linux;

/// Section 5: C in segments per second cubed.
const C: f64 = 0.4;
/// Section 4.6: the share of the window left after a loss.
const BETA: f64 = 0.7;
/// Section 4.3: growth in segments per round trip that, with [`BETA`], gives
/// Reno's average window.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// Grows the window as a cubic function of the time since the last congestion event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cubic {
    mtu: u16,
    /// In bytes, with a fractional part.
    window: f64,
    ssthresh: Option<f64>,
    /// The window before the last reduction in bytes, possibly lowered by fast convergence.
    w_max: Option<f64>,
    /// The window before the last reduction in bytes.
    prior_window: f64,
    recovery: Recovery,
    slow_start: SlowStart,
    /// The current congestion avoidance stage.
    epoch: Option<Epoch>,
    /// The time up to which the epoch's time is accounted for.
    accounted: Instant,
    /// The time when a packet was last sent or acknowledged.
    active: Instant,
    rtt_smoothed: Duration,
}

/// The slow start variant.
#[derive(Clone, Debug, Default)]
enum SlowStart {
    /// Slow start that lasts until a packet is lost.
    #[default]
    Plain,
    /// Linux's, with its congestion avoidance.
    Linux(HyStart, Box<Linux>),
    HyStartPlus(HyStartPlus),
}

/// The constants of a congestion avoidance stage, and Reno's window in it.
#[derive(Clone, Debug)]
struct Epoch {
    start: Instant,
    /// Seconds until the cubic function reaches its plateau.
    k: f64,
    /// The plateau in bytes.
    w_max: f64,
    /// The estimate of Reno's window, in bytes.
    w_est: f64,
}

impl Cubic {
    /// Creates the controller at the start of a connection. Slow start ends with a loss.
    pub(crate) fn new(mtu: u16) -> Self {
        Self::with(mtu, SlowStart::Plain)
    }

    /// Creates the variant with Linux's `HyStart`.
    pub(crate) fn with_hystart(mtu: u16) -> Self {
        Self::with(mtu, SlowStart::Linux(HyStart::default(), Box::default()))
    }

    /// Creates the variant with `HyStart`++ (RFC 9406).
    pub(crate) fn with_hystart_plus(mtu: u16) -> Self {
        Self::with(mtu, SlowStart::HyStartPlus(HyStartPlus::default()))
    }

    fn with(mtu: u16, slow_start: SlowStart) -> Self {
        Self {
            mtu,
            window: initial_window(mtu) as f64,
            slow_start,
            ..Self::default()
        }
    }

    /// Excludes the time up to `now`, in which the window could not grow, from the
    /// time since the last congestion event.
    ///
    /// Source: section 5.8, <https://www.rfc-editor.org/rfc/rfc9438#section-5.8>.
    fn skip_time(&mut self, now: Instant) {
        let time = now.since(self.accounted);
        if let Some(epoch) = &mut self.epoch {
            epoch.start += time;
        }
        if let SlowStart::Linux(_, linux) = &mut self.slow_start {
            linux.skip(time);
        }
        self.accounted = now;
    }

    /// Returns the window in whole packets.
    fn packets(&self) -> u64 {
        (self.window / f64::from(self.mtu)) as u64
    }

    fn is_in_slow_start(&self) -> bool {
        self.ssthresh.is_none_or(|ssthresh| self.window < ssthresh)
    }

    fn grow_in_slow_start(&mut self, ack: &Ack) {
        let (mut bytes, mut ends) = (ack.bytes, false);
        match &mut self.slow_start {
            SlowStart::Plain => {}
            // `HyStart` judges an acknowledgement before the window grows by it.
            SlowStart::Linux(..) => return,
            SlowStart::HyStartPlus(hystart) => {
                let growth = hystart.on_ack(ack);
                (bytes, ends) = (growth.bytes, growth.ends);
            }
        }
        self.window += bytes as f64;
        if ends {
            self.ssthresh = Some(self.window);
        }
    }

    /// Congestion avoidance: sections 4.2 to 4.5.
    fn grow(&mut self, ack: &Ack) {
        let (segment, cwnd, acked) = (f64::from(self.mtu), self.window, ack.bytes as f64);
        let epoch = self.epoch.get_or_insert_with(|| {
            // After a loss, the curve rises to the old window. Without a loss (slow start
            // reached its threshold: section 4.8), the curve begins at its plateau.
            let w_max = self.w_max.filter(|&w| w > cwnd).unwrap_or(cwnd);
            let k = libm::cbrt((w_max - cwnd) / segment / C);
            Epoch {
                start: ack.now,
                k,
                w_max,
                w_est: cwnd,
            }
        });
        let w_cubic = |t: f64| {
            let x = t - epoch.k;
            C * x * x * x * segment + epoch.w_max
        };
        let t = ack.now.since(epoch.start).as_secs_f64();
        // Section 4.3: the estimate of Reno's window grows as fast as Reno's once
        // it reaches the prior window.
        let alpha = if epoch.w_est >= self.prior_window {
            1.0
        } else {
            ALPHA
        };
        epoch.w_est += alpha * segment * acked / cwnd;
        self.window = if w_cubic(t) < epoch.w_est {
            cwnd.max(epoch.w_est)
        } else {
            let target = w_cubic(t + ack.rtt_smoothed.as_secs_f64()).clamp(cwnd, 1.5 * cwnd);
            cwnd + (target - cwnd) / cwnd * acked
        };
    }
}

impl Controller for Cubic {
    fn on_sent(&mut self, now: Instant, _bytes: u64) {
        if now.since(self.active) > self.rtt_smoothed {
            self.skip_time(now);
        }
        self.active = now;
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.active = ack.now;
        self.rtt_smoothed = ack.rtt_smoothed;
        if self.recovery.on_ack(ack) {
            return;
        }
        let in_slow_start = self.is_in_slow_start();
        if let SlowStart::Linux(hystart, _) = &mut self.slow_start
            && in_slow_start
        {
            hystart.on_packet(ack);
        }
        if ack.app_limited {
            self.skip_time(ack.now);
            return;
        }
        self.accounted = ack.now;
        if in_slow_start {
            self.grow_in_slow_start(ack);
        } else if let SlowStart::Linux(_, linux) = &mut self.slow_start {
            linux.on_packet(ack);
        } else {
            self.grow(ack);
        }
    }

    fn on_ack_end(&mut self, _now: Instant, _in_flight: u64) {
        let packets = self.packets();
        if let SlowStart::Linux(hystart, linux) = &mut self.slow_start {
            let growth = linux.on_ack_end(packets) * u64::from(self.mtu);
            self.window += growth as f64;
            match hystart.on_ack_end(packets) {
                Some(bytes) => self.window += bytes as f64,
                None => self.ssthresh = Some(self.window),
            }
        }
    }

    fn on_congestion(
        &mut self,
        now: Instant,
        sent_at: Instant,
        _lost_bytes: u64,
        persistent: bool,
    ) {
        let minimum = minimum_window(self.mtu) as f64;
        match &mut self.slow_start {
            SlowStart::Plain => {}
            SlowStart::Linux(hystart, linux) => {
                hystart.forget_packets();
                linux.forget_packets();
            }
            SlowStart::HyStartPlus(hystart) => hystart.on_congestion(),
        }
        if self.recovery.on_congestion(now, sent_at, persistent) {
            let packets = self.packets();
            if let SlowStart::Linux(_, linux) = &mut self.slow_start {
                self.window = (linux.on_loss(packets) * u64::from(self.mtu)) as f64;
            } else {
                // Section 4.7, fast convergence: a window that did not return to its
                // previous maximum releases bandwidth to other flows.
                let shrinking = self.w_max.is_some_and(|w_max| self.window < w_max);
                let share = if shrinking {
                    f64::midpoint(1.0, BETA)
                } else {
                    1.0
                };
                self.w_max = Some(self.window * share);
                self.prior_window = self.window;
                self.window = (self.window * BETA).max(minimum);
            }
            self.ssthresh = Some(self.window);
            self.epoch = None;
        }
        if persistent {
            // RFC 9002, section 7.6.2; RFC 9438, section 4.8: the next epoch
            // begins at its plateau.
            self.window = minimum;
            self.w_max = None;
            self.epoch = None;
            if let SlowStart::Linux(hystart, linux) = &mut self.slow_start {
                hystart.restart(now);
                linux.restart();
            }
        }
    }

    fn window(&self) -> u64 {
        self.window as u64
    }

    fn set_mtu(&mut self, mtu: u16) {
        self.mtu = mtu;
        self.window = self.window.max(minimum_window(mtu) as f64);
    }

    fn set_paced(&mut self) {
        if let SlowStart::Linux(hystart, _) = &mut self.slow_start {
            hystart.set_paced();
        }
    }

    fn ssthresh(&self) -> Option<u64> {
        self.ssthresh.map(|bytes| bytes as u64)
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests;

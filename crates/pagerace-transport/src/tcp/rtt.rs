//! Round-trip times and the retransmission timeout (RFC 6298), with Linux's
//! minimum.
//!
//! Left out: Linux's slower decay of the variance (`mdev_max`), the adjustment
//! of the gains to several samples a round trip (RFC 7323, appendix G).

use pagerace_core::Duration;

/// Before the first sample. Source: RFC 6298, section 2.1,
/// <https://www.rfc-editor.org/rfc/rfc6298#section-2>.
const RTO_INITIAL: Duration = Duration::from_secs(1);
/// `TCP_RTO_MAX` of Linux; RFC 6298, section 2.5, asks for at least 60 s.
const RTO_MAX: Duration = Duration::from_secs(120);

/// What is known of the path's round trip.
#[derive(Clone, Debug)]
pub(super) struct RttEstimator {
    rto_min: Duration,
    smoothed: Option<Duration>,
    variance: Duration,
    minimum: Duration,
}

impl RttEstimator {
    pub(super) fn new(rto_min: Duration) -> Self {
        Self {
            rto_min,
            smoothed: None,
            variance: Duration::ZERO,
            minimum: Duration::MAX,
        }
    }

    /// Source: RFC 6298, section 2.2 and 2.3,
    /// <https://www.rfc-editor.org/rfc/rfc6298#section-2>.
    pub(super) fn sample(&mut self, rtt: Duration) {
        self.see(rtt);
        let Some(smoothed) = self.smoothed else {
            self.smoothed = Some(rtt);
            self.variance = Duration::from_nanos(rtt.as_nanos() / 2);
            return;
        };
        let (old, new) = (smoothed.as_nanos(), rtt.as_nanos());
        let variance = self.variance.as_nanos();
        self.variance = Duration::from_nanos(variance - variance / 4 + old.abs_diff(new) / 4);
        self.smoothed = Some(Duration::from_nanos(old - old / 8 + new / 8));
    }

    /// A round trip that counts for the minimum only.
    pub(super) fn see(&mut self, rtt: Duration) {
        self.minimum = self.minimum.min(rtt);
    }

    /// `None` before the first sample.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// The shortest so far; zero before the first sample.
    pub(super) fn minimum(&self) -> Duration {
        if self.minimum == Duration::MAX {
            return Duration::ZERO;
        }
        self.minimum
    }

    /// The timeout after `backoff` doublings (RFC 6298, section 5.5).
    ///
    /// Deviates as Linux does: the minimum bounds the variance term, not the
    /// sum, so a timeout is never shorter than the round trip and 200 ms.
    pub(super) fn timeout(&self, backoff: u32) -> Duration {
        let base = match self.smoothed {
            None => RTO_INITIAL,
            Some(smoothed) => smoothed + (self.variance * 4).max(self.rto_min),
        };
        (base.min(RTO_MAX) * (1 << backoff.min(20))).min(RTO_MAX)
    }
}

#[cfg(test)]
mod tests;

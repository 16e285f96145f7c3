//! Round-trip time estimation and the retransmission timeout (RFC 6298), with Linux's
//! minimum.
//!
//! Linux's slower decay of the variance (`mdev_max`) and the adjustment of the gains to
//! several samples per round trip (RFC 7323, appendix G) are not modelled.

use pagerace_core::Duration;

/// Timeout before the first sample. Source: RFC 6298, section 2.1,
/// <https://www.rfc-editor.org/rfc/rfc6298#section-2>.
const RTO_INITIAL: Duration = Duration::from_secs(1);
/// `TCP_RTO_MAX` of Linux. RFC 6298, section 2.5, requires at least 60 s.
const RTO_MAX: Duration = Duration::from_secs(120);

/// Estimate of the path's round-trip time.
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

    /// Adds a round-trip sample.
    ///
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

    /// Adds a round-trip time that counts for the minimum only.
    pub(super) fn see(&mut self, rtt: Duration) {
        self.minimum = self.minimum.min(rtt);
    }

    /// Returns the smoothed round-trip time, or `None` before the first sample.
    pub(super) fn smoothed(&self) -> Option<Duration> {
        self.smoothed
    }

    /// Returns the shortest round-trip time, or zero before the first sample.
    pub(super) fn minimum(&self) -> Duration {
        if self.minimum == Duration::MAX {
            return Duration::ZERO;
        }
        self.minimum
    }

    /// Returns the timeout after `backoff` doublings (RFC 6298, section 5.5).
    ///
    /// Deviates from the RFC as Linux does: the minimum applies to the variance term and
    /// not to the sum. With Linux's minimum, a timeout is therefore never shorter than the
    /// smoothed round-trip time plus 200 ms.
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

//! The limit on the data that BBR keeps in flight: the bandwidth-delay product,
//! an allowance for the hosts, and the reductions after losses.

use pagerace_core::Duration;

use super::{Bbr, Losses, MIN_PACKETS, Mode, UNIT};
use crate::rate::Sample;
use crate::{initial_window, minimum_window, mul_div};

/// Rate in bytes per second below which a burst may be one packet: `bbr_min_tso_rate`.
const SMALL_RATE: u64 = 1_200_000 / 8;
/// The largest burst of a sending host in bytes: `GSO_LEGACY_MAX_SIZE`.
const MAX_BURST: u64 = 65_536;
/// The longest time for which bunched acknowledgements may enlarge the window.
const MAX_AGGREGATION: Duration = Duration::from_millis(100);

impl Bbr {
    /// The bandwidth-delay product times `gain` in whole packets, rounded up.
    /// Before the first round trip time sample, the initial window.
    pub(super) fn bdp_packets(&self, gain: u64) -> u64 {
        let Some(min_rtt) = self.min_rtt else {
            return initial_window(self.mtu).div_ceil(self.mtu());
        };
        let bytes = u128::from(self.bandwidth.get()) * u128::from(min_rtt.as_nanos());
        let bytes = bytes * u128::from(gain) / u128::from(UNIT);
        let packets = bytes.div_ceil(1_000_000_000 * u128::from(self.mtu()));
        u64::try_from(packets).unwrap_or(u64::MAX >> 20)
    }

    /// The packets that a host hands over at once: those sent in about a
    /// millisecond. Source: `bbr_tso_segs_goal`.
    pub(super) fn burst_packets(&self) -> u64 {
        let least = if self.pacing_rate < SMALL_RATE { 1 } else { 2 };
        let bytes = (self.pacing_rate / 1_024).min(MAX_BURST);
        (bytes / self.mtu()).max(least)
    }

    /// `packets` plus an allowance for packets held by the hosts at both ends.
    /// Source: `bbr_quantization_budget`.
    pub(super) fn with_budget(&self, packets: u64) -> u64 {
        let packets = (packets + 3 * self.burst_packets()).next_multiple_of(2);
        if self.mode == Mode::ProbeBw && self.cycle == 0 {
            packets + 2
        } else {
            packets
        }
    }

    /// The target for data in flight at a gain, in bytes.
    pub(super) fn target_in_flight(&self, gain: u64) -> u64 {
        self.with_budget(self.bdp_packets(gain))
            .saturating_mul(self.mtu())
    }

    /// The bytes in flight to compare with a target; while probing for
    /// bandwidth, the next burst is included. Source:
    /// `bbr_packets_in_net_at_edt`.
    pub(super) fn in_flight_with_next(&self, in_flight: u64) -> u64 {
        if self.pacing_gain > UNIT {
            in_flight + self.burst_packets() * self.mtu()
        } else {
            in_flight
        }
    }

    pub(super) fn save_window(&mut self) {
        let reduced = self.losses != Losses::None || self.mode == Mode::ProbeRtt;
        self.prior_window = if reduced {
            self.prior_window.max(self.window)
        } else {
            self.window
        };
    }

    /// Returns the window after losses, and true if packet conservation makes it final.
    pub(super) fn recover_or_restore(&mut self, sample: &Sample) -> (u64, bool) {
        let mut window = self.window.saturating_sub(sample.lost).max(self.mtu());
        let kept = sample.in_flight + sample.acked;
        if std::mem::take(&mut self.began) {
            self.next_round_delivered = self.sampler.delivered();
            window = kept;
        }
        if std::mem::take(&mut self.ended) {
            window = window.max(self.prior_window);
        }
        if matches!(self.losses, Losses::Recovery { conserve: true, .. }) {
            return (window.max(kept), true);
        }
        (window, false)
    }

    pub(super) fn set_window(&mut self, sample: &Sample) {
        let (mut window, stands) = self.recover_or_restore(sample);
        if !stands {
            let packets = self.bdp_packets(self.window_gain) + self.aggregation_packets();
            let target = self.with_budget(packets).saturating_mul(self.mtu());
            let opened = window.saturating_add(sample.acked);
            if self.is_full {
                window = opened.min(target);
            } else if window < target || self.sampler.delivered() < initial_window(self.mtu) {
                window = opened;
            }
            window = window.max(MIN_PACKETS * self.mtu());
        }
        if self.mode == Mode::ProbeRtt {
            window = window.min(MIN_PACKETS * self.mtu());
        }
        self.window = window.max(minimum_window(self.mtu));
    }

    pub(super) fn aggregation_packets(&self) -> u64 {
        if !self.is_full {
            return 0;
        }
        let nanos = MAX_AGGREGATION.as_nanos();
        let most = mul_div(self.bandwidth.get(), nanos, 1_000_000_000);
        self.aggregation.extra().min(most) / self.mtu()
    }
}

//! The outcome of one load in the live world.

use pagerace_chromium::Observed;
use pagerace_core::Duration;
use pagerace_net::LinkCounters;
use pagerace_page::ResourceId;

/// A load, with the measurements of the link and the machine during it.
#[derive(Clone, Debug)]
pub struct LiveOutcome {
    /// Measurements of the browser.
    pub observed: Observed,
    /// Counters of the network.
    pub counters: LiveCounters,
    /// URLs of requests that the recording does not have.
    pub unknown: Vec<String>,
    /// Resources that an intervention leaves unanswered.
    pub hanging: Vec<ResourceId>,
    /// Lateness of the emulator.
    pub lateness: LatenessSummary,
    /// Share of the processors that other programs took; `None` if it cannot be read.
    pub contention: Option<f64>,
    /// Reasons for the rejection of earlier attempts at this load.
    pub rejected: Vec<String>,
}

impl LiveOutcome {
    /// Adds the measurements of a watched load of the same page: those that only such a load
    /// has. Its other times are not comparable and are left out.
    ///
    /// Watching delays the first paint and what follows, so screenshots, the visual progress and the
    /// Speed Index are moved to the first contentful paint of this load.
    pub(super) fn add_watched(&mut self, watched: Self) {
        let observed = watched.observed;
        let paints = observed.fcp.zip(self.observed.fcp);
        let moved = |at: Duration| match paints {
            Some((from, to)) if !at.is_zero() => (at + to).saturating_sub(from),
            _ => at,
        };
        self.observed.speed_index = observed.speed_index.map(moved);
        let progress = observed
            .visual_progress
            .into_iter()
            .map(|(at, share)| (moved(at), share));
        self.observed.visual_progress = progress.collect();
        let shots = observed.screenshots.into_iter();
        self.observed.screenshots = shots.map(|(at, shot)| (moved(at), shot)).collect();
        self.observed.hol = observed.hol;
        self.observed.resources = observed.resources;
        self.observed.tti = observed.tti;
        for failure in observed.failures {
            if !self.observed.failures.contains(&failure) {
                self.observed.failures.push(failure);
            }
        }
        self.observed.notes.extend(observed.notes);
        self.counters.hol_blocked_bytes = watched.counters.hol_blocked_bytes;
        self.counters.hol_blocked_byte_ms = watched.counters.hol_blocked_byte_ms;
        self.rejected.extend(watched.rejected);
    }
}

/// Summary of how late packets left the emulator, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatenessSummary {
    /// Number of packets.
    pub packets: u64,
    /// Median lateness.
    pub p50: Duration,
    /// 99th percentile of the lateness.
    pub p99: Duration,
    /// Maximum lateness.
    pub max: Duration,
}

/// Counters over a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveCounters {
    /// TCP connections and UDP flows that carried packets, except those of DNS.
    pub connections: u64,
    /// Counters of the downlink, from servers to browser.
    pub down: LinkCounters,
    /// Counters of the uplink, from browser to servers.
    pub up: LinkCounters,
    /// Payload bytes that arrived behind a gap in their TCP connection or QUIC stream.
    pub hol_blocked_bytes: u64,
    /// Sum over these bytes of the milliseconds that each waited.
    pub hol_blocked_byte_ms: u64,
}

#[cfg(test)]
mod tests {
    use pagerace_chromium::ObservedResource;

    use super::*;

    fn outcome(ms: u64, hol_blocked_bytes: u64) -> LiveOutcome {
        let at = Some(Duration::from_millis(ms));
        LiveOutcome {
            observed: Observed {
                fcp: at,
                onload: at,
                speed_index: Some(Duration::from_millis(ms + 30)),
                visual_progress: vec![
                    (Duration::ZERO, 0.0),
                    (Duration::from_millis(ms - 10), 0.0),
                    (Duration::from_millis(ms), 1.0),
                ],
                screenshots: vec![(Duration::from_millis(ms + 5), format!("{ms}"))],
                tti: at,
                resources: vec![ObservedResource::default(); ms as usize],
                failures: vec!["both".to_owned(), format!("{ms} ms")],
                ..Observed::default()
            },
            counters: LiveCounters {
                connections: ms,
                hol_blocked_bytes,
                ..LiveCounters::default()
            },
            unknown: Vec::new(),
            hanging: Vec::new(),
            lateness: LatenessSummary::default(),
            contention: None,
            rejected: vec![format!("{ms} ms")],
        }
    }

    #[test]
    fn a_watched_load_gives_no_times_that_another_has() {
        let mut load = outcome(100, 0);
        load.add_watched(outcome(150, 7));
        let ms = Duration::from_millis;
        assert_eq!(load.observed.fcp, Some(ms(100)));
        assert_eq!(load.observed.onload, Some(ms(100)));
        assert_eq!(load.observed.speed_index, Some(ms(130)));
        let progress = [(Duration::ZERO, 0.0), (ms(90), 0.0), (ms(100), 1.0)];
        assert_eq!(load.observed.visual_progress, progress);
        assert_eq!(load.observed.screenshots, [(ms(105), "150".to_owned())]);
        assert_eq!(load.observed.tti, Some(ms(150)));
        assert_eq!(load.observed.resources.len(), 150);
        assert_eq!(load.observed.failures, ["both", "100 ms", "150 ms"]);
        assert_eq!(load.counters.connections, 100);
        assert_eq!(load.counters.hol_blocked_bytes, 7);
        assert_eq!(load.rejected, ["100 ms", "150 ms"]);
    }
}

//! What came out of one load of the live world.

use pagerace_chromium::Observed;
use pagerace_core::Duration;
use pagerace_net::LinkCounters;
use pagerace_page::ResourceId;

/// A load, and what the link and the machine did meanwhile.
#[derive(Clone, Debug)]
pub struct LiveOutcome {
    /// What the browser measured.
    pub observed: Observed,
    /// What the network did.
    pub counters: LiveCounters,
    /// URLs that the recording does not have.
    pub unknown: Vec<String>,
    /// Resources that, by an intervention, are never answered.
    pub hanging: Vec<ResourceId>,
    /// How late the emulator was.
    pub lateness: LatenessSummary,
    /// Share of the processors that other programs took; `None` if that cannot
    /// be read.
    pub contention: Option<f64>,
    /// Why earlier attempts at this load were thrown away.
    pub rejected: Vec<String>,
}

/// How late packets left the emulator: what of the clock stands in reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LatenessSummary {
    /// Packets.
    pub packets: u64,
    /// Half of them were later.
    pub p50: Duration,
    /// One in a hundred was later.
    pub p99: Duration,
    /// The latest.
    pub max: Duration,
}

/// Sums over a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LiveCounters {
    /// TCP connections and UDP flows that carried something.
    pub connections: u64,
    /// Server to browser.
    pub down: LinkCounters,
    /// Browser to server.
    pub up: LinkCounters,
    /// Payload bytes that arrived behind a gap in their TCP connection or
    /// their QUIC stream.
    pub hol_blocked_bytes: u64,
    /// The same bytes, each times the milliseconds it waited.
    pub hol_blocked_byte_ms: u64,
}

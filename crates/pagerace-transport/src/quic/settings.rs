//! Transport settings of one side.

use std::sync::Arc;

use quinn_proto::{MtuDiscoveryConfig, TransportConfig, VarInt};

use super::congestion::{Factory, INITIAL_RTT};
use super::guard::Guard;
use super::signals::Signals;

/// The default UDP payload of a server's packets in bytes. It lies between the initial
/// sizes of servers (1,200 to 1,350) and the sizes found by path MTU discovery (1,452 to
/// 1,472).
///
/// # Source
/// `max_send_udp_payload_size` of Cloudflare's tokio-quiche. For other stacks see
/// docs/transports.md.
pub const DEFAULT_MTU: u16 = 1_350;

/// Settings of the connections of one side.
///
/// The defaults are those of a browser, and of a server with the default values of the
/// RFCs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuicSettings {
    /// Name of the congestion controller in the registry of `pagerace_cc`, or of one that a QUIC
    /// implementation runs: `quinn-newreno`, `quinn-cubic`, or of [`pagerace_cc::stack`].
    pub congestion: String,
    /// UDP payload size in bytes. At least 1200, which every path supports (RFC 9000, section 14).
    pub mtu: u16,
    /// Size with which packets begin. Path MTU discovery (RFC 8899) makes them larger up to `mtu`.
    /// `None` if they have that size from the beginning.
    pub mtu_first: Option<u16>,
    /// Number of bytes that a peer may send on one stream before they are read. Default: 6
    /// MiB, Chromium's `kStreamReceiveWindowSize`.
    pub stream_receive_window: u32,
    /// Number of bytes that a peer may send on all streams before they are read. Default:
    /// 15 MiB, Chromium's `kSessionReceiveWindowSize`.
    pub receive_window: u32,
    /// Maximum number of concurrent requests of a peer. RFC 9114, section 6.1, recommends
    /// at least 100.
    pub max_requests: u32,
    /// Maximum number of bytes kept for retransmission per connection.
    pub send_window: u64,
    /// Number of later packets whose acknowledgement makes a packet count as lost. RFC
    /// 9002, section 6.1.1, recommends 3 and forbids less. More is allowed for paths with
    /// reordering. quinn-proto does not adapt the value.
    pub packet_threshold: u32,
    /// True if a client acknowledges as Chromium does: of the packets after the first hundred,
    /// every tenth, or after a quarter of the shortest round trip. Otherwise every second packet,
    /// as RFC 9000, section 13.2.2, recommends, or after 25 ms.
    pub decimates_acks: bool,
    /// True if DATAGRAM frames (RFC 9221) are accepted, and sent to peers that accept them.
    /// Off by default, as the support adds a transport parameter.
    pub datagrams: bool,
    /// Limits for unknown clients of a server, or `None` if all clients are known.
    pub guard: Option<Guard>,
}

/// Milliseconds without packets after which a connection ends, unless a [`Guard`] sets
/// another timeout. Longer than any pause in a page load.
const IDLE_TIMEOUT_MS: u32 = 600_000;

/// Size of the buffer for received datagrams in bytes. Datagrams are read as they arrive,
/// so one packet's worth would suffice.
const DATAGRAM_BUFFER: usize = 64 << 10;

impl Default for QuicSettings {
    fn default() -> Self {
        Self {
            congestion: "cubic".to_owned(),
            mtu: DEFAULT_MTU,
            mtu_first: None,
            stream_receive_window: 6 << 20,
            receive_window: 15 << 20,
            max_requests: 100,
            send_window: 64 << 20,
            packet_threshold: 3,
            decimates_acks: false,
            datagrams: false,
            guard: None,
        }
    }
}

impl QuicSettings {
    /// Converts the settings to quinn-proto's. For `signals` see [`Factory::new`].
    ///
    /// # Errors
    /// Returns an error if the name of the congestion controller is unknown.
    pub(super) fn to_quinn(
        &self,
        signals: &Arc<Signals>,
    ) -> Result<Arc<TransportConfig>, pagerace_cc::UnknownController> {
        let mut t = TransportConfig::default();
        t.congestion_controller_factory(Factory::new(&self.congestion, signals.clone())?);
        t.initial_rtt(INITIAL_RTT);
        let first = self.mtu_first.unwrap_or(self.mtu);
        let discovery = self.mtu_first.map(|_| {
            let mut config = MtuDiscoveryConfig::default();
            config.upper_bound(self.mtu);
            config
        });
        t.initial_mtu(first)
            .min_mtu(first)
            .mtu_discovery_config(discovery);
        t.stream_receive_window(VarInt::from_u32(self.stream_receive_window));
        t.receive_window(VarInt::from_u32(self.receive_window));
        t.max_concurrent_bidi_streams(VarInt::from_u32(self.max_requests));
        t.max_concurrent_uni_streams(VarInt::from_u32(16));
        t.send_window(self.send_window);
        t.packet_threshold(self.packet_threshold);
        // Round robin inside quinn would change the strategy's order.
        t.send_fairness(false);
        // One datagram per call, so that each packet can be scheduled.
        t.enable_segmentation_offload(false);
        t.allow_spin(false);
        t.datagram_receive_buffer_size(self.datagrams.then_some(DATAGRAM_BUFFER));
        let idle = self.guard.map_or(IDLE_TIMEOUT_MS, |guard| {
            u32::try_from(guard.idle_timeout.as_nanos() / 1_000_000).unwrap_or(IDLE_TIMEOUT_MS)
        });
        t.max_idle_timeout(Some(VarInt::from_u32(idle).into()));
        Ok(Arc::new(t))
    }
}

//! Transport settings of one side.

use std::sync::Arc;

use quinn_proto::{TransportConfig, VarInt};

use super::congestion::{Factory, INITIAL_RTT};
use super::signals::Signals;

/// UDP payload of a server's packets, in bytes, where nobody says otherwise: between
/// what servers begin with (1,200 to 1,350) and what those that probe the path find
/// (1,452 to 1,472).
///
/// # Source
/// `max_send_udp_payload_size` of Cloudflare's tokio-quiche; other stacks stand in
/// docs/transports.md.
pub const DEFAULT_MTU: u16 = 1_350;

/// Settings of the connections of one side.
///
/// `Default` is a browser talking to a server that keeps to the RFCs' defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Congestion controller, a name of `pagerace_cc`'s registry.
    pub congestion: String,
    /// UDP payload size in bytes, fixed for the whole connection. RFC 9000,
    /// section 14: at least 1200, which every path carries; no path MTU discovery.
    pub mtu: u16,
    /// Bytes a peer may send on one stream before we have read them. Default:
    /// 6 MiB, Chromium's `kStreamReceiveWindowSize`.
    pub stream_receive_window: u32,
    /// Bytes a peer may send on all streams before we have read them. Default:
    /// 15 MiB, Chromium's `kSessionReceiveWindowSize`.
    pub receive_window: u32,
    /// Requests a peer may have open at once. RFC 9114, section 6.1, asks for
    /// at least 100.
    pub max_requests: u32,
    /// Most bytes kept for retransmission per connection.
    pub send_window: u64,
    /// A packet is lost when one sent so many later is acknowledged. RFC 9002,
    /// section 6.1.1, recommends 3, and allows more to those who expect
    /// reordering; less than 3 is not allowed. quinn-proto does not adapt it.
    pub packet_threshold: u32,
    /// Whether DATAGRAM frames (RFC 9221) are taken, and sent to peers that take
    /// them. Off by default: it costs a transport parameter.
    pub datagrams: bool,
}

/// Bytes of datagrams that wait to be read: they are read as they arrive, so that
/// one packet's worth would do.
const DATAGRAM_BUFFER: usize = 64 << 10;

impl Default for Settings {
    fn default() -> Self {
        Self {
            congestion: "cubic".to_owned(),
            mtu: DEFAULT_MTU,
            stream_receive_window: 6 << 20,
            receive_window: 15 << 20,
            max_requests: 100,
            send_window: 64 << 20,
            packet_threshold: 3,
            datagrams: false,
        }
    }
}

impl Settings {
    /// `signals`: see [`Factory::new`].
    ///
    /// # Errors
    /// The congestion controller's name is unknown.
    pub(super) fn to_quinn(
        &self,
        signals: &Arc<Signals>,
    ) -> Result<Arc<TransportConfig>, pagerace_cc::UnknownController> {
        let mut t = TransportConfig::default();
        t.congestion_controller_factory(Factory::new(&self.congestion, signals.clone())?);
        t.initial_rtt(INITIAL_RTT);
        t.initial_mtu(self.mtu)
            .min_mtu(self.mtu)
            .mtu_discovery_config(None);
        t.stream_receive_window(VarInt::from_u32(self.stream_receive_window));
        t.receive_window(VarInt::from_u32(self.receive_window));
        t.max_concurrent_bidi_streams(VarInt::from_u32(self.max_requests));
        t.max_concurrent_uni_streams(VarInt::from_u32(16));
        t.send_window(self.send_window);
        t.packet_threshold(self.packet_threshold);
        // Round robin inside quinn would reorder what the strategy decided.
        t.send_fairness(false);
        // One datagram per call, so that each packet can be scheduled.
        t.enable_segmentation_offload(false);
        t.allow_spin(false);
        t.datagram_receive_buffer_size(self.datagrams.then_some(DATAGRAM_BUFFER));
        t.max_idle_timeout(Some(VarInt::from_u32(600_000).into()));
        Ok(Arc::new(t))
    }
}

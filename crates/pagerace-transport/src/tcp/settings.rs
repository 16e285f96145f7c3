//! Settings of one side, named after Linux's where Linux has them.

use pagerace_core::Duration;

/// Settings of one side of a connection.
///
/// `Default` is what Linux does out of the box, with a server that asks for late
/// binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Congestion controller, a name of `pagerace_cc`'s registry.
    pub congestion: String,
    /// Most payload bytes in a segment. Default: 1448 = 1500 (Ethernet) - 20
    /// (IPv4) - 20 (TCP) - 12 (timestamps).
    pub mss: u16,
    /// Bytes that may wait unsent before [`super::Connection::writable`] says to
    /// stop: `TCP_NOTSENT_LOWAT`. Default: 16 KiB. What waits here can no
    /// longer be reordered; too little leaves the window unused.
    pub notsent_lowat: u32,
    /// First receive window in bytes. Default: 65 535, the most that a SYN can
    /// say (RFC 7323, section 2.2), half of `tcp_rmem`'s middle value. Deviates:
    /// Linux rounds it down to whole segments, 64 240 with an MSS of 1460.
    pub receive_window: u32,
    /// Largest receive buffer in bytes, the third value of `tcp_rmem`. Default:
    /// 6 MiB, Linux's up to 6.15 (32 MiB since). Half of it becomes window
    /// (`tcp_adv_win_scale` = 1): a hole holds the acknowledged number back for a
    /// round trip, so 3 MiB limit a lossy path that holds more than about 1.5 MB.
    pub receive_buffer_max: u32,
    /// An idle connection begins with a small window again
    /// (`tcp_slow_start_after_idle`). Default: true.
    pub slow_start_after_idle: bool,
    /// Least variance term of the retransmission timeout (`TCP_RTO_MIN`).
    /// Default: 200 ms.
    pub rto_min: Duration,
    /// How long an acknowledgement may be delayed (`TCP_DELACK_MIN`). Default:
    /// 40 ms.
    pub ack_delay: Duration,
    /// Times that a SYN is sent again (`tcp_syn_retries`). Default: 6.
    pub syn_retries: u32,
    /// Times that a SYN-ACK is sent again (`tcp_synack_retries`). Default: 5.
    pub synack_retries: u32,
    /// Retransmission timeouts in a row after which a connection is given up
    /// (`tcp_retries2`). Default: 15.
    pub retries: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            congestion: "cubic".to_owned(),
            mss: 1448,
            notsent_lowat: 16 << 10,
            receive_window: 65_535,
            receive_buffer_max: 6 << 20,
            slow_start_after_idle: true,
            rto_min: Duration::from_millis(200),
            ack_delay: Duration::from_millis(40),
            syn_retries: 6,
            synack_retries: 5,
            retries: 15,
        }
    }
}

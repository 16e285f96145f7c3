//! Settings of one side, named after the settings of Linux where these exist.

use pagerace_core::Duration;

/// Settings of one side of a connection.
///
/// The defaults are those of Linux, except for `notsent_lowat`, which a server lowers to
/// decide late which data to send next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSettings {
    /// Name of the congestion controller in the registry of `pagerace_cc`.
    pub congestion: String,
    /// The maximum number of payload bytes in a segment. Default: 1448 = 1500 (Ethernet) -
    /// 20 (IPv4) - 20 (TCP) - 12 (timestamps).
    pub mss: u16,
    /// The number of unsent bytes from which on no further buffer takes new ones
    /// (`TCP_NOTSENT_LOWAT`). Default: 16 KiB. The last buffer is filled nevertheless, up to
    /// 64 KiB, and an application that waits is woken below half of this number. Unsent bytes
    /// can no longer be reordered, but too few leave the window unused.
    pub notsent_lowat: u32,
    /// Initial receive window in bytes. Default: 65 535, the largest window of a SYN (RFC
    /// 7323, section 2.2) and half of `tcp_rmem`'s middle value. Deviates from Linux, which
    /// rounds it down to whole segments: 64 240 with an MSS of 1460.
    pub receive_window: u32,
    /// Maximum receive buffer in bytes, the third value of `tcp_rmem`. Default: 6 MiB, as
    /// in Linux up to 6.15 (32 MiB since). Half of the buffer becomes window
    /// (`tcp_adv_win_scale` = 1). A hole delays the cumulative acknowledgement by a round
    /// trip, so 3 MiB limit a lossy path that holds more than about 1.5 MB.
    pub receive_buffer_max: u32,
    /// True if an idle connection restarts with a small window
    /// (`tcp_slow_start_after_idle`). Default: true.
    pub slow_start_after_idle: bool,
    /// Minimum variance term of the retransmission timeout (`TCP_RTO_MIN`). Default: 200
    /// ms.
    pub rto_min: Duration,
    /// Maximum delay of an acknowledgement (`TCP_DELACK_MIN`). Default: 40 ms.
    pub ack_delay: Duration,
    /// Number of SYN retransmissions (`tcp_syn_retries`). Default: 6.
    pub syn_retries: u32,
    /// Number of SYN-ACK retransmissions (`tcp_synack_retries`). Default: 5.
    pub synack_retries: u32,
    /// Number of consecutive retransmission timeouts after which a connection is given up
    /// (`tcp_retries2`). Default: 15.
    pub retries: u32,
}

impl Default for TcpSettings {
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

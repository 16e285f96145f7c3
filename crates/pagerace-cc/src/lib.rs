//! Congestion controllers, which limit the data that a sender has in flight.
//!
//! A [`Controller`] is a state machine without a clock or a socket. The transport
//! reports the bytes that were sent, acknowledged and lost, with times from
//! [`pagerace_core`], and queries the window. QUIC and TCP can use the same controllers.
//!
//! Each controller has its own file. To add one, write a file with its `Controller`, or with
//! its `Law` if the controller is loss-based, and add an entry to [`registry`].
//!
//! Left out: a reaction to ECN marks that differs from the reaction to losses, and
//! undoing a spurious window reduction.

use std::fmt;

use pagerace_core::suggest::did_you_mean;
use pagerace_core::{Duration, Instant};
use thiserror::Error;

mod aimd;
mod bbr;
mod cubic;
mod flight;
mod hystart;
mod hystart_plus;
mod illinois;
mod loss_based;
mod newreno;
mod rate;
mod recovery;
mod reno;
mod rounds;
mod stacks;
mod tahoe;
mod vegas;
mod yeah;

use bbr::Bbr;
use cubic::Cubic;
use illinois::Illinois;
use loss_based::LossBased;
use newreno::NewReno;
use reno::Reno;
pub use stacks::stack;
use tahoe::Tahoe;
use vegas::Vegas;
use yeah::Yeah;

/// An acknowledged packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The time when the acknowledgement arrived.
    pub now: Instant,
    /// The time when the packet was sent.
    pub sent_at: Instant,
    /// TCP's facts of the data; `None` over QUIC, whose packets do not tell repairs from new data.
    pub tcp: Option<TcpAck>,
    /// The packet's size in bytes, as counted in flight.
    pub bytes: u64,
    /// The round trip time of this packet.
    pub rtt_latest: Duration,
    /// The shortest round trip time so far.
    pub rtt_min: Duration,
    /// The smoothed round trip time.
    pub rtt_smoothed: Duration,
    /// True if the sender had less to send than the window allowed.
    pub app_limited: bool,
}

/// TCP's facts of acknowledged data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpAck {
    /// The time when the data was sent for the first time.
    pub first_sent_at: Instant,
    /// True if the data arrived beyond a gap.
    pub sacked: bool,
}

/// Limits the data that a sender may have in flight.
pub trait Controller: fmt::Debug + Send + Sync {
    /// Called when a packet that counts as in flight is sent.
    fn on_sent(&mut self, now: Instant, bytes: u64);

    /// Called when a packet is acknowledged for the first time.
    fn on_ack(&mut self, ack: &Ack);

    /// Called at the end of an acknowledgement, after all packets that it covers were
    /// passed to [`on_ack`](Self::on_ack) and all losses that it revealed to
    /// [`on_congestion`](Self::on_congestion). `in_flight` is the number of bytes left.
    fn on_ack_end(&mut self, _now: Instant, _in_flight: u64) {}

    /// Called when the sender has nothing more to send although the window has room.
    /// Not called when pacing holds data back.
    fn on_app_limited(&mut self, _now: Instant, _in_flight: u64) {}

    /// Called when packets are declared lost, the latest of which was sent at
    /// `sent_at`. `persistent` is true if nothing got through for so long that the path
    /// must be probed anew: QUIC's persistent congestion (RFC 9002, section 7.6) or a
    /// TCP retransmission timeout (RFC 5681, section 3.1).
    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool);

    /// Called when everything that was outstanding when TCP's recovery began has arrived, but
    /// some of what was first sent since is lost. `outstanding` are the bytes that have not
    /// arrived. Returns true if another recovery begins.
    fn on_lost_in_recovery(&mut self, _now: Instant, _outstanding: u64) -> bool {
        false
    }

    /// The maximum number of bytes in flight.
    fn window(&self) -> u64;

    /// The pacing rate in bits per second, if the controller sets one. As in Linux, TCP
    /// applies it to the bytes of the payload, although it counts each segment as a full one.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// Returns true if the controller itself decides how much to send during recovery.
    /// If false, TCP applies proportional rate reduction (RFC 6937).
    fn owns_recovery(&self) -> bool {
        false
    }

    /// Called if the transport paces packets over the round trip, before the first
    /// packet is sent.
    fn set_paced(&mut self) {}

    /// Sets the maximum packet size.
    fn set_mtu(&mut self, mtu: u16);

    /// The slow start threshold in bytes; `None` before the first congestion event.
    fn ssthresh(&self) -> Option<u64>;

    /// Returns a copy in the same state.
    fn clone_box(&self) -> Box<dyn Controller>;
}

/// An entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct CcInfo {
    /// The name that users write.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The document or implementation that defines the controller.
    pub source: &'static str,
    new: fn(mtu: u16) -> Box<dyn Controller>,
}

/// Returns all controllers.
pub fn registry() -> &'static [CcInfo] {
    &[
        CcInfo {
            name: "bbr",
            summary: "paces at the rate that the path delivers; losses hardly matter",
            source: "BBR v1 as in Linux's tcp_bbr.c; Cardwell et al., ACM Queue 14(5), 2016",
            new: |mtu| Box::new(Bbr::new(mtu)),
        },
        CcInfo {
            name: "cubic",
            summary: "CUBIC as servers have it: over TCP cubic-hystart, over QUIC cubic-rfc9438",
            source: "Linux's default over TCP; RFC 9438 over QUIC",
            new: |mtu| Box::new(Cubic::new(mtu)),
        },
        CcInfo {
            name: "cubic-hystart",
            summary: "CUBIC that leaves slow start when the delay or a train of ACKs grows",
            source: "RFC 9438 as in Linux's tcp_cubic.c, with its HyStart; Ha and Rhee 2011",
            new: |mtu| Box::new(Cubic::with_hystart(mtu)),
        },
        CcInfo {
            name: "cubic-hystart++",
            summary: "CUBIC that slows slow start down when the delay grows",
            source: "RFC 9438 with RFC 9406, https://www.rfc-editor.org/rfc/rfc9406",
            new: |mtu| Box::new(Cubic::with_hystart_plus(mtu)),
        },
        CcInfo {
            name: "cubic-rfc9438",
            summary: "grows with the time since the last loss; at least as fast as Reno",
            source: "RFC 9438 without HyStart, https://www.rfc-editor.org/rfc/rfc9438",
            new: |mtu| Box::new(Cubic::new(mtu)),
        },
        CcInfo {
            name: "illinois",
            summary: "Reno whose growth and decrease depend on the queueing delay",
            source: "Liu, Basar and Srikant 2006/2008, as in Linux's tcp_illinois.c",
            new: |mtu| Box::new(LossBased::<Illinois>::new(mtu)),
        },
        CcInfo {
            name: "newreno",
            summary: "Reno that stays in recovery until all outstanding data arrived",
            source: "RFC 6582, https://www.rfc-editor.org/rfc/rfc6582",
            new: |mtu| Box::new(LossBased::<NewReno>::new(mtu)),
        },
        CcInfo {
            name: "reno",
            summary: "one packet more in each round trip, half the window after a loss",
            source: "RFC 9002, section 7, https://www.rfc-editor.org/rfc/rfc9002#section-7",
            new: |mtu| Box::new(LossBased::<Reno>::new(mtu)),
        },
        CcInfo {
            name: "tahoe",
            summary: "slow start again after every loss",
            source: "Jacobson, Congestion Avoidance and Control, SIGCOMM 1988",
            new: |mtu| Box::new(LossBased::<Tahoe>::new(mtu)),
        },
        CcInfo {
            name: "vegas",
            summary: "keeps two to four packets in the queue, by the delay",
            source: "Brakmo and Peterson, IEEE JSAC 13(8), 1995, as in Linux's tcp_vegas.c",
            new: |mtu| Box::new(LossBased::<Vegas>::new(mtu)),
        },
        CcInfo {
            name: "yeah",
            summary: "Scalable TCP while the queue is short, Reno while it is long",
            source: "Baiocchi, Castellani and Vacirca, PFLDnet 2007, as in Linux's tcp_yeah.c",
            new: |mtu| Box::new(LossBased::<Yeah>::new(mtu)),
        },
    ]
}

/// Returns the controller that a server's TCP runs under this name: Linux's `cubic`
/// includes `HyStart`.
pub fn over_tcp(name: &str) -> &str {
    if name == "cubic" {
        "cubic-hystart"
    } else {
        name
    }
}

/// Returns the controller that a server's QUIC runs under this name: `cubic` is plain.
pub fn over_quic(name: &str) -> &str {
    if name == "cubic" {
        "cubic-rfc9438"
    } else {
        name
    }
}

/// The error for a name that no controller has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "unknown congestion controller `{name}`; the controllers are {}{}",
    known(),
    did_you_mean(name, registry().iter().map(|info| info.name))
)]
pub struct UnknownController {
    /// The unknown name.
    pub name: String,
}

/// Returns the controller of this name, in upper or lower case.
pub fn find(name: &str) -> Option<&'static CcInfo> {
    let mut all = registry().iter();
    all.find(|info| info.name.eq_ignore_ascii_case(name))
}

/// Builds a new controller for packets of up to `mtu` bytes.
///
/// # Errors
/// [`UnknownController`], which lists the known names, if `name` is not registered.
pub fn build(name: &str, mtu: u16) -> Result<Box<dyn Controller>, UnknownController> {
    let info = find(name).ok_or_else(|| UnknownController {
        name: name.to_owned(),
    })?;
    Ok((info.new)(mtu))
}

fn known() -> String {
    let names: Vec<String> = registry()
        .iter()
        .map(|info| format!("`{}`", info.name))
        .collect();
    names.join(", ")
}

/// The initial window of every controller, in bytes.
///
/// Source: RFC 9002, section 7.2, <https://www.rfc-editor.org/rfc/rfc9002#section-7.2>.
fn initial_window(mtu: u16) -> u64 {
    let mtu = u64::from(mtu);
    (10 * mtu).min(14_720.max(2 * mtu))
}

/// The minimum window of every controller, in bytes. Source: as [`initial_window`].
fn minimum_window(mtu: u16) -> u64 {
    2 * u64::from(mtu)
}

/// Returns `a * b / c`, or the maximum if the result does not fit. A zero `c` counts as 1.
fn mul_div(a: u64, b: u64, c: u64) -> u64 {
    let quotient = u128::from(a) * u128::from(b) / u128::from(c.max(1));
    u64::try_from(quotient).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "../tests/support/testing.rs"]
mod testing;
#[cfg(test)]
mod tests;

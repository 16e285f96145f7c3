//! Congestion controllers, one file each: how much a sender may have in flight.
//!
//! A [`Controller`] is a state machine without clock and without socket; the
//! transport tells it what was sent, acknowledged and lost, in units of bytes
//! and [`pagerace_core`] time, and asks for the window. QUIC and TCP can use
//! the same ones.
//!
//! To add one: a file with its `Controller`, and a line in [`registry`].
//!
//! Left out: ECN marks as something other than a loss, and undoing a reduction
//! that turned out to be needless.

use std::fmt;

use pagerace_core::{Duration, Instant};
use thiserror::Error;

mod aimd;
mod bbr;
mod cubic;
mod flight;
mod hystart;
mod hystart_plus;
mod illinois;
mod newreno;
mod rate;
mod recovery;
mod reno;
mod rounds;
mod tahoe;
mod vegas;
mod yeah;

pub use bbr::Bbr;
pub use cubic::Cubic;
pub use illinois::Illinois;
pub use newreno::NewReno;
pub use reno::Reno;
pub use tahoe::Tahoe;
pub use vegas::Vegas;
pub use yeah::Yeah;

/// What an acknowledged packet tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// When the acknowledgement arrived.
    pub now: Instant,
    /// When the packet was sent.
    pub sent_at: Instant,
    /// The packet's size as counted in flight.
    pub bytes: u64,
    /// The round trip that this packet saw.
    pub rtt_latest: Duration,
    /// The shortest round trip so far.
    pub rtt_min: Duration,
    /// The smoothed round trip.
    pub rtt_smoothed: Duration,
    /// The sender had less to send than the window allowed.
    pub app_limited: bool,
}

/// Decides how much may be in flight.
pub trait Controller: fmt::Debug + Send + Sync {
    /// A packet that counts as in flight was sent.
    fn on_sent(&mut self, now: Instant, bytes: u64);

    /// A packet was acknowledged for the first time.
    fn on_ack(&mut self, ack: &Ack);

    /// All packets that one acknowledgement covers were told by
    /// [`on_ack`](Self::on_ack), and losses that it revealed by
    /// [`on_congestion`](Self::on_congestion); `in_flight` bytes are left.
    fn on_ack_end(&mut self, _now: Instant, _in_flight: u64) {}

    /// The sender has nothing more to send although the window has room. Not
    /// to be called where it is the pacing that holds data back.
    fn on_app_limited(&mut self, _now: Instant, _in_flight: u64) {}

    /// Packets were declared lost, the latest of them sent at `sent_at`.
    /// `persistent` says that nothing got through for so long that the path
    /// must be probed anew: persistent congestion of QUIC (RFC 9002, section
    /// 7.6), a retransmission timeout of TCP (RFC 5681, section 3.1).
    fn on_congestion(&mut self, now: Instant, sent_at: Instant, lost_bytes: u64, persistent: bool);

    /// Most bytes that may be in flight.
    fn window(&self) -> u64;

    /// Bits per second at which to send, if the controller wants a say; of the
    /// bytes that [`on_sent`](Self::on_sent) counts.
    fn pacing_rate(&self) -> Option<u64> {
        None
    }

    /// Whether it decides by itself how much to send while losses are repaired.
    /// If not, TCP reduces the window proportionally (RFC 6937).
    fn owns_recovery(&self) -> bool {
        false
    }

    /// The transport itself spreads packets over the round trip. Told before
    /// anything is sent.
    fn set_paced(&mut self) {}

    /// The largest packet has a new size.
    fn set_mtu(&mut self, mtu: u16);

    /// The window in bytes at which slow start ends; `None` before the first
    /// congestion.
    fn ssthresh(&self) -> Option<u64>;

    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// A copy in the same state.
    fn clone_box(&self) -> Box<dyn Controller>;
}

/// A controller in the registry.
#[derive(Clone, Copy, Debug)]
pub struct CcInfo {
    /// What users write.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// The document that defines it.
    pub source: &'static str,
    new: fn(mtu: u16) -> Box<dyn Controller>,
}

/// All controllers.
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
            new: |mtu| Box::new(Illinois::new(mtu)),
        },
        CcInfo {
            name: "newreno",
            summary: "Reno that stays in recovery until all that was outstanding arrived",
            source: "RFC 6582, https://www.rfc-editor.org/rfc/rfc6582",
            new: |mtu| Box::new(NewReno::new(mtu)),
        },
        CcInfo {
            name: "reno",
            summary: "one packet more in each round trip, half the window after a loss",
            source: "RFC 9002, section 7, https://www.rfc-editor.org/rfc/rfc9002#section-7",
            new: |mtu| Box::new(Reno::new(mtu)),
        },
        CcInfo {
            name: "tahoe",
            summary: "slow start again after every loss",
            source: "Jacobson, Congestion Avoidance and Control, SIGCOMM 1988",
            new: |mtu| Box::new(Tahoe::new(mtu)),
        },
        CcInfo {
            name: "vegas",
            summary: "keeps two to four packets in the queue, by the delay",
            source: "Brakmo and Peterson, IEEE JSAC 13(8), 1995, as in Linux's tcp_vegas.c",
            new: |mtu| Box::new(Vegas::new(mtu)),
        },
        CcInfo {
            name: "yeah",
            summary: "Scalable TCP while the queue is short, Reno while it is long",
            source: "Baiocchi, Castellani and Vacirca, PFLDnet 2007, as in Linux's tcp_yeah.c",
            new: |mtu| Box::new(Yeah::new(mtu)),
        },
    ]
}

/// What a server's TCP runs under this name: Linux's `cubic` has `HyStart`.
pub fn over_tcp(name: &str) -> &str {
    if name == "cubic" {
        "cubic-hystart"
    } else {
        name
    }
}

/// What a server's QUIC runs under this name: plain `cubic`.
pub fn over_quic(name: &str) -> &str {
    if name == "cubic" {
        "cubic-rfc9438"
    } else {
        name
    }
}

/// No controller has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no congestion controller is called `{name}`; there are {}", known())]
pub struct UnknownController {
    /// What was written.
    pub name: String,
}

/// A new controller for packets of up to `mtu` bytes.
///
/// # Errors
/// [`UnknownController`] lists those that exist.
pub fn build(name: &str, mtu: u16) -> Result<Box<dyn Controller>, UnknownController> {
    let info = registry().iter().find(|info| info.name == name);
    let info = info.ok_or_else(|| UnknownController {
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

/// Where every controller begins, in bytes.
///
/// Source: RFC 9002, section 7.2, <https://www.rfc-editor.org/rfc/rfc9002#section-7.2>.
fn initial_window(mtu: u16) -> u64 {
    let mtu = u64::from(mtu);
    (10 * mtu).min(14_720.max(2 * mtu))
}

/// Below which no controller goes, in bytes. Source: as [`initial_window`].
fn minimum_window(mtu: u16) -> u64 {
    2 * u64::from(mtu)
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

//! The sending half: what leaves when, and what an acknowledgement means.
//!
//! [`transmit`] decides what leaves, [`acks`] takes acknowledgements, [`timers`]
//! acts on deadlines.

mod acks;
mod timers;
mod transmit;

use bytes::Bytes;
use pagerace_cc::{Controller, UnknownController};
use pagerace_core::{Duration, Instant};

use super::buffer::SendBuffer;
use super::pacer::Pacer;
use super::probe::TailProbe;
use super::prr::Prr;
use super::rack::Rack;
use super::rtt::RttEstimator;
use super::scoreboard::{Delivered, Entry, Losses, Scoreboard};
use super::settings::Settings;
use super::undo::Undo;
use super::usage::{Restart, WindowUse};

pub(super) use acks::Acknowledgement;

/// Source: RFC 6928, section 2, <https://www.rfc-editor.org/rfc/rfc6928#section-2>.
fn initial_window(mss: u16) -> u64 {
    let mss = u64::from(mss);
    (10 * mss).min(14_600.max(2 * mss))
}

/// What is to be sent, without what the receiving half adds.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) sequence: u64,
    pub(super) payload: Bytes,
    pub(super) fin: bool,
    /// Nothing more was written behind it when it was first sent.
    pub(super) push: bool,
    pub(super) retransmission: bool,
}

impl Outgoing {
    fn again(sent: &Entry) -> Self {
        Self {
            sequence: sent.sequence,
            payload: sent.payload.clone(),
            fin: sent.fin,
            push: false,
            retransmission: true,
        }
    }
}

/// Where loss repair stands (RFC 5681, section 3.2; RFC 6582). A phase ends when
/// `until`, the number behind the highest one sent at its begin, is acknowledged.
#[derive(Debug)]
enum Phase {
    Open,
    /// Losses were detected. No PRR for controllers that own their recovery.
    Recovery {
        until: u64,
        prr: Option<Prr>,
    },
    /// A retransmission timeout. Until something is `answered`, one segment is
    /// on its way.
    Timeout {
        until: u64,
        began: Instant,
        answered: bool,
    },
}

/// Counts of the sending half.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) lost: u64,
    pub(super) retransmitted_bytes: u64,
    pub(super) timeouts: u64,
    pub(super) probes: u64,
    pub(super) undone: u64,
}

/// The sending half of a connection.
#[derive(Debug)]
pub(super) struct Sender {
    mss: u64,
    slow_start_after_idle: bool,
    retries: u32,
    controller: Box<dyn Controller>,
    buffer: SendBuffer,
    board: Scoreboard,
    /// The lowest number that is not acknowledged, and the next to be sent.
    una: u64,
    next: u64,
    /// The number that the peer's window ends before, and its widest window.
    peer_edge: u64,
    peer_widest: u64,
    rtt: RttEstimator,
    rack: Rack,
    phase: Phase,
    probe: TailProbe,
    undo: Option<Undo>,
    usage: WindowUse,
    restart: Option<Restart>,
    pacer: Pacer,
    rto_at: Option<Instant>,
    reorder_at: Option<Instant>,
    persist_at: Option<Instant>,
    /// Timeouts, or probes of a closed window, in a row.
    backoff: u32,
    /// One segment may leave whatever the window says.
    forced: bool,
    /// The closed window is to be probed.
    persist: bool,
    /// There was room in the window and nothing to send.
    starved: bool,
    last_sent: Instant,
    counts: Counts,
    delivered: Vec<Delivered>,
}

impl Sender {
    pub(super) fn new(settings: &Settings) -> Result<Self, UnknownController> {
        Ok(Self {
            mss: u64::from(settings.mss),
            slow_start_after_idle: settings.slow_start_after_idle,
            retries: settings.retries,
            controller: pagerace_cc::build(&settings.congestion, settings.mss)?,
            buffer: SendBuffer::default(),
            board: Scoreboard::default(),
            una: 1,
            next: 1,
            peer_edge: 1,
            peer_widest: 0,
            rtt: RttEstimator::new(settings.rto_min),
            rack: Rack::new(),
            phase: Phase::Open,
            probe: TailProbe::default(),
            undo: None,
            usage: WindowUse::default(),
            restart: None,
            pacer: Pacer::default(),
            rto_at: None,
            reorder_at: None,
            persist_at: None,
            backoff: 0,
            forced: false,
            persist: false,
            starved: false,
            last_sent: Instant::ZERO,
            counts: Counts::default(),
            delivered: Vec::new(),
        })
    }

    /// The handshake is over. `tries`: how often our SYN was sent.
    pub(super) fn establish(&mut self, now: Instant, mss: u16, rtt: Option<Duration>, tries: u32) {
        if u64::from(mss) < self.mss {
            self.mss = u64::from(mss);
            self.controller.set_mtu(mss);
        }
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
        }
        // RFC 6298, section 5.7, as Linux has it (`tcp_init_transfer`): a SYN lost
        // twice is a sign of congestion, one loss alone is not.
        if tries > 2 {
            self.restart = Some(Restart::at(self.mss));
        }
        self.last_sent = now;
    }

    pub(super) fn write(&mut self, data: Bytes) {
        self.starved = false;
        self.buffer.write(data);
    }

    pub(super) fn finish(&mut self) {
        self.buffer.finish();
    }

    /// Bytes that were written and not sent.
    pub(super) fn unsent(&self) -> usize {
        self.buffer.len()
    }

    /// Whether the stream ended: nothing more can be written.
    pub(super) fn is_finished(&self) -> bool {
        self.buffer.is_finished()
    }

    /// Whether the peer has everything, the FIN too.
    pub(super) fn is_done(&self) -> bool {
        self.is_finished() && self.buffer.is_empty() && self.board.is_empty()
    }

    /// The next number to be sent.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.board.in_flight()
    }

    /// Bytes that may be in flight outside of recovery.
    pub(super) fn window(&self) -> u64 {
        let window = self.controller.window();
        self.restart.map_or(window, |r| r.window().min(window))
    }

    pub(super) fn ssthresh(&self) -> Option<u64> {
        self.controller.ssthresh()
    }

    pub(super) fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// Tells the controller of losses.
    fn reduce(&mut self, now: Instant, losses: &Losses, persistent: bool) {
        let before = self.controller.window();
        self.controller
            .on_congestion(now, losses.sent_at, losses.bytes, persistent);
        if persistent {
            self.restart = None;
        }
        let after = self.controller.window();
        if let Some(restart) = &mut self.restart {
            restart.on_congestion(before, after, self.mss);
        }
    }

    fn prepare_undo(&mut self) {
        // A controller that models the path has nothing to take back.
        self.undo = (!self.controller.owns_recovery())
            .then(|| Undo::new(self.controller.as_ref(), self.una));
    }

    /// Time goes on and the application did not use the room that it had.
    /// Told late, so that an owner may write as soon as nothing is left.
    pub(super) fn note_starvation(&mut self, now: Instant) {
        if !std::mem::take(&mut self.starved) {
            return;
        }
        let in_flight = self.board.in_flight();
        if in_flight + self.mss <= self.window() {
            self.controller.on_app_limited(now, in_flight);
        }
    }
}

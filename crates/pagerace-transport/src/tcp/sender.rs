//! The sending half of a connection.
//!
//! [`transmit`] decides which segments leave, [`acks`] processes acknowledgements, and
//! [`timers`] handles deadlines.

mod acks;
mod timers;
mod transmit;

use bytes::Bytes;
use pagerace_cc::{Controller, UnknownController};
use pagerace_core::{Duration, Instant};

use super::buffer::SendBuffer;
use super::memory::{self, Content, SendMemory};
use super::probe::TailProbe;
use super::prr::Prr;
use super::rack::Rack;
use super::rtt::RttEstimator;
use super::scoreboard::{Delivered, Entry, Losses, Scoreboard};
use super::settings::TcpSettings;
use super::undo::Undo;
use super::usage::{Restart, WindowUse};
use crate::pacer::Pacer;

pub(super) use acks::Acknowledgement;

/// Returns the initial window. Source: RFC 6928, section 2,
/// <https://www.rfc-editor.org/rfc/rfc6928#section-2>.
fn initial_window(mss: u16) -> u64 {
    let mss = u64::from(mss);
    (10 * mss).min(14_600.max(2 * mss))
}

/// A segment with data or a FIN to send, without the fields of the receiving half.
#[derive(Debug)]
pub(super) struct DataSegment {
    pub(super) sequence: u64,
    pub(super) payload: Bytes,
    pub(super) fin: bool,
    /// True if no data was waiting behind the segment. Always false for retransmissions.
    pub(super) push: bool,
    pub(super) retransmission: bool,
}

impl DataSegment {
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

/// The phase of loss recovery (RFC 5681, section 3.2; RFC 6582).
///
/// A phase ends when `until` is acknowledged, the number after the highest one sent at its
/// beginning.
#[derive(Debug)]
enum Phase {
    Open,
    /// Losses were detected. There is no PRR for controllers that manage recovery
    /// themselves.
    Recovery {
        until: u64,
        prr: Option<Prr>,
    },
    /// A retransmission timeout fired. Only one segment is in flight until a delivery makes
    /// `answered` true.
    Timeout {
        until: u64,
        began: Instant,
        answered: bool,
    },
}

/// Counters of the sending half.
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
    memory: SendMemory,
    /// Number of segments in the last buffer that the kernel sent. 0 if no more can join them.
    in_buffer: u64,
    board: Scoreboard,
    /// The lowest unacknowledged number, and the next number to send.
    una: u64,
    next: u64,
    /// The end of the peer's window, and the largest window that the peer has advertised.
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
    /// The time until which the pacer holds a segment back. As in Linux without the `fq`
    /// queue, only controllers that set a pacing rate are paced (BBR). Deviates from Linux,
    /// which releases bursts of about a millisecond: segments leave one by one.
    paced_until: Option<Instant>,
    rto_at: Option<Instant>,
    reorder_at: Option<Instant>,
    persist_at: Option<Instant>,
    /// Number of consecutive timeouts, or of consecutive probes of a closed window.
    backoff: u32,
    /// True if one segment may leave regardless of the window.
    forced: bool,
    /// True if the closed window must be probed.
    persist: bool,
    /// True if the last poll found no data to send on an unfinished stream.
    starved: bool,
    last_sent: Instant,
    counts: Counts,
    delivered: Vec<Delivered>,
}

impl Sender {
    pub(super) fn new(settings: &TcpSettings) -> Result<Self, UnknownController> {
        let controller = pagerace_cc::build(&settings.congestion, settings.mss)?;
        Ok(Self {
            mss: u64::from(settings.mss),
            slow_start_after_idle: settings.slow_start_after_idle,
            retries: settings.retries,
            memory: SendMemory::new(controller.as_ref(), settings.notsent_lowat),
            controller,
            buffer: SendBuffer::default(),
            in_buffer: 0,
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
            paced_until: None,
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

    /// Completes the handshake. `tries` is the number of times that this side sent its SYN
    /// or SYN-ACK.
    pub(super) fn establish(&mut self, now: Instant, mss: u16, rtt: Option<Duration>, tries: u32) {
        if u64::from(mss) < self.mss {
            self.mss = u64::from(mss);
            self.controller.set_mtu(mss);
        }
        if let Some(rtt) = rtt {
            self.rtt.sample(rtt);
        }
        // RFC 6298, section 5.7, as implemented by Linux (`tcp_init_transfer`): two lost
        // SYNs are a sign of congestion, and one alone is not.
        if tries > 2 {
            self.restart = Some(Restart::at(self.mss));
        }
        self.last_sent = now;
    }

    pub(super) fn write(&mut self, data: Bytes) {
        self.starved = false;
        let (content, whole) = (self.content(), self.whole_buffer());
        self.memory.on_write(data.len() as u64, content, whole);
        self.buffer.write(data);
    }

    #[cfg(test)]
    pub(super) fn lift_send_buffer(&mut self) {
        self.memory.lift();
    }

    pub(super) fn finish(&mut self) {
        self.buffer.finish();
    }

    /// Returns the number of bytes that the application should write now.
    pub(super) fn writable(&self) -> usize {
        self.memory.writable(self.content(), self.whole_buffer())
    }

    fn content(&self) -> Content {
        Content {
            sent: self.next - self.una,
            buffers: self.board.buffers(),
            unsent: self.buffer.len() as u64,
        }
    }

    fn whole_buffer(&self) -> u64 {
        memory::whole_buffer(self.peer_widest, self.mss)
    }

    /// Adds a segment to the kernel's last buffer. Returns true if the segment is the first
    /// one there: the buffer is split where sending stopped, and after about a millisecond.
    fn opens_buffer(&mut self, now: Instant) -> bool {
        let paced = self.controller.pacing_rate().map(|bits| bits / 8);
        let segments = memory::buffer_segments(paced.unwrap_or_else(|| self.rate()), self.mss);
        let stopped = paced.is_none() && now > self.last_sent;
        let opens = stopped || self.in_buffer == 0;
        self.in_buffer = if opens { 1 } else { self.in_buffer + 1 };
        if self.buffer.is_empty() || self.in_buffer >= segments {
            self.in_buffer = 0;
        }
        opens
    }

    /// Returns the rate in bytes per second at which an unpaced sender is assumed to send
    /// (`tcp_update_pacing_rate`).
    fn rate(&self) -> u64 {
        let window = self.window();
        let grows = self.ssthresh().is_none_or(|ssthresh| window < ssthresh / 2);
        let percent = if grows { 200 } else { 120 };
        let rtt = self.rtt.smoothed().unwrap_or(Duration::from_secs(1));
        let nanos = 100 * u128::from(rtt.as_nanos().max(1));
        (u128::from(window) * percent * 1_000_000_000 / nanos) as u64
    }

    /// Wakes the application if the send buffer has room. Also enlarges the buffer if the
    /// window is not full, unless segments are about to fill it.
    fn check_space(&mut self, sending: bool) {
        let window = self.window() / self.mss;
        let free = !sending && self.board.in_flight() < window;
        self.memory.check(self.content(), free.then_some(window));
    }

    /// Returns true if the stream has ended, so that nothing more can be written.
    pub(super) fn is_finished(&self) -> bool {
        self.buffer.is_finished()
    }

    /// Returns true if the peer has acknowledged all data and the FIN.
    pub(super) fn is_done(&self) -> bool {
        self.is_finished() && self.buffer.is_empty() && self.board.is_empty()
    }

    /// Returns the next number to send.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Returns the bytes that the segments in flight take of the window.
    pub(super) fn in_flight(&self) -> u64 {
        self.board.in_flight() * self.mss
    }

    /// Returns the bytes that may be in flight outside of recovery.
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

    /// Reports losses to the controller.
    fn reduce(&mut self, now: Instant, losses: &Losses, persistent: bool) {
        let before = self.controller.window();
        self.controller
            .on_congestion(now, losses.sent_at, losses.segments * self.mss, persistent);
        if persistent {
            self.restart = None;
        }
        let after = self.controller.window();
        if let Some(restart) = &mut self.restart {
            restart.on_congestion(before, after, self.mss);
        }
    }

    fn prepare_undo(&mut self) {
        // A controller that models the path has no reduction to undo.
        self.undo = (!self.controller.owns_recovery())
            .then(|| Undo::new(self.controller.as_ref(), self.una));
    }

    /// Reports to the controller that the application left room in the window unused.
    ///
    /// Called only when time advances, so that the owner can still write after the buffer
    /// has run empty.
    pub(super) fn note_starvation(&mut self, now: Instant) {
        if !std::mem::take(&mut self.starved) {
            return;
        }
        let in_flight = self.in_flight();
        if in_flight + self.mss <= self.window() {
            self.controller.on_app_limited(now, in_flight);
        }
    }
}

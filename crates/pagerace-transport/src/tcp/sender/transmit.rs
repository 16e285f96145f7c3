//! The segments of the sending half, as the windows and the pacer allow them.

use pagerace_core::Instant;

use super::{DataSegment, Phase, Sender, initial_window};
use crate::tcp::usage::Restart;

impl Sender {
    /// Returns the next segment that may leave now.
    pub(in crate::tcp) fn poll(&mut self, now: Instant) -> Option<DataSegment> {
        let segment = self.next_segment(now);
        if segment.is_none() {
            self.memory.on_idle(self.content(), self.whole_buffer());
        }
        segment
    }

    fn next_segment(&mut self, now: Instant) -> Option<DataSegment> {
        if self.probe.take_pending()
            && let Some(probe) = self.poll_probe(now)
        {
            return Some(probe);
        }
        if self.board.has_lost() {
            return self.admits(now).then(|| {
                let sent = self.board.retransmit_lost(now).expect("one is lost");
                let out = DataSegment::again(sent);
                self.on_retransmitted(now, &out);
                out
            });
        }
        if self.buffer.is_empty() {
            self.starved = !self.is_finished();
            self.paced_until = None;
            return None;
        }
        let length = self.sendable(now)?;
        self.restart_after_idle(now);
        if !self.admits(now) {
            return None;
        }
        Some(self.send_new(now, length))
    }

    /// Returns the payload bytes of the next new segment, if the peer's window allows it.
    fn sendable(&mut self, now: Instant) -> Option<u64> {
        let whole = (self.buffer.len() as u64).min(self.mss);
        let usable = self.peer_edge.saturating_sub(self.next);
        // RFC 9293, section 3.8.6.2.1: a small window must not lead to small segments. A
        // FIN needs no room, as the peer does not store it.
        let length = whole.min(usable);
        let fits = length == whole || length >= self.peer_widest.div_ceil(2).max(1);
        if fits || (self.persist && length > 0) {
            self.persist = false;
            self.persist_at = None;
            return Some(length);
        }
        // RFC 9293, section 3.8.6.1: start the timer for window probes.
        if self.board.is_empty() && self.persist_at.is_none() {
            self.persist_at = Some(now + self.rtt.timeout(self.backoff));
        }
        self.paced_until = None;
        None
    }

    /// Takes a pending window probe. Returns true if an empty segment must be sent to probe
    /// a closed window.
    pub(in crate::tcp) fn take_window_probe(&mut self) -> bool {
        std::mem::take(&mut self.persist)
    }

    fn restart_after_idle(&mut self, now: Instant) {
        if !self.slow_start_after_idle || !self.board.is_empty() || self.controller.owns_recovery()
        {
            return;
        }
        let idle = now.since(self.last_sent);
        let timeout = self.rtt.timeout(0);
        if idle <= timeout {
            return;
        }
        let initial = initial_window(self.mss as u16);
        if let Some(restart) = Restart::after_idle(idle, timeout, self.window(), initial) {
            self.restart = Some(restart);
        }
    }

    /// Returns true if the congestion window and the pacer allow a segment now.
    fn admits(&mut self, now: Instant) -> bool {
        let in_flight = self.board.in_flight();
        let window = self.window() / self.mss;
        let room = self.forced
            || in_flight == 0
            || match &self.phase {
                Phase::Recovery { prr: Some(prr), .. } => prr.admits(),
                // RFC 5681, section 3.1: the loss window is one segment.
                Phase::Timeout { answered, .. } if !answered => false,
                _ => in_flight < window,
            };
        if !room {
            self.paced_until = None;
            let outstanding = self.board.len() as u64;
            self.usage.observe(true, outstanding, self.una, self.next);
            return false;
        }
        let rate = self.controller.pacing_rate();
        self.paced_until = rate.and_then(|rate| self.pacer.held_until(now, 0, rate));
        self.paced_until.is_none()
    }

    fn send_new(&mut self, now: Instant, length: u64) -> DataSegment {
        let (payload, fin) = self.buffer.take(length as usize);
        let sequence = self.next;
        let opens_buffer = self.opens_buffer(now);
        let data = (payload.clone(), fin);
        self.board.push(now, sequence, data, opens_buffer);
        self.next += length + u64::from(fin);
        self.on_sent(now, length);
        self.memory.on_sent(self.buffer.len() as u64);
        if self.in_buffer == 0 {
            self.check_space(false);
        }
        self.schedule_probe(now);
        DataSegment {
            sequence,
            payload,
            fin,
            push: self.buffer.is_empty(),
            retransmission: false,
        }
    }

    /// Records that a segment with `bytes` of payload left.
    fn on_sent(&mut self, now: Instant, bytes: u64) {
        self.forced = false;
        self.last_sent = now;
        self.controller.on_sent(now, self.mss);
        if bytes > 0 {
            self.paced_until = None;
            if let Some(rate) = self.controller.pacing_rate() {
                self.pacer.charge(now, bytes, rate);
            }
        }
        if let Phase::Recovery { prr: Some(prr), .. } = &mut self.phase {
            prr.on_sent();
        }
        let limited = self.in_flight() + self.mss > self.window();
        let outstanding = self.board.len() as u64;
        self.usage
            .observe(limited, outstanding, self.una, self.next);
        if self.rto_at.is_none() {
            self.rto_at = Some(now + self.rtt.timeout(self.backoff));
        }
    }

    fn on_retransmitted(&mut self, now: Instant, out: &DataSegment) {
        let bytes = out.payload.len() as u64;
        self.counts.retransmitted_bytes += bytes;
        // Probes count as well, so that a DSACK for a probe does not explain another
        // retransmission.
        if let Some(undo) = &mut self.undo {
            undo.on_retransmission(now);
        }
        self.on_sent(now, bytes);
    }

    /// Returns the tail loss probe to send. The congestion window does not limit it.
    ///
    /// Source: RFC 8985, section 7.3.
    fn poll_probe(&mut self, now: Instant) -> Option<DataSegment> {
        if self.board.is_empty() {
            return None;
        }
        let whole = (self.buffer.len() as u64).min(self.mss);
        let fits = self.next + whole <= self.peer_edge;
        let (out, repeats) = if !self.buffer.is_empty() && fits {
            (self.send_new(now, whole), None)
        } else {
            let sent = self.board.retransmit_last(now)?;
            let repeats = sent.first_sent_at;
            let out = DataSegment::again(sent);
            self.on_retransmitted(now, &out);
            (out, Some(repeats))
        };
        self.counts.probes += 1;
        self.probe.cancel();
        self.probe.on_sent(self.next, repeats);
        self.rto_at = Some(now + self.rtt.timeout(self.backoff));
        Some(out)
    }

    /// Schedules a tail loss probe, except during recovery. Source: RFC 8985, section 7.2.
    pub(super) fn schedule_probe(&mut self, now: Instant) {
        let quiet = matches!(self.phase, Phase::Open) && self.board.sacked_segments() == 0;
        match self.rto_at {
            Some(rto_at) if quiet && !self.board.is_empty() => {
                let smoothed = self.rtt.smoothed();
                self.probe.schedule(now, smoothed, self.board.len(), rto_at);
            }
            _ => self.probe.cancel(),
        }
    }
}

//! Processing of acknowledgements: round-trip samples, deliveries, losses, and the
//! resulting calls to the congestion controller.

use pagerace_cc::{Ack, TcpAck};
use pagerace_core::Instant;

use super::{Phase, Prr, Sender};
use crate::tcp::segment::SackBlocks;

/// The acknowledgement fields of a segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::tcp) struct Acknowledgement {
    pub(in crate::tcp) number: u64,
    pub(in crate::tcp) window: u64,
    pub(in crate::tcp) sacks: SackBlocks,
    pub(in crate::tcp) echo: Option<Instant>,
    /// True if the segment carries neither payload nor FIN.
    pub(in crate::tcp) pure: bool,
}

impl Sender {
    /// Processes an acknowledgement.
    ///
    /// # Panics
    /// Panics if the acknowledgement covers data that was never sent. The caller checks
    /// this.
    pub(in crate::tcp) fn handle_ack(&mut self, now: Instant, ack: &Acknowledgement) {
        assert!(ack.number <= self.next, "never sent, so never acknowledged");
        self.note_starvation(now);
        let widened = self.update_peer_window(ack);
        if ack.number < self.una {
            // The acknowledgement is old, but its SACK blocks may be new.
            if ack.sacks.is_empty() {
                return;
            }
        }
        let una = self.una;
        let mut delivered = std::mem::take(&mut self.delivered);
        delivered.clear();
        self.una = una.max(ack.number);
        self.board.acknowledge(self.una, &mut delivered);
        let duplicate = self.read_blocks(ack, &mut delivered);

        self.sample_rtt(now, ack, &delivered);
        for segment in &delivered {
            // RFC 8985, section 6.2, step 2. A SACK echoes the timestamp of the segment
            // before the gap, so only the elapsed time can distinguish transmissions there.
            let early = !segment.sacked && ack.echo.is_some_and(|echo| echo < segment.sent_at);
            let early = early || now.since(segment.sent_at) < self.rtt.minimum();
            let ambiguous = segment.retransmitted && early;
            self.rack.on_delivered(now, segment, ambiguous);
        }
        let needless = self.found_needless(ack, &delivered, duplicate);
        if needless {
            self.take_back();
        }
        self.tell_controller(now, ack, &delivered);
        if self.una > una {
            self.backoff = 0;
            self.forced = false;
        }
        if let Phase::Timeout { answered, .. } = &mut self.phase {
            *answered |= !delivered.is_empty();
        }
        let bare = ack.pure && ack.sacks.is_empty() && ack.number == una && !widened;
        let bare = bare && delivered.is_empty();
        if let Some(sent_at) = self.probe.on_ack(ack.number, duplicate, bare) {
            let losses = super::Losses {
                segments: 1,
                sent_at,
            };
            self.reduce(now, &losses, false);
        }
        self.leave_phase(now);
        self.repair(now, delivered.len() as u64, una, Some(ack));
        self.controller.on_ack_end(now, self.in_flight());
        if self.board.is_empty() {
            self.rto_at = None;
        } else if !delivered.is_empty() {
            // RFC 6298, section 5.3.
            self.rto_at = Some(now + self.rtt.timeout(self.backoff));
        }
        if self.una > una {
            self.schedule_probe(now);
        } else if self.board.sacked_segments() > 0 {
            self.probe.cancel();
        }
        self.delivered = delivered;
        self.check_space(!self.buffer.is_empty());
    }

    /// Updates the peer's window. Returns true if it became wider.
    fn update_peer_window(&mut self, ack: &Acknowledgement) -> bool {
        self.peer_widest = self.peer_widest.max(ack.window);
        let edge = ack.number + ack.window;
        if ack.number >= self.una && self.persist_at.is_some() {
            // The peer is alive, and only silence leads to giving up.
            self.backoff = 0;
        }
        if edge <= self.peer_edge {
            return false;
        }
        self.peer_edge = edge;
        self.persist_at = None;
        self.persist = false;
        true
    }

    /// Processes the SACK blocks. Returns the end of the range that a DSACK reports, if
    /// any.
    fn read_blocks(
        &mut self,
        ack: &Acknowledgement,
        delivered: &mut Vec<super::Delivered>,
    ) -> Option<u64> {
        if ack.sacks.is_empty() {
            return None;
        }
        let mut blocks: Vec<_> = ack.sacks.iter().collect();
        // RFC 2883, section 4: a first block below the acknowledgement, or inside
        // the second block, reports a duplicate.
        let first = &blocks[0];
        let inside =
            |outer: &std::ops::Range<u64>| outer.start <= first.start && first.end <= outer.end;
        let duplicate = first.end <= ack.number || blocks.get(1).is_some_and(inside);
        let duplicate = duplicate.then(|| blocks.remove(0).end);
        if duplicate.is_some() {
            self.rack.on_duplicate(self.una, self.next);
        }
        blocks.sort_unstable_by_key(|block| block.start);
        for block in blocks {
            let block = block.start.max(self.una)..block.end.min(self.next);
            if block.start < block.end {
                self.board.sack(block, delivered);
            }
        }
        duplicate
    }

    /// Samples the round-trip time by Karn's rule (RFC 6298, section 3), with timestamps
    /// for retransmitted segments (RFC 7323, section 4.1).
    fn sample_rtt(&mut self, now: Instant, ack: &Acknowledgement, delivered: &[super::Delivered]) {
        let clean = delivered
            .iter()
            .find(|d| !d.retransmitted && !d.sacked)
            .or_else(|| delivered.iter().find(|d| !d.retransmitted));
        if let Some(segment) = clean {
            self.rtt.sample(now.since(segment.sent_at));
            // The last segment waited least for a delayed acknowledgement.
            let last = delivered.iter().rev().find(|d| !d.retransmitted);
            if let Some(last) = last {
                self.rtt.see(now.since(last.sent_at));
            }
        } else if let (Some(echo), false) = (ack.echo, delivered.iter().all(|d| d.sacked)) {
            self.rtt.sample(now.since(echo));
        }
    }

    fn tell_controller(
        &mut self,
        now: Instant,
        ack: &Acknowledgement,
        delivered: &[super::Delivered],
    ) {
        if delivered.is_empty() {
            return;
        }
        let smoothed = self.rtt.smoothed().unwrap_or_default();
        let window = self.window() / self.mss;
        let slow_start = self
            .controller
            .ssthresh()
            .is_none_or(|ssthresh| self.controller.window() < ssthresh);
        let limited = self
            .usage
            .is_limited(window, slow_start || self.restart.is_some());
        for segment in delivered {
            // Which copy of a repeated segment arrived is unknown (Karn's algorithm, RFC 6298,
            // section 3), unless the echoed timestamp proves that it was the last one.
            let proven = ack.echo.is_some_and(|echo| echo >= segment.sent_at);
            let (sent_at, rtt) = match (segment.retransmitted, proven) {
                (false, _) | (true, true) => (segment.sent_at, now.since(segment.sent_at)),
                (true, false) => (segment.first_sent_at, smoothed),
            };
            // While a restart window applies, the controller's own window is not the limit.
            let app_limited = !limited || self.restart.is_some();
            self.controller.on_ack(&Ack {
                now,
                sent_at,
                tcp: Some(TcpAck {
                    first_sent_at: segment.first_sent_at,
                    sacked: segment.sacked,
                }),
                bytes: self.mss,
                rtt_latest: rtt,
                rtt_min: self.rtt.minimum().min(rtt),
                rtt_smoothed: smoothed,
                app_limited,
            });
            if let Some(restart) = self.restart.as_mut().filter(|_| limited) {
                restart.on_ack(self.mss);
                if restart.window() >= self.controller.window() {
                    self.restart = None;
                }
            }
        }
    }

    /// Returns true if the last reduction was spurious.
    fn found_needless(
        &mut self,
        ack: &Acknowledgement,
        delivered: &[super::Delivered],
        duplicate: Option<u64>,
    ) -> bool {
        let Some(undo) = &mut self.undo else {
            return false;
        };
        if duplicate.is_some_and(|end| undo.on_duplicate(end)) {
            return true;
        }
        let repaired = |d: &super::Delivered| !d.sacked && (d.was_lost || d.retransmitted);
        let needless = !matches!(self.phase, Phase::Open)
            && delivered.iter().any(repaired)
            && undo.was_needless(ack.echo);
        if needless && matches!(self.phase, Phase::Recovery { .. }) {
            // The original transmission filled the hole, after segments that were sent
            // later.
            self.rack.on_reordering();
        }
        needless
    }

    fn take_back(&mut self) {
        let Some(undo) = self.undo.take() else { return };
        self.counts.undone += 1;
        let controller = undo.into_controller();
        if controller.window() > self.controller.window() {
            self.controller = controller;
        }
        let found = self.board.find_lost();
        self.counts.lost = self.counts.lost.saturating_sub(found);
        self.phase = Phase::Open;
    }

    fn leave_phase(&mut self, now: Instant) {
        let (Phase::Recovery { until, .. } | Phase::Timeout { until, .. }) = self.phase else {
            return;
        };
        if self.una < until {
            return;
        }
        let recovered = matches!(self.phase, Phase::Recovery { .. });
        let window = self.window();
        self.phase = Phase::Open;
        self.rack.on_recovered();
        // Data that is left was first sent in recovery. Its retransmissions may be older than the
        // next recovery, so nothing can tell whether that one is needless.
        if recovered
            && let Some(outstanding) = self.board.unrepaired()
            && self
                .controller
                .on_lost_in_recovery(now, outstanding * self.mss)
        {
            self.undo = None;
            self.enter_recovery(window);
        }
    }

    /// Enters recovery from a window of `window` bytes.
    fn enter_recovery(&mut self, window: u64) {
        let prr = (!self.controller.owns_recovery()).then(|| Prr::new(window / self.mss));
        let until = self.next;
        self.phase = Phase::Recovery { until, prr };
    }

    /// Detects losses and enters or continues recovery.
    ///
    /// `delivered` segments and `una` belong to the acknowledgement that triggered the call,
    /// if any.
    pub(super) fn repair(
        &mut self,
        now: Instant,
        delivered: u64,
        una: u64,
        ack: Option<&Acknowledgement>,
    ) {
        self.reorder_at = None;
        let mut lost = 0;
        if let Some(latest) = self.rack.latest() {
            let repairing = !matches!(self.phase, Phase::Open);
            let patience = self.rack.patience(&self.board, &self.rtt, repairing);
            let (losses, wait) = self.board.detect_losses(now, latest, patience);
            self.reorder_at = wait.map(|wait| now + wait);
            lost = losses.segments;
            if lost > 0 {
                self.counts.lost += lost;
                // Recovery repeats segments, so a tail loss probe has nothing to find out.
                self.probe.forget();
                let entering = matches!(self.phase, Phase::Open);
                if entering {
                    self.prepare_undo();
                }
                // Segments sent before a timeout belong to the same congestion event. A
                // controller that manages recovery itself receives all losses.
                let window = self.window();
                let known = matches!(self.phase,
                    Phase::Timeout { began, .. } if losses.sent_at <= began);
                if !known || self.controller.owns_recovery() {
                    self.reduce(now, &losses, false);
                }
                if entering {
                    self.enter_recovery(window);
                }
            }
        }
        let target = self.window() / self.mss;
        if let Phase::Recovery { prr: Some(prr), .. } = &mut self.phase
            && (delivered > 0 || lost > 0)
        {
            let safe = ack.is_some() && self.una > una && lost == 0;
            prr.on_ack(delivered, self.board.in_flight(), target, safe);
        }
    }
}

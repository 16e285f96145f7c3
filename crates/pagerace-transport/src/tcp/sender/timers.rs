//! Timers of the sending half.

use pagerace_core::Instant;

use super::{Phase, Sender};

impl Sender {
    pub(in crate::tcp) fn poll_timeout(&self) -> Option<Instant> {
        [
            self.rto_at,
            self.reorder_at,
            self.persist_at,
            self.probe.deadline(),
            self.paced_until,
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Handles the timers that are due.
    ///
    /// # Errors
    /// Returns the reason for giving up the connection.
    pub(in crate::tcp) fn handle_timeout(&mut self, now: Instant) -> Result<(), String> {
        self.note_starvation(now);
        self.paced_until = self.paced_until.filter(|&until| now < until);
        let due = |at: Option<Instant>| at.is_some_and(|at| now >= at);
        if due(self.reorder_at) {
            self.reorder_at = None;
            let una = self.una;
            self.repair(now, 0, una, None);
            self.controller.on_ack_end(now, self.in_flight());
        }
        if self.probe.handle_timeout(now) {
            // RFC 8985, section 7.3: the retransmission timer restarts with the probe.
            self.rto_at = Some(now + self.rtt.timeout(self.backoff));
        } else if due(self.rto_at) {
            self.backoff += 1;
            if self.backoff > self.retries {
                return Err(format!(
                    "no acknowledgement after {} retransmissions",
                    self.retries
                ));
            }
            self.time_out(now);
        }
        if due(self.persist_at) {
            self.backoff += 1;
            if self.backoff > self.retries {
                return Err(format!(
                    "the peer's window stayed closed and {} probes unanswered",
                    self.retries
                ));
            }
            self.persist = true;
            self.persist_at = Some(now + self.rtt.timeout(self.backoff));
        }
        Ok(())
    }

    /// Handles a retransmission timeout.
    ///
    /// Source: RFC 6298, section 5, <https://www.rfc-editor.org/rfc/rfc6298#section-5>; RFC
    /// 8985, section 6.3.
    fn time_out(&mut self, now: Instant) {
        self.counts.timeouts += 1;
        self.probe.forget();
        self.reorder_at = None;
        let patience = self.rack.patience(&self.board, &self.rtt, true);
        let mut losses = self.board.time_out(now, patience);
        self.counts.lost += losses.segments;
        if losses.segments == 0 {
            // The first segment is already lost, and its retransmission has not been sent
            // yet.
            losses.sent_at = self.board.front().map_or(now, |sent| sent.sent_at);
        }
        if matches!(self.phase, Phase::Open) {
            self.prepare_undo();
        }
        self.reduce(now, &losses, true);
        self.phase = Phase::Timeout {
            until: self.next,
            began: now,
            answered: false,
        };
        self.forced = true;
        self.rto_at = Some(now + self.rtt.timeout(self.backoff));
    }
}

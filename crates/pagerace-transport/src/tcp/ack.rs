//! Acknowledgement policy: when to acknowledge, and with which SACK blocks.
//!
//! Follows RFC 5681, section 4.2, with Linux's numbers: every second full segment or after
//! 40 ms, each segment at the beginning and after unusual arrivals, and out-of-order data
//! immediately. A side that answers soon is interactive (`pingpong`): its acknowledgements
//! wait for its next answer. A side that is not interactive acknowledges the end of each
//! write as soon as it is read. The adaptation of the delay to the sender's gaps (`ato`) is
//! not modelled.

use std::collections::VecDeque;
use std::ops::Range;

use pagerace_core::{Duration, Instant};

use super::ranges::RangeSet;
use super::reassembly::Arrival;
use super::segment::SackBlocks;

/// `TCP_MAX_QUICKACKS` of Linux: number of segments acknowledged one by one when a sender
/// begins, which lets its window grow.
const QUICK_ACKS: u32 = 16;
/// Number of recent blocks that are repeated in case acknowledgements get lost (RFC 2018,
/// section 4). Linux keeps four.
const REMEMBERED_BLOCKS: usize = 4;

/// The acknowledgements that are owed to the sender.
#[derive(Clone, Debug)]
pub(super) struct AckPolicy {
    mss: u64,
    delay: Duration,
    quick: u32,
    /// True if data was sent within [`Self::delay`] of data that arrived. Reset when the
    /// delayed acknowledgement timer expires or a duplicate arrives.
    interactive: bool,
    /// Segments since the last acknowledgement that call for another one on reading: short
    /// segments, and a first full segment that ends a write (`ICSK_ACK_PUSHED`,
    /// `ICSK_ACK_PUSHED2`).
    pushed: u32,
    /// Bytes received since the last acknowledgement.
    pending: u64,
    due: bool,
    delayed_until: Option<Instant>,
    /// A sequence number in each recent block, most recent first.
    recent: VecDeque<u64>,
    duplicate: Option<Range<u64>>,
    last_data: Option<Instant>,
}

impl AckPolicy {
    pub(super) fn new(mss: u16, delay: Duration) -> Self {
        Self {
            mss: u64::from(mss),
            delay,
            quick: QUICK_ACKS,
            interactive: false,
            pushed: 0,
            pending: 0,
            due: false,
            delayed_until: None,
            recent: VecDeque::new(),
            duplicate: None,
            last_data: None,
        }
    }

    /// Processes a segment with `length` bytes of payload from number `sequence` on. `push`
    /// is true if the segment ends a write. After `idle` without data, quick
    /// acknowledgements start again.
    pub(super) fn on_data(
        &mut self,
        now: Instant,
        (sequence, length, push): (u64, u64, bool),
        arrival: &Arrival,
        beyond: &RangeSet,
        idle: Duration,
    ) {
        if self.last_data.is_some_and(|last| now.since(last) > idle) {
            self.quick = QUICK_ACKS;
        }
        self.last_data = Some(now);
        self.pending += length;
        if arrival.out_of_order && arrival.new > 0 {
            self.remember(sequence, beyond);
        }
        if arrival.duplicate.is_some() {
            self.duplicate.clone_from(&arrival.duplicate);
            self.quick = QUICK_ACKS;
            self.interactive = false;
        }
        let short = length < self.mss;
        if short || (push && self.pushed == 0) {
            self.pushed += 1;
        }
        let quick = self.quick > 0 && !self.interactive;
        let unusual = arrival.out_of_order || arrival.duplicate.is_some();
        if unusual || quick || self.pending > self.mss {
            self.due = true;
        } else if self.delayed_until.is_none() {
            self.delayed_until = Some(now + self.delay);
        }
    }

    fn remember(&mut self, number: u64, beyond: &RangeSet) {
        let Some(block) = beyond.containing(number) else {
            // The segment filled the first gap.
            return;
        };
        self.recent.retain(|old| !block.contains(old));
        self.recent.push_front(number);
        self.recent.truncate(REMEMBERED_BLOCKS);
    }

    /// Records that data was sent.
    pub(super) fn on_data_sent(&mut self, now: Instant) {
        self.interactive |= self
            .last_data
            .is_some_and(|last| now.since(last) < self.delay);
    }

    /// Records that all received data was read (`tcp_cleanup_rbuf`).
    pub(super) fn on_drained(&mut self) {
        self.due |= self.pushed > u32::from(self.interactive);
    }

    /// Requests an immediate acknowledgement.
    pub(super) fn demand(&mut self) {
        self.due = true;
    }

    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.delayed_until
    }

    pub(super) fn handle_timeout(&mut self, now: Instant) {
        if self.delayed_until.is_some_and(|at| now >= at) {
            self.delayed_until = None;
            self.interactive = false;
            self.due = true;
        }
    }

    /// Returns the blocks of the next acknowledgement: a duplicate first (RFC 2883, section
    /// 4; reported once), then the most recent blocks.
    pub(super) fn blocks(&mut self, beyond: &RangeSet) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        if let Some(duplicate) = self.duplicate.take() {
            blocks.push(duplicate);
        }
        self.recent
            .retain(|&number| beyond.containing(number).is_some());
        let mut written: Vec<u64> = Vec::new();
        for &number in &self.recent {
            let block = beyond.containing(number).expect("it was kept for that");
            if written.contains(&block.start) {
                continue;
            }
            written.push(block.start);
            if !blocks.push(block) {
                break;
            }
        }
        blocks
    }

    /// Records that an acknowledgement was sent.
    pub(super) fn on_sent(&mut self) {
        if self.pending > 0 {
            self.quick = self.quick.saturating_sub(1);
        }
        self.pending = 0;
        self.pushed = 0;
        self.due = false;
        self.delayed_until = None;
    }
}

#[cfg(test)]
mod tests;

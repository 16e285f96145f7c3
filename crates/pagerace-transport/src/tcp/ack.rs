//! When to acknowledge, and with which SACK blocks.
//!
//! RFC 5681, section 4.2, with Linux's numbers: every second full segment or
//! 40 ms, each segment at the beginning and after something unusual, at once
//! what is out of order. A side that answers soon is interactive (`pingpong`): its
//! acknowledgements wait for its next answer. One that is not acknowledges the end
//! of each write as soon as it is read. Left out: the delay's adaptation to the
//! sender's gaps (`ato`).

use std::collections::VecDeque;
use std::ops::Range;

use pagerace_core::{Duration, Instant};

use super::ranges::RangeSet;
use super::reassembly::Arrival;
use super::segment::SackBlocks;

/// `TCP_MAX_QUICKACKS` of Linux: segments that are acknowledged one by one when
/// a sender begins, in the hope that its window grows.
const QUICK_ACKS: u32 = 16;
/// RFC 2018, section 4: recent blocks are repeated, in case acknowledgements
/// get lost. Linux remembers four.
const REMEMBERED_BLOCKS: usize = 4;

/// What is owed to the sender.
#[derive(Clone, Debug)]
pub(super) struct AckPolicy {
    mss: u64,
    delay: Duration,
    quick: u32,
    /// Data was sent within [`Self::delay`] of data that arrived, and no
    /// acknowledgement has since waited for more in vain.
    interactive: bool,
    /// Segments since the last acknowledgement that ended a write
    /// (`ICSK_ACK_PUSHED`, `ICSK_ACK_PUSHED2`).
    pushed: u32,
    /// Bytes that arrived since the last acknowledgement.
    pending: u64,
    due: bool,
    delayed_until: Option<Instant>,
    /// A number in each block, most recent first.
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

    /// A segment with payload of `length` bytes from number `sequence` on arrived;
    /// `push`: it ends a write. After `idle` without data a sender begins anew.
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
            // It filled the first gap.
            return;
        };
        self.recent.retain(|old| !block.contains(old));
        self.recent.push_front(number);
        self.recent.truncate(REMEMBERED_BLOCKS);
    }

    /// Data left.
    pub(super) fn on_data_sent(&mut self, now: Instant) {
        self.interactive |= self
            .last_data
            .is_some_and(|last| now.since(last) < self.delay);
    }

    /// All that arrived was read (`tcp_cleanup_rbuf`).
    pub(super) fn on_drained(&mut self) {
        self.due |= self.pushed > u32::from(self.interactive);
    }

    /// Something asks for an answer now.
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

    /// Whether there is something to say in SACK blocks.
    pub(super) fn has_blocks(&self, beyond: &RangeSet) -> bool {
        self.duplicate.is_some() || !beyond.is_empty()
    }

    /// The blocks of the next acknowledgement: a duplicate first (RFC 2883,
    /// section 4; reported once), then the most recent ones.
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

    /// An acknowledgement left.
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

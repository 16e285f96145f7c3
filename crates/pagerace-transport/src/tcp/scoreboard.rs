//! The scoreboard of sent segments that are not acknowledged: one entry for each segment,
//! in order of sequence numbers, and a second list in order of transmission.
//!
//! A segment is cut once and retransmitted unchanged (no repacketisation). SACKs are final,
//! as this crate's receiver never drops data that it has reported (RFC 2018, section 8,
//! would allow it).

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use bytes::Bytes;
use pagerace_core::{Duration, Instant};

use super::ranges::RangeSet;

/// The state of a segment that is not acknowledged cumulatively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SegmentState {
    InFlight,
    /// Declared lost, and waiting for retransmission.
    Lost,
    /// Acknowledged by a SACK block.
    Sacked,
}

/// The number of a transmission in the order of all transmissions. It distinguishes
/// segments that were sent at the same instant.
pub(super) type Ordinal = u64;

/// A segment that was sent.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) sequence: u64,
    pub(super) payload: Bytes,
    pub(super) fin: bool,
    /// True if the segment is the first one in a buffer of the kernel.
    pub(super) opens_buffer: bool,
    pub(super) first_sent_at: Instant,
    /// Time of the last transmission.
    pub(super) sent_at: Instant,
    pub(super) ordinal: Ordinal,
    pub(super) retransmitted: bool,
    pub(super) state: SegmentState,
}

impl Entry {
    pub(super) fn end(&self) -> u64 {
        self.sequence + self.payload.len() as u64 + u64::from(self.fin)
    }
}

/// A segment that an acknowledgement covers for the first time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    pub(super) end: u64,
    pub(super) first_sent_at: Instant,
    pub(super) sent_at: Instant,
    pub(super) ordinal: Ordinal,
    pub(super) retransmitted: bool,
    /// True if the segment had been declared lost. It may have been retransmitted since.
    pub(super) was_lost: bool,
    /// True if a SACK block covers the segment, and false if the acknowledgement is
    /// cumulative.
    pub(super) sacked: bool,
}

impl Delivered {
    fn new(sent: &Entry, sacked: bool) -> Self {
        Self {
            end: sent.end(),
            first_sent_at: sent.first_sent_at,
            sent_at: sent.sent_at,
            ordinal: sent.ordinal,
            retransmitted: sent.retransmitted,
            was_lost: sent.state == SegmentState::Lost,
            sacked,
        }
    }
}

/// Segments that were declared lost together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Losses {
    pub(super) segments: u64,
    /// Time at which the last of them was sent.
    pub(super) sent_at: Instant,
}

impl Losses {
    fn add(&mut self, sent: &Entry) {
        self.segments += 1;
        self.sent_at = self.sent_at.max(sent.sent_at);
    }
}

/// All segments between the cumulative acknowledgement and the last one sent.
#[derive(Debug, Default)]
pub(super) struct Scoreboard {
    entries: VecDeque<Entry>,
    /// Number of entries removed so far, which is the number of the front entry.
    front: u64,
    /// Transmissions with the numbers of their entries, oldest first. A transmission is
    /// stale if its entry was removed, settled or retransmitted.
    transmissions: VecDeque<(Ordinal, u64)>,
    next_ordinal: Ordinal,
    /// Numbers of the lost entries.
    lost: BTreeSet<u64>,
    sacked: RangeSet,
    sacked_segments: usize,
    in_flight: u64,
    buffers: u64,
}

impl Scoreboard {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of segments neither acknowledged nor declared lost.
    pub(super) fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Returns the number of the kernel's buffers that hold the segments.
    pub(super) fn buffers(&self) -> u64 {
        self.buffers
    }

    /// Returns the number of segments above the cumulative acknowledgement that SACK blocks
    /// cover.
    pub(super) fn sacked_segments(&self) -> usize {
        self.sacked_segments
    }

    pub(super) fn front(&self) -> Option<&Entry> {
        self.entries.front()
    }

    /// Returns true if a segment is to be retransmitted.
    pub(super) fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    fn entry(&self, number: u64) -> &Entry {
        &self.entries[(number - self.front) as usize]
    }

    /// Adds a new segment that was sent. `opens_buffer` is true if it is the first one in a
    /// buffer of the kernel.
    pub(super) fn push(
        &mut self,
        now: Instant,
        sequence: u64,
        (payload, fin): (Bytes, bool),
        opens_buffer: bool,
    ) {
        self.in_flight += 1;
        self.buffers += u64::from(opens_buffer);
        let ordinal = self.transmit(self.front + self.entries.len() as u64);
        self.entries.push_back(Entry {
            sequence,
            payload,
            fin,
            opens_buffer,
            first_sent_at: now,
            sent_at: now,
            ordinal,
            retransmitted: false,
            state: SegmentState::InFlight,
        });
    }

    fn transmit(&mut self, number: u64) -> Ordinal {
        let ordinal = self.next_ordinal;
        self.next_ordinal += 1;
        self.transmissions.push_back((ordinal, number));
        ordinal
    }

    /// Records the retransmission of the first lost segment and returns the segment.
    pub(super) fn retransmit_lost(&mut self, now: Instant) -> Option<&Entry> {
        let number = self.lost.pop_first()?;
        self.in_flight += 1;
        Some(self.retransmit(now, number))
    }

    /// Records the retransmission of the last segment as a probe and returns the segment.
    /// Returns `None` if the segment is not in flight.
    pub(super) fn retransmit_last(&mut self, now: Instant) -> Option<&Entry> {
        let number = (self.front + self.entries.len() as u64).checked_sub(1)?;
        let in_flight = self.entries.back()?.state == SegmentState::InFlight;
        in_flight.then(|| self.retransmit(now, number))
    }

    fn retransmit(&mut self, now: Instant, number: u64) -> &Entry {
        let ordinal = self.transmit(number);
        let sent = &mut self.entries[(number - self.front) as usize];
        sent.ordinal = ordinal;
        sent.sent_at = now;
        sent.retransmitted = true;
        sent.state = SegmentState::InFlight;
        sent
    }

    /// Removes all segments below `acknowledgement` and adds new deliveries to `delivered`.
    pub(super) fn acknowledge(&mut self, acknowledgement: u64, delivered: &mut Vec<Delivered>) {
        while let Some(sent) = self.entries.front() {
            if sent.end() > acknowledgement {
                break;
            }
            match sent.state {
                SegmentState::Sacked => self.sacked_segments -= 1,
                SegmentState::InFlight => self.in_flight -= 1,
                SegmentState::Lost => {
                    self.lost.remove(&self.front);
                }
            }
            if sent.state != SegmentState::Sacked {
                delivered.push(Delivered::new(sent, false));
            }
            self.buffers -= u64::from(sent.opens_buffer);
            self.entries.pop_front();
            self.front += 1;
        }
        self.sacked.remove_below(acknowledgement);
        self.forget_stale();
    }

    /// Marks the segments in the SACK block and adds new deliveries to `delivered`.
    pub(super) fn sack(&mut self, block: Range<u64>, delivered: &mut Vec<Delivered>) {
        let Self {
            entries,
            front,
            lost,
            sacked,
            sacked_segments,
            in_flight,
            ..
        } = self;
        sacked.insert(block, |new| {
            let first = entries.partition_point(|sent| sent.sequence < new.start);
            for (index, sent) in entries.iter_mut().enumerate().skip(first) {
                if sent.end() > new.end {
                    break;
                }
                match sent.state {
                    SegmentState::Sacked => continue,
                    SegmentState::InFlight => *in_flight -= 1,
                    SegmentState::Lost => {
                        lost.remove(&(*front + index as u64));
                    }
                }
                delivered.push(Delivered::new(sent, true));
                sent.state = SegmentState::Sacked;
                *sacked_segments += 1;
            }
        });
    }

    /// Drops stale transmissions at the front.
    fn forget_stale(&mut self) {
        while let Some(&(ordinal, number)) = self.transmissions.front() {
            if self.is_live(ordinal, number) {
                break;
            }
            self.transmissions.pop_front();
        }
    }

    fn is_live(&self, ordinal: Ordinal, number: u64) -> bool {
        number >= self.front && {
            let sent = self.entry(number);
            sent.ordinal == ordinal && sent.state == SegmentState::InFlight
        }
    }

    /// Declares segments lost that were sent before transmission `before` and at least
    /// `patience` ago. Also returns the time until the next such segment's patience ends.
    pub(super) fn detect_losses(
        &mut self,
        now: Instant,
        before: Ordinal,
        patience: Duration,
    ) -> (Losses, Option<Duration>) {
        let mut losses = Losses::default();
        while let Some(&(ordinal, number)) = self.transmissions.front() {
            if self.is_live(ordinal, number) {
                if ordinal >= before {
                    break;
                }
                let elapsed = now.since(self.entry(number).sent_at);
                if elapsed < patience {
                    return (losses, Some(patience - elapsed));
                }
                self.lose(number, &mut losses);
            }
            self.transmissions.pop_front();
        }
        (losses, None)
    }

    /// Handles a retransmission timeout: declares the first segment lost, and all others
    /// that were sent at least `patience` ago.
    pub(super) fn time_out(&mut self, now: Instant, patience: Duration) -> Losses {
        let mut losses = Losses::default();
        for number in self.front..self.front + self.entries.len() as u64 {
            let sent = self.entry(number);
            let due = number == self.front || now.since(sent.sent_at) >= patience;
            if due && sent.state == SegmentState::InFlight {
                self.lose(number, &mut losses);
            }
        }
        self.forget_stale();
        losses
    }

    /// Returns the number of segments that have not arrived, if some of them were declared lost.
    pub(super) fn unrepaired(&self) -> Option<u64> {
        let missing = || {
            self.entries
                .iter()
                .filter(|e| e.state != SegmentState::Sacked)
        };
        let lost = missing().any(|e| e.state == SegmentState::Lost || e.retransmitted);
        lost.then(|| missing().count() as u64)
    }

    fn lose(&mut self, number: u64, losses: &mut Losses) {
        let sent = &mut self.entries[(number - self.front) as usize];
        losses.add(sent);
        sent.state = SegmentState::Lost;
        self.in_flight -= 1;
        self.lost.insert(number);
    }

    /// Marks all lost segments as in flight again, because they were only late. Returns
    /// their number.
    pub(super) fn find_lost(&mut self) -> u64 {
        let lost = std::mem::take(&mut self.lost);
        let found = lost.len() as u64;
        for number in lost {
            let sent = &mut self.entries[(number - self.front) as usize];
            sent.state = SegmentState::InFlight;
            self.in_flight += 1;
        }
        self.transmissions = (self.front..)
            .zip(&self.entries)
            .filter(|(_, sent)| sent.state == SegmentState::InFlight)
            .map(|(number, sent)| (sent.ordinal, number))
            .collect();
        self.transmissions.make_contiguous().sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests;

//! A queue for each flow, each under `CoDel`: RFC 8290.
//!
//! Queues take turns by deficit round robin, those of flows that have just
//! begun to send (again) before the others. When everything together exceeds
//! the limit, the queue with most bytes loses packets from its head.
//!
//! Deviates: each flow has a queue of its own, where RFC 8290 hashes flows to
//! 1,024 queues and some may share one.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use pagerace_core::Instant;
use serde::{Deserialize, Serialize};

use super::codel::{Codel, CodelConfig};
use super::fifo::{Fifo, Queued};
use super::limit::QueueLimit;

/// One Ethernet frame. Our packets begin with IP, so a turn is 14 bytes more
/// than a full packet.
/// <https://www.rfc-editor.org/rfc/rfc8290#section-5.2>
const QUANTUM: u32 = 1_514;

/// <https://www.rfc-editor.org/rfc/rfc8290#section-5.2>
const LIMIT: QueueLimit = QueueLimit::Packets(10_240);

/// The most packets that leave the longest queue at once.
/// <https://www.rfc-editor.org/rfc/rfc8290#section-4.1>
const DROP_BATCH: usize = 64;

/// Parameters of `FQ-CoDel`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqCodelConfig {
    /// Target and interval of each queue; the limit of all together, 10,240
    /// packets.
    pub codel: CodelConfig,
    /// Bytes that a flow may send in a turn; 1,514.
    pub quantum: u32,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        let codel = CodelConfig {
            limit: LIMIT,
            ..CodelConfig::default()
        };
        Self {
            codel,
            quantum: QUANTUM,
        }
    }
}

impl FqCodelConfig {
    /// The smallest quantum that Linux's `fq_codel` takes.
    pub const QUANTUM_MIN: u32 = 256;

    pub(super) fn check(&self) -> Result<(), String> {
        if self.quantum < Self::QUANTUM_MIN {
            return Err(format!(
                "a quantum of {} bytes is below {}",
                self.quantum,
                Self::QUANTUM_MIN
            ));
        }
        self.codel.check()
    }
}

impl fmt::Display for FqCodelConfig {
    /// What differs from the default, as the grammar reads it behind
    /// `fq-codel`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let default = Self::default();
        self.codel.write_parameters(&default.codel, f)?;
        if self.quantum != default.quantum {
            write!(f, " quantum {}b", self.quantum)?;
        }
        Ok(())
    }
}

/// `FQ-CoDel` at work.
#[derive(Clone, Debug)]
pub(crate) struct FqCodel<P> {
    config: FqCodelConfig,
    /// All flows ever seen: an idle one's `CoDel` remembers its drops.
    flows: BTreeMap<u64, Flow<P>>,
    /// Flows that have just begun to send, and the other ones that send.
    new: VecDeque<u64>,
    old: VecDeque<u64>,
    packets: usize,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    queue: Fifo<P>,
    codel: Codel,
    /// Bytes that it may still send in this turn; below zero by what the last
    /// packet took too much.
    credit: i64,
    /// Whether it is in one of the lists.
    listed: bool,
}

impl<P> FqCodel<P> {
    pub(crate) fn new(config: &FqCodelConfig) -> Self {
        Self {
            config: *config,
            flows: BTreeMap::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            packets: 0,
            bytes: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.packets
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// <https://www.rfc-editor.org/rfc/rfc8290#section-4.1>
    pub(crate) fn push(&mut self, flow: u64, packet: Queued<P>) {
        self.packets += 1;
        self.bytes += u64::from(packet.size);
        let codel = &self.config.codel;
        let entry = self.flows.entry(flow).or_insert_with(|| Flow {
            queue: Fifo::new(),
            codel: Codel::new(codel),
            credit: 0,
            listed: false,
        });
        entry.queue.push(packet);
        if !entry.listed {
            entry.listed = true;
            entry.credit = i64::from(self.config.quantum);
            self.new.push_back(flow);
        }
    }

    /// Drops half of the bytes of the longest queue, at most 64 packets, from
    /// its head.
    pub(crate) fn shed(&mut self, mut drop: impl FnMut(Queued<P>)) {
        // The first of several with the same number of bytes.
        let longest = self.flows.values_mut().rev();
        let Some(flow) = longest.max_by_key(|f| f.queue.bytes()) else {
            return;
        };
        let enough = flow.queue.bytes() / 2;
        let before = flow.queue.bytes();
        for _ in 0..DROP_BATCH {
            let Some(packet) = flow.queue.pop() else {
                break;
            };
            drop(packet);
            self.packets -= 1;
            if before - flow.queue.bytes() >= enough {
                break;
            }
        }
        self.bytes -= before - flow.queue.bytes();
    }

    /// The next packet for the bottleneck; those dropped on the way go to
    /// `drop`.
    /// <https://www.rfc-editor.org/rfc/rfc8290#section-4.2>
    pub(crate) fn dequeue(
        &mut self,
        now: Instant,
        mut drop: impl FnMut(Queued<P>),
    ) -> Option<Queued<P>> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let id = *list.front()?;
            let flow = self.flows.get_mut(&id).expect("listed flows are known");
            if flow.credit <= 0 {
                flow.credit += i64::from(self.config.quantum);
                list.pop_front();
                self.old.push_back(id);
                continue;
            }
            let (packets, bytes) = (flow.queue.len(), flow.queue.bytes());
            let packet = flow.codel.dequeue(now, &mut flow.queue, &mut drop);
            self.packets -= packets - flow.queue.len();
            self.bytes -= bytes - flow.queue.bytes();
            if let Some(packet) = packet {
                flow.credit -= i64::from(packet.size);
                return Some(packet);
            }
            list.pop_front();
            if is_new {
                // Else a flow that pauses after each packet would always be
                // new, and starve the old ones.
                self.old.push_back(id);
            } else {
                flow.listed = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;

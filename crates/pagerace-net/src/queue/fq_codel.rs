//! Flow queueing with a `CoDel` queue for each flow (`FQ-CoDel`), RFC 8290.
//!
//! Queues take turns by deficit round robin. Flows that have just started or resumed
//! sending go first. If all queues together exceed the limit, the queue with the most
//! bytes loses packets from its head.
//!
//! Deviation: each flow has its own queue. RFC 8290 hashes flows to 1,024 queues, so that
//! some flows may share a queue.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use pagerace_core::Instant;
use serde::{Deserialize, Serialize};

use super::codel::{Codel, CodelConfig};
use super::fifo::{Fifo, Queued};
use super::limit::QueueLimit;

/// One Ethernet frame. Simulated packets begin with the IP header, so that the quantum
/// exceeds a full packet by 14 bytes.
/// <https://www.rfc-editor.org/rfc/rfc8290#section-5.2>
const QUANTUM: u32 = 1_514;

/// <https://www.rfc-editor.org/rfc/rfc8290#section-5.2>
const LIMIT: QueueLimit = QueueLimit::Packets(10_240);

/// The maximum number of packets dropped from the longest queue at once.
/// <https://www.rfc-editor.org/rfc/rfc8290#section-4.1>
const DROP_BATCH: usize = 64;

/// Parameters of `FQ-CoDel`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FqCodelConfig {
    /// The target and interval of each queue, and the limit of all queues together,
    /// 10,240 packets by default.
    pub codel: CodelConfig,
    /// The bytes that a flow may send in a turn; 1,514 by default.
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
    /// The smallest quantum that Linux's `fq_codel` accepts.
    pub(crate) const QUANTUM_MIN: u32 = 256;

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
    /// Writes the parameters that differ from the default as the grammar reads them after
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

/// The state of an `FQ-CoDel` queue.
#[derive(Clone, Debug)]
pub(crate) struct FqCodel<P> {
    config: FqCodelConfig,
    /// All flows ever seen. The `CoDel` state of an idle flow remembers its drops.
    flows: BTreeMap<u64, Flow<P>>,
    /// Flows that have just started sending (`new`), and the other active flows (`old`).
    new: VecDeque<u64>,
    old: VecDeque<u64>,
    packets: usize,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Flow<P> {
    queue: Fifo<P>,
    codel: Codel,
    /// The bytes that the flow may still send in this turn. The credit is negative if the
    /// last packet exceeded it.
    credit: i64,
    /// True if the flow is in one of the lists.
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

    /// Adds a packet to the queue of its flow.
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

    /// Drops half of the bytes of the longest queue from its head, but at most 64 packets.
    pub(crate) fn shed(&mut self, mut drop: impl FnMut(Queued<P>)) {
        // `max_by_key` returns the last maximum, so this picks the first of several
        // longest queues.
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

    /// Returns the next packet for the bottleneck, and passes packets dropped before it
    /// to `drop`.
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
                // Otherwise a flow that pauses after each packet would always be new and
                // starve the old flows.
                self.old.push_back(id);
            } else {
                flow.listed = false;
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! Outcome of a load: counters, resource timings and the trace.

use std::collections::BTreeSet;

use pagerace_core::{Duration, Instant};
use pagerace_page::ResourceId;

use super::PageLoad;
use crate::ends::Ends;
use crate::event_loop::Record;
use crate::ledger::{AnswerCounts, Ledger};
use crate::outcome::{HolGap, Outcome, PacketDrop, ResourceTiming, Trace, TransportCounters};
use crate::timing::Progress;
use crate::wire::{Fate, WirePacket};

impl PageLoad<'_> {
    pub(super) fn outcome(&mut self) -> Outcome {
        let mut transport = self.counters();
        let objects = self.deliveries(&mut transport);
        let trace = (self.net.record >= Record::Wire).then(|| self.trace());
        let timings = (0..self.progress.len()).map(|i| self.timing(i));
        let load = self.browser.metrics();
        let paints = self.scenario.page.has_navigation();
        Outcome {
            resources: timings.collect(),
            load: if paints {
                load
            } else {
                load.of_transfers(self.last_end())
            },
            essential: self.essential_end(),
            objects,
            transport,
            visual_progress: if paints {
                self.browser.visual_progress()
            } else {
                Vec::new()
            },
            failure: self.failure.clone(),
            unanswered: self.unanswered(),
            finished_at: self.net.now,
            trace,
        }
    }

    /// Returns the end of the last response; `None` if one is not complete.
    fn last_end(&self) -> Option<Duration> {
        let ends = self
            .progress
            .iter()
            .map(|p| p.as_ref().filter(|p| p.over)?.end);
        let ends: Option<Vec<Instant>> = ends.collect();
        Some(ends?.into_iter().max()?.since_start())
    }

    pub(crate) fn ledger(&mut self) -> Ledger {
        let answer = |p: &Progress| AnswerCounts {
            ready: p.asked.map(|(at, think_time)| at + think_time),
            ended: p.end,
            body: p.body_received,
        };
        Ledger {
            answers: self
                .progress
                .iter()
                .map(|p| p.as_ref().map(answer))
                .collect(),
            ..Ledger::of(&mut self.net)
        }
    }

    fn timing(&self, resource: usize) -> Option<ResourceTiming> {
        let p = self.progress[resource].as_ref()?;
        let set_up = p.stream.map(|(i, _)| self.connections[i].set_up);
        let protocol = match p.given {
            Some(i) => self.connections[i].protocol,
            None => self.pool.places[self.place_of(ResourceId(resource as u32))].protocol,
        };
        let mut timing = p.timing(protocol, self.net.now, set_up);
        if let Some((i, stream)) = p.stream
            && let Some(ends) = &self.net.ends[i]
        {
            let blocked = ends.blocked(stream);
            timing.hol_blocked_bytes = blocked.own_bytes;
            timing.hol_other_bytes = blocked.other_bytes;
        }
        Some(timing)
    }

    fn counters(&mut self) -> TransportCounters {
        let (down, up) = (self.net.down.link.counters(), self.net.up.link.counters());
        // Losses are those of connections, as in traces.
        let names = &self.net.down;
        let mut sum = TransportCounters {
            connections: self.connections.len() as u64,
            link_losses: down.lost - names.queries_lost,
            queue_drops: down.queue_drops - names.queries_dropped,
            bytes_down: down.bytes_enqueued,
            bytes_up: up.bytes_enqueued,
            ..TransportCounters::default()
        };
        for ends in self.net.ends.iter_mut().flatten() {
            let stats = ends.server_stats();
            sum.packets_sent += stats.packets_sent;
            sum.packets_lost += stats.packets_lost;
            sum.retransmitted_bytes += stats.retransmitted_bytes;
            let blocked = ends.blocked_in_all();
            sum.hol_blocked_bytes += blocked.own_bytes;
            sum.hol_blocked_byte_ms += blocked.own_byte_ms();
            sum.hol_other_bytes += blocked.other_bytes;
            sum.hol_other_byte_ms += blocked.other_byte_ms();
        }
        sum
    }

    fn trace(&mut self) -> Trace {
        let mut hol_gaps = Vec::new();
        for (c, ends) in self.connections.iter().zip(self.net.ends.iter()) {
            let gaps = ends.as_ref().map_or_else(Vec::new, Ends::gaps);
            hol_gaps.extend(gaps.iter().filter_map(|g| {
                let resource: ResourceId = *c.streams.get(&g.stream)?;
                Some(HolGap {
                    resource,
                    from: g.from,
                    until: g.until,
                    bytes: g.bytes,
                })
            }));
        }
        // The sort is stable: at equal keys, gaps stay in connection order.
        hol_gaps.sort_by_key(|g| (g.from, g.resource));
        let mut frames = self.net.down.log.frames.clone();
        frames.sort_by_key(|f| (f.at, f.connection));
        let log = &self.net.down.log;
        let drop = |p: &WirePacket| {
            let frames = log.frames_of(p).iter();
            let resources: BTreeSet<ResourceId> = frames.map(|f| f.resource).collect();
            PacketDrop {
                at: p.sent_at,
                connection: p.connection.0,
                queue: p.fate == Fate::Dropped,
                resources: resources.into_iter().collect(),
            }
        };
        let lost = log.packets.iter().filter(|p| p.is_gone());
        let mut drops: Vec<PacketDrop> = lost.map(drop).collect();
        drops.sort_by_key(|d| d.at);
        Trace {
            frames,
            drops,
            hol_gaps,
            paints: self.browser.paints(),
        }
    }
}

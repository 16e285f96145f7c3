//! Transfers on the event loop.

use std::collections::BTreeMap;

use pagerace_core::Instant;
use pagerace_http::Field;
use pagerace_net::Network;
use pagerace_peer::{Body, ClientEvent, LoadSettings, Reply, Request, Retransmission, Site};

use super::{BULK_INTERVAL, BulkOutcome, Flow};
use crate::connector::Connector;
use crate::ends::Ends;
use crate::event_loop::{Event, EventLoop, Record};
use crate::ids::{ById, ConnectionId};
use crate::trace::Side;
use crate::visit::Visit;
use crate::{Ledger, ScenarioError};

#[derive(Clone, Copy, Debug)]
enum Timer {
    Start(ConnectionId),
    Sample,
}

/// Site that answers every request immediately with a body of one size.
struct BulkSite(u64);

impl Site for BulkSite {
    fn reply(&mut self, _request: &Request) -> Reply {
        let fields = vec![Field::from_static(":status", "200")];
        Reply::new(fields, Body::Filler(self.0))
    }
}

struct Transfer<'a> {
    flow: &'a Flow,
    connector: Connector,
    outcome: BulkOutcome,
    /// Body bytes that had arrived at the end of the last interval.
    sampled: u64,
    done: bool,
}

/// Transfers that share two links, each over the connection with its number.
pub(super) struct Transfers<'a> {
    deadline: Instant,
    net: EventLoop<BulkSite, Timer>,
    running: ById<ConnectionId, Transfer<'a>>,
}

impl<'a> Transfers<'a> {
    pub(super) fn new(
        flows: &'a [Flow],
        network: &Network,
        settings: &LoadSettings,
        seed: u64,
        record: Record,
    ) -> Result<Self, ScenarioError> {
        let mut transfers = Self {
            deadline: Instant::ZERO + settings.deadline,
            net: EventLoop::new(network, seed, record),
            running: ById::default(),
        };
        let settings = LoadSettings {
            retransmission: Retransmission::AtOnce,
            ..*settings
        };
        for flow in flows {
            let fifo = "fifo".parse().expect("fifo is registered");
            let mut connector =
                Connector::new(&settings, &flow.congestion, Visit::Cold, fifo, seed)?;
            connector.record = record;
            let i = transfers.running.next_id();
            transfers.running.push(Transfer {
                flow,
                connector,
                outcome: BulkOutcome::default(),
                sampled: 0,
                done: false,
            });
            transfers.net.ends.push(None);
            let start = Instant::ZERO + flow.starts_at;
            transfers.net.schedule(start, Timer::Start(i));
        }
        let sample = Instant::ZERO + BULK_INTERVAL;
        transfers.net.schedule(sample, Timer::Sample);
        Ok(transfers)
    }

    pub(super) fn run(&mut self) -> Result<(), ScenarioError> {
        while self.running.iter().any(|t| !t.done) {
            match self.net.step(self.deadline) {
                Some(Event::Connection(i)) => self.act(i),
                Some(Event::Timer(Timer::Start(i))) => self.start(i)?,
                Some(Event::Timer(Timer::Sample)) => self.sample(),
                Some(Event::Answered(_) | Event::Nothing) => {}
                Some(Event::Deadline) | None => break,
            }
        }
        Ok(())
    }

    fn start(&mut self, i: ConnectionId) -> Result<(), ScenarioError> {
        let now = self.net.now;
        let Transfer {
            flow, connector, ..
        } = &self.running[i];
        let name = format!("flow/{}", i.0);
        let mut ends = connector.connect(flow.protocol, &name, false, now, BulkSite(flow.bytes))?;
        let fields = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", "bulk.example"),
            (":path", "/"),
        ];
        let fields = fields.map(|(name, value)| Field::from_static(name, value));
        ends.request(now, 0, fields.to_vec(), None, None);
        self.net.ends[i] = Some(ends);
        self.act(i);
        Ok(())
    }

    /// Lets a connection act: its events first, then its packets.
    fn act(&mut self, i: ConnectionId) {
        let now = self.net.now;
        let t = &mut self.running[i];
        let started = Instant::ZERO + t.flow.starts_at;
        while let Some(event) = self.net.ends[i].as_mut().and_then(Ends::poll_event) {
            match event {
                ClientEvent::Incomplete { .. } => unreachable!("everything goes on its stream"),
                ClientEvent::Connected => t.outcome.connect = now.since(started),
                ClientEvent::Data { data, .. } => t.outcome.bytes += data.len() as u64,
                ClientEvent::End { .. } => {
                    t.done = true;
                    t.outcome.finished_at = now;
                }
                ClientEvent::Failed { code, .. } => {
                    t.done = true;
                    t.outcome.finished_at = now;
                    let reason = || format!("the request failed with error 0x{code:x}");
                    t.outcome.failure.get_or_insert_with(reason);
                }
                // A connection that is lost after its transfer does not make the transfer
                // fail.
                ClientEvent::Lost { .. } if t.done && t.outcome.failure.is_none() => {}
                ClientEvent::Lost { reason } => {
                    t.done = true;
                    t.outcome.finished_at = now;
                    t.outcome.failure = Some(format!("the connection was lost: {reason}"));
                }
                ClientEvent::Sent { .. }
                | ClientEvent::Interim { .. }
                | ClientEvent::Head { .. } => {}
            }
        }
        self.net.flush(i, &BTreeMap::new());
    }

    /// Appends a sample to the series of each running transfer.
    fn sample(&mut self) {
        let next = self.net.now + BULK_INTERVAL;
        let queued = self.net.down.link.waiting_bytes();
        for (t, ends) in self.running.iter_mut().zip(self.net.ends.iter_mut()) {
            if !t.done {
                t.outcome.arrived.push(t.outcome.bytes - t.sampled);
                t.sampled = t.outcome.bytes;
                let window = ends.as_mut().map_or(0, Ends::window);
                t.outcome.window.push(window);
                t.outcome.queued.push(queued);
            }
        }
        self.net.schedule(next, Timer::Sample);
    }

    pub(super) fn ledger(&mut self) -> Ledger {
        Ledger::of(&mut self.net)
    }

    pub(super) fn finish(self) -> Vec<BulkOutcome> {
        let now = self.net.now;
        let finish = |(mut t, ends): (Transfer<'_>, Option<Ends<_>>)| {
            if !t.done {
                t.outcome.finished_at = now;
                t.outcome.failure = Some(format!("not complete after {}", now.since_start()));
            }
            if t.outcome.bytes > t.sampled {
                t.outcome.arrived.push(t.outcome.bytes - t.sampled);
            }
            if let Some(mut ends) = ends {
                let stats = ends.server_stats();
                t.outcome.packets_sent = stats.packets_sent;
                t.outcome.packets_lost = stats.packets_lost;
                t.outcome.retransmitted_bytes = stats.retransmitted_bytes;
                t.outcome.bytes_up = ends.side(Side::Client).bytes;
                t.outcome.bytes_down = ends.side(Side::Server).bytes;
                t.outcome.queue_drops = ends.side(Side::Server).dropped;
            }
            t.outcome
        };
        let all = self.running.into_iter().zip(self.net.ends);
        all.map(finish).collect()
    }
}

//! The event loop for bulk transfers.

use pagerace_core::{Duration, EventQueue, Instant, Protocol, Rng};
use pagerace_delivery::StrategySpec;
use pagerace_http::Field;
use pagerace_net::{Exit, Link, Network};
use pagerace_peer::server::UNKNOWN;
use pagerace_peer::{Body, ClientEvent, Reply, Request, Retransmission, Site};
use pagerace_transport::quic::Epoch;

use super::{BULK_INTERVAL, BulkOutcome, Flow};
use crate::ScenarioError;
use crate::alarm::Alarm;
use crate::ends::{Ends, Packet};
use crate::trace::Side;
use crate::visit::Visit;
use crate::world::connections::{How, Keys};
use pagerace_peer::LoadSettings;

#[derive(Clone, Copy, Debug)]
enum Timer {
    Start(usize),
    Client(usize),
    Server(usize),
    Sample,
}

/// Site that answers every request immediately with a body of one size.
struct BulkSite(u64);

impl Site for BulkSite {
    fn reply(&mut self, _request: &Request) -> Reply {
        Reply {
            think_time: Duration::ZERO,
            fields: vec![Field::from_static(":status", "200")],
            body: Body::Filler(self.0),
            facts: UNKNOWN,
            nature: pagerace_delivery::reliability::Nature::ESSENTIAL,
        }
    }
}

struct Transfer {
    flow: Flow,
    ends: Option<Ends<BulkSite>>,
    client_alarm: Alarm,
    server_alarm: Alarm,
    outcome: BulkOutcome,
    /// Body bytes that had arrived at the end of the last interval.
    sampled: u64,
    done: bool,
}

/// Transfers that share two links.
pub(super) struct Transfers {
    settings: LoadSettings,
    seed: u64,
    now: Instant,
    epoch: Epoch,
    down: Link<Packet>,
    up: Link<Packet>,
    running: Vec<Transfer>,
    timers: EventQueue<Timer>,
    buf: Vec<u8>,
}

impl Transfers {
    pub(super) fn new(
        flows: &[Flow],
        network: &Network,
        settings: &LoadSettings,
        seed: u64,
    ) -> Self {
        let mut timers = EventQueue::new();
        for (i, flow) in flows.iter().enumerate() {
            timers.schedule(Instant::ZERO + flow.starts_at, Timer::Start(i));
        }
        timers.schedule(Instant::ZERO + BULK_INTERVAL, Timer::Sample);
        let transfer = |flow: &Flow| Transfer {
            flow: flow.clone(),
            ends: None,
            client_alarm: Alarm::default(),
            server_alarm: Alarm::default(),
            outcome: BulkOutcome::default(),
            sampled: 0,
            done: false,
        };
        Self {
            settings: *settings,
            seed,
            now: Instant::ZERO,
            epoch: Epoch::new(),
            down: Link::new(&network.down, Rng::new(seed, "link/down")),
            up: Link::new(&network.up, Rng::new(seed, "link/up")),
            running: flows.iter().map(transfer).collect(),
            timers,
            buf: Vec::with_capacity(2048),
        }
    }

    pub(super) fn run(&mut self) -> Result<(), ScenarioError> {
        let end = Instant::ZERO + self.settings.deadline;
        while self.running.iter().any(|t| !t.done) {
            let links = self.down.next_at().into_iter().chain(self.up.next_at());
            // Sampling never ends, so there is always a next event.
            let next = links.chain(self.timers.next_at()).min().unwrap_or(end);
            if next > end {
                self.now = end;
                break;
            }
            self.now = next;
            self.step()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), ScenarioError> {
        let now = self.now;
        let touched = if let Some(exit) = self.down.poll(now) {
            Some(self.arrive(exit, Side::Client))
        } else if let Some(exit) = self.up.poll(now) {
            Some(self.arrive(exit, Side::Server))
        } else if let Some((_, timer)) = self.timers.pop_due(now) {
            self.ring(timer)?
        } else {
            None
        };
        if let Some(i) = touched {
            self.events(i);
            self.flush(i);
        }
        Ok(())
    }

    fn arrive(&mut self, exit: Exit<Packet>, to: Side) -> usize {
        match exit {
            Exit::Delivered { payload, .. } => {
                let t = &mut self.running[payload.connection];
                if let Some(ends) = &mut t.ends {
                    ends.handle(self.now, to, payload.payload);
                }
                payload.connection
            }
            Exit::Lost { payload, .. } => payload.connection,
            Exit::Dropped { payload, .. } => {
                if to == Side::Client {
                    self.running[payload.connection].outcome.queue_drops += 1;
                }
                payload.connection
            }
        }
    }

    fn ring(&mut self, timer: Timer) -> Result<Option<usize>, ScenarioError> {
        let now = self.now;
        match timer {
            Timer::Start(i) => {
                self.start(i)?;
                Ok(Some(i))
            }
            Timer::Sample => {
                self.sample();
                self.timers.schedule(now + BULK_INTERVAL, Timer::Sample);
                Ok(None)
            }
            Timer::Client(i) | Timer::Server(i) => {
                let t = &mut self.running[i];
                let (side, alarm) = match timer {
                    Timer::Client(_) => (Side::Client, &mut t.client_alarm),
                    _ => (Side::Server, &mut t.server_alarm),
                };
                if alarm.rang(now)
                    && let Some(ends) = &mut t.ends
                    && ends.poll_timeout(side).is_some_and(|at| at <= now)
                {
                    ends.handle_timeout(now, side);
                }
                Ok(Some(i))
            }
        }
    }

    fn start(&mut self, i: usize) -> Result<(), ScenarioError> {
        let flow = &self.running[i].flow;
        let keys = Keys::of(&self.settings, &flow.congestion, Visit::Cold)?;
        let strategy: StrategySpec = "fifo".parse().expect("fifo is registered");
        let how = How {
            seed: self.seed,
            name: &format!("flow/{i}"),
            strategy: &strategy,
            retransmission: Retransmission::AtOnce,
            record: false,
            log: false,
        };
        let site = BulkSite(flow.bytes);
        let mut ends = match flow.protocol {
            Protocol::H3 => keys.quic_ends(&how, self.now, self.epoch, site)?,
            protocol => keys.tcp_ends(&how, protocol, self.now, site)?,
        };
        let fields = [
            (":method", "GET"),
            (":scheme", "https"),
            (":authority", "bulk.example"),
            (":path", "/"),
        ];
        let fields = fields.map(|(name, value)| Field::from_static(name, value));
        ends.request(self.now, 0, fields.to_vec(), None, None);
        self.running[i].ends = Some(ends);
        Ok(())
    }

    fn events(&mut self, i: usize) {
        let now = self.now;
        let t = &mut self.running[i];
        let started = Instant::ZERO + t.flow.starts_at;
        while let Some(event) = t.ends.as_mut().and_then(Ends::poll_event) {
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
                ClientEvent::Sent { .. } | ClientEvent::Head { .. } => {}
            }
        }
    }

    fn flush(&mut self, i: usize) {
        let now = self.now;
        let t = &mut self.running[i];
        let Some(ends) = &mut t.ends else { return };
        let packet = |payload| Packet {
            connection: i,
            logged: 0,
            payload,
        };
        while let Some((size, payload)) = ends.transmit(now, Side::Client, &mut self.buf) {
            t.outcome.bytes_up += u64::from(size);
            // The outcome does not count the uplink's drops; they show as time.
            let _ = self.up.enqueue(now, size, i as u64, packet(payload));
        }
        while let Some((size, payload)) = ends.transmit(now, Side::Server, &mut self.buf) {
            t.outcome.bytes_down += u64::from(size);
            if self
                .down
                .enqueue(now, size, i as u64, packet(payload))
                .is_err()
            {
                t.outcome.queue_drops += 1;
            }
        }
        if let Some(at) = t.client_alarm.set(now, ends.poll_timeout(Side::Client)) {
            self.timers.schedule(at, Timer::Client(i));
        }
        if let Some(at) = t.server_alarm.set(now, ends.poll_timeout(Side::Server)) {
            self.timers.schedule(at, Timer::Server(i));
        }
    }

    /// Appends a sample to the series of each running transfer.
    fn sample(&mut self) {
        let queued = self.down.waiting_bytes();
        for t in self.running.iter_mut().filter(|t| !t.done) {
            t.outcome.arrived.push(t.outcome.bytes - t.sampled);
            t.sampled = t.outcome.bytes;
            let window = t.ends.as_mut().map_or(0, Ends::window);
            t.outcome.window.push(window);
            t.outcome.queued.push(queued);
        }
    }

    pub(super) fn finish(self) -> Vec<BulkOutcome> {
        let now = self.now;
        let finish = |mut t: Transfer| {
            if !t.done {
                t.outcome.finished_at = now;
                t.outcome.failure = Some(format!("not complete after {}", now.since_start()));
            }
            if t.outcome.bytes > t.sampled {
                t.outcome.arrived.push(t.outcome.bytes - t.sampled);
            }
            if let Some(ends) = &mut t.ends {
                let stats = ends.server_stats();
                t.outcome.packets_sent = stats.packets_sent;
                t.outcome.packets_lost = stats.packets_lost;
                t.outcome.retransmitted_bytes = stats.retransmitted_bytes;
            }
            t.outcome
        };
        self.running.into_iter().map(finish).collect()
    }
}

//! Senders that always have data, one bottleneck, no clock but the events'.
//!
//! A packet waits at the bottleneck (tail drop), may be lost behind it, and is
//! acknowledged a round trip later. A sender takes a packet for lost when one
//! that was sent three later is acknowledged, and everything when nothing
//! comes for a while; what is lost is not sent again, the next data is. Where
//! a controller names a rate, packets are spaced at it, otherwise they leave
//! as soon as the window lets them. There is no proportional rate reduction.

use std::collections::VecDeque;

use pagerace_cc::{Ack, Controller, build};
use pagerace_core::{Duration, EventQueue, Instant, Rng};

/// Every packet, in bytes.
pub(crate) const MTU: u64 = 1_500;

/// What lies between senders and receivers.
pub(crate) struct Path {
    /// Bits per second.
    pub(crate) rate: u64,
    /// The round trip without queue, by time.
    pub(crate) rtt: fn(Instant) -> Duration,
    /// In packets.
    pub(crate) queue: usize,
    /// Each packet's probability to be lost.
    pub(crate) loss: f64,
}

/// What was seen, from the beginning on.
pub(crate) struct Trace {
    /// Bytes acknowledged, per flow, in bins of 100 ms.
    pub(crate) delivered: Vec<Vec<u64>>,
    /// Each ten milliseconds: packets in the queue.
    pub(crate) queue: Vec<usize>,
    /// Each ten milliseconds, per flow: window in bytes, pacing rate in bit/s.
    pub(crate) states: Vec<Vec<(u64, u64)>>,
    /// Packets that did not fit into the queue.
    pub(crate) dropped: u64,
}

impl Trace {
    /// Bits per second that a flow got between two seconds.
    pub(crate) fn goodput(&self, flow: usize, from: usize, until: usize) -> f64 {
        let bytes: u64 = self.delivered[flow][from * 10..until * 10].iter().sum();
        bytes as f64 * 8.0 / (until - from) as f64
    }

    /// The mean of the queue's length between two seconds, in packets.
    pub(crate) fn mean_queue(&self, from: usize, until: usize) -> f64 {
        let samples = &self.queue[from * 100..until * 100];
        samples.iter().sum::<usize>() as f64 / samples.len() as f64
    }

    /// Jain's index of fairness of all flows between two seconds.
    pub(crate) fn jain(&self, from: usize, until: usize) -> f64 {
        let rates: Vec<f64> = (0..self.delivered.len())
            .map(|flow| self.goodput(flow, from, until))
            .collect();
        let sum: f64 = rates.iter().sum();
        let squares: f64 = rates.iter().map(|r| r * r).sum();
        sum * sum / (rates.len() as f64 * squares)
    }
}

#[derive(Clone, Copy)]
enum Event {
    Start(usize),
    Pace(usize),
    Arrive(usize, usize),
    Leave,
    Acknowledged(usize, usize),
    Timer(usize),
    Sample,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    InFlight,
    Acked,
    Lost,
}

struct Sender {
    controller: Box<dyn Controller>,
    /// Packets from `first` on.
    packets: VecDeque<(Instant, State)>,
    first: usize,
    in_flight: u64,
    rtt_min: Duration,
    /// Smoothed, and its variation, in seconds.
    rtt: Option<(f64, f64)>,
    pace_at: Instant,
    is_waiting: bool,
    deadline: Instant,
    backoff: u64,
    last_arrival: Instant,
    last_ack: Instant,
}

impl Sender {
    fn timeout(&self) -> Duration {
        let seconds = self.rtt.map_or(1.0, |(s, var)| (s + 4.0 * var).max(0.2));
        Duration::from_millis_f64(seconds * 1e3 * self.backoff as f64)
    }

    fn measure(&mut self, sample: Duration) {
        let x = sample.as_secs_f64();
        self.rtt_min = self.rtt_min.min(sample);
        self.rtt = Some(self.rtt.map_or((x, x / 2.0), |(s, var)| {
            (0.875 * s + 0.125 * x, 0.75 * var + 0.25 * (s - x).abs())
        }));
    }

    /// Marks packets before `end` as lost, unless acknowledged; returns bytes
    /// and the latest time of sending.
    fn lose_before(&mut self, end: usize) -> Option<(u64, Instant)> {
        let (mut bytes, mut latest) = (0, Instant::ZERO);
        for (sent_at, state) in self.packets.iter_mut().take(end.saturating_sub(self.first)) {
            if *state == State::InFlight {
                *state = State::Lost;
                bytes += MTU;
                latest = *sent_at;
            }
        }
        self.in_flight -= bytes;
        while self.packets.front().is_some_and(|p| p.1 != State::InFlight) {
            self.packets.pop_front();
            self.first += 1;
        }
        (bytes > 0).then_some((bytes, latest))
    }
}

struct Net {
    path: Path,
    events: EventQueue<Event>,
    senders: Vec<Sender>,
    queue: VecDeque<(usize, usize)>,
    loss: Rng,
    /// Hosts take up to a packet's time to hand a packet over, so that flows
    /// do not run in lockstep.
    host: Rng,
    trace: Trace,
}

/// Runs flows with the named controllers, which start `apart` from each other.
pub(crate) fn run(path: Path, names: &[&str], apart: Duration, seconds: u64, seed: u64) -> Trace {
    let mut net = Net {
        path,
        events: EventQueue::new(),
        senders: Vec::new(),
        queue: VecDeque::new(),
        loss: Rng::new(seed, "loss"),
        host: Rng::new(seed, "host"),
        trace: Trace {
            delivered: vec![vec![0; seconds as usize * 10 + 1]; names.len()],
            queue: Vec::new(),
            states: vec![Vec::new(); names.len()],
            dropped: 0,
        },
    };
    for (flow, name) in names.iter().enumerate() {
        net.senders.push(Sender {
            controller: build(name, MTU as u16).expect("a name of the registry"),
            packets: VecDeque::new(),
            first: 0,
            in_flight: 0,
            rtt_min: Duration::MAX,
            rtt: None,
            pace_at: Instant::ZERO,
            is_waiting: false,
            deadline: Instant::MAX,
            backoff: 1,
            last_arrival: Instant::ZERO,
            last_ack: Instant::ZERO,
        });
        let start = Instant::ZERO + apart * flow as u64;
        net.events.schedule(start, Event::Start(flow));
    }
    net.events.schedule(Instant::ZERO, Event::Sample);
    let end = Instant::ZERO + Duration::from_secs(seconds);
    while let Some((now, event)) = net.events.pop() {
        if now >= end {
            break;
        }
        net.handle(now, event);
    }
    net.trace
}

impl Net {
    fn handle(&mut self, now: Instant, event: Event) {
        match event {
            Event::Start(flow) => self.send(now, flow),
            Event::Pace(flow) => {
                self.senders[flow].is_waiting = false;
                self.send(now, flow);
            }
            Event::Arrive(flow, packet) => {
                if self.queue.len() >= self.path.queue {
                    self.trace.dropped += 1;
                    return;
                }
                self.queue.push_back((flow, packet));
                if self.queue.len() == 1 {
                    self.events.schedule(now + self.service(), Event::Leave);
                }
            }
            Event::Leave => self.leave(now),
            Event::Acknowledged(flow, packet) => self.acknowledged(now, flow, packet),
            Event::Timer(flow) => self.timer(now, flow),
            Event::Sample => {
                self.trace.queue.push(self.queue.len());
                for (states, sender) in self.trace.states.iter_mut().zip(&self.senders) {
                    let controller = &sender.controller;
                    states.push((controller.window(), controller.pacing_rate().unwrap_or(0)));
                }
                self.events
                    .schedule(now + Duration::from_millis(10), Event::Sample);
            }
        }
    }

    fn service(&self) -> Duration {
        Duration::from_nanos(MTU * 8 * 1_000_000_000 / self.path.rate)
    }

    fn send(&mut self, now: Instant, flow: usize) {
        let service = self.service();
        let sender = &mut self.senders[flow];
        while sender.in_flight + MTU <= sender.controller.window() {
            if let Some(rate) = sender.controller.pacing_rate() {
                if now < sender.pace_at {
                    if !sender.is_waiting {
                        sender.is_waiting = true;
                        self.events.schedule(sender.pace_at, Event::Pace(flow));
                    }
                    return;
                }
                let gap = Duration::from_nanos(MTU * 8 * 1_000_000_000 / rate);
                sender.pace_at = now + gap;
            }
            if sender.in_flight == 0 {
                sender.deadline = now + sender.timeout();
                self.events.schedule(sender.deadline, Event::Timer(flow));
            }
            sender.controller.on_sent(now, MTU);
            let packet = sender.first + sender.packets.len();
            sender.packets.push_back((now, State::InFlight));
            sender.in_flight += MTU;
            let handover = now + service.mul_f64(self.host.unit());
            sender.last_arrival = sender.last_arrival.max(handover);
            self.events
                .schedule(sender.last_arrival, Event::Arrive(flow, packet));
        }
    }

    fn leave(&mut self, now: Instant) {
        let (flow, packet) = self.queue.pop_front().expect("something was served");
        if !self.queue.is_empty() {
            self.events.schedule(now + self.service(), Event::Leave);
        }
        if !self.loss.chance(self.path.loss) {
            let sender = &mut self.senders[flow];
            sender.last_ack = sender.last_ack.max(now + (self.path.rtt)(now));
            self.events
                .schedule(sender.last_ack, Event::Acknowledged(flow, packet));
        }
    }

    fn acknowledged(&mut self, now: Instant, flow: usize, packet: usize) {
        self.trace.delivered[flow][(now.as_nanos() / 100_000_000) as usize] += MTU;
        let sender = &mut self.senders[flow];
        sender.backoff = 1;
        if packet < sender.first {
            return;
        }
        let (sent_at, state) = sender.packets[packet - sender.first];
        if state != State::InFlight {
            return;
        }
        sender.packets[packet - sender.first].1 = State::Acked;
        sender.in_flight -= MTU;
        let rtt = now.since(sent_at);
        sender.measure(rtt);
        sender.controller.on_ack(&Ack {
            now,
            sent_at,
            bytes: MTU,
            rtt_latest: rtt,
            rtt_min: sender.rtt_min,
            rtt_smoothed: Duration::from_millis_f64(sender.rtt.expect("measured").0 * 1e3),
            app_limited: false,
        });
        if let Some((bytes, latest)) = sender.lose_before((packet + 1).saturating_sub(3)) {
            sender.controller.on_congestion(now, latest, bytes, false);
        }
        sender.controller.on_ack_end(now, sender.in_flight);
        sender.deadline = now + sender.timeout();
        self.send(now, flow);
    }

    fn timer(&mut self, now: Instant, flow: usize) {
        let sender = &mut self.senders[flow];
        if sender.in_flight == 0 {
            return;
        }
        if now < sender.deadline {
            self.events.schedule(sender.deadline, Event::Timer(flow));
            return;
        }
        if let Some((bytes, latest)) = sender.lose_before(usize::MAX) {
            sender.controller.on_congestion(now, latest, bytes, true);
        }
        sender.backoff = (sender.backoff * 2).min(64);
        self.send(now, flow);
    }
}

//! Senders that always have data, sharing one simulated bottleneck.
//!
//! A packet queues at the bottleneck (tail drop), may be lost behind it, and is
//! acknowledged a round trip later. A sender declares a packet lost when a
//! packet sent three later is acknowledged, and all packets when its timer
//! expires. New data is sent in place of lost data. Packets are spaced at the
//! controller's pacing rate if it sets one, and otherwise leave as soon as the
//! window allows. There is no proportional rate reduction.

use std::collections::VecDeque;

use pagerace_cc::{Ack, Controller, build};
use pagerace_core::{Duration, EventQueue, Instant, Rng};

/// The size of every packet in bytes.
pub(crate) const MTU: u64 = 1_500;

/// The path between senders and receivers.
pub(crate) struct Path {
    /// The bottleneck's rate in bits per second.
    pub(crate) rate: u64,
    /// The round trip time without a queue, as a function of time.
    pub(crate) rtt: fn(Instant) -> Duration,
    /// The capacity of the queue in packets.
    pub(crate) queue: usize,
    /// The probability that a packet is lost behind the bottleneck.
    pub(crate) loss: f64,
}

/// Measurements from the start of a run.
pub(crate) struct Trace {
    /// Bytes delivered and acknowledged, per flow, in bins of 100 ms.
    pub(crate) delivered: Vec<Vec<u64>>,
    /// The packets in the queue, sampled every 10 ms.
    pub(crate) queue: Vec<usize>,
    /// Window in bytes and pacing rate in bit/s, per flow, sampled every 10 ms.
    pub(crate) states: Vec<Vec<(u64, u64)>>,
    /// Packets dropped because the queue was full.
    pub(crate) dropped: u64,
}

impl Trace {
    /// Returns a flow's goodput in bits per second between two times in seconds.
    pub(crate) fn goodput(&self, flow: usize, from: usize, until: usize) -> f64 {
        let bytes: u64 = self.delivered[flow][from * 10..until * 10].iter().sum();
        bytes as f64 * 8.0 / (until - from) as f64
    }

    /// Returns the mean queue length in packets between two times in seconds.
    pub(crate) fn mean_queue(&self, from: usize, until: usize) -> f64 {
        let samples = &self.queue[from * 100..until * 100];
        samples.iter().sum::<usize>() as f64 / samples.len() as f64
    }

    /// Returns Jain's fairness index of all flows between two times in seconds.
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
    /// The time of sending and the state of the packets from `first` on.
    packets: VecDeque<(Instant, State)>,
    first: usize,
    in_flight: u64,
    rtt_min: Duration,
    /// The smoothed round trip time and its variation, in seconds.
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

    /// Marks unacknowledged packets before `end` as lost. Returns their bytes
    /// and the time when the latest of them was sent.
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
    /// Draws the delay of up to a packet's time that a host adds to each
    /// packet, so that flows do not run in lockstep.
    host: Rng,
    trace: Trace,
}

/// Runs flows with the named controllers, which start `apart` after each other.
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
            tcp: None,
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

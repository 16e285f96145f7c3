//! A link that carries one packet per tick, for observing the order that a strategy
//! produces.
//!
//! The bench serves tests and examples of strategies. It offers responses as a server does
//! (arrival, flow control, changed signals, cancellation, a second response in the rest of
//! a packet) and records the bytes that each response sends. It has no loss, no delay and
//! no protocol. Time is counted in ticks of one packet each.

use std::collections::BTreeMap;

use pagerace_core::{Dependency, Destination, Priority, RequestPriority, ScriptMode};

use pagerace_delivery::{Facts, Response, Strategy};

/// Bytes that fit into one packet of the bench.
pub(crate) const PACKET_BYTES: u64 = 1200;

/// An event at the start of a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The head of a response is ready.
    Arrive(Response),
    /// The client changes the signal of a stream.
    Update(u64, Priority),
    /// The client places a stream in HTTP/2's dependency tree.
    Depend(u64, Dependency),
    /// Flow control blocks a stream from sending.
    Block(u64),
    /// Flow control allows a stream to send again.
    Unblock(u64),
    /// The client cancels a stream.
    Cancel(u64),
    /// The packet of this tick has room for only this many response bytes (at least one).
    Room(u64),
}

/// The bytes that one response has in one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    /// The tick.
    pub(crate) tick: u64,
    /// The response's stream.
    pub(crate) stream: u64,
    /// Number of bytes.
    pub(crate) bytes: u64,
}

/// A schedule of events by tick.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bench {
    events: BTreeMap<u64, Vec<Event>>,
}

/// Creates a response of `length` bytes: an image of Chromium's class `Low` with the
/// default signal.
pub(crate) const fn response(stream: u64, length: u64) -> Response {
    Response {
        stream,
        signal: Priority::new(3, false),
        facts: Facts {
            destination: Destination::Image,
            script_mode: ScriptMode::Blocking,
            class: RequestPriority::Low,
            render_blocking: false,
            served: None,
        },
        length,
        sent: 0,
    }
}

impl Bench {
    /// Creates a bench without events.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Schedules `event` at `tick`. Events of one tick happen in the order in which they
    /// were added.
    pub(crate) fn at(&mut self, tick: u64, event: Event) -> &mut Self {
        self.events.entry(tick).or_default().push(event);
        self
    }

    /// Creates a bench where all `responses` arrive before the first packet.
    pub(crate) fn of(responses: impl IntoIterator<Item = Response>) -> Self {
        let mut bench = Self::new();
        for response in responses {
            bench.at(0, Event::Arrive(response));
        }
        bench
    }

    /// Runs until nothing can be sent and no event is left. Returns the log of what was
    /// sent.
    pub(crate) fn run(&self, strategy: &mut dyn Strategy) -> Vec<Sent> {
        let mut wire = Wire {
            strategy,
            active: Vec::new(),
            blocked: Vec::new(),
            log: Vec::new(),
        };
        let mut events = self.events.iter().peekable();
        let mut tick = 0;
        loop {
            let mut room = PACKET_BYTES;
            if let Some((_, happening)) = events.next_if(|(at, _)| **at <= tick) {
                for event in happening {
                    wire.apply(event, &mut room);
                }
            }
            if wire.fill_packet(tick, room) {
                tick += 1;
            } else if let Some((next, _)) = events.peek() {
                tick = **next;
            } else {
                return wire.log;
            }
        }
    }
}

struct Wire<'a> {
    strategy: &'a mut dyn Strategy,
    /// Responses that have arrived and not left, in ascending stream order.
    active: Vec<Response>,
    blocked: Vec<u64>,
    log: Vec<Sent>,
}

impl Wire<'_> {
    fn apply(&mut self, event: &Event, room: &mut u64) {
        match event {
            Event::Arrive(response) => {
                let at = self.active.partition_point(|r| r.stream < response.stream);
                self.active.insert(at, response.clone());
                self.strategy.handle_arrival(response);
            }
            Event::Update(stream, signal) => {
                if let Some(response) = self.active.iter_mut().find(|r| r.stream == *stream) {
                    response.signal = *signal;
                    self.strategy.handle_update(response);
                }
            }
            Event::Depend(stream, dependency) => self.strategy.dependency(*stream, *dependency),
            Event::Block(stream) => self.blocked.push(*stream),
            Event::Unblock(stream) => self.blocked.retain(|s| s != stream),
            Event::Cancel(stream) => {
                if let Some(at) = self.active.iter().position(|r| r.stream == *stream) {
                    self.active.remove(at);
                    self.strategy.handle_end(*stream);
                }
            }
            Event::Room(bytes) => *room = (*bytes).max(1),
        }
    }

    /// Fills one packet. Returns false if no response can send.
    fn fill_packet(&mut self, tick: u64, mut room: u64) -> bool {
        let mut filled = false;
        while room > 0 {
            let ready: Vec<Response> = self
                .active
                .iter()
                .filter(|r| !self.blocked.contains(&r.stream))
                .cloned()
                .collect();
            if ready.is_empty() {
                break;
            }
            let index = self.strategy.pick(&ready);
            assert!(
                index < ready.len(),
                "response {index} of {} was picked",
                ready.len()
            );
            let stream = ready[index].stream;
            let at = self.active.partition_point(|r| r.stream < stream);
            let response = &mut self.active[at];
            let bytes = response.remaining().min(room);
            response.sent += bytes;
            room -= bytes;
            filled = true;
            self.log.push(Sent {
                tick,
                stream,
                bytes,
            });
            self.strategy.handle_sent(response, bytes);
            if response.remaining() == 0 {
                self.active.remove(at);
                self.strategy.handle_end(stream);
            }
        }
        filled
    }
}

#[cfg(test)]
mod tests;

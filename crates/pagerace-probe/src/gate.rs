//! A bottleneck at the client's end of the path: datagrams wait before the client reads them.
//!
//! The gate makes the client the slowest part of the path. The server's congestion controller
//! adapts to it, so that only a short queue is under way, and the server's scheduler decides
//! packet by packet.

use std::collections::VecDeque;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant};

/// A brake, which makes a client slower than its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brake {
    /// HTTP/3: a queue.
    Queue(Pace),
    /// HTTP/2: the window of the connection.
    Window,
}

/// Rate and queue of a slow client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Rate at which the client reads, in bytes of UDP payload per second.
    pub rate: u64,
    /// Longest queue in bytes of UDP payload. Datagrams that find no room are dropped.
    pub queue: u32,
}

/// The queue of the gate.
#[derive(Debug)]
pub(crate) struct Gate {
    rate: u64,
    room: usize,
    held: usize,
    /// Bytes that found no room.
    dropped: u64,
    /// Time at which the last queued datagram will be read.
    busy_until: Instant,
    queue: VecDeque<(Instant, BytesMut)>,
}

impl Gate {
    pub(crate) fn new(pace: Pace) -> Self {
        Self {
            rate: pace.rate.max(1),
            room: pace.queue as usize,
            held: 0,
            dropped: 0,
            busy_until: Instant::ZERO,
            queue: VecDeque::new(),
        }
    }

    /// Adds a datagram, or drops it if the queue is full.
    pub(crate) fn push(&mut self, now: Instant, data: BytesMut) {
        if self.held + data.len() > self.room {
            self.dropped += data.len() as u64;
            return;
        }
        let takes = data.len() as u64 * 1_000_000_000 / self.rate;
        let at = self.busy_until.max(now) + Duration::from_nanos(takes);
        self.busy_until = at;
        self.held += data.len();
        self.queue.push_back((at, data));
    }

    /// Returns the bytes that found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the time at which the next datagram is read.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.queue.front().map(|(at, _)| *at)
    }

    /// Returns the next datagram that is read at or before `now`.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<BytesMut> {
        self.next_at().filter(|at| *at <= now)?;
        let (_, data) = self.queue.pop_front()?;
        self.held -= data.len();
        Some(data)
    }
}

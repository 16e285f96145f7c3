//! A connection of a TCP server.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use pagerace_core::{Duration, Instant};
use pagerace_peer::stream::{Output, Progress, StreamServer, StreamServerConfig};
use pagerace_peer::{Reply, Request, SentFrame, Site};

use pagerace_peer::tcp::LEAST_ROOM;
use pagerace_transport::quic::Guard;
use pagerace_transport::tls::{MAX_PLAINTEXT, RecordSize, Version};

use super::protocol;
use super::wire::{Received, Wire};

/// Maximum number of bytes that a connection reads or sends per turn.
const TURN: usize = 256 * 1024;

/// Bytes that the kernel takes at once; see [`super`].
const KERNEL_TAKES: usize = 64 * 1024;

/// Maximum number of records that are written by one system call. They must fit into the buffer
/// of rustls, which has 64 KiB.
const BATCH: usize = 3;

/// Bytes that a new connection is taken to have transferred, so that it has time to begin.
const NEWCOMER: u64 = KERNEL_TAKES as u64;

/// Time over which the rate of a connection is measured, at least.
const PERIOD: Duration = Duration::from_secs(10);

/// A site that several connections share.
pub(super) struct Shared<S>(pub(super) Arc<Mutex<S>>);

impl<S: Site> Site for Shared<S> {
    fn reply(&mut self, request: &Request) -> Reply {
        let site = self.0.lock();
        // The panic has been reported already. The site stays usable for other requests.
        site.unwrap_or_else(PoisonError::into_inner).reply(request)
    }
}

pub(super) struct Connection<S> {
    pub(super) wire: Wire,
    /// `None` until the handshake completes.
    http: Option<StreamServer<Shared<S>>>,
    /// True if this side has been closed.
    ended: bool,
    /// Plaintext bytes written so far.
    written: u64,
    /// Value of [`StreamServer::progress`] when the deadline was set.
    progress: Progress,
    deadline: Instant,
    /// Bytes of responses that the client took since `since`, see [`Connection::rate`].
    taken: u64,
    since: Instant,
    guard: Guard,
    /// The client's network; see [`Guard::network`].
    pub(super) network: IpAddr,
}

/// State of a connection after a turn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// The connection waits for its socket or for a timeout.
    Waits,
    /// The connection has more to do immediately.
    More,
    /// The connection is finished.
    Over,
}

impl<S: Site> Connection<S> {
    pub(super) fn new(wire: Wire, now: Instant, client: IpAddr, guard: Guard) -> Self {
        Self {
            wire,
            http: None,
            ended: false,
            written: 0,
            progress: Progress::default(),
            deadline: now + guard.handshake_timeout,
            taken: NEWCOMER,
            since: now,
            guard,
            network: Guard::network(client),
        }
    }

    /// Returns the time of the next turn if the socket stays quiet.
    pub(super) fn due(&self) -> Instant {
        let thinking = self.http.as_ref().and_then(StreamServer::poll_timeout);
        thinking.map_or(self.deadline, |at| at.min(self.deadline))
    }

    /// Returns the bytes of responses that the client takes per second. What it took long ago
    /// counts less and less.
    pub(super) fn rate(&mut self, now: Instant) -> u64 {
        while now.since(self.since) > PERIOD * 2 {
            self.taken /= 2;
            self.since += Duration::from_nanos(now.since(self.since).as_nanos() / 2);
        }
        let elapsed = now.since(self.since).as_nanos().max(1);
        let rate = u128::from(self.taken) * 1_000_000_000 / u128::from(elapsed);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }

    /// Puts the deadline off by the time for which so many bytes make up.
    fn extend(&mut self, now: Instant, bytes: u64) {
        let nanos = bytes.saturating_mul(1_000_000_000) / self.guard.rate_min.max(1);
        let later = self.deadline + Duration::from_nanos(nanos).min(self.guard.idle_timeout);
        self.deadline = later.min(now + self.guard.idle_timeout);
    }

    /// Returns the frames with response bytes since the last call.
    pub(super) fn take_frames(&mut self) -> Vec<SentFrame> {
        let http = self.http.as_mut();
        http.map(StreamServer::take_frames).unwrap_or_default()
    }

    /// Reads, processes and writes as much as possible.
    pub(super) fn turn(
        &mut self,
        now: Instant,
        config: &StreamServerConfig,
        site: &Arc<Mutex<S>>,
    ) -> Turn {
        if now >= self.deadline {
            return Turn::Over;
        }
        match self.work(now, config, site) {
            Ok(turn) => turn,
            // The peer is gone or violates the protocol. Neither concerns the server.
            Err(_) => Turn::Over,
        }
    }

    fn work(
        &mut self,
        now: Instant,
        config: &StreamServerConfig,
        site: &Arc<Mutex<S>>,
    ) -> io::Result<Turn> {
        let read = self.read(now, config, site)?;
        if read == Turn::Over {
            return Ok(Turn::Over);
        }
        if self.ended {
            return Ok(read);
        }
        let written = self.write(now)?;
        let over = self.http.as_ref().is_some_and(StreamServer::is_closed);
        if over && !self.wire.tls.wants_write() {
            // Keep reading until the client closes, too: a reset could destroy data in
            // flight (RFC 9112, section 9.6).
            self.wire.end();
            self.ended = true;
            self.deadline = now + self.guard.handshake_timeout;
        }
        Ok(if read == Turn::More { read } else { written })
    }

    fn read(
        &mut self,
        now: Instant,
        config: &StreamServerConfig,
        site: &Arc<Mutex<S>>,
    ) -> io::Result<Turn> {
        for _ in 0..TURN / MAX_PLAINTEXT {
            if self.http.as_ref().is_some_and(|http| !http.wants_data()) && !self.ended {
                return Ok(Turn::Waits);
            }
            match self.wire.receive()? {
                Received::Blocked => return Ok(Turn::Waits),
                Received::End => return Ok(self.end(now)),
                Received::Data(_) if self.ended => {}
                Received::Data(data) => {
                    if self.http.is_none() && !self.wire.tls.is_handshaking() {
                        self.deadline = now + self.guard.idle_timeout;
                        let protocol = protocol(self.wire.tls.alpn_protocol());
                        let site = Shared(site.clone());
                        self.http = Some(StreamServer::new(protocol, config, site));
                    }
                    if let Some(http) = &mut self.http {
                        if !data.is_empty() {
                            http.handle_data(now, data);
                        }
                        let before = std::mem::replace(&mut self.progress, http.progress());
                        if self.progress.requests > before.requests {
                            self.deadline = now + self.guard.idle_timeout;
                        }
                        self.extend(now, self.progress.body_bytes - before.body_bytes);
                    }
                }
            }
        }
        Ok(Turn::More)
    }

    /// Handles the end of the client's stream.
    fn end(&mut self, now: Instant) -> Turn {
        self.wire.readable = false;
        if self.ended {
            return Turn::Over;
        }
        let Some(http) = &mut self.http else {
            return Turn::Over;
        };
        http.handle_end(now);
        Turn::Waits
    }

    fn write(&mut self, now: Instant) -> io::Result<Turn> {
        let mut sent = 0;
        loop {
            if !self.wire.flush()? {
                return Ok(Turn::Waits);
            }
            let Some(http) = &mut self.http else {
                return Ok(Turn::Waits);
            };
            if !self.wire.writable {
                return Ok(Turn::Waits);
            }
            if sent >= TURN {
                return Ok(Turn::More);
            }
            http.handle_timeout(now);
            // Where the kernel takes more than it takes at once, the network is fast, and the
            // strategy's choices leave at once anyway.
            let most = if sent < KERNEL_TAKES { 1 } else { BATCH };
            let mut answered = 0;
            for number in 0..most {
                let record = record(http, now, self.written);
                if record.size == 0 && number == 0 {
                    return Ok(Turn::Waits);
                }
                sent += record.size;
                self.written += record.size as u64;
                answered += record.answered;
                self.wire.write(&record.pieces)?;
            }
            self.taken += answered;
            // Answers to pings keep no client, nor do windows of a few bytes.
            self.extend(now, answered);
        }
    }
}

/// The plaintext of a TLS record, in pieces that are not copied.
#[derive(Default)]
struct Record {
    pieces: Vec<Bytes>,
    size: usize,
    /// Number of bytes that belong to responses.
    answered: u64,
}

impl Record {
    fn push(&mut self, output: Output) {
        self.size += output.len();
        self.answered += output.length;
        let pieces = [output.head, output.content];
        let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
        self.pieces.extend(pieces);
    }
}

/// Returns the plaintext of the next TLS record, sized as by the simulated server; empty
/// if there is nothing to send.
fn record<S: Site>(http: &mut StreamServer<S>, now: Instant, written: u64) -> Record {
    let limit = RecordSize::Dynamic.limit(Version::Tls13, written);
    let mut record = Record::default();
    while record.size == 0 || record.size + LEAST_ROOM <= limit {
        let Some(output) = http.poll_output(now, limit - record.size) else {
            break;
        };
        record.push(output);
    }
    record
}

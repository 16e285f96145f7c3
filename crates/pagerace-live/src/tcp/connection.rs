//! One connection of a server.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use pagerace_core::Instant;
use pagerace_peer::stream::{StreamServer, StreamServerConfig};
use pagerace_peer::{Reply, Request, SentFrame, Site};

use pagerace_peer::tcp::LEAST_ROOM;
use pagerace_transport::quic::Guard;
use pagerace_transport::tls::{RecordSize, Version};

use super::protocol;
use super::wire::{Received, Wire};

/// Plaintext of one TLS record.
const RECORD: usize = 1 << 14;

/// Bytes that one connection sends before others have their turn.
const TURN: usize = 256 * 1024;

/// A site that several connections share.
pub(super) struct Shared<S>(pub(super) Arc<Mutex<S>>);

impl<S: Site> Site for Shared<S> {
    fn reply(&mut self, request: &Request) -> Reply {
        let site = self.0.lock();
        // A site that panicked has said so; the next request may fare better.
        site.unwrap_or_else(PoisonError::into_inner).reply(request)
    }
}

pub(super) struct Connection<S> {
    pub(super) wire: Wire,
    /// None before the handshake is complete.
    http: Option<StreamServer<Shared<S>>>,
    /// We have closed our side.
    ended: bool,
    /// Plaintext so far.
    written: u64,
    /// [`StreamServer::progress`] when the deadline was set.
    progress: u64,
    deadline: Instant,
    guard: Guard,
    /// The network of its client, see [`Guard::network`].
    pub(super) network: IpAddr,
}

/// What is to become of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// It waits for its socket or for time.
    Waits,
    /// It has more to do at once.
    More,
    /// It is over.
    Over,
}

impl<S: Site> Connection<S> {
    pub(super) fn new(wire: Wire, now: Instant, client: IpAddr, guard: Guard) -> Self {
        Self {
            wire,
            http: None,
            ended: false,
            written: 0,
            progress: 0,
            deadline: now + guard.handshake_timeout,
            guard,
            network: Guard::network(client),
        }
    }

    /// When it wants a turn though its socket is quiet.
    pub(super) fn due(&self) -> Instant {
        let thinking = self.http.as_ref().and_then(StreamServer::poll_timeout);
        thinking.map_or(self.deadline, |at| at.min(self.deadline))
    }

    /// The pieces of responses since the last call.
    pub(super) fn take_frames(&mut self) -> Vec<SentFrame> {
        let http = self.http.as_mut();
        http.map(StreamServer::take_frames).unwrap_or_default()
    }

    /// Reads, thinks and writes as far as it goes.
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
            // Whatever it is: the peer is gone, or does not speak our language.
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
            // Then read on until the client closes as well: a reset would cost it
            // what is under way (RFC 9112, section 9.6).
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
        for _ in 0..TURN / RECORD {
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
                        if http.progress() > self.progress {
                            self.progress = http.progress();
                            self.deadline = now + self.guard.idle_timeout;
                        }
                    }
                }
            }
        }
        Ok(Turn::More)
    }

    /// The client has closed its side.
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
            let record = record(http, now, self.written);
            if record.is_empty() {
                return Ok(Turn::Waits);
            }
            sent += record.len();
            self.written += record.len() as u64;
            self.deadline = now + self.guard.idle_timeout;
            self.wire.write(&record)?;
        }
    }
}

/// What fills one TLS record, of the sizes that the simulated server chooses;
/// nothing if there is nothing to send.
fn record<S: Site>(http: &mut StreamServer<S>, now: Instant, written: u64) -> Vec<u8> {
    let limit = RecordSize::Dynamic.limit(Version::Tls13, written);
    let mut record = Vec::new();
    while record.is_empty() || record.len() + LEAST_ROOM <= limit {
        let Some(output) = http.poll_output(now, limit - record.len()) else {
            break;
        };
        record.extend_from_slice(&output.head);
        record.extend_from_slice(&output.content);
    }
    record
}

//! A client that reads an object through a bottleneck of its own. It takes the time and
//! datagrams, and gives datagrams and deadlines.

use std::collections::BTreeMap;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant, Rng};
use pagerace_http::Field;
use pagerace_net::{Exit, Link};
use pagerace_peer::client::ClientError;
use pagerace_peer::{Client, ClientConfig, ClientEvent};
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch, QuicSettings};

use super::trial::{Offered, Trial};
use crate::player::{Play, Server, fields};
use crate::trace::{End, plain};

/// Size of the headers of IPv4 and UDP in bytes.
const IP_UDP_HEADER: u32 = 28;

/// Flow control window in bytes, which no trial fills.
const WINDOW: u32 = 4 << 20;

/// Bytes of objects that are requested at once, so that the server always has something to send.
const AHEAD: u64 = 1 << 20;

/// Share of the bytes of a trial that may arrive beyond what its bottleneck carries.
const EXCESS: f64 = 0.5;

/// A trial of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The bottleneck.
    pub trial: Trial,
    /// Round-trip time of the path alone.
    pub path_rtt: Duration,
    /// `:path`.
    pub path: String,
    /// Size of the object in bytes.
    pub length: u64,
    /// Most requests.
    pub requests: usize,
}

impl Fetch {
    /// Returns the requests that the trial needs.
    pub fn needed(&self) -> usize {
        (self.trial.bytes().div_ceil(self.length.max(1)) + 1) as usize
    }
}

/// The server's packets in a trial.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watched {
    /// The packets as they reached the bottleneck, and the losses of the path.
    pub offered: Vec<Offered>,
    /// Largest UDP payload in bytes.
    pub mtu: u16,
    /// Bytes of UDP payload received.
    pub payload: u64,
    /// Requests.
    pub requests: usize,
    /// Time from the beginning to the end.
    pub time: Duration,
    /// How it ended.
    pub end: End,
}

struct Waiting {
    data: BytesMut,
    /// Number of the packet in [`Watched::offered`].
    packet: usize,
    /// Time at which the queue last dropped a packet before.
    last_drop: Option<Instant>,
}

/// A connection that reads an object through a bottleneck.
pub struct Loader {
    fetch: Fetch,
    authority: String,
    client: Client,
    link: Link<Waiting>,
    last_drop: Option<Instant>,
    /// Time of the drop that explained the last gap.
    explained: Option<Instant>,
    /// Highest byte of each stream.
    marks: BTreeMap<u64, u64>,
    open: usize,
    watched: Watched,
    over: bool,
}

impl Loader {
    /// Starts connecting.
    ///
    /// # Errors
    /// Returns an error if the server's name or address is invalid.
    pub fn connect(
        fetch: Fetch,
        server: &Server,
        keys: ClientKeys,
        seed: u64,
        now: Instant,
        epoch: Epoch,
    ) -> Result<Self, ClientError> {
        let config = ClientConfig {
            settings: QuicSettings {
                stream_receive_window: WINDOW,
                receive_window: WINDOW,
                ..QuicSettings::default()
            },
            keys,
            seed,
            h3: pagerace_http::h3::Config::default(),
            record: false,
        };
        let mut client = Client::connect(&config, now, epoch, server.remote, &server.name)?;
        client.record_received();
        let bottleneck = fetch.trial.at_client(fetch.path_rtt);
        Ok(Self {
            link: Link::new(&bottleneck.down, Rng::new(seed, "link")),
            authority: server.authority.clone(),
            client,
            last_drop: None,
            explained: None,
            marks: BTreeMap::new(),
            open: 0,
            watched: Watched::default(),
            over: false,
            fetch,
        })
    }

    fn advance(&mut self, now: Instant) {
        while let Some(exit) = self.link.poll(now) {
            if let Exit::Delivered { payload, .. } = exit {
                self.client.handle_datagram(now, payload.data);
                self.find_losses(payload.packet, payload.last_drop);
                self.read(now);
            }
        }
        self.read(now);
        if now >= Instant::ZERO + self.fetch.trial.time {
            self.end(now, End::Complete);
        }
        if self.watched.payload as f64 > (1.0 + EXCESS) * self.fetch.trial.bytes() as f64 {
            self.end(now, End::Limit("bytes"));
        }
    }

    /// A packet that begins beyond the end of its stream follows a lost one, which the path lost
    /// unless a drop of the queue explains it.
    fn find_losses(&mut self, packet: usize, last_drop: Option<Instant>) {
        let mut gap = false;
        for frame in self.client.take_received() {
            let mark = self.marks.entry(frame.id).or_default();
            gap |= frame.offset > *mark;
            *mark = (*mark).max(frame.end());
        }
        if !gap {
            return;
        }
        let at = self.watched.offered[packet].at;
        // Data that the server sends again may come between a drop and the gap.
        let recent = |drop: &Instant| at.since(*drop) < self.fetch.trial.rtt * 2;
        let new = last_drop
            .filter(|_| last_drop > self.explained)
            .filter(recent);
        if new.is_some() {
            self.explained = new;
        } else {
            // Packets keep their numbers: the loss is told at the packet that shows it.
            self.watched.offered.push(Offered {
                at,
                size: 0,
                lost: true,
                dropped: false,
            });
        }
    }

    fn end(&mut self, now: Instant, end: End) {
        if !self.over {
            self.over = true;
            self.watched.end = end;
            self.watched.time = now.since_start();
            self.client.close(now);
        }
    }

    /// Requests the object until enough bytes are on their way.
    fn request(&mut self, now: Instant) {
        let ahead = (AHEAD.div_ceil(self.fetch.length.max(1)) as usize).max(2);
        while self.open < ahead
            && self.watched.requests < self.fetch.requests.min(self.fetch.needed())
        {
            let fields: Vec<Field> = fields(&self.authority, &self.fetch.path);
            let token = self.watched.requests as u64;
            self.client.request(now, token, fields, None, None);
            self.watched.requests += 1;
            self.open += 1;
        }
    }

    fn read(&mut self, now: Instant) {
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Connected => self.request(now),
                ClientEvent::Head { fields: head, .. } => {
                    let status = pagerace_http::fields::get(&head, ":status");
                    let status = String::from_utf8_lossy(status.map_or(&[][..], |s| &s[..]));
                    if !status.starts_with('1') && status != "200" {
                        let (path, status) = (&self.fetch.path, plain(&status));
                        let reason = format!("{path} was answered with {status}");
                        self.end(now, End::Failed(reason));
                    }
                }
                ClientEvent::End { .. } => {
                    self.open -= 1;
                    self.request(now);
                    if self.open == 0 {
                        self.end(now, End::Limit("requests"));
                    }
                }
                ClientEvent::Failed { code, .. } => {
                    let path = &self.fetch.path;
                    let reason = format!("the request for {path} failed with error 0x{code:x}");
                    self.end(now, End::Failed(reason));
                }
                ClientEvent::Lost { reason } => {
                    let reason = format!("the connection was lost: {}", plain(&reason));
                    self.end(now, End::Failed(reason));
                }
                ClientEvent::Sent { .. }
                | ClientEvent::Data { .. }
                | ClientEvent::Incomplete { .. } => {}
            }
        }
    }
}

impl Play for Loader {
    type Result = Watched;

    fn handle_datagram(&mut self, now: Instant, data: BytesMut) {
        self.watched.payload += data.len() as u64;
        self.watched.mtu = self.watched.mtu.max(data.len() as u16);
        let size = data.len() as u32 + IP_UDP_HEADER;
        let packet = self.watched.offered.len();
        let waiting = Waiting {
            data,
            packet,
            last_drop: self.last_drop,
        };
        let dropped = self.link.enqueue(now, size, 0, waiting).is_err();
        if dropped {
            self.last_drop = Some(now);
        }
        self.watched.offered.push(Offered {
            at: now,
            size,
            lost: dropped,
            dropped,
        });
        self.advance(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.client.poll_timeout().is_some_and(|at| at <= now) {
            self.client.handle_timeout(now);
        }
        self.advance(now);
    }

    fn poll_timeout(&mut self) -> Option<Instant> {
        let end = Instant::ZERO + self.fetch.trial.time;
        let own = self.link.next_at().map_or(end, |at| at.min(end));
        Some(self.client.poll_timeout().map_or(own, |at| at.min(own)))
    }

    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        self.client.poll_transmit(now, buf)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn finish(mut self) -> Watched {
        // Losses of the path were told after the packets that showed them.
        self.watched.offered.sort_by_key(|packet| packet.at);
        self.watched
    }
}

//! A client that reads an object through a bottleneck of its own. It takes the time and
//! packets, and gives packets and deadlines.

use std::collections::BTreeMap;
use std::ops::Range;

use pagerace_core::{Duration, Instant, Rng};
use pagerace_http::Field;
use pagerace_net::{Exit, Link};
use pagerace_peer::client::ClientError;
use pagerace_peer::tcp::{ClientTls, TcpClient};
use pagerace_peer::{Client, ClientEvent};
use pagerace_transport::quic::{ClientKeys, Epoch};

use super::carrier::{self, Carrier};
use super::segments::Segments;
use super::trial::{Offered, Trial};
use crate::player::{Play, Server, fields};
use crate::trace::{End, plain};

/// Bytes of objects that are requested at once, so that the server always has something to send.
const AHEAD: u64 = 1 << 20;

/// Excess of a trial's bytes over those that its bottleneck carries, as a share. The trial ends
/// there.
const EXCESS: f64 = 0.5;

/// Least mean size of packets in bytes, above which a limit of bytes is one of packets. Hostile
/// servers could send empty ones.
const PACKET_MIN: f64 = 64.0;

/// Most gaps of a stream. Each packet is compared with all of them.
const HOLES_MAX: usize = 1_000;

/// Most bytes of a connection that [`Fetch::patience`] ends.
const BEGINNING_MAX: u64 = 64 << 10;

/// Time in round trips within which a server knows that a packet is lost: that of three later
/// packets (RFC 9002, section 6.1.1) and of two that share an acknowledgement, of 24 in a round
/// trip.
const PATIENCE: f64 = 0.25;

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
    /// If set, the connection ends as soon as a packet was lost before the first response, or as
    /// the server has made the client wait for longer than this. Its controller would begin
    /// otherwise than the simulated ones.
    pub patience: Option<Duration>,
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
    /// The packets as they reached the bottleneck, and the losses of the path. Packets that do not
    /// count have no size.
    pub offered: Vec<Offered>,
    /// Largest UDP payload or TCP segment in bytes.
    pub mtu: u16,
    /// Bytes of UDP payload or TCP segments received.
    pub payload: u64,
    /// Requests.
    pub requests: usize,
    /// Time until the first packet.
    pub rtt: Option<Duration>,
    /// Time from the beginning to the end.
    pub time: Duration,
    /// True if [`Fetch::patience`] ended it.
    pub disturbed: bool,
    /// How it ended.
    pub end: End,
}

struct Waiting<P> {
    packet: P,
    /// Number of the packet in [`Watched::offered`].
    number: usize,
    /// The queue's drops before.
    drops: Drops,
}

/// Packets that the queue dropped.
#[derive(Clone, Copy, Debug, Default)]
struct Drops {
    /// Number of the last one in [`Watched::offered`].
    last: Option<usize>,
    all: u64,
}

/// Bytes received on a stream.
#[derive(Debug, Default)]
struct Received {
    /// The highest byte, and the number of the packet that brought it.
    end: u64,
    from: Option<usize>,
    /// Missing bytes, and the times at which the client saw that they are missing.
    holes: Vec<(Range<u64>, Instant)>,
}

/// A connection that reads an object through a bottleneck.
pub struct Loader<C: Carrier = Client> {
    fetch: Fetch,
    authority: String,
    client: C,
    link: Link<Waiting<C::Received>>,
    drops: Drops,
    streams: BTreeMap<u64, Received>,
    /// Number of the packet that last brought the highest byte of a stream.
    newest: Option<usize>,
    /// The server's number of the last packet, and the drops before it.
    last: Option<(u64, u64)>,
    /// Numbers that were not received since the last data, without those of drops.
    missing: u64,
    /// Bytes of a stream in its largest packet.
    largest: u64,
    segments: Segments,
    /// Numbers of the packets in [`Watched::offered`] that show a loss of the path before them.
    lost: Vec<usize>,
    /// True if a stream has too many gaps.
    is_torn: bool,
    open: usize,
    /// True after the first head of a response.
    begun: bool,
    /// Time from which the client waits for the server.
    asked: Option<Instant>,
    /// Longest time to an answer before the first response.
    waited: Duration,
    watched: Watched,
    over: bool,
}

impl Loader {
    /// Starts connecting over QUIC.
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
        let client = carrier::quic(server, keys, seed, now, epoch)?;
        Ok(Self::over(client, fetch, &server.authority, seed))
    }
}

impl<T: ClientTls> Loader<TcpClient<T>> {
    /// Starts connecting over TCP.
    pub fn connect_tcp(fetch: Fetch, authority: &str, tls: T, seed: u64, now: Instant) -> Self {
        Self::over(carrier::tcp(tls, now), fetch, authority, seed)
    }
}

impl<C: Carrier> Loader<C> {
    fn over(client: C, fetch: Fetch, authority: &str, seed: u64) -> Self {
        let bottleneck = fetch.trial.at_client(fetch.path_rtt);
        Self {
            link: Link::new(&bottleneck.down, Rng::new(seed, "link")),
            authority: authority.to_owned(),
            client,
            drops: Drops::default(),
            streams: BTreeMap::new(),
            newest: None,
            last: None,
            missing: 0,
            largest: 0,
            segments: Segments::new(fetch.trial.rtt),
            lost: Vec::new(),
            is_torn: false,
            open: 0,
            begun: false,
            asked: None,
            waited: Duration::ZERO,
            watched: Watched::default(),
            over: false,
            fetch,
        }
    }

    fn advance(&mut self, now: Instant) {
        // One packet at a time, so that the client answers each of them, also when time has
        // passed without a look at the link.
        if let Some(Exit::Delivered { payload, .. }) = self.link.poll(now) {
            self.client.handle_packet(now, payload.packet);
            // A client that cannot read a packet says nothing, and waits as well.
            self.asked.get_or_insert(now);
            self.find_losses(now, payload.number, payload.drops);
        }
        self.read(now);
        if self.is_disturbed() {
            self.watched.disturbed = true;
            self.end(now, End::Complete);
        }
        if now >= Instant::ZERO + self.fetch.trial.time {
            self.end(now, End::Complete);
        }
        if self.watched.payload as f64 > self.bytes_max() {
            self.end(now, End::Limit("bytes"));
        }
        if self.watched.offered.len() + self.lost.len() > self.packets_max() {
            self.end(now, End::Limit("packets"));
        }
        if self.is_torn || self.segments.holes() > HOLES_MAX {
            let reason = format!("a stream has more than {HOLES_MAX} gaps");
            self.end(now, End::Failed(reason));
        }
    }

    /// Returns true if the beginning of the connection should not count.
    fn is_disturbed(&mut self) -> bool {
        let Some(patience) = self.fetch.patience else {
            return false;
        };
        if self.begun || self.watched.payload > BEGINNING_MAX {
            return false;
        }
        self.waited > patience || !self.lost.is_empty() || self.client.handshake_has_gap()
    }

    fn bytes_max(&self) -> f64 {
        (1.0 + EXCESS) * self.fetch.trial.bytes() as f64
    }

    /// Returns the most packets that a trial remembers, lost ones included.
    fn packets_max(&self) -> usize {
        (self.bytes_max() / PACKET_MIN) as usize
    }

    /// Remembers packets that the path lost before packet `number`. A hostile server can make up
    /// any number of them, so at most one more than the limit is kept.
    fn lose(&mut self, packets: u64, number: usize) {
        let room = (self.packets_max() + 1).saturating_sub(self.lost.len());
        let packets = room.min(usize::try_from(packets).unwrap_or(usize::MAX));
        self.lost.extend(std::iter::repeat_n(number, packets));
    }

    /// Finds losses of the path before a packet that the client received. Over TCP, the headers at
    /// the queue show them.
    ///
    /// A packet that begins beyond the end of its stream follows a lost one, which the server sent
    /// after the packet that brought this end. The path lost it, unless the queue dropped a packet
    /// between the two. Data that is sent again may come between them, too, and take long.
    ///
    /// The loss of data that was sent again shows in the numbers of packets alone. Servers leave
    /// out numbers on purpose, too. They repair a stream in its order and before they go on, so a
    /// packet with later data shows that a repair was lost.
    fn find_losses(&mut self, now: Instant, number: usize, drops: Drops) {
        let at = self.watched.offered[number].at;
        if let Some(this) = self.client.last_received() {
            let (last, before) = self.last.unwrap_or((this, drops.all));
            self.missing += (this.saturating_sub(last + 1)).saturating_sub(drops.all - before);
            self.last = Some((this.max(last), drops.all));
        }
        let received = self.client.take_received();
        if C::READABLE {
            for (_, bytes) in received {
                self.segments.pass(now, number, &bytes);
            }
            return;
        }
        let path_rtt = self.fetch.path_rtt;
        let patience = self.fetch.trial.rtt.mul_f64(PATIENCE);
        let dropped = drops.last.map(|last| self.watched.offered[last].at);
        let mut lost = 0;
        for (id, bytes) in received {
            self.largest = self.largest.max(bytes.end - bytes.start);
            let stream = self.streams.entry(id).or_insert_with(|| Received {
                // A stream begins where the last one was.
                from: self.newest,
                ..Received::default()
            });
            if bytes.start > stream.end {
                if drops.last <= stream.from {
                    let packets = (bytes.start - stream.end).div_ceil(self.largest.max(1));
                    lost += packets.min(self.missing).max(1);
                }
                stream.holes.push((stream.end..bytes.start, now));
            } else if self.missing > 0 {
                lost += u64::from(stream.holes.iter().any(|(hole, seen)| {
                    // From then on, repairs arrive; the queue may have dropped this one.
                    let begin = *seen + path_rtt + patience;
                    hole.start < bytes.start
                        && begin <= at
                        && dropped.is_none_or(|drop| drop < begin)
                }));
            }
            self.missing = 0;
            let holes = std::mem::take(&mut stream.holes).into_iter();
            let rest = holes.flat_map(|(hole, seen)| {
                let before = hole.start..hole.end.min(bytes.start);
                let after = hole.start.max(bytes.end)..hole.end;
                [(before, seen), (after, seen)]
            });
            stream.holes = rest.filter(|(hole, _)| !hole.is_empty()).collect();
            self.is_torn |= stream.holes.len() > HOLES_MAX;
            if bytes.end > stream.end {
                (stream.end, stream.from) = (bytes.end, Some(number));
                self.newest = Some(number);
            }
        }
        self.lose(lost, number);
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
            self.client.request(now, token, fields);
            self.watched.requests += 1;
            self.open += 1;
        }
    }

    fn read(&mut self, now: Instant) {
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Connected => {
                    if !C::HANDSHAKE {
                        self.watched.offered.iter_mut().for_each(|p| p.size = 0);
                    }
                    self.request(now);
                }
                ClientEvent::Head { fields: head, .. } => {
                    self.begun = true;
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
                | ClientEvent::Interim { .. }
                | ClientEvent::Data { .. }
                | ClientEvent::Incomplete { .. } => {}
            }
        }
    }
}

impl<C: Carrier> Play for Loader<C> {
    type Result = Watched;
    type Received = C::Received;
    type Sent = C::Sent;

    fn handle_packet(&mut self, now: Instant, packet: C::Received) {
        let payload = C::payload(&packet);
        if let Some(asked) = self.asked.take().filter(|_| !self.begun) {
            self.waited = self.waited.max(now.since(asked));
        }
        self.watched.rtt.get_or_insert(now.since_start());
        self.watched.payload += u64::from(payload);
        self.watched.mtu = self.watched.mtu.max(payload as u16);
        let size = payload + C::HEADER;
        let number = self.watched.offered.len();
        let header = C::header(&packet);
        let waiting = Waiting {
            packet,
            number,
            drops: self.drops,
        };
        let dropped = self.link.enqueue(now, size, 0, waiting).is_err();
        if let Some(header) = header {
            for (lost, number) in self.segments.arrive(number, &header, dropped) {
                self.lose(lost, number);
            }
        }
        if dropped {
            self.drops.last = Some(number);
            self.drops.all += 1;
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

    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<C::Sent> {
        let sent = self.client.poll_transmit(now, buf);
        if sent.is_some() {
            self.asked.get_or_insert(now);
        }
        sent
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn finish(mut self) -> Watched {
        self.lost.sort_unstable();
        let mut lost = self.lost.into_iter().peekable();
        let received = std::mem::take(&mut self.watched.offered);
        for (number, packet) in received.into_iter().enumerate() {
            while lost.next_if_eq(&number).is_some() {
                self.watched.offered.push(Offered {
                    at: packet.at,
                    size: 0,
                    lost: true,
                    dropped: false,
                });
            }
            self.watched.offered.push(packet);
        }
        self.watched
    }
}

//! A client that plays a script on one connection. It takes the time and datagrams, and gives
//! datagrams and deadlines.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant};
use pagerace_http::Field;
use pagerace_peer::client::ClientError;
use pagerace_peer::{Client, ClientConfig, ClientEvent};
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch, QuicSettings};

use crate::gate::{Brake, Gate};
use crate::script::Script;
use crate::steps::{Action, Steps};
use crate::trace::{Chunk, End, Head, Marks, Trace, plain};

/// The value of `user-agent`.
pub const USER_AGENT: &str = concat!(
    "pagerace-probe/",
    env!("CARGO_PKG_VERSION"),
    " (measures the order of responses; +",
    env!("CARGO_PKG_REPOSITORY"),
    ")"
);

/// Flow control window of the connection in bytes. It bounds what a server may send at once,
/// and hardly ever closes, because the gate's queue is much shorter.
const WINDOW: u32 = 1 << 20;

/// Starts connecting over QUIC. The windows are those of a stream and of the connection, in
/// bytes.
///
/// # Errors
/// Returns an error if the server's name or address is invalid.
pub(crate) fn connect(
    server: &Server,
    keys: ClientKeys,
    seed: u64,
    (stream_receive_window, receive_window): (u32, u32),
    (now, epoch): (Instant, Epoch),
) -> Result<Client, ClientError> {
    let config = ClientConfig {
        settings: QuicSettings {
            stream_receive_window,
            receive_window,
            ..QuicSettings::default()
        },
        keys,
        seed,
        h3: pagerace_http::h3::Config::default(),
        record: false,
    };
    let mut client = Client::connect(&config, now, epoch, server.remote, &server.name)?;
    client.record_received();
    Ok(client)
}

/// An object that a script requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// `:path`.
    pub path: String,
    /// Number of bytes to request from the beginning; `None` for the whole object.
    pub range: Option<u64>,
    /// Expected bytes of the response's content.
    pub length: u64,
}

/// Limits of one script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes to receive, counted as [`Trace::counted`] does.
    pub bytes: u64,
    /// Longest time.
    pub time: Duration,
}

/// Everything that a player needs besides the connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// The script.
    pub script: Script,
    /// The objects by the numbers in the script.
    pub targets: Vec<Target>,
    /// The brake, which makes the client slow.
    pub brake: Brake,
    /// True to end the script as soon as all heads have arrived.
    pub heads_only: bool,
    /// True to keep the content of the responses in the trace.
    pub keeps_content: bool,
    /// Round-trip time that moments are counted in.
    pub rtt: Duration,
    /// Limits.
    pub limits: Limits,
}

impl Job {
    /// Returns the fields of a request.
    pub(crate) fn fields(&self, authority: &str, ask: usize) -> Vec<Field> {
        let target = &self.targets[self.script.asks[ask].target];
        let mut fields = fields(authority, &target.path);
        if let Some(last) = target.range.and_then(|n| n.checked_sub(1)) {
            fields.push(Field::new("range", format!("bytes=0-{last}")));
        }
        fields
    }

    /// Returns `:path` of a request.
    pub(crate) fn path(&self, ask: usize) -> &str {
        &self.targets[self.script.asks[ask].target].path
    }

    /// Returns the expected bytes of all ranked responses.
    pub(crate) fn expected(&self) -> u64 {
        let ranked = self.script.asks.iter().filter(|ask| ask.ranked);
        ranked.map(|ask| self.targets[ask.target].length).sum()
    }
}

/// The server to probe.
#[derive(Clone, Debug)]
pub struct Server {
    /// Address.
    pub remote: SocketAddr,
    /// Name in the certificate.
    pub name: String,
    /// `:authority`.
    pub authority: String,
}

/// A client of a probe: a state machine without a clock and a socket.
pub trait Play {
    /// The observations of the client.
    type Result;
    /// A packet from the server: a datagram's payload or a segment.
    type Received;
    /// A packet to the server.
    type Sent;

    /// Handles a packet from the server.
    fn handle_packet(&mut self, now: Instant, packet: Self::Received);

    /// Handles the passing of time.
    fn handle_timeout(&mut self, now: Instant);

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    fn poll_timeout(&mut self) -> Option<Instant>;

    /// Returns the next packet to send. The payload of a datagram is in `buf`.
    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Self::Sent>;

    /// Returns true after the end. What is to be sent should still be sent: it closes the
    /// connection.
    fn is_over(&self) -> bool;

    /// Returns the observations of the client.
    fn finish(self) -> Self::Result;
}

/// A connection that plays a script.
pub struct Player {
    job: Job,
    authority: String,
    client: Client,
    /// The gate, which opens with the handshake: packets of the handshake do not wait.
    gate: Gate,
    steps: Steps,
    /// Expected bytes of all ranked responses.
    expected: u64,
    /// Bytes of ranked responses that arrived.
    ranked: u64,
    asks: BTreeMap<u64, usize>,
    requested: Vec<Instant>,
    open: usize,
    marks: Marks,
    trace: Trace,
    over: bool,
}

impl Player {
    /// Starts connecting.
    ///
    /// # Errors
    /// Returns an error if the server's name or address is invalid.
    ///
    /// # Panics
    /// Panics if the job is one for HTTP/2.
    pub fn connect(
        job: Job,
        server: &Server,
        keys: ClientKeys,
        seed: u64,
        now: Instant,
        epoch: Epoch,
    ) -> Result<Self, ClientError> {
        let Brake::Queue(pace) = job.brake else {
            panic!("a job for HTTP/2");
        };
        // A stream's window never closes before that of the connection, which would make a
        // server turn to another stream.
        let client = connect(server, keys, seed, (2 * WINDOW, WINDOW), (now, epoch))?;
        let asks = &job.script.asks;
        let expected = job.expected();
        let trace = Trace::begin(&job.script, now);
        Ok(Self {
            gate: Gate::new(pace),
            requested: vec![now; asks.len()],
            open: asks.len(),
            authority: server.authority.clone(),
            client,
            steps: Steps::new(&job.script, job.rtt),
            expected,
            ranked: 0,
            asks: BTreeMap::new(),
            marks: Marks::default(),
            trace,
            over: false,
            job,
        })
    }

    fn advance(&mut self, now: Instant) {
        while let Some(data) = self.gate.pop(now) {
            self.client.handle_datagram(now, data);
            self.read(now);
        }
        self.read(now);
        self.act(now);
        if self.trace.counted() >= self.job.limits.bytes {
            self.end(now, End::Limit("bytes"));
        }
        if now >= Instant::ZERO + self.job.limits.time {
            self.end(now, End::Limit("time"));
        }
    }

    fn end(&mut self, now: Instant, end: End) {
        if !self.over {
            self.over = true;
            self.trace.end = end;
            self.trace.ended = now;

            self.steps.clear();
            self.client.close(now);
        }
    }

    /// Takes the steps that are due.
    fn act(&mut self, now: Instant) {
        let arrived = self.ranked as f64 / self.expected.max(1) as f64;
        for action in self.steps.take(now, arrived) {
            match action {
                Action::Announce { ask, priority } => {
                    // Requests leave in the order of the script, so streams are known.
                    self.client.announce(4 * ask as u64, priority);
                }
                Action::Request(ask) => self.request(now, ask),
            }
        }
    }

    fn request(&mut self, now: Instant, ask: usize) {
        let request = &self.job.script.asks[ask];
        let fields = self.job.fields(&self.authority, ask);
        self.requested[ask] = now;
        let priority = request.field;
        self.client.request(now, ask as u64, fields, priority, None);
    }

    /// Takes what the client has received.
    fn read(&mut self, now: Instant) {
        while let Some(event) = self.client.poll_event() {
            match event {
                ClientEvent::Connected => {
                    self.trace.connect = now.since_start();
                    self.steps.connected = Some(now);
                }
                ClientEvent::Sent { token, stream } => {
                    self.asks.insert(stream, token as usize);
                }
                ClientEvent::Head { token, fields } => self.head(now, token as usize, &fields),
                ClientEvent::End { .. } => {
                    self.open -= 1;
                    if self.open == 0 {
                        self.end(now, End::Complete);
                    }
                }
                ClientEvent::Failed { token, code } => {
                    let path = self.job.path(token as usize);
                    let reason = format!("the request for {path} failed with error 0x{code:x}");
                    self.end(now, End::Failed(reason));
                }
                ClientEvent::Lost { reason } => {
                    let reason = plain(&reason);
                    self.end(now, End::Failed(reason.clone()));
                    // The loss of the connection explains failed requests.
                    if matches!(self.trace.end, End::Failed(_)) {
                        self.trace.end = End::Failed(format!("the connection was lost: {reason}"));
                    }
                }
                ClientEvent::Data { data, .. } if self.job.keeps_content => {
                    self.trace.content.extend_from_slice(&data);
                }
                ClientEvent::Interim { .. }
                | ClientEvent::Data { .. }
                | ClientEvent::Incomplete { .. } => {}
            }
        }
        for frame in self.client.take_received() {
            let Some(ask) = self.asks.get(&frame.id).copied() else {
                continue;
            };
            self.steps.started.get_or_insert(now);
            self.trace.received += frame.length;
            let Some((offset, bytes)) = self.marks.add(ask, frame.end()) else {
                self.trace.refilled += frame.length;
                continue;
            };
            if self.job.script.asks[ask].ranked {
                self.ranked += bytes;
            }
            self.trace.finished = now;
            let at = now;
            self.trace.chunks.push(Chunk {
                at,
                ask,
                offset,
                bytes,
            });
        }
        if (self.ranked as f64) < SIGNALLED * self.expected as f64 {
            self.trace.lost_up = self.client.packets_lost();
        }
    }

    fn head(&mut self, now: Instant, ask: usize, all: &[Field]) {
        let after = now.since(self.requested[ask]);
        // Interim responses are not the answer.
        let Some(head) = Head::read(all, after) else {
            return;
        };
        self.trace.heads[ask] = Some(head);
        if self.job.heads_only && self.trace.heads.iter().all(Option::is_some) {
            self.end(now, End::Complete);
        }
    }
}

impl Play for Player {
    type Result = Trace;
    type Received = BytesMut;
    type Sent = Datagram;

    fn handle_packet(&mut self, now: Instant, data: BytesMut) {
        self.trace.payload += data.len() as u64;
        if self.steps.connected.is_some() {
            self.gate.push(now, data);
        } else {
            self.client.handle_datagram(now, data);
        }
        self.advance(now);
    }

    fn handle_timeout(&mut self, now: Instant) {
        if self.client.poll_timeout().is_some_and(|at| at <= now) {
            self.client.handle_timeout(now);
        }
        self.advance(now);
    }

    fn poll_timeout(&mut self) -> Option<Instant> {
        let deadline = Instant::ZERO + self.job.limits.time;
        let own = self
            .steps
            .next_at()
            .into_iter()
            .chain(self.gate.next_at())
            .chain([deadline])
            .min();
        own.into_iter().chain(self.client.poll_timeout()).min()
    }

    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        self.client.poll_transmit(now, buf)
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn finish(mut self) -> Trace {
        self.trace.dropped = self.gate.dropped();
        self.trace
    }
}

/// Share of the bytes before which the client's packets carry requests and updates.
const SIGNALLED: f64 = 0.3;

/// Returns the fields of a request.
pub(crate) fn fields(authority: &str, path: &str) -> Vec<Field> {
    let fields = [
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", authority),
        (":path", path),
        ("user-agent", USER_AGENT),
    ];
    let fields = fields.map(|(name, value)| Field::new(name, value.to_owned()));
    fields.to_vec()
}

//! A client that plays a script on one connection. It takes the time and datagrams, and gives
//! datagrams and deadlines.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::BytesMut;
use pagerace_core::{Duration, Instant, Priority};
use pagerace_http::Field;
use pagerace_peer::client::ClientError;
use pagerace_peer::{Client, ClientConfig, ClientEvent};
use pagerace_transport::quic::{ClientKeys, Datagram, Epoch, QuicSettings};

use crate::gate::{Gate, Pace};
use crate::script::{Moment, Script};
use crate::trace::{Chunk, End, Head, Marks, Trace};

/// The value of `user-agent`.
pub const USER_AGENT: &str = concat!(
    "pagerace-probe/",
    env!("CARGO_PKG_VERSION"),
    " (measures the order of responses; +",
    env!("CARGO_PKG_REPOSITORY"),
    ")"
);

/// The least round trip that moments of scripts are counted in. Below it, packets of
/// different moments could leave together.
const RTT_MIN: Duration = Duration::from_millis(8);

/// Flow control window of the connection in bytes. It bounds what a server may send at once,
/// and hardly ever closes, because the gate's queue is much shorter.
const WINDOW: u32 = 1 << 20;

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
    /// Rate and queue of the client.
    pub pace: Pace,
    /// True to end the script as soon as all heads have arrived.
    pub heads_only: bool,
    /// Round-trip time that moments are counted in.
    pub rtt: Duration,
    /// Limits.
    pub limits: Limits,
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
    /// What it has seen.
    type Result;

    /// Handles a datagram from the server.
    fn handle_datagram(&mut self, now: Instant, data: BytesMut);

    /// Handles the passing of time.
    fn handle_timeout(&mut self, now: Instant);

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    fn poll_timeout(&mut self) -> Option<Instant>;

    /// Writes the next datagram to send to `buf`.
    fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram>;

    /// Returns true after the end. What is to be sent should still be sent: it closes the
    /// connection.
    fn is_over(&self) -> bool;

    /// Returns what the client has seen.
    fn finish(self) -> Self::Result;
}

enum Action {
    Announce { ask: usize, priority: Priority },
    Request(usize),
}

/// A connection that plays a script.
pub struct Player {
    job: Job,
    authority: String,
    client: Client,
    /// The gate, which opens with the handshake: packets of the handshake do not wait.
    gate: Gate,
    connected: Option<Instant>,
    started: Option<Instant>,
    /// Delay of the steps so far, which later ones keep, so that steps of different moments
    /// never leave together.
    slip: Duration,
    /// Steps that are not taken, in the order of the script.
    steps: Vec<(Moment, Action)>,
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
    pub fn connect(
        job: Job,
        server: &Server,
        keys: ClientKeys,
        seed: u64,
        now: Instant,
        epoch: Epoch,
    ) -> Result<Self, ClientError> {
        let config = ClientConfig {
            settings: QuicSettings {
                // A stream's window never closes before that of the connection, which would
                // make a server turn to another stream.
                stream_receive_window: 2 * WINDOW,
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
        let asks = &job.script.asks;
        let mut steps = Vec::new();
        for (ask, request) in asks.iter().enumerate() {
            steps.push((request.at, Action::Request(ask)));
            for (at, priority) in &request.updates {
                let priority = *priority;
                steps.push((*at, Action::Announce { ask, priority }));
            }
        }
        let ranked = asks.iter().filter(|ask| ask.ranked);
        let expected = ranked.map(|ask| job.targets[ask.target].length).sum();
        let trace = Trace {
            script: job.script.name,
            connect: Duration::ZERO,
            chunks: Vec::new(),
            heads: vec![None; asks.len()],
            payload: 0,
            received: 0,
            refilled: 0,
            dropped: 0,
            lost_up: 0,
            finished: now,
            ended: now,
            end: End::Complete,
        };
        Ok(Self {
            gate: Gate::new(job.pace),
            requested: vec![now; asks.len()],
            open: asks.len(),
            authority: server.authority.clone(),
            client,
            connected: None,
            started: None,
            slip: Duration::ZERO,
            steps,
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

    /// Returns the time of a moment if it is known.
    fn due(&self, moment: Moment) -> Option<Instant> {
        match moment {
            Moment::Open => self.connected,
            Moment::Rtts(n) => {
                Some(self.started? + self.job.rtt.max(RTT_MIN).mul_f64(n) + self.slip)
            }
            Moment::Share(_) => None,
        }
    }

    fn is_due(&self, now: Instant, moment: Moment) -> bool {
        match moment {
            Moment::Share(share) => self.ranked as f64 >= share * self.expected as f64,
            timed => self.due(timed).is_some_and(|at| at <= now),
        }
    }

    /// Takes the steps that are due. Of several moments, only the earliest is.
    fn act(&mut self, now: Instant) {
        let timed = self
            .steps
            .iter()
            .filter(|(moment, _)| matches!(moment, Moment::Rtts(_)));
        let first = timed.filter_map(|(moment, _)| self.due(*moment)).min();
        let steps = std::mem::take(&mut self.steps);
        let (due, later): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(moment, _)| {
            let waits = matches!(moment, Moment::Rtts(_)) && self.due(*moment) != first;
            self.connected.is_some() && !waits && self.is_due(now, *moment)
        });
        self.steps = later;
        if let Some(first) = first.filter(|first| *first <= now) {
            self.slip += now.since(first);
        }
        for (_, action) in due {
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
        let target = &self.job.targets[request.target];
        let mut fields = fields(&self.authority, &target.path);
        if let Some(last) = target.range.and_then(|n| n.checked_sub(1)) {
            fields.push(Field::new("range", format!("bytes=0-{last}")));
        }
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
                    self.connected = Some(now);
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
                    let path = self.path(token as usize);
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
                ClientEvent::Data { .. } | ClientEvent::Incomplete { .. } => {}
            }
        }
        for frame in self.client.take_received() {
            let Some(ask) = self.asks.get(&frame.id).copied() else {
                continue;
            };
            self.started.get_or_insert(now);
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

    fn path(&self, ask: usize) -> &str {
        &self.job.targets[self.job.script.asks[ask].target].path
    }

    fn head(&mut self, now: Instant, ask: usize, all: &[Field]) {
        let text = |name: &str| {
            let value = pagerace_http::fields::get(all, name).map_or(&[][..], |value| &value[..]);
            plain(&String::from_utf8_lossy(value))
        };
        let status = text(":status").parse().unwrap_or(0);
        // Interim responses are not the answer.
        if (100..200).contains(&status) {
            return;
        }
        let media_type = text("content-type");
        let whole = text("content-range");
        let whole = whole.rsplit_once('/').map(|(_, whole)| whole.trim());
        self.trace.heads[ask] = Some(Head {
            after: now.since(self.requested[ask]),
            status,
            length: text("content-length").parse().ok(),
            whole: whole.and_then(|whole| whole.parse().ok()),
            media_type: media_type
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_ascii_lowercase(),
            server: text("server"),
            location: text("location"),
        });
        if self.job.heads_only && self.trace.heads.iter().all(Option::is_some) {
            self.end(now, End::Complete);
        }
    }
}

impl Play for Player {
    type Result = Trace;

    fn handle_datagram(&mut self, now: Instant, data: BytesMut) {
        self.trace.payload += data.len() as u64;
        if self.connected.is_some() {
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
        let steps = self
            .steps
            .iter()
            .filter_map(|(moment, _)| self.due(*moment));
        let deadline = Instant::ZERO + self.job.limits.time;
        let own = steps.chain(self.gate.next_at()).chain([deadline]).min();
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

/// Longest part of a text of the server that is read, in characters.
const TEXT_MAX: usize = 160;

/// Returns the beginning of a text of the server, without characters that a terminal obeys.
pub(crate) fn plain(text: &str) -> String {
    let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().take(TEXT_MAX).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::{TEXT_MAX, plain};

    #[test]
    fn texts_of_the_server_cannot_command_a_terminal() {
        assert_eq!(
            plain("\u{1b}[2Jé\n\u{9b}x"),
            "\u{fffd}[2Jé\u{fffd}\u{fffd}x"
        );
        assert_eq!(plain(&"é".repeat(500)).chars().count(), TEXT_MAX);
    }
}

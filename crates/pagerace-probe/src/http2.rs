//! A client that plays a script on one connection of HTTP/2. It takes the time and bytes, and
//! gives bytes and deadlines.
//!
//! The buffers of the server's TCP would take whole responses, so a slow client sees nothing
//! of the scheduler. The brake is the window of the connection: primers use up the first
//! 65,535 bytes, the requests and signals follow while nothing may be sent, and then the
//! window opens by [`GRANT`] bytes at a time. Each time, the scheduler chooses a response.

mod world;

use std::collections::BTreeMap;

use bytes::Bytes;
use pagerace_core::{Duration, Instant};
use pagerace_http::h2::{Code, Config, Connection, Event, Limits};
use pagerace_http::{Field, Role};

use crate::player::Job;
use crate::script::stream;
use crate::steps::{Action, RTT_MIN, Steps};
use crate::trace::{Chunk, End, Head, Trace, plain};

pub use world::{Line, PIECE_MAX, play, play_tampered};

/// First window of the connection in bytes, which a client cannot reduce (RFC 9113, section
/// 6.9.2).
pub(crate) const WINDOW: u64 = 65_535;

/// Bytes by which the window opens: a packet, and less than the frames that servers make
/// by themselves. So the client sets the size of frames.
pub const GRANT: u64 = 1_200;

/// Window of each stream in bytes, which never closes.
const STREAM_WINDOW: u32 = 1 << 30;

/// Least time between two grants on long paths, and the longest round trip on which only one
/// grant is under way.
pub(crate) const SPACING: Duration = Duration::from_millis(4);

/// Least time between two grants: servers fill their buffers of responses meanwhile.
const BREATH: Duration = Duration::from_millis(1);

/// Most grants under way.
const AHEAD_MAX: u64 = 24;

/// Time without bytes after which the window opens further, in round trips and at least. Some
/// servers wait for larger windows.
const STALL: (f64, Duration) = (4.0, Duration::from_millis(400));

/// Largest open window in bytes.
const OPEN_MAX: u64 = 64 << 10;

/// Longest wait for the heads of responses.
const HEADS: Duration = Duration::from_secs(2);

/// Returns the bytes of the window that are open on a path of this round trip.
pub(crate) fn ahead(rtt: Duration) -> u64 {
    GRANT * (rtt.as_nanos() / SPACING.as_nanos()).clamp(1, AHEAD_MAX)
}

/// A connection that plays a script.
pub struct Player {
    job: Job,
    authority: String,
    http: Connection,
    steps: Steps,
    /// Requests by stream.
    asks: BTreeMap<u64, usize>,
    requested: Vec<Instant>,
    /// Bytes of each response.
    arrived: Vec<u64>,
    /// Requests whose responses are not complete.
    open: Vec<bool>,
    /// Time of the last request or update that does not wait for bytes.
    signalled: Instant,
    /// Time from which the window opens.
    granting: Option<Instant>,
    /// Time of the last grant.
    granted: Instant,
    trace: Trace,
    over: bool,
}

impl Player {
    /// Starts on a connection whose TCP handshake took `connect` and whose TLS handshake is
    /// complete.
    pub fn start(job: Job, authority: &str, connect: Duration, now: Instant) -> Self {
        let asks = &job.script.asks;
        let tree = asks.iter().any(|ask| ask.dependency.is_some());
        let config = Config {
            stream_window: STREAM_WINDOW,
            connection_window: WINDOW as u32,
            own_grants: true,
            max_header_list_size: 64 << 10,
            // A client that sends no dependencies should say so: RFC 9218, section 2.1.
            no_rfc7540_priorities: !tree,
            limits: Limits::default(),
            ..Config::chromium()
        };
        let mut steps = Steps::new(&job.script, job.rtt);
        steps.connected = Some(now);
        let mut trace = Trace::begin(&job.script, now);
        trace.connect = connect;
        let mut player = Self {
            http: Connection::new(Role::Client, config),
            authority: authority.to_owned(),
            steps,
            asks: BTreeMap::new(),
            requested: vec![now; asks.len()],
            arrived: vec![0; asks.len()],
            open: vec![true; asks.len()],
            signalled: now,
            granting: None,
            granted: now,
            trace,
            over: false,
            job,
        };
        player.advance(now);
        player
    }

    /// Handles bytes of the server, split at any point. `carried` bytes have carried them and all
    /// before: TLS can carry any number without content.
    pub fn handle_data(&mut self, now: Instant, data: Bytes, carried: u64) {
        if self.over {
            return;
        }
        self.trace.payload = carried;
        let failed = self.http.handle_data(data).err();
        while let Some(event) = self.http.poll_event() {
            self.event(now, event);
        }
        if let Some(error) = failed {
            self.lose(now, &error.to_string());
        }
        self.advance(now);
    }

    /// Handles the loss of the connection.
    pub fn lose(&mut self, now: Instant, reason: &str) {
        let reason = format!("the connection was lost: {}", plain(reason));
        self.end(now, End::Failed(reason));
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.advance(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Instant {
        let deadline = Instant::ZERO + self.job.limits.time;
        let others = self.steps.next_at().into_iter().chain(self.next_grant());
        others.chain([deadline]).min().unwrap_or(deadline)
    }

    /// Returns the next bytes to send.
    pub fn poll_output(&mut self) -> Option<Bytes> {
        self.http.poll_write()
    }

    /// Returns true after the end. What is to be sent should still be sent: it closes the
    /// connection.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns the trace.
    pub fn finish(self) -> Trace {
        self.trace
    }

    fn end(&mut self, now: Instant, end: End) {
        if !self.over {
            self.over = true;
            self.trace.end = end;
            self.trace.ended = now;
            self.steps.clear();
            self.http.go_away(Code::NO_ERROR);
        }
    }

    fn advance(&mut self, now: Instant) {
        self.start_scripts(now);
        self.act(now);
        self.settle(now);
        while !self.over && self.next_grant().is_some_and(|at| at <= now) {
            self.http.grant(GRANT as u32);
            self.granted = now;
        }
        if self.trace.counted() >= self.job.limits.bytes {
            self.end(now, End::Limit("bytes"));
        }
        if now >= Instant::ZERO + self.job.limits.time {
            self.end(now, End::Limit("time"));
        }
    }

    /// Lets the script begin when the primers have used up the window, and cancels what is
    /// left of them.
    fn start_scripts(&mut self, now: Instant) {
        let asks = self.job.script.asks.iter().enumerate();
        let primers = asks.filter(|(i, ask)| !ask.ranked && self.open[*i]);
        let primers: Vec<usize> = primers.map(|(i, _)| i).collect();
        let waits = self.job.heads_only || self.steps.started.is_some();
        if waits || (!primers.is_empty() && self.http.window_left() > 0) {
            return;
        }
        for ask in primers {
            self.open[ask] = false;
            self.http.reset(stream(ask), Code::CANCEL);
        }
        self.steps.started = Some(now);
    }

    /// Takes the steps that are due.
    fn act(&mut self, now: Instant) {
        let asks = self.job.script.asks.iter().zip(&self.arrived);
        let ranked: u64 = asks.filter(|(a, _)| a.ranked).map(|(_, n)| n).sum();
        let arrived = ranked as f64 / self.job.expected().max(1) as f64;
        for action in self.steps.take(now, arrived) {
            if self.granting.is_none() {
                self.signalled = now;
            }
            match action {
                Action::Announce { ask, priority } => {
                    // Requests leave in the order of the script, so streams are known.
                    self.http.send_priority_update(stream(ask), priority);
                }
                Action::Request(ask) => self.request(now, ask),
            }
        }
    }

    fn request(&mut self, now: Instant, ask: usize) {
        let fields = self.job.fields(&self.authority, ask);
        let request = &self.job.script.asks[ask];
        self.requested[ask] = now;
        let sent = self
            .http
            .send_request(&fields, request.field, request.dependency, None);
        match sent {
            Ok(stream) => {
                self.asks.insert(stream, ask);
            }
            Err(error) => {
                let path = self.job.path(ask);
                let reason = format!("the request for {path} cannot be sent: {error}");
                self.end(now, End::Failed(reason));
            }
        }
    }

    /// Opens the window a round trip after the last head, when responses are ready.
    fn settle(&mut self, now: Instant) {
        if self.granting.is_some() || self.steps.started.is_none() || self.steps.wait_for_time() {
            return;
        }
        let rtt = self.job.rtt.max(RTT_MIN);
        let complete = self.trace.heads.iter().zip(&self.open);
        if complete.clone().all(|(head, open)| head.is_some() || !open) {
            self.granting = Some(now + rtt);
        } else {
            self.granting = (now >= self.signalled + rtt + HEADS).then_some(now);
        }
    }

    /// Returns the time of the next grant, if its time is known.
    fn next_grant(&self) -> Option<Instant> {
        let Some(begin) = self.granting else {
            let waits = self.steps.started.is_some() && !self.steps.wait_for_time();
            return waits.then(|| self.signalled + self.job.rtt.max(RTT_MIN) + HEADS);
        };
        let left = self.http.window_left();
        let rtt = self.job.rtt;
        if left + GRANT > OPEN_MAX {
            return None;
        }
        let at = if left + GRANT <= ahead(rtt) {
            let grants = ahead(rtt) / GRANT;
            self.granted + BREATH.max(rtt.mul_f64(1.0 / grants as f64))
        } else {
            self.granted.max(self.trace.finished) + rtt.mul_f64(STALL.0).max(STALL.1)
        };
        Some(at.max(begin))
    }

    fn event(&mut self, now: Instant, event: Event) {
        match event {
            Event::Headers { stream, fields, .. } => self.head(now, stream, &fields),
            Event::Data { stream, data } => self.data(now, stream, &data),
            Event::Finished { stream } => self.handle_end(now, stream),
            Event::Reset { stream, code } | Event::StreamError { stream, code, .. } => {
                let Some(ask) = self.asks.get(&stream).filter(|ask| self.open[**ask]) else {
                    return;
                };
                let target = &self.job.targets[self.job.script.asks[*ask].target];
                if code == Code::NO_ERROR && self.arrived[*ask] >= target.length {
                    // Node.js does so when only the end of the stream is left to send.
                    return self.handle_end(now, stream);
                }
                let path = self.job.path(*ask);
                let reason = format!("the request for {path} failed with error 0x{:x}", code.0);
                self.end(now, End::Failed(reason));
            }
            _ => {}
        }
    }

    /// Handles the end of a response.
    fn handle_end(&mut self, now: Instant, stream: u64) {
        if let Some(ask) = self.asks.get(&stream) {
            self.open[*ask] = false;
        }
        if !self.open.contains(&true) {
            self.end(now, End::Complete);
        }
    }

    fn head(&mut self, now: Instant, stream: u64, fields: &[Field]) {
        let Some(ask) = self.asks.get(&stream).copied() else {
            return;
        };
        let after = now.since(self.requested[ask]);
        self.trace.heads[ask] = Head::read(fields, after);
        if self.job.heads_only && self.trace.heads.iter().all(Option::is_some) {
            self.end(now, End::Complete);
        }
    }

    fn data(&mut self, now: Instant, stream: u64, data: &[u8]) {
        let Some(ask) = self.asks.get(&stream).copied() else {
            return;
        };
        if self.job.keeps_content {
            self.trace.content.extend_from_slice(data);
        }
        let bytes = data.len() as u64;
        self.trace.received += bytes;
        self.trace.finished = now;
        let offset = self.arrived[ask];
        self.arrived[ask] += bytes;
        self.trace.chunks.push(Chunk {
            at: now,
            ask,
            offset,
            bytes,
        });
    }
}

//! Server side of a connection.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use pagerace_core::{Duration, EventQueue, Instant, Priority, Protocol};
use pagerace_delivery::reliability::{Conditions, Delivery, Nature, Object, ReliabilitySpec};
use pagerace_delivery::{Response, StrategySpec};
use pagerace_http::{Field, h1, h2};
use pagerace_transport::quic::PacketSource;

use crate::body::Body;
use crate::desk::{Answer, Desk, Taken};
use crate::outgoing::{Outgoing, SentFrame};
use crate::server::UNKNOWN;
use crate::site::Site;

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct StreamServerConfig {
    /// Order in which the bytes of responses are sent.
    pub strategy: StrategySpec,
    /// Policy that determines which responses are late. A byte stream has no datagrams.
    pub reliability: ReliabilitySpec,
    /// Limits of HTTP/2.
    pub h2: h2::Config,
    /// Limits of HTTP/1.1.
    pub h1: h1::Config,
    /// Largest number of bytes of one decision of the strategy, including framing.
    pub piece_max: usize,
    /// True to keep every piece for [`StreamServer::take_frames`].
    pub record_frames: bool,
}

impl StreamServerConfig {
    /// Returns a configuration with pieces that fill a TLS record, and the limits of
    /// [`h2::Config::server`].
    pub fn new(strategy: StrategySpec) -> Self {
        Self {
            strategy,
            reliability: ReliabilitySpec::default(),
            h2: h2::Config::server(),
            h1: h1::Config::default(),
            // RFC 8446, section 5.1.
            piece_max: 1 << 14,
            record_frames: false,
        }
    }
}

/// Plaintext to send: `head`, followed by `content`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Framing: control frames, the head of a response, or the header of a frame.
    pub head: Bytes,
    /// Content of a response; not copied.
    pub content: Bytes,
    /// Response that the output belongs to; `None` for the connection's own data.
    pub stream: Option<u64>,
    /// Bytes of the response (head and content, without the headers of DATA frames) that
    /// were sent before.
    pub offset: u64,
    /// Bytes of the response in this output.
    pub length: u64,
}

impl Output {
    /// Returns the number of bytes on the byte stream.
    pub fn len(&self) -> usize {
        self.head.len() + self.content.len()
    }

    /// Returns true if the output has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts the output after `max` bytes, and returns the rest, which belongs to the same
    /// response.
    fn cut(&mut self, max: usize) -> Self {
        let mut rest = Self {
            stream: self.stream,
            offset: self.offset + self.length,
            ..Self::default()
        };
        if self.len() > max {
            rest.head = self.head.split_off(max.min(self.head.len()));
            rest.content = self.content.split_off(max - self.head.len());
        }
        rest
    }
}

/// The progress of a client, by what it has sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Number of complete requests.
    pub requests: u64,
    /// Bytes of request bodies, complete or not.
    pub body_bytes: u64,
}

/// Returns true if the policy makes a response late. The policy is not told of losses,
/// because TCP offers no choice between a stream and datagrams.
fn is_late(outgoing: &mut Outgoing, nature: Nature, body: &Body) -> bool {
    let object = Object {
        nature,
        length: body.len(),
    };
    let path = Conditions {
        window: 0,
        packets_sent: 0,
        packets_lost: 0,
        urgent_left: 0,
    };
    match outgoing.delivery(&object, path) {
        Delivery::Stream => false,
        Delivery::Late => true,
        Delivery::Datagrams(terms) => terms.late,
    }
}

enum Engine {
    H1(Box<h1::Server>),
    H2(Box<h2::Connection>),
}

/// Server of a [`Site`] on one connection.
pub struct StreamServer<S> {
    engine: Engine,
    site: S,
    desk: Desk,
    outgoing: Outgoing,
    /// Responses that wait for the end of their think time.
    thinking: EventQueue<u64>,
    /// HTTP/1.1: responses that are ready and wait for their turn.
    early: BTreeMap<u64, Answer>,
    /// HTTP/1.1: true while a response is being sent.
    busy: bool,
    /// Responses of status 103 that have not left.
    hints: VecDeque<Bytes>,
    /// Rest of the last output, which exceeded the caller's limit.
    rest: Output,
    piece_max: usize,
    progress: Progress,
    /// True if the client has closed its side of HTTP/2.
    ended: bool,
    /// True if the client violated the protocol or left, or a body cannot be read.
    failed: bool,
    record: bool,
    frames: Vec<SentFrame>,
}

impl<S: Site> StreamServer<S> {
    /// Creates a server for a new byte stream.
    ///
    /// # Panics
    /// Panics if `protocol` is HTTP/3, which does not use a byte stream.
    pub fn new(protocol: Protocol, config: &StreamServerConfig, site: S) -> Self {
        let engine = match protocol {
            Protocol::H1 => Engine::H1(Box::new(h1::Server::new(config.h1.clone()))),
            Protocol::H2 => Engine::H2(Box::new(h2::Connection::new(
                h2::Role::Server,
                config.h2.clone(),
            ))),
            Protocol::H3 => panic!("HTTP/3 does not run over a byte stream"),
        };
        Self {
            engine,
            site,
            desk: Desk::default(),
            outgoing: Outgoing::new(config.strategy.build(), config.reliability.build(), false),
            thinking: EventQueue::new(),
            early: BTreeMap::new(),
            busy: false,
            hints: VecDeque::new(),
            rest: Output::default(),
            piece_max: config.piece_max.max(1),
            progress: Progress::default(),
            ended: false,
            failed: false,
            record: config.record_frames,
            frames: Vec::new(),
        }
    }

    /// Handles the arrival of plaintext, in order.
    pub fn handle_data(&mut self, now: Instant, data: Bytes) {
        if self.failed {
            return;
        }
        match &mut self.engine {
            Engine::H1(h1) => h1.handle_data(data),
            Engine::H2(h2) => self.failed = h2.handle_data(data).is_err(),
        }
        self.drive(now);
    }

    /// Returns what the client has sent. An owner may give up a client that sends only other
    /// bytes, such as an endless header section.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Returns true if the server accepts more plaintext without buffering much of it. If
    /// not, an owner with a socket should leave the data there.
    pub fn wants_data(&self) -> bool {
        match &self.engine {
            Engine::H1(h1) => h1.wants_data(),
            Engine::H2(_) => true,
        }
    }

    /// Handles the client's end of its stream. The client may still wait for responses; over
    /// HTTP/2, for as much of them as its windows allow.
    pub fn handle_end(&mut self, now: Instant) {
        match &mut self.engine {
            Engine::H1(h1) => h1.handle_end(),
            Engine::H2(_) => self.ended = true,
        }
        self.drive(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.think(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.thinking.next_at()
    }

    /// Returns the next plaintext to send, at most `max` bytes: one decision of the
    /// strategy, or data that the strategy does not schedule.
    pub fn poll_output(&mut self, now: Instant, max: usize) -> Option<Output> {
        let max = max.max(1);
        let mut output = if self.rest.is_empty() {
            let Some(output) = self.next_output(now, max) else {
                // Nothing can open the windows of a client that has ended.
                self.failed |= self.ended && self.thinking.next_at().is_none();
                return None;
            };
            output
        } else {
            std::mem::take(&mut self.rest)
        };
        self.rest = output.cut(max);
        Some(output)
    }

    /// Returns true if the connection is to be closed: no response will follow, and the
    /// last output is written completely.
    pub fn is_closed(&self) -> bool {
        let over = match &self.engine {
            Engine::H1(h1) => h1.wants_close(),
            Engine::H2(_) => false,
        };
        (over || self.failed) && self.rest.is_empty()
    }

    /// Announces that no further requests are accepted (HTTP/2). Requests that have
    /// arrived are answered.
    pub fn go_away(&mut self) {
        if let Engine::H2(h2) = &mut self.engine {
            h2.go_away(h2::Code::NO_ERROR);
        }
    }

    /// Returns the pieces of responses since the last call, if the server records them.
    /// Their times are those of [`poll_output`](Self::poll_output), and their offsets
    /// those of [`Output`].
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        std::mem::take(&mut self.frames)
    }

    /// Returns the site that answers the requests.
    pub fn site(&mut self) -> &mut S {
        &mut self.site
    }

    fn drive(&mut self, now: Instant) {
        match &self.engine {
            Engine::H1(_) => self.h1_events(now),
            Engine::H2(_) => self.h2_events(now),
        }
        self.think(now);
    }

    fn complete(&mut self, now: Instant, stream: u64) -> bool {
        self.progress.requests += 1;
        match self.desk.complete(stream, &mut self.site) {
            Taken::Gone => true,
            Taken::Refused => false,
            Taken::Thinking { time, early } => {
                self.thinking.schedule(now + time, stream);
                self.hint(stream, &early);
                true
            }
        }
    }

    /// Queues a 103 response. Over HTTP/1.1, it leaves only if no other response has to come
    /// first.
    fn hint(&mut self, stream: u64, fields: &[Field]) {
        if fields.is_empty() {
            return;
        }
        let data = match &mut self.engine {
            Engine::H1(h1) if !self.busy => h1.early_hints(stream, fields),
            Engine::H1(_) => None,
            Engine::H2(h2) => Some(h2.response_head(stream, fields, false)),
        };
        self.hints.extend(data);
    }

    fn h1_events(&mut self, now: Instant) {
        while let Engine::H1(h1) = &mut self.engine
            && let Some(event) = h1.poll_event()
        {
            match event {
                h1::Event::Headers { stream, fields } => {
                    let signal = pagerace_http::priority::of_fields(&fields);
                    self.desk.head(stream, fields, signal);
                }
                h1::Event::Data { stream, data } => {
                    self.progress.body_bytes += data.len() as u64;
                    self.desk.content(stream, data.len());
                }
                h1::Event::Finished { stream } => {
                    if !self.complete(now, stream) {
                        self.early.insert(stream, refusal(stream, 503));
                    }
                }
                h1::Event::StreamError { stream, error } => {
                    self.desk.drop_request(stream);
                    self.early.insert(stream, refusal(stream, error.status));
                }
                h1::Event::Trailers { .. } | h1::Event::Interim { .. } => {}
            }
            self.next_h1();
        }
    }

    fn h2_events(&mut self, now: Instant) {
        while let Engine::H2(h2) = &mut self.engine
            && let Some(event) = h2.poll_event()
        {
            match event {
                h2::Event::Headers {
                    stream,
                    fields,
                    priority,
                    dependency,
                } => {
                    if let Some(dependency) = dependency {
                        self.outgoing.dependency(stream, dependency);
                    }
                    self.desk.head(stream, fields, priority);
                }
                h2::Event::Data { stream, data } => {
                    self.progress.body_bytes += data.len() as u64;
                    self.desk.content(stream, data.len());
                }
                h2::Event::Finished { stream } => {
                    if !self.complete(now, stream)
                        && let Engine::H2(h2) = &mut self.engine
                    {
                        // Tells the client that nothing was processed, so it may ask again
                        // (RFC 9113, section 8.7).
                        h2.reset(stream, h2::Code::REFUSED_STREAM);
                    }
                }
                h2::Event::PriorityUpdate { stream, priority } => {
                    if !self.desk.reprioritise(stream, priority) {
                        self.outgoing.update(stream, priority);
                    }
                }
                h2::Event::Dependency { stream, dependency } => {
                    self.outgoing.dependency(stream, dependency);
                }
                h2::Event::Writable { stream } => self.outgoing.writable(stream),
                // The connection's window covers all streams (RFC 9113, section 6.9.1), so any
                // whose own window is open may go on.
                h2::Event::WindowOpened => {
                    for stream in self.outgoing.parked() {
                        if h2.send_window(stream) > 0 {
                            self.outgoing.writable(stream);
                        }
                    }
                }
                h2::Event::Reset { stream, .. } | h2::Event::StreamError { stream, .. } => {
                    self.outgoing.cancel(stream);
                    self.desk.drop_request(stream);
                }
                h2::Event::Settings
                | h2::Event::GoAway { .. }
                | h2::Event::Interim { .. }
                | h2::Event::Trailers { .. } => {}
            }
        }
    }

    /// Hands over the responses whose think time is over.
    fn think(&mut self, now: Instant) {
        while let Some((_, stream)) = self.thinking.pop_due(now) {
            let Some(answer) = self.desk.answer(stream) else {
                continue;
            };
            match &mut self.engine {
                Engine::H1(_) => {
                    self.early.insert(stream, answer);
                }
                Engine::H2(h2) => {
                    let Answer {
                        response,
                        fields,
                        body,
                        nature,
                        ..
                    } = answer;
                    let head = h2.response_head(stream, &fields, body.is_empty());
                    if !head.is_empty() {
                        let late = is_late(&mut self.outgoing, nature, &body);
                        self.outgoing.add(response, head, body, late);
                    }
                }
            }
        }
        self.next_h1();
    }

    /// Starts the next HTTP/1.1 response, if it is ready and no other is being sent.
    fn next_h1(&mut self) {
        let Engine::H1(h1) = &mut self.engine else {
            return;
        };
        let next = h1.next_to_answer().filter(|_| !self.busy);
        let Some(answer) = next.and_then(|stream| self.early.remove(&stream)) else {
            return;
        };
        let Answer {
            response,
            mut fields,
            body,
            length,
            ..
        } = answer;
        fields.retain(|f| f.name != b"content-length"[..]);
        let head = h1.response_head(&fields, length);
        self.outgoing.add(response, head, body, false);
        self.busy = true;
    }

    /// Returns output that the strategy does not schedule.
    fn control(&mut self) -> Option<Output> {
        let data = match &mut self.engine {
            Engine::H1(h1) => h1.poll_write(),
            Engine::H2(h2) => h2.poll_write(),
        };
        let data = data.or_else(|| self.hints.pop_front())?;
        Some(Output {
            head: data,
            ..Output::default()
        })
    }

    fn next_output(&mut self, now: Instant, max: usize) -> Option<Output> {
        if let Some(control) = self.control() {
            return Some(control);
        }
        if self.failed {
            return None;
        }
        let max = max.min(self.piece_max);
        let output = match &self.engine {
            Engine::H1(_) => self.h1_piece(now, max),
            Engine::H2(_) => self.h2_piece(max),
        }?;
        if let Some(stream) = output.stream.filter(|_| self.record) {
            self.frames.push(SentFrame {
                at: now,
                stream,
                offset: output.offset,
                length: output.length,
                retransmission: false,
            });
        }
        Some(output)
    }

    fn h1_piece(&mut self, now: Instant, max: usize) -> Option<Output> {
        let offer = self.outgoing.pick_stream()?;
        let mut head = self.outgoing.picked_head();
        head.truncate(max);
        let left = usize::try_from(offer.left).unwrap_or(usize::MAX);
        let room = (left - head.len()).min(max - head.len());
        let content = self.outgoing.picked_body(room);
        let length = head.len() + content.len();
        if length == 0 {
            // The length has been announced, so only closing the connection can end the
            // response.
            self.failed = true;
            self.outgoing.cancel(offer.stream);
            return None;
        }
        self.outgoing.handle_written(offer.stream, length, false);
        if length == left {
            self.busy = false;
            if let Engine::H1(h1) = &mut self.engine {
                h1.handle_answered();
            }
            // Requests beyond the limit may now be read.
            self.drive(now);
        }
        Some(Output {
            head,
            content,
            stream: Some(offer.stream),
            offset: offer.offset,
            length: length as u64,
        })
    }

    /// Returns the rest of the picked response's head, if any, and one DATA frame.
    fn h2_piece(&mut self, max: usize) -> Option<Output> {
        let Engine::H2(h2) = &mut self.engine else {
            return None;
        };
        loop {
            // While the connection's window is closed, the strategy keeps its turns.
            if h2.is_blocked() && !self.outgoing.has_unsent_head() {
                return None;
            }
            let offer = self.outgoing.pick_stream()?;
            let stream = offer.stream;
            let head = self.outgoing.picked_head();
            let left = usize::try_from(offer.left).unwrap_or(usize::MAX) - head.len();
            // Without a head, the frame must have at least one byte.
            let least = usize::from(head.is_empty());
            let room = max.saturating_sub(head.len() + FRAME_HEADER).max(least);
            let fits = left.min(room).min(h2.send_window(stream));
            let content = self.outgoing.picked_body(fits);
            if fits > 0 && content.is_empty() {
                // The store of the body cannot be read any more.
                h2.reset(stream, h2::Code::INTERNAL_ERROR);
                self.outgoing.cancel(stream);
                self.outgoing.forget(stream);
                return self.control();
            }
            let mut framing = head.clone();
            if !content.is_empty() {
                let frame = h2.data_frame(stream, content.len(), content.len() == left);
                framing = match head.len() {
                    0 => frame,
                    _ => [head.as_ref(), &frame].concat().into(),
                };
            }
            let length = head.len() + content.len();
            // A closed window of the connection parks no stream: all keep their turns until it
            // opens.
            let refused = content.len() < left
                && h2.send_window(stream) == 0
                && (length == 0 || !h2.is_blocked());
            self.outgoing.handle_written(stream, length, refused);
            if length as u64 == offer.left {
                self.outgoing.forget(stream);
            }
            if length > 0 {
                return Some(Output {
                    head: framing,
                    content,
                    stream: Some(stream),
                    offset: offer.offset,
                    length: length as u64,
                });
            }
        }
    }
}

/// Size of a frame header in bytes (RFC 9113, section 4.1).
const FRAME_HEADER: usize = 9;

/// Returns the response to an invalid request, or to one beyond the limit.
fn refusal(stream: u64, status: u16) -> Answer {
    Answer {
        response: Response {
            stream,
            signal: Priority::default(),
            facts: UNKNOWN,
            length: 0,
            sent: 0,
        },
        fields: vec![Field::new(":status", status.to_string())],
        body: Body::EMPTY,
        length: 0,
        nature: Nature::ESSENTIAL,
        think_time: Duration::ZERO,
        is_object: false,
    }
}

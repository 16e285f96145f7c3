//! Client side of a connection.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use pagerace_core::{Instant, Priority, Protocol};
use pagerace_http::{Field, h1, h2};

use super::tree::Tree;
use crate::client::ClientEvent;

/// Signalling of RFC 7540's dependency tree by an HTTP/2 client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeStyle {
    /// A chain by urgency, as Chromium signals.
    #[default]
    Chromium,
    /// No signals.
    None,
}

/// Configuration of a client.
#[derive(Clone, Debug)]
pub struct StreamClientConfig {
    /// Limits of HTTP/2.
    pub h2: h2::Config,
    /// Limits of HTTP/1.1.
    pub h1: h1::Config,
    /// Dependency tree to signal over HTTP/2.
    pub tree: TreeStyle,
    /// True to send `PRIORITY_UPDATE` over HTTP/2 (RFC 9218, section 7.1). Chromium does
    /// not send it, and moves streams in the tree instead.
    pub priority_updates: bool,
}

impl Default for StreamClientConfig {
    /// Returns Chromium's limits and tree. Unlike Chromium, the client sends updates, so
    /// that strategies based on RFC 9218 signals learn as much over HTTP/2 as over
    /// HTTP/3.
    fn default() -> Self {
        Self {
            h2: h2::Config::chromium(),
            h1: h1::Config::default(),
            tree: TreeStyle::Chromium,
            priority_updates: true,
        }
    }
}

struct Pending {
    token: u64,
    fields: Vec<Field>,
    priority: Option<Priority>,
    body: Option<Bytes>,
}

enum Engine {
    H1(h1::Client),
    H2(Box<h2::Connection>),
}

/// Requests on one connection to one server.
pub struct StreamClient {
    engine: Engine,
    tree: Option<Tree>,
    priority_updates: bool,
    waiting: VecDeque<Pending>,
    tokens: BTreeMap<u64, u64>,
    streams: BTreeMap<u64, u64>,
    events: VecDeque<ClientEvent>,
    /// Rest of the last output, which exceeded the caller's limit.
    rest: Bytes,
    /// True if the connection has ended.
    closed: bool,
}

impl StreamClient {
    /// Creates a client for a new byte stream.
    ///
    /// # Panics
    /// Panics if `protocol` is HTTP/3, which does not use a byte stream.
    pub fn new(protocol: Protocol, config: &StreamClientConfig) -> Self {
        let engine = match protocol {
            Protocol::H1 => Engine::H1(h1::Client::new(config.h1.clone())),
            Protocol::H2 => Engine::H2(Box::new(h2::Connection::new(
                h2::Role::Client,
                config.h2.clone(),
            ))),
            Protocol::H3 => panic!("HTTP/3 does not run over a byte stream"),
        };
        let tree = protocol == Protocol::H2 && config.tree == TreeStyle::Chromium;
        Self {
            engine,
            tree: tree.then(Tree::default),
            priority_updates: config.priority_updates,
            waiting: VecDeque::new(),
            tokens: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: VecDeque::new(),
            rest: Bytes::new(),
            closed: false,
        }
    }

    /// Returns the number of further requests that the client would send now. Over
    /// HTTP/1.1, it is one or zero. Over HTTP/2, it is what the server allows (100 before
    /// its settings arrive, as in Chromium). It is zero on a connection that is ending.
    pub fn capacity(&self) -> usize {
        if self.closed {
            return 0;
        }
        match &self.engine {
            Engine::H1(h1) => usize::from(h1.can_request() && self.waiting.is_empty()),
            Engine::H2(h2) if h2.goaway_received().is_none() => {
                let max = h2.peer_settings().max_concurrent_streams;
                let taken = self.tokens.len() + self.waiting.len();
                (max.unwrap_or(ASSUMED_STREAMS) as usize).saturating_sub(taken)
            }
            Engine::H2(_) => 0,
        }
    }

    /// Returns true if the connection has ended.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Queues a request, which leaves as soon as the server's limits and the order of
    /// requests allow. `token` identifies it in events.
    pub fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        if self.closed {
            self.fail([token], h2::Code::REFUSED_STREAM);
            return;
        }
        self.waiting.push_back(Pending {
            token,
            fields,
            priority,
            body,
        });
    }

    /// Changes a request's priority. Over HTTP/1.1, only unsent requests have one.
    pub fn reprioritise(&mut self, token: u64, priority: Priority) {
        if let Some(p) = self.waiting.iter_mut().find(|p| p.token == token) {
            p.priority = Some(priority);
            return;
        }
        let (Engine::H2(h2), Some(stream)) = (&mut self.engine, self.streams.get(&token)) else {
            return;
        };
        if let Some(tree) = &mut self.tree {
            for (stream, dependency) in tree.update(*stream, priority) {
                h2.send_dependency(stream, dependency);
            }
        }
        if self.priority_updates {
            h2.send_priority_update(*stream, priority);
        }
    }

    /// Cancels a request, of which no further events follow. Over HTTP/1.1, only unsent
    /// requests can be cancelled.
    pub fn cancel(&mut self, token: u64) {
        self.waiting.retain(|p| p.token != token);
        let (Engine::H2(h2), Some(stream)) = (&mut self.engine, self.streams.get(&token)) else {
            return;
        };
        let stream = *stream;
        h2.reset(stream, h2::Code::CANCEL);
        self.forget(stream);
    }

    /// Handles the completion of the handshake of the layers below.
    pub fn handle_connected(&mut self) {
        self.events.push_back(ClientEvent::Connected);
    }

    /// Handles the arrival of plaintext, in order.
    pub fn handle_data(&mut self, _now: Instant, data: Bytes) {
        if self.closed {
            return;
        }
        let failed = match &mut self.engine {
            Engine::H1(h1) => h1.handle_data(data).err().map(|e| e.to_string()),
            Engine::H2(h2) => h2.handle_data(data).err().map(|e| e.to_string()),
        };
        self.take_events();
        if let Some(reason) = failed {
            self.lose(reason);
        }
    }

    /// Handles the orderly end of the server's stream.
    pub fn handle_end(&mut self) {
        if self.closed {
            return;
        }
        let reason = match &mut self.engine {
            Engine::H1(h1) => h1.handle_end().err().map(|e| e.to_string()),
            Engine::H2(_) => None,
        };
        self.take_events();
        self.lose(reason.unwrap_or_else(|| ENDED.to_owned()));
    }

    /// Handles the loss of the connection: outstanding requests fail.
    pub fn handle_closed(&mut self, reason: String) {
        self.lose(reason);
    }

    /// Announces that no more requests will be sent (HTTP/2).
    pub fn close(&mut self) {
        if let Engine::H2(h2) = &mut self.engine
            && !self.closed
        {
            h2.go_away(h2::Code::NO_ERROR);
        }
    }

    /// Returns the next plaintext to send, at most `max` bytes.
    pub fn poll_output(&mut self, max: usize) -> Option<Bytes> {
        if self.rest.is_empty() {
            self.open_requests();
            self.rest = match &mut self.engine {
                Engine::H1(h1) => h1.poll_write()?,
                Engine::H2(h2) => h2.poll_write()?,
            };
        }
        Some(self.rest.split_to(max.min(self.rest.len())))
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    fn open_requests(&mut self) {
        while !self.closed && self.can_request() {
            let Some(Pending {
                token,
                fields,
                priority,
                body,
            }) = self.waiting.pop_front()
            else {
                return;
            };
            let signal = priority.unwrap_or_default();
            let opened = match &mut self.engine {
                Engine::H1(h1) => h1.send_request(&fields, body).ok(),
                Engine::H2(h2) => {
                    let dependency = self.tree.as_ref().map(|tree| tree.place(signal));
                    h2.send_request(&fields, priority, dependency, body).ok()
                }
            };
            let Some(stream) = opened else {
                self.fail([token], h2::Code::INTERNAL_ERROR);
                continue;
            };
            if let Some(tree) = &mut self.tree {
                tree.open(stream, signal);
            }
            self.tokens.insert(stream, token);
            self.streams.insert(token, stream);
            self.events.push_back(ClientEvent::Sent { token, stream });
        }
    }

    fn can_request(&self) -> bool {
        match &self.engine {
            Engine::H1(h1) => h1.can_request(),
            Engine::H2(h2) => h2.can_request(),
        }
    }

    fn take_events(&mut self) {
        while let Engine::H1(h1) = &mut self.engine
            && let Some(event) = h1.poll_event()
        {
            match event {
                h1::Event::Interim { stream, fields } => self.interim(stream, fields),
                h1::Event::Headers { stream, fields } => self.head(stream, fields),
                h1::Event::Data { stream, data } => self.data(stream, data),
                h1::Event::Finished { stream } => self.end(stream),
                _ => {}
            }
        }
        while let Engine::H2(h2) = &mut self.engine
            && let Some(event) = h2.poll_event()
        {
            self.h2_event(event);
        }
        let going = match &self.engine {
            Engine::H1(h1) => h1.is_closed(),
            Engine::H2(h2) => h2.goaway_received().is_some(),
        };
        if going && self.tokens.is_empty() {
            self.lose(ENDED.to_owned());
        }
    }

    fn h2_event(&mut self, event: h2::Event) {
        match event {
            h2::Event::Interim { stream, fields } => self.interim(stream, fields),
            h2::Event::Headers { stream, fields, .. } => self.head(stream, fields),
            h2::Event::Data { stream, data } => self.data(stream, data),
            h2::Event::Finished { stream } => self.end(stream),
            h2::Event::Reset { stream, code } | h2::Event::StreamError { stream, code, .. } => {
                let token = self.forget(stream);
                self.fail(token, code);
            }
            h2::Event::GoAway { .. } => {
                // Requests that have not been sent will not be.
                let waiting = std::mem::take(&mut self.waiting).into_iter();
                self.fail(waiting.map(|p| p.token), h2::Code::REFUSED_STREAM);
            }
            _ => {}
        }
    }

    fn interim(&mut self, stream: u64, fields: Vec<Field>) {
        let token = self.tokens.get(&stream).copied();
        self.events
            .extend(token.map(|token| ClientEvent::Interim { token, fields }));
    }

    fn head(&mut self, stream: u64, fields: Vec<Field>) {
        let token = self.tokens.get(&stream).copied();
        self.events
            .extend(token.map(|token| ClientEvent::Head { token, fields }));
    }

    fn data(&mut self, stream: u64, data: Bytes) {
        let token = self.tokens.get(&stream).copied();
        self.events
            .extend(token.map(|token| ClientEvent::Data { token, data }));
    }

    fn end(&mut self, stream: u64) {
        let token = self.forget(stream);
        self.events
            .extend(token.map(|token| ClientEvent::End { token }));
    }

    fn fail(&mut self, tokens: impl IntoIterator<Item = u64>, code: h2::Code) {
        let code = code.0.into();
        let failed = tokens.into_iter();
        self.events
            .extend(failed.map(|token| ClientEvent::Failed { token, code }));
    }

    fn forget(&mut self, stream: u64) -> Option<u64> {
        let token = self.tokens.remove(&stream)?;
        self.streams.remove(&token);
        if let Some(tree) = &mut self.tree {
            tree.close(stream);
        }
        Some(token)
    }

    fn lose(&mut self, reason: String) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        let open = std::mem::take(&mut self.tokens).into_values();
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        self.fail(open.chain(waiting.map(|p| p.token)), h2::Code::NO_ERROR);
        self.streams.clear();
        self.events.push_back(ClientEvent::Lost { reason });
    }
}

/// Limit on concurrent streams before the server's settings arrive: Chromium's
/// `kInitialMaxConcurrentStreams`.
const ASSUMED_STREAMS: u32 = 100;

/// Reason for the loss of a connection that ended in an orderly way.
const ENDED: &str = "the server ends the connection";

//! A client on a UDP socket.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use mio::Token;
use pagerace_core::{Instant, Priority};
use pagerace_http::object::Repair;
use pagerace_http::{Field, fields};
use pagerace_peer::{ClientConfig, ClientEvent, LossReport};

use crate::socket::Socket;
use crate::wait::Waiter;
use crate::{Clock, LiveError};

/// A connection to a server over any transport.
pub trait Connection {
    /// Sends a request. `token` identifies it in later events.
    fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    );

    /// Changes the priority of a request.
    fn reprioritise(&mut self, token: u64, priority: Priority);

    /// Requests the missing ranges of a response that lost datagrams; see
    /// [`pagerace_peer::Client::repair`].
    fn repair(&mut self, _token: u64, _at_once: bool) {}

    /// Gives up on the missing ranges of a response; see
    /// [`pagerace_peer::Client::give_up`].
    fn give_up(&mut self, _token: u64) {}

    /// Returns the losses of a response that was sent in datagrams.
    fn loss_report(&self, _token: u64) -> Option<LossReport> {
        None
    }

    /// Returns the time since the connection was created.
    fn now(&self) -> Instant;

    /// Sends and receives until an event occurs or `wait` has passed.
    ///
    /// # Errors
    /// [`LiveError::Socket`] over QUIC and [`LiveError::Tcp`] over TCP: waiting for the
    /// socket fails permanently. Failures of the connection are events.
    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>, LiveError>;

    /// Returns the address of the server.
    fn remote(&self) -> SocketAddr;
}

/// A connection to a server over QUIC.
pub struct Client {
    socket: Socket,
    waiter: Waiter,
    inner: pagerace_peer::Client,
    clock: Clock,
    remote: SocketAddr,
}

impl Client {
    /// Starts connecting to `remote`, whose certificate must be valid for `server_name`.
    /// Packets are not recorded: `config.record` has no effect.
    ///
    /// # Errors
    /// [`LiveError::Bind`], [`LiveError::Client`].
    pub fn connect(
        remote: SocketAddr,
        server_name: &str,
        config: &ClientConfig,
    ) -> Result<Self, LiveError> {
        let clock = Clock::start();
        let any = match remote {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        // Recorded packets would accumulate, as nothing reads them.
        let config = ClientConfig {
            record: false,
            ..config.clone()
        };
        let inner = pagerace_peer::Client::connect(
            &config,
            clock.now(),
            clock.epoch(),
            remote,
            server_name,
        )?;
        let mut socket = Socket::bind(any)?;
        let waiter = Waiter::new().map_err(LiveError::Socket)?;
        socket.register(waiter.registry(), Token(0))?;
        Ok(Self {
            socket,
            waiter,
            inner,
            clock,
            remote,
        })
    }

    /// Closes the connection.
    ///
    /// # Errors
    /// [`LiveError::Socket`].
    pub fn close(mut self) -> Result<(), LiveError> {
        self.inner.close(self.clock.now());
        self.transmit()
    }

    fn transmit(&mut self) -> Result<(), LiveError> {
        let mut buf = Vec::new();
        while self.socket.is_free()?
            && let Some(datagram) = self.inner.poll_transmit(self.clock.now(), &mut buf)
        {
            self.socket.send(&buf[..datagram.size], datagram.remote)?;
        }
        Ok(())
    }
}

impl Connection for Client {
    fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        let now = self.now();
        self.inner.request(now, token, fields, priority, body);
    }

    fn reprioritise(&mut self, token: u64, priority: Priority) {
        self.inner.reprioritise(token, priority);
    }

    fn repair(&mut self, token: u64, at_once: bool) {
        self.inner.repair(self.clock.now(), token, at_once);
    }

    fn give_up(&mut self, token: u64) {
        self.inner.give_up(token);
    }

    fn loss_report(&self, token: u64) -> Option<LossReport> {
        self.inner.loss_report(token)
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>, LiveError> {
        let deadline = self.clock.now() + pagerace_core::Duration::from_std(wait);
        loop {
            if let Some(event) = self.inner.poll_event() {
                return Ok(Some(event));
            }
            self.transmit()?;
            let now = self.clock.now();
            if now >= deadline {
                return Ok(None);
            }
            let due = self
                .inner
                .poll_timeout()
                .map_or(deadline, |at| at.min(deadline));
            if !self.socket.readable {
                let wait = due.since(now).to_std();
                for event in self.waiter.wait(wait).map_err(LiveError::Socket)? {
                    self.socket.readable |= event.is_readable();
                }
            }
            if let Some((from, data)) = self.socket.receive()?
                && from == self.remote
            {
                self.inner.handle_datagram(self.clock.now(), data);
            }
            let now = self.clock.now();
            if self.inner.poll_timeout().is_some_and(|at| at <= now) {
                self.inner.handle_timeout(now);
            }
        }
    }

    fn remote(&self) -> SocketAddr {
        self.remote
    }
}

/// A request for [`get`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// `:method`.
    pub method: String,
    /// `:path`.
    pub path: String,
    /// Priority in the `priority` field, which is omitted for the default.
    pub priority: Option<Priority>,
    /// New priority, sent when the first content of any response arrives.
    pub update: Option<Priority>,
    /// Content of the request, if any.
    pub body: Option<Bytes>,
}

impl Fetch {
    /// Returns a GET request without a priority.
    pub fn get(path: impl Into<String>) -> Self {
        Self {
            method: "GET".into(),
            path: path.into(),
            priority: None,
            update: None,
            body: None,
        }
    }

    fn fields(&self, authority: &str) -> Vec<Field> {
        let field = |name: &'static str, value: &str| Field::new(name, value.to_owned());
        vec![
            field(":method", &self.method),
            field(":scheme", "https"),
            field(":authority", authority),
            field(":path", &self.path),
            field("user-agent", "pagerace"),
        ]
    }
}

/// A response of [`get`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Path of the request.
    pub path: String,
    /// `:status`.
    pub status: u16,
    /// Response fields, including pseudo-header fields.
    pub fields: Vec<Field>,
    /// Content of the response. If datagrams were lost and not repaired, it ends at the
    /// first gap.
    pub body: Bytes,
    /// Losses, if the response was sent in datagrams.
    pub loss: Option<LossReport>,
    /// Time of completion, since the connection started.
    pub finished: Instant,
}

/// Sends all `requests` at once on a new connection. Returns the responses in the order
/// of their completion.
///
/// # Errors
/// Any [`LiveError`]; [`LiveError::Timeout`] if nothing arrives for `patience`.
pub fn get(
    remote: SocketAddr,
    server_name: &str,
    config: &ClientConfig,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>, LiveError> {
    let mut client = Client::connect(remote, server_name, config)?;
    let fetched = fetch_all(&mut client, server_name, requests, patience)?;
    client.close()?;
    Ok(fetched)
}

/// Sends all `requests` and returns the responses in the order of their completion.
pub(crate) fn fetch_all(
    client: &mut impl Connection,
    server_name: &str,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>, LiveError> {
    let remote = client.remote();
    for (token, fetch) in requests.iter().enumerate() {
        let fields = fetch.fields(server_name);
        client.request(token as u64, fields, fetch.priority, fetch.body.clone());
    }
    let mut heads: BTreeMap<u64, (u16, Vec<Field>, BytesMut)> = BTreeMap::new();
    let mut fetched = Vec::new();
    let mut updated = false;
    // Incomplete responses, which are repaired once no other response is pending.
    let mut later: Vec<u64> = Vec::new();
    while fetched.len() < requests.len() {
        if !later.is_empty() && fetched.len() + later.len() == requests.len() {
            for token in std::mem::take(&mut later) {
                client.repair(token, false);
            }
        }
        match client
            .next_event(patience)?
            .ok_or(LiveError::Timeout { remote })?
        {
            ClientEvent::Connected | ClientEvent::Sent { .. } => {}
            ClientEvent::Head { token, fields } => {
                let status = status(&fields);
                heads.insert(token, (status, fields, BytesMut::new()));
            }
            ClientEvent::Data { token, data } => {
                if !std::mem::replace(&mut updated, true) {
                    update_all(client, requests);
                }
                if let Some((_, _, body)) = heads.get_mut(&token) {
                    body.extend_from_slice(&data);
                }
            }
            ClientEvent::Incomplete { token, repair } if repair.is_some() => {
                if repair == Some(Repair::Now) {
                    client.repair(token, true);
                } else {
                    later.push(token);
                }
            }
            ClientEvent::End { token } | ClientEvent::Incomplete { token, .. } => {
                client.give_up(token);
                let path = requests[token as usize].path.clone();
                let (status, fields, body) = heads.remove(&token).unwrap_or_default();
                let finished = client.now();
                fetched.push(Fetched {
                    path,
                    status,
                    fields,
                    body: body.freeze(),
                    loss: client.loss_report(token),
                    finished,
                });
            }
            ClientEvent::Failed { token, code } => {
                // A lost connection reports its failed requests first, then the cause.
                while let Some(event) = client.next_event(Duration::ZERO)? {
                    if let ClientEvent::Lost { reason } = event {
                        return Err(LiveError::Lost { remote, reason });
                    }
                }
                let path = requests[token as usize].path.clone();
                return Err(LiveError::Request { path, code });
            }
            ClientEvent::Lost { reason } => return Err(LiveError::Lost { remote, reason }),
        }
    }
    Ok(fetched)
}

fn update_all(client: &mut impl Connection, requests: &[Fetch]) {
    for (token, fetch) in requests.iter().enumerate() {
        if let Some(priority) = fetch.update {
            client.reprioritise(token as u64, priority);
        }
    }
}

fn status(fields: &[Field]) -> u16 {
    let text = fields::get(fields, ":status").and_then(|value| std::str::from_utf8(value).ok());
    text.and_then(|text| text.parse().ok())
        .expect("no other status gets through")
}

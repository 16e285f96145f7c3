//! Clients for tests and examples: HTTP/3 over a UDP socket, HTTP/1.1 and HTTP/2 over TCP and
//! rustls. Each blocks its thread while it waits.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use bytes::{Bytes, BytesMut};
use pagerace_core::{Instant, Priority, Protocol, Repair};
use pagerace_http::{Field, fields};
use pagerace_live::Clock;
use pagerace_peer::stream::{StreamClient, StreamClientConfig};
use pagerace_peer::{ClientConfig, ClientEvent, LossReport};
use pagerace_transport::quic::keys;
use pagerace_transport::tls::MAX_PLAINTEXT;
use rustls::pki_types::ServerName;

/// Requested size of the kernel's receive buffer of a UDP socket, in bytes.
const KERNEL_BUFFER: usize = 4 << 20;

/// Error message for a server that sends nothing.
pub(crate) const SILENT: &str = "the server did not answer in time";

/// A connection to a server over any transport.
pub(crate) trait Connection {
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

    /// Sends and receives until an event occurs or `wait` has passed. Failures of the
    /// connection are events.
    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>>;
}

/// A connection to a server over QUIC.
pub(crate) struct Client {
    socket: UdpSocket,
    inner: pagerace_peer::Client,
    clock: Clock,
    remote: SocketAddr,
    received: Box<[u8]>,
}

impl Client {
    /// Starts connecting to `remote`, whose certificate must be valid for `server_name`.
    pub(crate) fn connect(
        remote: SocketAddr,
        server_name: &str,
        config: &ClientConfig,
    ) -> Result<Self> {
        let clock = Clock::start();
        let (now, epoch) = (clock.now(), clock.epoch());
        let inner = pagerace_peer::Client::connect(config, now, epoch, remote, server_name)?;
        let socket = UdpSocket::bind(match remote {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        })?;
        // A smaller buffer only makes losses more likely.
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(KERNEL_BUFFER);
        Ok(Self {
            socket,
            inner,
            clock,
            remote,
            received: vec![0; 1 << 16].into(),
        })
    }

    /// Closes the connection.
    pub(crate) fn close(mut self) {
        self.inner.close(self.clock.now());
        self.transmit();
    }

    /// Sends what there is to send. A datagram that cannot be sent is lost.
    fn transmit(&mut self) {
        let mut buf = Vec::new();
        while let Some(datagram) = self.inner.poll_transmit(self.clock.now(), &mut buf) {
            let _ = self.socket.send_to(&buf[..datagram.size], datagram.remote);
        }
    }

    /// Receives a datagram, if one arrives in time.
    fn receive(&mut self, wait: Duration) -> io::Result<()> {
        self.socket.set_read_timeout(Some(wait))?;
        match self.socket.recv_from(&mut self.received) {
            Ok((size, from)) if from == self.remote => {
                let data = BytesMut::from(&self.received[..size]);
                self.inner.handle_datagram(self.clock.now(), data);
                Ok(())
            }
            Err(error) if !is_quiet(&error) => Err(error),
            _ => Ok(()),
        }
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

    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>> {
        let deadline = self.now() + pagerace_core::Duration::from_std(wait);
        loop {
            if let Some(event) = self.inner.poll_event() {
                return Ok(Some(event));
            }
            self.transmit();
            let now = self.now();
            let due = self.inner.poll_timeout();
            if due.is_some_and(|at| at <= now) {
                self.inner.handle_timeout(now);
            } else if now >= deadline {
                return Ok(None);
            } else {
                let until = due.map_or(deadline, |at| at.min(deadline));
                self.receive(until.since(now).to_std())?;
            }
        }
    }
}

/// Returns true if the error means that nothing has arrived.
fn is_quiet(error: &io::Error) -> bool {
    let kinds = [
        ErrorKind::WouldBlock,
        ErrorKind::TimedOut,
        ErrorKind::Interrupted,
    ];
    kinds.contains(&error.kind())
}

/// Returns a TLS configuration for a client over TCP that trusts only this certificate (DER)
/// and speaks `protocol`.
pub(crate) fn client_tls(
    certificate: &[u8],
    protocol: Protocol,
) -> Result<Arc<rustls::ClientConfig>> {
    let alpn: &[u8] = match protocol {
        Protocol::H1 => b"http/1.1",
        Protocol::H2 => b"h2",
        Protocol::H3 => bail!("HTTP/3 does not run over TCP"),
    };
    Ok(Arc::new(keys::client_tls(certificate, alpn)?))
}

/// Settings of a client over TCP.
#[derive(Clone, Debug)]
pub(crate) struct TcpClientConfig {
    /// The protocol: HTTP/1.1 or HTTP/2.
    pub(crate) protocol: Protocol,
    /// Settings of HTTP.
    pub(crate) stream: StreamClientConfig,
    /// The trusted certificates and the ALPN identifier of the same protocol; see
    /// [`client_tls`].
    pub(crate) tls: Arc<rustls::ClientConfig>,
}

/// A connection to a server over TCP.
pub(crate) struct TcpClient {
    socket: TcpStream,
    tls: rustls::ClientConnection,
    http: StreamClient,
    clock: Clock,
    connected: bool,
}

impl TcpClient {
    /// Connects to `remote`, whose certificate must be valid for `server_name`.
    pub(crate) fn connect(
        remote: SocketAddr,
        server_name: &str,
        config: &TcpClientConfig,
    ) -> Result<Self> {
        let clock = Clock::start();
        let name = ServerName::try_from(server_name.to_owned())?;
        let tls = rustls::ClientConnection::new(config.tls.clone(), name)?;
        let socket = TcpStream::connect(remote)?;
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            tls,
            http: StreamClient::new(config.protocol, &config.stream),
            clock,
            connected: false,
        })
    }

    /// Closes the connection. If this fails, the peer still sees the end of the stream.
    pub(crate) fn close(mut self) {
        self.http.close();
        let _ = self.send();
        self.tls.send_close_notify();
        let _ = self.send();
    }

    /// Sends what there is to send.
    fn send(&mut self) -> io::Result<()> {
        loop {
            while self.tls.wants_write() {
                self.tls.write_tls(&mut self.socket)?;
            }
            if !self.connected {
                return Ok(());
            }
            let Some(data) = self.http.poll_output(MAX_PLAINTEXT) else {
                return Ok(());
            };
            self.tls.writer().write_all(&data)?;
        }
    }

    /// Reads once, if something arrives in time.
    fn receive(&mut self, wait: Duration) -> io::Result<()> {
        self.socket.set_read_timeout(Some(wait))?;
        match self.tls.read_tls(&mut self.socket) {
            Ok(0) => {
                self.http.handle_end();
                return Ok(());
            }
            Ok(_) => {}
            Err(error) if is_quiet(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
        let state = match self.tls.process_new_packets() {
            Ok(state) => state,
            Err(error) => {
                // The connection fails, whether or not the alert that says why can be sent.
                let _ = self.tls.write_tls(&mut self.socket);
                return Err(io::Error::other(error));
            }
        };
        if !self.connected && !self.tls.is_handshaking() {
            self.connected = true;
            self.http.handle_connected();
        }
        let mut data = vec![0; state.plaintext_bytes_to_read()];
        self.tls.reader().read_exact(&mut data)?;
        if !data.is_empty() {
            self.http.handle_data(self.clock.now(), data.into());
        }
        if state.peer_has_closed() {
            self.http.handle_end();
        }
        Ok(())
    }
}

impl Connection for TcpClient {
    fn request(
        &mut self,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        self.http.request(token, fields, priority, body);
    }

    fn reprioritise(&mut self, token: u64, priority: Priority) {
        self.http.reprioritise(token, priority);
    }

    fn now(&self) -> Instant {
        self.clock.now()
    }

    fn next_event(&mut self, wait: Duration) -> Result<Option<ClientEvent>> {
        let deadline = self.now() + pagerace_core::Duration::from_std(wait);
        loop {
            if let Some(event) = self.http.poll_event() {
                return Ok(Some(event));
            }
            let left = deadline.since(self.now()).to_std();
            if left.is_zero() {
                return Ok(None);
            }
            let worked = self.send().and_then(|()| self.receive(left));
            if let Err(error) = worked {
                self.http.handle_closed(error.to_string());
            }
        }
    }
}

/// A request for [`get`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fetch {
    /// `:method`.
    pub(crate) method: String,
    /// `:path`.
    pub(crate) path: String,
    /// Priority in the `priority` field, which is omitted for the default.
    pub(crate) priority: Option<Priority>,
    /// New priority, sent when the first content of any response arrives.
    pub(crate) update: Option<Priority>,
    /// Content of the request, if any.
    pub(crate) body: Option<Bytes>,
}

impl Fetch {
    /// Returns a GET request without a priority.
    pub(crate) fn get(path: impl Into<String>) -> Self {
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
pub(crate) struct Fetched {
    /// Path of the request.
    pub(crate) path: String,
    /// `:status`.
    pub(crate) status: u16,
    /// Response fields, including pseudo-header fields.
    pub(crate) fields: Vec<Field>,
    /// Content of the response. If datagrams were lost and not repaired, it ends at the
    /// first gap.
    pub(crate) body: Bytes,
    /// Losses, if the response was sent in datagrams.
    pub(crate) loss: Option<LossReport>,
    /// Time of completion, since the connection started.
    pub(crate) finished: Instant,
}

/// Sends all `requests` at once on a new connection over QUIC. Returns the responses in the
/// order of their completion.
///
/// It is an error if nothing arrives for `patience`.
pub(crate) fn get(
    remote: SocketAddr,
    server_name: &str,
    config: &ClientConfig,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>> {
    let mut client = Client::connect(remote, server_name, config)?;
    let fetched = fetch_all(&mut client, server_name, requests, patience)?;
    client.close();
    Ok(fetched)
}

/// Does the same as [`get`] over TCP: all at once over HTTP/2, and one after the other over
/// HTTP/1.1.
pub(crate) fn get_over_tcp(
    remote: SocketAddr,
    server_name: &str,
    config: &TcpClientConfig,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>> {
    let mut client = TcpClient::connect(remote, server_name, config)?;
    let fetched = fetch_all(&mut client, server_name, requests, patience)?;
    client.close();
    Ok(fetched)
}

fn fetch_all(
    client: &mut impl Connection,
    server_name: &str,
    requests: &[Fetch],
    patience: Duration,
) -> Result<Vec<Fetched>> {
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
        match client.next_event(patience)?.context(SILENT)? {
            ClientEvent::Connected | ClientEvent::Sent { .. } | ClientEvent::Interim { .. } => {}
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
                        bail!("the connection is lost: {reason}");
                    }
                }
                let path = &requests[token as usize].path;
                bail!("the request for {path} failed with HTTP error 0x{code:x}");
            }
            ClientEvent::Lost { reason } => bail!("the connection is lost: {reason}"),
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

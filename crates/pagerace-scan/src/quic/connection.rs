//! One QUIC connection on a socket of its own: the state machine of quinn-proto, driven.

mod streams;

use std::collections::{BTreeSet, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use pagerace_http::{Role, h3};
use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, ConnectionError, ConnectionHandle, DatagramEvent, Dir, Endpoint, Event,
    StreamEvent, VarInt,
};
use tokio::net::UdpSocket;

use super::packet::Meter;
use super::{Http3Settings, Parameters};
use crate::client::{Client, ms_since, now};
use crate::error::{Failure, Kind};
use crate::http::{HEAD_MAX, Response, request};
use crate::tls::Tickets;
use crate::udp;

/// The stream of the only request.
const REQUEST: u64 = 0;
/// `H3_NO_ERROR`.
const NO_ERROR: u32 = 0x100;
/// Shortest wait for a ticket after the response.
const TICKET_WAIT: Duration = Duration::from_millis(50);
/// Most datagrams that are read before timers and timeouts are looked at again.
const BATCH_MAX: usize = 32;
/// The largest datagram that the endpoint takes.
const DATAGRAM_MAX: usize = 1500;

/// The course of one connection. Times are in ms.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) failure: Option<Failure>,
    pub(super) handshake_ms: Option<f64>,
    /// From the request to the head of the response.
    pub(super) response_ms: Option<f64>,
    /// From the first packet to the head of the response.
    pub(super) total_ms: Option<f64>,
    pub(super) response: Option<Response>,
    pub(super) parameters: Option<Parameters>,
    pub(super) settings: Option<Http3Settings>,
    /// True if the server took early data; `None` if none was sent.
    pub(super) early_data: Option<bool>,
    pub(super) meter: Meter,
}

/// A connection to one server.
pub(super) struct Connection {
    socket: UdpSocket,
    endpoint: Endpoint,
    handle: ConnectionHandle,
    inner: quinn_proto::Connection,
    h3: h3::Connection,
    /// Writes that wait for flow control.
    writes: VecDeque<h3::Write>,
    open: BTreeSet<u64>,
    fields: Vec<pagerace_http::Field>,
    address: SocketAddr,
    step: Duration,
    bytes_max: u64,
    /// Bytes of all datagrams that came.
    received_bytes: u64,
    start: Instant,
    /// The time of the request.
    asked: Option<Instant>,
    report: Report,
    buffer: Vec<u8>,
}

impl Connection {
    /// Creates the connection; the first packet leaves with [`Self::run`].
    pub(super) async fn open(
        client: &Arc<Client>,
        domain: &str,
        address: SocketAddr,
        tls: &Arc<QuicClientConfig>,
    ) -> Result<Self, Failure> {
        let socket = udp::connect(address)
            .await
            .map_err(|error| Failure::of_io(&error, "UDP"))?;
        let mut endpoint = Endpoint::new(Arc::clone(&client.endpoint), None, false, None);
        let mut config = ClientConfig::new(Arc::clone(tls) as Arc<_>);
        config.transport_config(Arc::clone(&client.transport));
        let start = now();
        let (handle, inner) = endpoint
            .connect(start, config, address, domain)
            .map_err(|error| Failure::new(Kind::Quic, error))?;
        let h3 = h3::Config {
            max_field_section_size: u64::from(HEAD_MAX),
            ..h3::Config::default()
        };
        Ok(Self {
            socket,
            endpoint,
            handle,
            inner,
            h3: h3::Connection::new(Role::Client, h3),
            writes: VecDeque::new(),
            open: BTreeSet::new(),
            fields: request(&client.authority(domain), &client.settings.user_agent),
            address,
            step: client.step(),
            bytes_max: client.settings.bytes_max,
            received_bytes: 0,
            start,
            asked: None,
            report: Report::default(),
            buffer: Vec::with_capacity(DATAGRAM_MAX),
        })
    }

    /// Runs the connection to its end.
    pub(super) async fn run(mut self, tickets: Option<&Arc<Tickets>>) -> Report {
        let result = self.exchange(tickets).await;
        if let Err(failure) = result
            && self.report.response.is_none()
        {
            self.report.failure = Some(failure);
        }
        self.inner
            .close(now(), VarInt::from_u32(NO_ERROR), Bytes::new());
        // Best effort: the server forgets the connection sooner.
        let _ = self.transmit().await;
        self.report
    }

    async fn exchange(&mut self, tickets: Option<&Arc<Tickets>>) -> Result<(), Failure> {
        if self.inner.has_0rtt() {
            self.ask()?;
        }
        let mut settled: Option<Instant> = None;
        loop {
            self.advance().await?;
            if self.report.response.is_some() && self.report.handshake_ms.is_some() {
                let ticket = tickets.is_none_or(|tickets| tickets.count() > 0);
                if ticket && self.report.settings.is_some() {
                    return Ok(());
                }
                let wait = TICKET_WAIT.max(2 * self.inner.rtt()).min(self.step);
                let end = *settled.get_or_insert_with(|| now() + wait);
                if end <= now() {
                    return Ok(());
                }
            }
            let (limit, what) = self.limit();
            let limit = settled.unwrap_or(limit);
            self.wait(limit).await?;
            if settled.is_none() && limit <= now() {
                let seconds = self.step.as_secs_f64();
                let text = format_args!("no {what} within {seconds} s");
                return Err(Failure::new(Kind::Timeout, text));
            }
        }
    }

    /// Returns when to give up, and on what.
    fn limit(&self) -> (Instant, &'static str) {
        match (self.report.handshake_ms, self.asked) {
            (Some(_), Some(asked)) => (asked + self.step, "HTTP/3 response"),
            _ => (self.start + self.step, "QUIC handshake"),
        }
    }

    /// Opens HTTP/3 and sends the request.
    fn ask(&mut self) -> Result<(), Failure> {
        self.asked = Some(now());
        let sent = self.h3.send_request(REQUEST, &self.fields, None, None);
        sent.map_err(|error| Failure::new(Kind::Http, error))
    }

    /// Handles what happened, and sends.
    async fn advance(&mut self) -> Result<(), Failure> {
        loop {
            while let Some(event) = self.inner.poll_endpoint_events() {
                if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                    self.inner.handle_event(event);
                }
            }
            let Some(event) = self.inner.poll() else {
                break;
            };
            self.handle(event)?;
        }
        self.write()?;
        self.transmit().await
    }

    fn handle(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Connected => self.handle_connected(),
            Event::ConnectionLost { reason } => Err(lost(&reason)),
            Event::Stream(StreamEvent::Opened { dir: Dir::Uni }) => {
                while let Some(id) = self.inner.streams().accept(Dir::Uni) {
                    self.read(id)?;
                }
                Ok(())
            }
            Event::Stream(StreamEvent::Readable { id }) => self.read(id),
            Event::Stream(StreamEvent::Stopped { id, error_code }) => {
                let result = self
                    .h3
                    .handle_stop_sending(id.into(), error_code.into_inner());
                result.map_err(|error| Failure::new(Kind::Http, error))
            }
            _ => Ok(()),
        }
    }

    fn handle_connected(&mut self) -> Result<(), Failure> {
        self.report.handshake_ms = Some(ms_since(self.start));
        let session = self.inner.crypto_session();
        if let Ok(Some(parameters)) = session.transport_parameters() {
            let mut bytes = Vec::new();
            parameters.write(&mut bytes);
            self.report.parameters = Parameters::parse(&bytes);
        }
        if self.asked.is_none() {
            return self.ask();
        }
        let taken = self.inner.accepted_0rtt();
        self.report.early_data = Some(taken);
        if !taken {
            // Streams of refused early data are gone (RFC 9001, section 4.6.2).
            let h3 = h3::Config {
                max_field_section_size: u64::from(HEAD_MAX),
                ..h3::Config::default()
            };
            self.h3 = h3::Connection::new(Role::Client, h3);
            self.writes.clear();
            self.open.clear();
            return self.ask();
        }
        Ok(())
    }

    /// Sends all packets that are due.
    async fn transmit(&mut self) -> Result<(), Failure> {
        loop {
            self.buffer.clear();
            let Some(transmit) = self.inner.poll_transmit(now(), 1, &mut self.buffer) else {
                return Ok(());
            };
            // Nothing that a server says makes the scan send elsewhere.
            if transmit.destination != self.address {
                continue;
            }
            let datagram = &self.buffer[..transmit.size];
            self.report.meter.handle_sent(datagram);
            let sent = self.socket.send(datagram).await;
            sent.map_err(|error| Failure::of_io(&error, "UDP"))?;
        }
    }

    /// Waits for datagrams and timers, at most until `limit`, and handles them.
    async fn wait(&mut self, limit: Instant) -> Result<(), Failure> {
        let due = self.inner.poll_timeout().map_or(limit, |at| at.min(limit));
        let mut datagram = [0; DATAGRAM_MAX];
        let received = udp::receive(&self.socket, &mut datagram);
        if let Ok(received) = tokio::time::timeout_at(due.into(), received).await {
            let mut length = received.map_err(|error| Failure::of_io(&error, "UDP"))?;
            for _ in 0..BATCH_MAX {
                self.receive(&datagram[..length])?;
                match self.socket.try_recv(&mut datagram) {
                    Ok(next) => length = next,
                    // Errors are heard by the next wait.
                    Err(_) => break,
                }
            }
        }
        let now = now();
        if self.inner.poll_timeout().is_some_and(|at| at <= now) {
            self.inner.handle_timeout(now);
        }
        Ok(())
    }

    fn receive(&mut self, datagram: &[u8]) -> Result<(), Failure> {
        self.received_bytes += datagram.len() as u64;
        if self.received_bytes > self.bytes_max {
            let text = format_args!("more than {} bytes", self.bytes_max);
            return Err(Failure::new(Kind::TooLarge, text));
        }
        self.buffer.clear();
        let data = BytesMut::from(datagram);
        let (now, from) = (now(), self.address);
        let event = self
            .endpoint
            .handle(now, from, None, None, data, &mut self.buffer);
        // Other datagrams are noise, or late ones of an earlier client with the same port.
        if let Some(DatagramEvent::ConnectionEvent(_, event)) = event {
            self.report.meter.handle_received(datagram);
            self.inner.handle_event(event);
        }
        Ok(())
    }
}

/// Returns the failure of a lost connection.
fn lost(reason: &ConnectionError) -> Failure {
    let code = match reason {
        ConnectionError::TransportError(error) => Some(u64::from(error.code)),
        ConnectionError::ConnectionClosed(close) => Some(u64::from(close.error_code)),
        _ => None,
    };
    let kind = match reason {
        ConnectionError::TimedOut => Kind::Timeout,
        ConnectionError::Reset => Kind::Closed,
        // The errors of TLS: RFC 9001, section 4.8.
        _ if code.is_some_and(|code| (0x100..0x200).contains(&code)) => Kind::Tls,
        ConnectionError::ApplicationClosed(_) => Kind::Http,
        _ => Kind::Quic,
    };
    Failure::new(kind, reason)
}

//! An HTTP/3 client: one connection to one server.

mod objects;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use pagerace_core::{Instant, Priority};
use pagerace_http::object::Repair;
use pagerace_http::ranges::RangeReader;
use pagerace_http::{Field, h3};
use pagerace_transport::quic::{
    ClientKeys, ConnectionId, Datagram, Epoch, Host, NoSources, PacketRecord, Settings,
};

use crate::hol::HolMeter;
use crate::objects::{Assembly, Digests, LossReport};
use crate::pump::{Passed, Pump};

/// How a client connects.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Transport settings.
    pub settings: Settings,
    /// Packet protection.
    pub keys: ClientKeys,
    /// Everything random follows from it.
    pub seed: u64,
    /// HTTP/3 limits.
    pub h3: h3::Config,
    /// Keep whole packets for [`Client::drain_packets`].
    pub record: bool,
}

/// Setting a client up failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The settings name an unknown congestion controller.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// The server's name or address cannot be connected to.
    #[error("cannot connect to {name} at {remote}: {source}")]
    Connect {
        /// Server name.
        name: String,
        /// Server address.
        remote: SocketAddr,
        /// Why.
        source: quinn_proto::ConnectError,
    },
}

/// What happened; `token` is what the request was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// The handshake is complete.
    Connected,
    /// The request is on its way.
    Sent {
        /// Which request.
        token: u64,
        /// On which stream.
        stream: u64,
    },
    /// The response's fields have arrived.
    Head {
        /// Which request.
        token: u64,
        /// Fields, `:status` first.
        fields: Vec<Field>,
    },
    /// Body bytes, in order.
    Data {
        /// Which request.
        token: u64,
        /// The bytes.
        data: Bytes,
    },
    /// The response is complete.
    End {
        /// Which request.
        token: u64,
    },
    /// No more datagrams will bring the rest of the response: ask for it by
    /// [`Client::repair`], or let go of it by [`Client::give_up`].
    Incomplete {
        /// Which request.
        token: u64,
        /// When it may be asked for, if at all.
        repair: Option<Repair>,
    },
    /// The response will never be complete.
    Failed {
        /// Which request.
        token: u64,
        /// HTTP/3 error code.
        code: u64,
    },
    /// The connection is no more; what was outstanding has failed.
    Lost {
        /// In words.
        reason: String,
    },
}

struct Pending {
    token: u64,
    fields: Vec<Field>,
    priority: Option<Priority>,
    body: Option<Bytes>,
    /// It asks for what is missing of the response to an earlier one.
    repairs: bool,
}

/// A request whose response may come in datagrams.
struct Loading {
    stream: u64,
    /// To ask again with.
    fields: Vec<Field>,
    priority: Option<Priority>,
    assembly: Assembly,
    /// The response's stream has ended, or was stopped.
    ended: bool,
}

/// A request for missing parts.
struct Repairing {
    token: u64,
    reader: Option<RangeReader>,
}

/// One connection to one server.
pub struct Client {
    host: Host,
    id: ConnectionId,
    remote: SocketAddr,
    pump: Pump,
    /// Requests may be sent: the handshake is complete, or early data allowed.
    open: bool,
    waiting: VecDeque<Pending>,
    tokens: BTreeMap<u64, u64>,
    streams: BTreeMap<u64, u64>,
    events: VecDeque<ClientEvent>,
    hol: HolMeter,
    priority_updates: bool,
    /// By token; empty if datagrams are not enabled.
    loading: BTreeMap<u64, Loading>,
    /// By stream.
    repairing: BTreeMap<u64, Repairing>,
    /// Of objects that came in datagrams and have ended, by token.
    reports: BTreeMap<u64, LossReport>,
    datagrams: bool,
    digests: Digests,
}

impl Client {
    /// Starts connecting.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub fn connect(
        config: &ClientConfig,
        now: Instant,
        epoch: Epoch,
        remote: SocketAddr,
        server_name: &str,
    ) -> Result<Self, ClientError> {
        let mut host = Host::client(&config.settings, config.seed, epoch, config.record)?;
        let id = host
            .connect(now, remote, server_name, &config.keys)
            .map_err(|source| ClientError::Connect {
                name: server_name.to_owned(),
                remote,
                source,
            })?;
        // A client with early data need not wait for the server.
        let open = host.connection(id).is_some_and(|quic| quic.can_send());
        Ok(Self {
            host,
            id,
            remote,
            pump: Pump::new(h3::Connection::new(h3::Role::Client, config.h3.clone())),
            open,
            waiting: VecDeque::new(),
            tokens: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: VecDeque::new(),
            hol: HolMeter::new(false),
            priority_updates: true,
            loading: BTreeMap::new(),
            repairing: BTreeMap::new(),
            reports: BTreeMap::new(),
            datagrams: config.h3.object_datagrams && config.settings.datagrams,
            digests: match config.keys {
                ClientKeys::Null(..) => Digests::Trusted,
                _ => Digests::Compared,
            },
        })
    }

    /// Whether to keep every HOL gap.
    pub fn record_gaps(&mut self, record: bool) {
        self.hol = HolMeter::new(record);
    }

    /// Whether it sends `PRIORITY_UPDATE` for requests that have left (RFC 9218,
    /// section 7.2). It does unless told otherwise; Chromium does not.
    pub fn send_priority_updates(&mut self, send: bool) {
        self.priority_updates = send;
    }

    /// Asks for something, as soon as the connection and the server's stream
    /// limit allow. `token` is the caller's name for it.
    pub fn request(
        &mut self,
        now: Instant,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        self.waiting.push_back(Pending {
            token,
            fields,
            priority,
            body,
            repairs: false,
        });
        self.open_requests(now);
    }

    /// Changes a request's priority, if it has not left or updates are sent.
    pub fn reprioritise(&mut self, token: u64, priority: Priority) {
        let mut waiting = self.waiting.iter_mut();
        let loading = self.loading.get_mut(&token);
        let ended = loading.as_ref().is_some_and(|loading| loading.ended);
        if let Some(loading) = loading {
            loading.priority = Some(priority);
        }
        if let Some(p) = waiting.find(|p| p.token == token && !p.repairs) {
            p.priority = Some(priority);
        } else if let Some(stream) = self.streams.get(&token)
            && self.priority_updates
            && !ended
        {
            self.pump.h3.send_priority_update(*stream, priority);
        }
    }

    fn open_requests(&mut self, now: Instant) {
        if !self.open {
            return;
        }
        let Some(quic) = self.host.connection(self.id) else {
            return;
        };
        let mut refused = Vec::new();
        while !self.waiting.is_empty() {
            let Some(stream) = quic.open_bidirectional() else {
                break;
            };
            let Some(Pending {
                token,
                fields,
                priority,
                body,
                repairs,
            }) = self.waiting.pop_front()
            else {
                break;
            };
            if self
                .pump
                .h3
                .send_request(stream, &fields, priority, body)
                .is_err()
            {
                quic.reset(stream, h3::Code::REQUEST_CANCELLED.0);
                let code = h3::Code::REQUEST_REJECTED;
                if repairs {
                    refused.push(token);
                } else {
                    let code = code.0;
                    self.events.push_back(ClientEvent::Failed { token, code });
                }
                continue;
            }
            if repairs {
                let reader = None;
                self.repairing.insert(stream, Repairing { token, reader });
                continue;
            }
            if self.datagrams {
                let loading = Loading {
                    stream,
                    fields,
                    priority,
                    assembly: Assembly::new(now),
                    ended: false,
                };
                self.loading.insert(token, loading);
            }
            self.tokens.insert(stream, token);
            self.streams.insert(token, stream);
            self.events.push_back(ClientEvent::Sent { token, stream });
        }
        for token in refused {
            self.fail_object(token, h3::Code::REQUEST_REJECTED);
        }
    }

    /// A datagram arrived from the server.
    pub fn handle_datagram(&mut self, now: Instant, data: BytesMut) {
        self.host.handle_datagram(now, self.remote, data);
        self.drive(now);
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
        self.conclude_objects(now);
        self.drive(now);
    }

    /// When [`handle_timeout`](Self::handle_timeout) wants to be called.
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        let objects = self.loading.values();
        let objects = objects.filter_map(|l| l.assembly.poll_timeout());
        self.host.poll_timeout().into_iter().chain(objects).min()
    }

    /// The next datagram to send, written to `buf`.
    pub fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        if let Some(quic) = self.host.connection(self.id)
            && quic.can_send()
        {
            self.pump.send(quic);
        }
        self.host.poll_transmit(now, &mut NoSources, buf)
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Bytes that waited behind gaps.
    pub fn hol(&self) -> &HolMeter {
        &self.hol
    }

    /// Whole packets since the last call, if the client records.
    pub fn drain_packets(&mut self, each: impl FnMut(PacketRecord)) {
        if let Some(quic) = self.host.connection(self.id) {
            quic.drain_packets(each);
        }
    }

    /// Closes the connection without an error.
    pub fn close(&mut self, now: Instant) {
        if let Some(quic) = self.host.connection(self.id) {
            quic.close(now, h3::Code::NO_ERROR.0, "");
        }
    }

    fn drive(&mut self, now: Instant) {
        let Some(quic) = self.host.connection(self.id) else {
            return;
        };
        let hol = &mut self.hol;
        quic.drain_received(|frame| {
            // Request streams only: client-initiated and bidirectional.
            if frame.id.is_multiple_of(4) {
                hol.arrived(now, frame);
            }
        });
        let (mut available, mut lost) = (false, None);
        let (open, events) = (&mut self.open, &mut self.events);
        self.pump.receive(now, quic, |passed| match passed {
            Passed::Connected => {
                *open = true;
                available = true;
                events.push_back(ClientEvent::Connected);
            }
            Passed::Available => available = true,
            Passed::Lost(reason) => lost = Some(reason),
            Passed::Writable(_) | Passed::Stopped(_) | Passed::Finished(_) => {}
        });
        self.h3_events(now);
        if available {
            self.open_requests(now);
        }
        if let Some(reason) = lost {
            self.fail_all(reason);
        }
    }

    fn h3_events(&mut self, now: Instant) {
        while let Some(event) = self.pump.h3.poll_event() {
            if self.object_event(now, &event) {
                continue;
            }
            let ours = match event {
                h3::Event::Headers { stream, fields, .. } => self
                    .tokens
                    .get(&stream)
                    .map(|t| ClientEvent::Head { token: *t, fields }),
                h3::Event::Data { stream, data } => self
                    .tokens
                    .get(&stream)
                    .map(|t| ClientEvent::Data { token: *t, data }),
                h3::Event::Finished { stream } => {
                    self.forget(stream).map(|token| ClientEvent::End { token })
                }
                h3::Event::Reset { stream, code } => {
                    self.forget(stream).map(|token| ClientEvent::Failed {
                        token,
                        code: code.0,
                    })
                }
                h3::Event::StreamError { stream, code, .. } => {
                    if let Some(quic) = self.host.connection(self.id) {
                        quic.stop(stream, code.0);
                    }
                    let code = code.0;
                    self.forget(stream)
                        .map(|token| ClientEvent::Failed { token, code })
                }
                _ => None,
            };
            self.events.extend(ours);
        }
    }

    fn forget(&mut self, stream: u64) -> Option<u64> {
        let token = self.tokens.remove(&stream)?;
        self.streams.remove(&token);
        self.loading.remove(&token);
        self.pump.h3.forget(stream);
        Some(token)
    }

    fn fail_all(&mut self, reason: String) {
        let over = |token: &u64| {
            let loading = self.loading.get(token);
            loading.is_some_and(|loading| loading.assembly.is_over())
        };
        let waiting = self.waiting.iter().filter(|p| !p.repairs);
        let tokens: Vec<u64> = self
            .tokens
            .values()
            .copied()
            .filter(|token| !over(token))
            .chain(waiting.map(|p| p.token))
            .collect();
        self.tokens.clear();
        self.waiting.clear();
        self.loading.clear();
        self.repairing.clear();
        let code = h3::Code::NO_ERROR.0;
        self.events.extend(
            tokens
                .into_iter()
                .map(|token| ClientEvent::Failed { token, code }),
        );
        self.events.push_back(ClientEvent::Lost { reason });
    }
}

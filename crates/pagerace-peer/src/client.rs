//! HTTP/3 client: one connection to one server.

mod objects;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use bytes::{Bytes, BytesMut};
use pagerace_core::{Instant, Priority, Repair};
use pagerace_http::ranges::RangeReader;
use pagerace_http::{Field, h3};
use pagerace_transport::quic::{
    ClientKeys, ConnectionId, Datagram, Epoch, Host, NoSources, PacketRecord, QuicSettings,
    StreamFrame,
};

use crate::hol::HolMeter;
use crate::objects::{Assembly, Digests, LossReport};
use crate::pump::{Passed, Pump};

/// Configuration of a client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// Transport settings.
    pub settings: QuicSettings,
    /// Packet protection.
    pub keys: ClientKeys,
    /// Seed of all random numbers.
    pub seed: u64,
    /// HTTP/3 limits.
    pub h3: h3::Config,
    /// True to keep whole packets for [`Client::drain_packets`].
    pub record: bool,
}

/// Error of setting a client up.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The settings name an unknown congestion controller.
    #[error(transparent)]
    Controller(#[from] pagerace_cc::UnknownController),
    /// The client cannot connect to the server's name or address.
    #[error("cannot connect to {name} at {remote}: {source}")]
    Connect {
        /// Server name.
        name: String,
        /// Server address.
        remote: SocketAddr,
        /// Description of the error.
        source: quinn_proto::ConnectError,
    },
}

/// Event of a client. The `token` is that of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientEvent {
    /// The handshake is complete.
    Connected,
    /// The request was sent.
    Sent {
        /// Token of the request.
        token: u64,
        /// Stream of the request.
        stream: u64,
    },
    /// The header section of an interim response arrived, such as a 103. The response follows.
    Interim {
        /// Token of the request.
        token: u64,
        /// Header fields, `:status` first.
        fields: Vec<Field>,
    },
    /// The header section of the response arrived.
    Head {
        /// Token of the request.
        token: u64,
        /// Header fields, `:status` first.
        fields: Vec<Field>,
    },
    /// Body bytes, in order.
    Data {
        /// Token of the request.
        token: u64,
        /// The bytes.
        data: Bytes,
    },
    /// The response is complete.
    End {
        /// Token of the request.
        token: u64,
    },
    /// No more datagrams will deliver the missing parts of the response. The caller
    /// requests them with [`Client::repair`] or drops the response with
    /// [`Client::give_up`].
    Incomplete {
        /// Token of the request.
        token: u64,
        /// Time at which the missing parts may be requested; `None` if they may not.
        repair: Option<Repair>,
    },
    /// The response will never be complete.
    Failed {
        /// Token of the request.
        token: u64,
        /// HTTP/3 error code.
        code: u64,
    },
    /// The connection was lost, and all outstanding requests have failed.
    Lost {
        /// Reason in words.
        reason: String,
    },
}

struct Pending {
    token: u64,
    fields: Vec<Field>,
    priority: Option<Priority>,
    body: Option<Bytes>,
    /// True if this requests missing parts of the response to an earlier request.
    repairs: bool,
}

/// Request whose response may come in datagrams.
struct Loading {
    stream: u64,
    /// Fields for requesting missing parts.
    fields: Vec<Field>,
    priority: Option<Priority>,
    assembly: Assembly,
    /// True if the response's stream has ended or was stopped.
    ended: bool,
}

/// Request for missing parts.
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
    /// True if requests may be sent: the handshake is complete, or early data is allowed.
    open: bool,
    lost: bool,
    waiting: VecDeque<Pending>,
    tokens: BTreeMap<u64, u64>,
    streams: BTreeMap<u64, u64>,
    events: VecDeque<ClientEvent>,
    hol: HolMeter,
    /// STREAM frames of responses since the last [`Client::take_received`], if they are kept.
    received: Option<Vec<StreamFrame>>,
    priority_updates: bool,
    /// Requests by token; empty if datagrams are not enabled.
    loading: BTreeMap<u64, Loading>,
    /// Requests for missing parts, by stream.
    repairing: BTreeMap<u64, Repairing>,
    /// Reports of ended objects that came in datagrams, by token.
    reports: BTreeMap<u64, LossReport>,
    datagrams: bool,
    digests: Digests,
}

impl Client {
    /// Creates a client and starts the handshake.
    ///
    /// # Errors
    /// Returns an error if the controller is unknown or the server cannot be connected
    /// to.
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
        // A client with early data does not wait for the server.
        let open = host.connection(id).is_some_and(|quic| quic.can_send());
        Ok(Self {
            host,
            id,
            remote,
            pump: Pump::new(h3::Connection::new(h3::Role::Client, config.h3.clone())),
            open,
            lost: false,
            waiting: VecDeque::new(),
            tokens: BTreeMap::new(),
            streams: BTreeMap::new(),
            events: VecDeque::new(),
            hol: HolMeter::new(false),
            received: None,
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

    /// Sets whether every gap of head-of-line blocking is kept.
    pub fn record_gaps(&mut self, record: bool) {
        self.hol = HolMeter::new(record);
    }

    /// Keeps the STREAM frames of responses for [`take_received`](Self::take_received).
    pub fn record_received(&mut self) {
        self.received = Some(Vec::new());
    }

    /// Returns the STREAM frames of responses since the last call, in order of arrival, with
    /// bytes that were sent again.
    pub fn take_received(&mut self) -> Vec<StreamFrame> {
        self.received.as_mut().map_or_else(Vec::new, std::mem::take)
    }

    /// Sends `PRIORITY_UPDATE` for a request stream, which may open later (RFC 9218, section
    /// 7). Request streams are numbered 0, 4, 8 and so on.
    pub fn announce(&mut self, stream: u64, priority: Priority) {
        self.pump.h3.send_priority_update(stream, priority);
        let _ = self.host.connection(self.id);
    }

    /// Sets whether the client sends `PRIORITY_UPDATE` for requests that have left (RFC
    /// 9218, section 7.2). It does by default; Chromium does not.
    pub fn send_priority_updates(&mut self, send: bool) {
        self.priority_updates = send;
    }

    /// Queues a request, which leaves as soon as the connection and the server's stream
    /// limit allow. `token` identifies it in events. After the loss of the connection, it
    /// fails at once.
    pub fn request(
        &mut self,
        now: Instant,
        token: u64,
        fields: Vec<Field>,
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) {
        if self.lost {
            let code = h3::Code::REQUEST_REJECTED.0;
            self.events.push_back(ClientEvent::Failed { token, code });
            return;
        }
        self.waiting.push_back(Pending {
            token,
            fields,
            priority,
            body,
            repairs: false,
        });
        self.open_requests(now);
    }

    /// Changes a request's priority, provided that the request has not left or the client
    /// sends priority updates.
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
            // It leaves with the connection's next packet.
            let _ = self.host.connection(self.id);
        }
    }

    /// Cancels a request, of which no further events follow.
    pub fn cancel(&mut self, token: u64) {
        self.waiting.retain(|p| p.token != token);
        let Some(stream) = self.streams.get(&token).copied() else {
            return;
        };
        if let Some(quic) = self.host.connection(self.id) {
            let code = h3::Code::REQUEST_CANCELLED.0;
            quic.reset(stream, code);
            quic.stop(stream, code);
        }
        self.forget(stream);
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
            // The server's limit of streams is reached (RFC 9000, section 4.6): the rest waits.
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
                // The server goes away, or takes no field section of this size. The stream is
                // open already, and QUIC cannot take it back.
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

    /// Handles a datagram from the server.
    pub fn handle_datagram(&mut self, now: Instant, data: BytesMut) {
        self.host.handle_datagram(now, self.remote, data);
        self.drive(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
        self.conclude_objects(now);
        self.drive(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        let objects = self
            .loading
            .values()
            .filter_map(|l| l.assembly.poll_timeout());
        self.host.poll_timeout().into_iter().chain(objects).min()
    }

    /// Writes the next datagram to send to `buf`.
    pub fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        if self.host.is_ready(self.id)
            && let Some(quic) = self.host.connection(self.id)
            && quic.can_send()
        {
            self.pump.send(quic);
        }
        self.host.poll_transmit(now, &mut NoSources, buf)
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<ClientEvent> {
        self.events.pop_front()
    }

    /// Returns the meter of head-of-line blocking.
    pub fn hol(&self) -> &HolMeter {
        &self.hol
    }

    /// Returns the number of the last 1-RTT packet received.
    pub fn last_received(&mut self) -> Option<u64> {
        self.host.observe(self.id)?.last_received()
    }

    /// Returns true if bytes of the server's handshake arrived before earlier ones.
    pub fn handshake_has_gap(&mut self) -> bool {
        let quic = self.host.observe(self.id);
        quic.is_some_and(|quic| quic.handshake_has_gap())
    }

    /// Passes the packets since the last call to `each`, if the client records packets.
    pub fn drain_packets(&mut self, each: impl FnMut(PacketRecord)) {
        if let Some(quic) = self.host.observe(self.id) {
            quic.drain_packets(each);
        }
    }

    /// Returns the number of packets of this client that were declared lost.
    pub fn packets_lost(&mut self) -> u64 {
        self.host
            .observe(self.id)
            .map_or(0, |quic| quic.stats().packets_lost)
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
        let (hol, received) = (&mut self.hol, &mut self.received);
        quic.drain_received(|frame| {
            // Only request streams are metered: client-initiated and bidirectional.
            if frame.id.is_multiple_of(4) {
                hol.handle_arrival(now, frame);
                if let Some(received) = received {
                    received.push(frame);
                }
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
                h3::Event::Interim { stream, fields } => self
                    .tokens
                    .get(&stream)
                    .map(|t| ClientEvent::Interim { token: *t, fields }),
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
        self.lost = true;
        self.tokens.clear();
        self.streams.clear();
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

#[cfg(test)]
mod tests;

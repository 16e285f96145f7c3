//! HTTP/3 server: many connections, one site, and a strategy for each connection.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use bytes::BytesMut;
use pagerace_core::{EventQueue, Instant, Repair, words};
use pagerace_delivery::reliability::{Conditions, Delivery, Object, ReliabilitySpec, Terms};
use pagerace_delivery::{Facts, StrategySpec};
use pagerace_http::h3;
use pagerace_transport::quic::{
    Connection, ConnectionId, Datagram, Epoch, Host, PacketRecord, PacketSource, QuicSettings,
    ServerKeys, Sources, Stats,
};
use serde::{Deserialize, Serialize};

use crate::desk::{Answer, Desk, Taken};
use crate::objects::{Cut, Cutter, digest_field};
use crate::outgoing::{Outgoing, SentFrame};
use crate::pump::{Passed, Pump};
use crate::site::Site;

words! {
    /// Time at which lost response bytes are sent again.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Retransmission {
        /// Before new data, except data that is already bound to a packet: one packet, rarely
        /// two.
        #[default]
        AtOnce = "at-once": "Before any new data",
        /// In order of signalled urgency, so after more urgent new data.
        ByUrgency = "by-urgency": "After new data that is more urgent",
    }
}

/// Configuration of a server.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// Transport settings.
    pub settings: QuicSettings,
    /// Packet protection.
    pub keys: ServerKeys,
    /// Order in which the bytes of responses are sent.
    pub strategy: StrategySpec,
    /// Time at which lost bytes are sent again.
    pub retransmission: Retransmission,
    /// Policy that determines which responses may be late, partial or missing.
    pub reliability: ReliabilitySpec,
    /// Seed of all random numbers. On a real network, it must be secret.
    pub seed: u64,
    /// HTTP/3 limits.
    pub h3: h3::Config,
    /// True to keep whole packets for [`Server::drain_packets`].
    pub record: bool,
    /// True to keep every frame for [`Server::take_frames`].
    pub record_frames: bool,
}

impl ServerConfig {
    /// Returns a configuration with default settings and limits. Lost bytes are sent again at
    /// once, responses are whole, and nothing is recorded.
    pub fn new(keys: ServerKeys, strategy: StrategySpec, seed: u64) -> Self {
        Self {
            settings: QuicSettings::default(),
            keys,
            strategy,
            retransmission: Retransmission::AtOnce,
            reliability: ReliabilitySpec::default(),
            seed,
            h3: h3::Config::default(),
            record: false,
            record_frames: false,
        }
    }
}

/// Sums over the connections of a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerStats {
    /// Packets sent.
    pub packets_sent: u64,
    /// Packets declared lost.
    pub packets_lost: u64,
    /// Response bytes sent more than once.
    pub retransmitted_bytes: u64,
}

/// Server of a [`Site`].
pub struct Server<S> {
    host: Host,
    site: S,
    strategy: StrategySpec,
    retransmission: Retransmission,
    reliability: ReliabilitySpec,
    h3: h3::Config,
    record: bool,
    connections: BTreeMap<ConnectionId, Served>,
    /// Responses that wait for the end of their think time.
    thinking: EventQueue<(ConnectionId, u64)>,
    gone: ServerStats,
    gone_frames: Vec<SentFrame>,
}

struct Served {
    pump: Pump,
    /// Transport counters at the end of the connection.
    last: Stats,
    outgoing: Outgoing,
    desk: Desk,
}

impl<S: Site> Server<S> {
    /// Creates a server without connections.
    ///
    /// # Errors
    /// Returns an error if the settings name an unknown congestion controller.
    pub fn new(
        config: &ServerConfig,
        epoch: Epoch,
        site: S,
    ) -> Result<Self, pagerace_cc::UnknownController> {
        let ServerConfig {
            settings,
            keys,
            seed,
            record,
            ..
        } = config;
        Ok(Self {
            host: Host::server(settings, keys.clone(), *seed, epoch, *record)?,
            site,
            strategy: config.strategy.clone(),
            retransmission: config.retransmission,
            reliability: config.reliability.clone(),
            h3: config.h3.clone(),
            record: config.record_frames,
            connections: BTreeMap::new(),
            thinking: EventQueue::new(),
            gone: ServerStats::default(),
            gone_frames: Vec::new(),
        })
    }

    /// Handles a datagram from a client.
    pub fn handle_datagram(&mut self, now: Instant, remote: SocketAddr, data: BytesMut) {
        self.host.handle_datagram(now, remote, data);
        self.drive(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.host.handle_timeout(now);
        self.drive(now);
    }

    /// Returns the time at which to call [`handle_timeout`](Self::handle_timeout).
    pub fn poll_timeout(&mut self) -> Option<Instant> {
        [self.host.poll_timeout(), self.thinking.next_at()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Writes the next datagram to send to `buf`.
    pub fn poll_transmit(&mut self, now: Instant, buf: &mut Vec<u8>) -> Option<Datagram> {
        let mut last = None;
        while let Some(id) = self.host.next_ready(last) {
            last = Some(id);
            let (Some(served), Some(quic)) =
                (self.connections.get_mut(&id), self.host.connection(id))
            else {
                continue;
            };
            if quic.can_send() {
                served.pump.send(quic);
            }
            served.outgoing.set_now(now);
        }
        let sent = self
            .host
            .poll_transmit(now, &mut Connections(&mut self.connections), buf);
        while let Some(id) = self.host.poll_ended() {
            self.forget(id);
        }
        sent
    }

    /// Returns the number of times that the server looked at a connection, which is its work.
    pub fn visits(&self) -> u64 {
        self.host.visits()
    }

    /// Returns sums over all connections, including those that ended.
    pub fn stats(&mut self) -> ServerStats {
        let mut sum = self.gone;
        for (id, served) in &self.connections {
            if let Some(quic) = self.host.observe(*id) {
                let stats = quic.stats();
                sum.packets_sent += stats.packets_sent;
                sum.packets_lost += stats.packets_lost;
            }
            sum.retransmitted_bytes += served.outgoing.retransmitted_bytes();
        }
        sum
    }

    /// Returns the congestion window of the first connection in bytes, or 0 without a
    /// connection.
    pub fn congestion_window(&mut self) -> u64 {
        let id = self.connections.keys().next().copied();
        let quic = id.and_then(|id| self.host.observe(id));
        quic.map_or(0, |quic| quic.stats().congestion_window)
    }

    /// Returns the response frames since the last call, if the server records frames.
    pub fn take_frames(&mut self) -> Vec<SentFrame> {
        let mut frames = std::mem::take(&mut self.gone_frames);
        for served in self.connections.values_mut() {
            frames.append(&mut served.outgoing.take_frames());
        }
        frames
    }

    /// Passes the packets since the last call to `each`, if the server records packets.
    pub fn drain_packets(&mut self, mut each: impl FnMut(PacketRecord)) {
        for id in self.host.ids() {
            if let Some(quic) = self.host.observe(id) {
                quic.drain_packets(&mut each);
            }
        }
    }

    /// Returns the site that answers the requests.
    pub fn site(&mut self) -> &mut S {
        &mut self.site
    }

    fn drive(&mut self, now: Instant) {
        while let Some(id) = self.host.poll_accepted() {
            let h3 = h3::Connection::new(h3::Role::Server, self.h3.clone());
            let served = Served {
                last: Stats::default(),
                pump: Pump::new(h3),
                outgoing: Outgoing::new(
                    self.strategy.build(),
                    self.reliability.build(),
                    self.record,
                ),
                desk: Desk::default(),
            };
            self.connections.insert(id, served);
        }
        let mut last = None;
        while let Some(id) = self.host.next_ready(last) {
            last = Some(id);
            let (Some(served), Some(quic)) =
                (self.connections.get_mut(&id), self.host.connection(id))
            else {
                continue;
            };
            // Blocking is measured only at the receiver of responses.
            quic.drain_received(|_| {});
            let Served {
                pump,
                last,
                outgoing,
                desk,
            } = served;
            let (mut finished, mut stopped, mut lost) = (Vec::new(), Vec::new(), false);
            pump.receive(now, quic, |passed| match passed {
                Passed::Writable(stream) => outgoing.writable(stream),
                Passed::Finished(stream) => finished.push(stream),
                Passed::Stopped(stream) => {
                    outgoing.cancel(stream);
                    outgoing.forget(stream);
                    desk.drop_request(stream);
                    stopped.push(stream);
                }
                Passed::Lost(_) => lost = true,
                Passed::Connected | Passed::Available => {}
            });
            if lost {
                *last = quic.stats();
            }
            let mut dropped = Vec::new();
            for stream in stopped {
                pump.take_first(stream);
                // The server needs no more of the request, and cannot parse the rest
                // after forgetting it.
                quic.stop(stream, h3::Code::REQUEST_CANCELLED.0);
                pump.h3.forget(stream);
            }
            for stream in finished {
                pump.h3.handle_answered();
                pump.h3.forget(stream);
                outgoing.forget(stream);
            }
            while let Some(event) = pump.h3.poll_event() {
                match event {
                    h3::Event::Headers {
                        stream,
                        fields,
                        priority,
                    } => desk.head(stream, fields, priority),
                    h3::Event::Data { stream, data } => desk.content(stream, data.len()),
                    h3::Event::Finished { stream } => match desk.complete(stream, &mut self.site) {
                        Taken::Gone => {}
                        Taken::Refused => {
                            quic.reset(stream, h3::Code::REQUEST_REJECTED.0);
                            dropped.push(stream);
                        }
                        Taken::Thinking { time, early } => {
                            self.thinking.schedule(now + time, (id, stream));
                            if !early.is_empty() {
                                let hints = pump.h3.response_head(stream, &early, 0);
                                pump.write_first(stream, hints);
                            }
                        }
                    },
                    h3::Event::PriorityUpdate { stream, priority } => {
                        let here = desk.reprioritise(stream, priority);
                        if !here {
                            outgoing.update(stream, priority);
                            let in_turn = !outgoing.is_late(stream);
                            if in_turn && self.retransmission == Retransmission::ByUrgency {
                                let urgency = i32::from(priority.urgency);
                                quic.set_retransmission_priority(stream, -urgency);
                            }
                        }
                    }
                    // A malformed request ends its stream alone (RFC 9114, section 4.1.2).
                    h3::Event::StreamError { stream, code, .. } => {
                        quic.reset(stream, code.0);
                        quic.stop(stream, code.0);
                        dropped.push(stream);
                    }
                    // A request that is cut off gets no answer (RFC 9114, section 4.1.1).
                    h3::Event::Reset { stream, .. } => {
                        quic.reset(stream, h3::Code::REQUEST_CANCELLED.0);
                        dropped.push(stream);
                    }
                    _ => {}
                }
            }
            for stream in dropped {
                outgoing.cancel(stream);
                outgoing.forget(stream);
                desk.drop_request(stream);
                pump.take_first(stream);
                pump.h3.forget(stream);
            }
        }
        // Responses without think time are ready at once.
        while let Some((_, (id, stream))) = self.thinking.pop_due(now) {
            self.answer(now, id, stream);
        }
    }

    /// Hands a response to the schedule at the end of its think time.
    fn answer(&mut self, now: Instant, id: ConnectionId, stream: u64) {
        let Some(served) = self.connections.get_mut(&id) else {
            return;
        };
        let Some(answer) = served.desk.answer(stream) else {
            return;
        };
        let Some(quic) = self.host.connection(id) else {
            return;
        };
        let object = Object {
            nature: answer.nature,
            length: answer.body.len(),
        };
        let delivery = served.outgoing.delivery(&object, conditions(quic));
        let urgency = i32::from(answer.response.signal.urgency);
        let late = match delivery {
            Delivery::Stream => false,
            Delivery::Late => true,
            Delivery::Datagrams(terms) => {
                if cut(now, served, quic, &answer, terms) {
                    return;
                }
                // A range request that repairs an object may be answered late even if the
                // object's datagrams were not late.
                let waits = !matches!(terms.repair, None | Some(Repair::Now));
                terms.late || (!answer.is_object && waits)
            }
        };
        if late {
            quic.set_retransmission_priority(stream, LATE);
        } else if self.retransmission == Retransmission::ByUrgency {
            quic.set_retransmission_priority(stream, -urgency);
        }
        let Answer {
            response,
            fields,
            body,
            ..
        } = answer;
        let (hints, written) = served.pump.take_first(stream);
        let mut head = served.pump.h3.response_head(stream, &fields, body.len());
        let mut response = response;
        if !hints.is_empty() {
            head = [hints, head].concat().into();
            response.sent = written;
        }
        served.outgoing.add(response, head, body, late);
    }

    /// Forgets a connection that has ended.
    fn forget(&mut self, id: ConnectionId) {
        if let Some(mut served) = self.connections.remove(&id) {
            self.gone.packets_sent += served.last.packets_sent;
            self.gone.packets_lost += served.last.packets_lost;
            self.gone.retransmitted_bytes += served.outgoing.retransmitted_bytes();
            self.gone_frames.append(&mut served.outgoing.take_frames());
        }
    }
}

/// Starts the delivery of a response in datagrams. Returns false if it cannot be
/// delivered in this way.
fn cut(
    now: Instant,
    served: &mut Served,
    quic: &mut Connection,
    answer: &Answer,
    terms: Terms,
) -> bool {
    let settings = served.pump.h3.peer_settings();
    let agreed = settings.is_some_and(|s| s.h3_datagram && s.object_datagrams);
    let Some(datagram_max) = quic
        .max_datagram_size()
        .filter(|_| agreed && answer.is_object)
    else {
        return false;
    };
    let stream = answer.response.stream;
    let cut = Cut {
        stream,
        datagram_max,
        terms,
        requested: Instant::from_nanos(now.as_nanos().saturating_sub(answer.think_time.as_nanos())),
    };
    // Early hints are rare, and objects in datagrams begin their streams.
    if served.pump.has_first(stream) {
        return false;
    }
    let Some(cutter) = Cutter::new(&cut, answer.body.clone()) else {
        return false;
    };
    let mut fields = answer.fields.clone();
    fields.retain(|f| f.name != b"content-length"[..]);
    fields.push(cutter.announcement.field());
    fields.push(digest_field(&answer.body));
    let head = served.pump.h3.response_head(stream, &fields, 0);
    let response = answer.response.clone();
    served.outgoing.add_cut(response, head, cutter, terms.late);
    true
}

/// Retransmission priority of late responses: after all others, whatever their urgency.
const LATE: i32 = -100;

/// Returns the conditions of a connection, except for `urgent_left`, which is 0.
fn conditions(quic: &Connection) -> Conditions {
    let stats = quic.stats();
    Conditions {
        window: stats.congestion_window,
        packets_sent: stats.packets_sent,
        packets_lost: stats.packets_lost,
        urgent_left: 0,
    }
}

struct Connections<'a>(&'a mut BTreeMap<ConnectionId, Served>);

impl Sources for Connections<'_> {
    fn source(&mut self, connection: ConnectionId) -> Option<&mut dyn PacketSource> {
        self.0
            .get_mut(&connection)
            .map(|s| &mut s.outgoing as &mut dyn PacketSource)
    }
}

/// Facts about a resource without any information.
pub const UNKNOWN: Facts = Facts {
    destination: pagerace_core::Destination::Other,
    script_mode: pagerace_core::ScriptMode::Blocking,
    class: pagerace_core::RequestPriority::Low,
    render_blocking: false,
    served: None,
};

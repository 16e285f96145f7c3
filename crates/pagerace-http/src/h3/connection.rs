//! The connection: streams to their readers, messages to their events.

use std::collections::{BTreeMap, VecDeque};

use bytes::Bytes;
use pagerace_core::Priority;

use super::code::{Code, ConnectionError, Fault};
use super::control::Control;
use super::inbound::{Inbound, Shared};
use super::unidirectional::{self, Unidirectional};
use super::{Config, Event, Role, Settings, Write, settings};
use crate::{qpack, varint};

/// One end of an HTTP/3 connection.
///
/// `handle_*` takes what the transport received, `poll_*` gives what is to be
/// done. After a [`ConnectionError`] every further `handle_*` returns it again.
#[derive(Debug)]
pub struct Connection {
    pub(super) role: Role,
    pub(super) config: Config,
    pub(super) writes: VecDeque<Write>,
    pub(super) events: VecDeque<Event>,
    /// Receiving sides of request streams.
    pub(super) requests: BTreeMap<u64, Inbound>,
    pub(super) unidirectional: BTreeMap<u64, Unidirectional>,
    pub(super) control: Control,
    pub(super) decoder: qpack::Decoder,
    /// Unfinished instruction of the peer's decoder.
    pub(super) feedback: Vec<u8>,
    held_bytes: usize,
    pub(super) peer_settings: Option<Settings>,
    /// The id in the last GOAWAY that came.
    pub(super) goaway_received: Option<u64>,
    /// The id in the last GOAWAY that we sent.
    pub(super) goaway_sent: Option<u64>,
    /// Updates of requests whose heads have not come.
    pub(super) pending_priorities: BTreeMap<u64, Priority>,
    /// The request streams that the client may have opened are below this.
    pub(super) stream_limit: u64,
    /// One past the highest request stream that a server has seen.
    pub(super) requests_end: u64,
    error: Option<ConnectionError>,
}

impl Connection {
    /// A fresh connection; its first writes open our three unidirectional
    /// streams and tell our settings.
    pub fn new(role: Role, config: Config) -> Self {
        let mut connection = Self {
            role,
            writes: VecDeque::new(),
            events: VecDeque::new(),
            requests: BTreeMap::new(),
            unidirectional: BTreeMap::new(),
            control: Control::new(role),
            decoder: qpack::Decoder::new(config.qpack_max_table_capacity),
            feedback: Vec::new(),
            held_bytes: 0,
            peer_settings: None,
            goaway_received: None,
            goaway_sent: None,
            pending_priorities: BTreeMap::new(),
            stream_limit: u64::MAX,
            requests_end: 0,
            error: None,
            config,
        };
        let mut control = Vec::with_capacity(32);
        varint::encode(unidirectional::CONTROL, &mut control);
        settings::encode(&connection.config, &mut control);
        connection.write(connection.control_stream(), control);
        connection.write(
            connection.control_stream() + 4,
            vec![unidirectional::QPACK_ENCODER as u8],
        );
        connection.write(
            connection.decoder_stream(),
            vec![unidirectional::QPACK_DECODER as u8],
        );
        connection
    }

    /// The next bytes to write; in order for each stream.
    pub fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    /// The next thing that the peer did.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The peer's settings, once they came.
    pub const fn peer_settings(&self) -> Option<&Settings> {
        self.peer_settings.as_ref()
    }

    /// Takes bytes of a stream, in order; `fin` where it ends after them.
    ///
    /// Content is passed on as slices of `data`, without copying.
    ///
    /// # Errors
    /// [`ConnectionError`]: close the connection with its code.
    pub fn handle_data(
        &mut self,
        stream: u64,
        data: Bytes,
        fin: bool,
    ) -> Result<(), ConnectionError> {
        let result = match self.kind(stream) {
            Kind::Request => self.request_data(stream, data, fin),
            Kind::PeerUnidirectional => self.unidirectional_data(stream, data, fin),
            Kind::Unreadable => Err(unreadable()),
        };
        self.conclude(stream, result)
    }

    /// Takes a `RESET_STREAM`.
    ///
    /// # Errors
    /// [`ConnectionError`]: the stream was one that must stay open.
    pub fn handle_reset(&mut self, stream: u64, code: u64) -> Result<(), ConnectionError> {
        let result = match self.kind(stream) {
            Kind::Request => {
                self.reset(stream, Code(code));
                Ok(())
            }
            Kind::PeerUnidirectional => self.close_unidirectional(stream),
            Kind::Unreadable => Err(unreadable()),
        };
        self.conclude(stream, result)
    }

    /// Takes a `STOP_SENDING`.
    ///
    /// # Errors
    /// [`ConnectionError`]: the stream was one that must stay open.
    pub fn handle_stop_sending(&mut self, stream: u64, code: u64) -> Result<(), ConnectionError> {
        let result = if stream.is_multiple_of(4) {
            self.events.push_back(Event::StopSending {
                stream,
                code: Code(code),
            });
            Ok(())
        } else {
            Err(Fault::new(
                Code::CLOSED_CRITICAL_STREAM,
                "STOP_SENDING of a critical stream",
            ))
        };
        self.conclude(stream, result)
    }

    /// Gives up reading a request stream, after which none of its events
    /// follow; the caller stops it (`STOP_SENDING`) with a code of its choice.
    pub fn abandon(&mut self, stream: u64) {
        self.with_request(stream, super::inbound::Inbound::close);
        self.flush_decoder();
    }

    /// Lets go of what is remembered of a request stream, once both its sides
    /// are over. A server calls it after the response is sent.
    pub fn forget(&mut self, stream: u64) {
        self.abandon(stream);
        self.requests.remove(&stream);
        self.pending_priorities.remove(&stream);
    }

    /// Our control stream.
    pub(super) const fn control_stream(&self) -> u64 {
        match self.role {
            Role::Client => 2,
            Role::Server => 3,
        }
    }

    const fn decoder_stream(&self) -> u64 {
        self.control_stream() + 8
    }

    pub(super) fn write(&mut self, stream: u64, data: Vec<u8>) {
        self.writes.push_back(Write {
            stream,
            data: data.into(),
            fin: false,
        });
    }

    /// RFC 9000, section 2.1, as this end reads it.
    const fn kind(&self, stream: u64) -> Kind {
        match (stream % 4, self.role) {
            (0, _) => Kind::Request,
            (3, Role::Client) | (2, Role::Server) => Kind::PeerUnidirectional,
            _ => Kind::Unreadable,
        }
    }

    pub(super) fn conclude(
        &mut self,
        stream: u64,
        result: Result<(), Fault>,
    ) -> Result<(), ConnectionError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.flush_decoder();
        result.map_err(|fault| {
            let error = fault.on(stream);
            self.error = Some(error.clone());
            error
        })
    }

    fn request_data(&mut self, stream: u64, data: Bytes, fin: bool) -> Result<(), Fault> {
        if !self.requests.contains_key(&stream) && !self.accept(stream)? {
            return Ok(());
        }
        let had_head = self.requests.get(&stream).is_some_and(Inbound::has_head);
        let events_before = self.events.len();
        let result =
            self.with_request(stream, |inbound, shared| inbound.receive(data, fin, shared));
        if !had_head {
            self.apply_pending_priority(stream, events_before);
        }
        result.unwrap_or(Ok(()))?;
        self.check_blocked()
    }

    /// The first bytes of a stream that we know nothing of.
    fn accept(&mut self, stream: u64) -> Result<bool, Fault> {
        if self.role == Role::Client {
            let reason = "a response without a request";
            return Err(Fault::new(Code::INTERNAL_ERROR, reason));
        }
        self.requests_end = self.requests_end.max(stream + 4);
        if self.goaway_sent.is_some_and(|end| stream >= end) {
            let reason = "the server is going away".into();
            let code = Code::REQUEST_REJECTED;
            self.events.push_back(Event::StreamError {
                stream,
                code,
                reason,
            });
            let mut inbound = Inbound::new(stream, self.role, false);
            inbound.close(&mut self.shared());
            self.requests.insert(stream, inbound);
            return Ok(false);
        }
        self.requests
            .insert(stream, Inbound::new(stream, self.role, false));
        Ok(true)
    }

    fn reset(&mut self, stream: u64, code: Code) {
        if self.role == Role::Server {
            self.requests_end = self.requests_end.max(stream.saturating_add(4));
        }
        let closed = self.requests.get(&stream).is_some_and(Inbound::is_closed);
        let role = self.role;
        self.requests
            .entry(stream)
            .or_insert_with(|| Inbound::new(stream, role, false));
        self.abandon(stream);
        if !closed {
            self.events.push_back(Event::Reset { stream, code });
        }
    }

    /// RFC 9204, section 2.1.2.
    fn check_blocked(&self) -> Result<(), Fault> {
        if self.config.qpack_max_table_capacity == 0 {
            return Ok(());
        }
        let blocked = self
            .requests
            .values()
            .filter(|i| i.blocked_until().is_some())
            .count();
        if blocked as u64 <= self.config.qpack_blocked_streams {
            return Ok(());
        }
        Err(Fault::new(
            Code::QPACK_DECOMPRESSION_FAILED,
            "more blocked streams than allowed",
        ))
    }

    pub(super) fn with_request<T>(
        &mut self,
        stream: u64,
        act: impl FnOnce(&mut Inbound, &mut Shared<'_>) -> T,
    ) -> Option<T> {
        let inbound = self.requests.get_mut(&stream)?;
        let mut shared = Shared {
            config: &self.config,
            decoder: &mut self.decoder,
            events: &mut self.events,
            held_bytes: &mut self.held_bytes,
        };
        Some(act(inbound, &mut shared))
    }

    fn shared(&mut self) -> Shared<'_> {
        Shared {
            config: &self.config,
            decoder: &mut self.decoder,
            events: &mut self.events,
            held_bytes: &mut self.held_bytes,
        }
    }

    fn flush_decoder(&mut self) {
        let instructions = self.decoder.take_instructions();
        if !instructions.is_empty() {
            self.write(self.decoder_stream(), instructions);
        }
    }
}

/// What a stream is to this end.
enum Kind {
    Request,
    PeerUnidirectional,
    /// Our own unidirectional streams, and bidirectional ones of a server,
    /// which HTTP/3 has not (RFC 9114, section 6.1).
    Unreadable,
}

fn unreadable() -> Fault {
    Fault::new(
        Code::STREAM_CREATION_ERROR,
        "a stream that HTTP/3 does not have",
    )
}

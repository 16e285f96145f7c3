//! The connection: dispatch of stream data to its handlers, and shared state.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use pagerace_core::Priority;

use super::code::{Code, ConnectionError, Fault};
use super::control::Control;
use super::inbound::Inbound;
use super::unidirectional::{self, Unidirectional};
use super::{Config, Event, Role, Settings, Write, settings};
use crate::qpack::Memory;
use crate::varint;

/// One end of an HTTP/3 connection.
///
/// The `handle_*` functions take received input and the `poll_*` functions return pending
/// output. After a [`ConnectionError`] every further `handle_*` call returns it again.
#[derive(Debug)]
pub struct Connection {
    pub(super) role: Role,
    pub(super) config: Config,
    pub(super) writes: VecDeque<Write>,
    pub(super) events: VecDeque<Event>,
    /// Lines of the field sections sent.
    pub(super) sent_lines: Memory,
    /// Lines of the field sections received.
    received_lines: Memory,
    /// The receiving sides of request streams.
    pub(super) requests: BTreeMap<u64, Inbound>,
    pub(super) unidirectional: BTreeMap<u64, Unidirectional>,
    pub(super) control: Control,
    /// The incomplete instruction at the end of the peer's decoder stream.
    pub(super) feedback: Vec<u8>,
    pub(super) peer_settings: Option<Settings>,
    /// The id in the last GOAWAY received.
    pub(super) goaway_received: Option<u64>,
    /// Priority updates for requests whose heads have not arrived.
    pub(super) pending_priorities: BTreeMap<u64, Priority>,
    /// On a server, requests that the client cancelled in excess of those answered.
    cancelled: u32,
    /// The streams of cancelled requests until they are forgotten.
    cancelled_streams: BTreeSet<u64>,
    error: Option<ConnectionError>,
}

impl Connection {
    /// Creates a connection. Its first writes open the control stream and the two QPACK
    /// streams, and send the settings.
    pub fn new(role: Role, config: Config) -> Self {
        let mut connection = Self {
            role,
            writes: VecDeque::new(),
            events: VecDeque::new(),
            sent_lines: Memory::default(),
            received_lines: Memory::default(),
            requests: BTreeMap::new(),
            unidirectional: BTreeMap::new(),
            control: Control::new(role),
            feedback: Vec::new(),
            peer_settings: None,
            goaway_received: None,
            pending_priorities: BTreeMap::new(),
            cancelled: 0,
            cancelled_streams: BTreeSet::new(),
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
            connection.control_stream() + 8,
            vec![unidirectional::QPACK_DECODER as u8],
        );
        connection
    }

    /// Returns the next bytes to write. The writes of each stream are in order.
    pub fn poll_write(&mut self) -> Option<Write> {
        self.writes.pop_front()
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The peer's settings, or `None` until they arrive.
    pub const fn peer_settings(&self) -> Option<&Settings> {
        self.peer_settings.as_ref()
    }

    /// Handles received bytes of a stream, in order. `fin` is true if the stream ends
    /// with them.
    ///
    /// Content is passed on as slices of `data`, without copying.
    ///
    /// # Errors
    /// [`ConnectionError`] if the peer broke the protocol. Close the connection with its
    /// code.
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

    /// Handles a `RESET_STREAM`.
    ///
    /// # Errors
    /// [`ConnectionError`] if the stream must not be closed, or may not exist. Close the
    /// connection with its code.
    pub fn handle_reset(&mut self, stream: u64, code: u64) -> Result<(), ConnectionError> {
        let result = match self.kind(stream) {
            Kind::Request => {
                self.reset(stream, Code(code));
                self.count_cancelled(stream)
            }
            Kind::PeerUnidirectional => self.close_unidirectional(stream),
            Kind::Unreadable => Err(unreadable()),
        };
        self.conclude(stream, result)
    }

    /// Handles a `STOP_SENDING`.
    ///
    /// # Errors
    /// [`ConnectionError`] if the stream is not a request stream. Close the connection
    /// with its code.
    pub fn handle_stop_sending(&mut self, stream: u64, code: u64) -> Result<(), ConnectionError> {
        let result = if stream.is_multiple_of(4) {
            self.events.push_back(Event::StopSending {
                stream,
                code: Code(code),
            });
            self.count_cancelled(stream)
        } else {
            Err(Fault::new(
                Code::CLOSED_CRITICAL_STREAM,
                "STOP_SENDING of a critical stream",
            ))
        };
        self.conclude(stream, result)
    }

    /// Tells a server that a response was delivered to its end: it makes up for one
    /// cancelled request, see [`Config::cancelled_max`].
    pub fn handle_answered(&mut self) {
        self.cancelled = self.cancelled.saturating_sub(1);
    }

    /// Counts a request once, as clients send both `RESET_STREAM` and `STOP_SENDING`.
    fn count_cancelled(&mut self, stream: u64) -> Result<(), Fault> {
        if self.role == Role::Client || !self.cancelled_streams.insert(stream) {
            return Ok(());
        }
        self.cancelled += 1;
        if self.cancelled <= self.config.cancelled_max {
            return Ok(());
        }
        let reason = format!("more than {} cancelled requests", self.config.cancelled_max);
        Err(Fault::new(Code::EXCESSIVE_LOAD, reason))
    }

    /// Stops reading a request stream, whose further bytes cause no events. The caller
    /// sends `STOP_SENDING` with a code of its choice.
    pub(crate) fn abandon(&mut self, stream: u64) {
        if let Some(inbound) = self.requests.get_mut(&stream) {
            inbound.close();
        }
    }

    /// Releases the state of a request stream when both its sides have ended. A server
    /// calls this after the response is sent.
    pub fn forget(&mut self, stream: u64) {
        self.abandon(stream);
        self.requests.remove(&stream);
        self.pending_priorities.remove(&stream);
        self.cancelled_streams.remove(&stream);
    }

    /// The id of our control stream.
    pub(super) const fn control_stream(&self) -> u64 {
        match self.role {
            Role::Client => 2,
            Role::Server => 3,
        }
    }

    pub(super) fn write(&mut self, stream: u64, data: Vec<u8>) {
        self.writes.push_back(Write {
            stream,
            data: data.into(),
            fin: false,
        });
    }

    /// Returns the kind of a stream, from its id (RFC 9000, section 2.1) and the role of
    /// this end.
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
        result.map_err(|fault| {
            let error = fault.on(stream);
            self.error = Some(error.clone());
            error
        })
    }

    fn request_data(&mut self, stream: u64, data: Bytes, fin: bool) -> Result<(), Fault> {
        if !self.requests.contains_key(&stream) {
            self.accept(stream)?;
        }
        let Some(inbound) = self.requests.get_mut(&stream) else {
            return Ok(());
        };
        let had_head = inbound.has_head();
        let events_before = self.events.len();
        let size_max = self.config.max_field_section_size;
        let (memory, events) = (&mut self.received_lines, &mut self.events);
        let result = inbound.receive(data, fin, size_max, memory, events);
        if !had_head {
            self.apply_pending_priority(stream, events_before);
        }
        result
    }

    /// Handles the first bytes of an unknown request stream.
    fn accept(&mut self, stream: u64) -> Result<(), Fault> {
        if self.role == Role::Client {
            let reason = "a response without a request";
            return Err(Fault::new(Code::INTERNAL_ERROR, reason));
        }
        self.requests
            .insert(stream, Inbound::new(stream, self.role, false));
        Ok(())
    }

    fn reset(&mut self, stream: u64, code: Code) {
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
}

/// The kind of a stream, for the receiver.
enum Kind {
    Request,
    PeerUnidirectional,
    /// Our own unidirectional streams, and server-initiated bidirectional streams, which
    /// HTTP/3 does not use (RFC 9114, section 6.1).
    Unreadable,
}

fn unreadable() -> Fault {
    Fault::new(
        Code::STREAM_CREATION_ERROR,
        "a stream that HTTP/3 does not have",
    )
}

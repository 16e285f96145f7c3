//! One end of a TLS connection.

use std::collections::VecDeque;

use bytes::Bytes;

use super::error::Error;
use super::record::{self, Kind, MAX_PLAINTEXT, Reader, Record};
use super::script::{self, Expected, Flight, MESSAGE_HEAD, Message, Part};
use super::settings::{Handshake, TlsSettings, Version};
use crate::chunks::Chunks;

/// The maximum number of plaintext bytes that a client may send before the server has
/// answered.
///
/// Source: `kMaxEarlyDataAccepted` of `BoringSSL` (`ssl/internal.h`), which Chromium and
/// Google's servers use. RFC 8446, section 4.2.10, leaves the limit to the server.
const MAX_EARLY_DATA: usize = 14_336;

/// The maximum size of a handshake message. A message with a larger length is refused
/// unread. `BoringSSL` and OpenSSL have a limit near 100 kB for certificates and far lower
/// limits for other messages.
const MAX_MESSAGE: usize = 1 << 17;

/// The content of all messages.
static FILLER: [u8; 4_096] = [0xaa; 4_096];

/// One end of a TLS connection, between the application and a byte stream.
///
/// Bytes from the stream go in through [`handle_data`](Self::handle_data), and their
/// plaintext comes out of [`poll_read`](Self::poll_read). Plaintext goes in through
/// [`write`](Self::write), and bytes for the stream come out of
/// [`poll_write`](Self::poll_write).
#[derive(Debug)]
pub struct Session {
    settings: TlsSettings,
    is_client: bool,
    flights: Vec<Flight>,
    /// Number of flights completely sent or received.
    done: usize,
    /// The remaining steps of the peer's current flight.
    steps: VecDeque<Expected>,
    reader: Reader,
    /// TLS 1.2: true if the peer has sent `ChangeCipherSpec`.
    peer_sealed: bool,
    /// Header of the handshake message that is being read, and the number of its bytes that
    /// are missing.
    message: Vec<u8>,
    message_left: usize,
    readable: VecDeque<Bytes>,
    /// Plaintext that has not been put into a record yet.
    pending: Chunks,
    outgoing: VecDeque<Bytes>,
    /// Number of plaintext bytes put into records.
    written: u64,
    early_left: usize,
    failed: Option<Error>,
}

impl Session {
    /// Creates the client's end, with its first flight ready to send.
    pub fn client(settings: &TlsSettings) -> Self {
        Self::new(settings, true)
    }

    /// Creates the server's end.
    pub fn server(settings: &TlsSettings) -> Self {
        Self::new(settings, false)
    }

    fn new(settings: &TlsSettings, is_client: bool) -> Self {
        let mut settings = *settings;
        if settings.version == Version::Tls12 && settings.handshake == Handshake::EarlyData {
            settings.handshake = Handshake::Resumed;
        }
        let early = is_client && settings.handshake == Handshake::EarlyData;
        let mut session = Self {
            settings,
            is_client,
            flights: script::flights(&settings),
            done: 0,
            steps: VecDeque::new(),
            reader: Reader::default(),
            peer_sealed: false,
            message: Vec::new(),
            message_left: 0,
            readable: VecDeque::new(),
            pending: Chunks::default(),
            outgoing: VecDeque::new(),
            written: 0,
            early_left: if early { MAX_EARLY_DATA } else { 0 },
            failed: None,
        };
        session.advance();
        session
    }

    /// Processes the next bytes of the stream, which may be split anywhere.
    ///
    /// # Errors
    /// Returns an error if the bytes do not fit the session. Later calls return the same
    /// error.
    pub fn handle_data(&mut self, data: Bytes) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.reader.push(data);
        let result = self.read_records();
        self.failed = result.clone().err();
        result
    }

    /// Returns the next plaintext bytes. The bytes of a record become available once the
    /// record is complete.
    pub fn poll_read(&mut self) -> Option<Bytes> {
        self.readable.pop_front()
    }

    /// Returns true if application data may be sent now.
    ///
    /// A client with early data may send from the start, up to a limit. The server of early
    /// data may send once it has answered.
    pub fn can_write(&self) -> bool {
        let early = self.settings.handshake == Handshake::EarlyData;
        match (self.is_client, self.is_connected()) {
            (_, true) => true,
            (true, false) => self.early_left > 0,
            // Data after the server's Finished saves half a round trip (RFC 8446, section
            // 2.3). rustls and OpenSSL support it for early data only.
            (false, false) => early && self.done >= 2,
        }
    }

    /// Returns the maximum number of plaintext bytes in the next record.
    pub fn record_limit(&self) -> usize {
        let TlsSettings {
            records, version, ..
        } = self.settings;
        let limit = records.limit(version, self.written);
        if self.is_early() {
            limit.min(self.early_left)
        } else {
            limit
        }
    }

    /// Queues plaintext. [`poll_write`](Self::poll_write) puts it into as few records as
    /// the limit allows, but only once it [may be sent](Self::can_write).
    pub fn write(&mut self, plaintext: Bytes) {
        self.pending.push(plaintext);
    }

    /// Returns the next bytes for the stream: the handshake's flights, followed by records.
    ///
    /// A record is returned in several pieces, so that its content is not copied.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        if self.outgoing.is_empty() && !self.pending.is_empty() && self.can_write() {
            let content = self.pending.take(self.record_limit());
            self.written += content.len() as u64;
            if self.is_early() {
                self.early_left -= content.len();
            }
            self.record(Kind::Application, true, content);
        }
        self.outgoing.pop_front()
    }

    /// Returns true if the handshake is complete on this side.
    pub fn is_connected(&self) -> bool {
        self.done == self.flights.len()
    }

    /// Returns true if data that this side writes is early data.
    fn is_early(&self) -> bool {
        self.is_client && !self.is_connected()
    }

    /// Sends flights while it is this side's turn, then waits for the peer's flight.
    fn advance(&mut self) {
        while self.steps.is_empty() && !self.is_connected() {
            let flight = self.flights[self.done].clone();
            let ours = self.done.is_multiple_of(2) == self.is_client;
            if ours {
                self.say(&flight);
                self.done += 1;
            } else {
                self.steps = script::steps(self.settings.version, &flight).into();
                return;
            }
        }
    }

    /// Handles the end of the peer's flight.
    fn handle_flight_end(&mut self) {
        self.done += 1;
        self.advance();
        if self.is_connected()
            && !self.is_client
            && let Some(flight) = script::tickets(&self.settings)
        {
            self.say(&flight);
        }
    }

    fn say(&mut self, flight: &Flight) {
        for part in flight {
            let (messages, sealed) = match part {
                Part::ChangeCipherSpec => {
                    let mut content = Chunks::default();
                    content.push(Bytes::from_static(&[1]));
                    self.record(Kind::ChangeCipherSpec, false, content);
                    continue;
                }
                Part::Clear(messages) => (messages, false),
                Part::Sealed(messages) => (messages, true),
            };
            let mut content = Chunks::default();
            for &(kind, size) in messages {
                push_message(&mut content, kind, size);
            }
            while !content.is_empty() {
                let part = content.take(MAX_PLAINTEXT);
                self.record(Kind::Handshake, sealed, part);
            }
        }
    }

    fn record(&mut self, kind: Kind, sealed: bool, content: Chunks) {
        let outgoing = &mut self.outgoing;
        record::write(self.settings.version, kind, sealed, content, |piece| {
            outgoing.push_back(piece);
        });
    }

    fn read_records(&mut self) -> Result<(), Error> {
        while let Some(record) = self.reader.next(self.settings.version, self.peer_sealed)? {
            match record.kind {
                Kind::Handshake => self.read_messages(record)?,
                Kind::ChangeCipherSpec => self.read_change(&record)?,
                Kind::Application => {
                    if !self.may_read() {
                        return Err(self.unexpected(record.offset, record.kind.name()));
                    }
                    self.readable.extend(record.content.into_iter());
                }
            }
        }
        Ok(())
    }

    /// Returns true if application data may be received: after the handshake, or as early
    /// data until the client ends it.
    fn may_read(&self) -> bool {
        let end_of_early_data = Expected::Message {
            kind: Message::EndOfEarlyData,
            sealed: true,
        };
        let between = self.message.is_empty();
        between && (self.is_connected() || self.steps.front() == Some(&end_of_early_data))
    }

    fn read_change(&mut self, record: &Record) -> Result<(), Error> {
        let next = self.steps.front();
        let expected = match self.settings.version {
            Version::Tls12 => next == Some(&Expected::ChangeCipherSpec),
            // RFC 8446, section 5: ChangeCipherSpec is ignored during the handshake.
            Version::Tls13 => !self.is_connected(),
        };
        if !expected || record.content.len() != 1 || !self.message.is_empty() {
            return Err(self.unexpected(record.offset, record.kind.name()));
        }
        if self.settings.version == Version::Tls12 {
            self.peer_sealed = true;
            self.step();
        }
        Ok(())
    }

    fn read_messages(&mut self, mut record: Record) -> Result<(), Error> {
        while !record.content.is_empty() {
            if self.message.len() < MESSAGE_HEAD {
                let head = record.content.take(MESSAGE_HEAD - self.message.len());
                head.into_iter()
                    .for_each(|piece| self.message.extend_from_slice(&piece));
                let &[kind, a, b, c] = &self.message[..] else {
                    break; // the rest of the head is in the next record
                };
                let length = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
                if length > MAX_MESSAGE {
                    let offset = record.offset;
                    return Err(Error::Message { offset, length });
                }
                if !self.is_next(kind, record.protected) {
                    let sealed = if record.protected {
                        "a protected"
                    } else {
                        "a clear"
                    };
                    let found = format!("{sealed} handshake message of type {kind}");
                    return Err(self.unexpected(record.offset, &found));
                }
                self.message_left = length;
            }
            self.message_left -= record.content.take(self.message_left).len();
            if self.message_left == 0 {
                self.message.clear();
                self.step();
            }
        }
        Ok(())
    }

    fn is_next(&self, found: u8, protected: bool) -> bool {
        match self.steps.front() {
            Some(Expected::Message { kind, sealed }) => {
                *kind as u8 == found && *sealed == protected
            }
            Some(Expected::ChangeCipherSpec) => false,
            None => {
                let ticket = Message::NewSessionTicket as u8;
                self.settings.version == Version::Tls13
                    && self.is_client
                    && protected
                    && found == ticket
            }
        }
    }

    /// Completes the current step.
    fn step(&mut self) {
        if self.steps.pop_front().is_some() && self.steps.is_empty() {
            self.handle_flight_end();
        }
    }

    fn unexpected(&self, offset: u64, found: &str) -> Error {
        let expected = match self.steps.front() {
            Some(Expected::Message { kind, .. }) => format!("{kind:?}"),
            Some(Expected::ChangeCipherSpec) => Kind::ChangeCipherSpec.name().to_owned(),
            None => Kind::Application.name().to_owned(),
        };
        Error::Unexpected {
            offset,
            found: found.to_owned(),
            expected,
        }
    }
}

/// Appends a message of `size` bytes, including its header.
fn push_message(content: &mut Chunks, kind: Message, size: usize) {
    let mut left = size.saturating_sub(MESSAGE_HEAD);
    let length = (left as u32).to_be_bytes();
    let head = [kind as u8, length[1], length[2], length[3]];
    content.push(Bytes::copy_from_slice(&head));
    while left > 0 {
        let part = left.min(FILLER.len());
        content.push(Bytes::from_static(&FILLER[..part]));
        left -= part;
    }
}

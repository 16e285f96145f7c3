//! One end of a TLS connection.

use std::collections::VecDeque;

use bytes::Bytes;

use super::chunks::Chunks;
use super::error::Error;
use super::record::{self, Kind, MAX_PLAINTEXT, Reader, Record};
use super::script::{self, Expected, Flight, MESSAGE_HEAD, Message, Part};
use super::settings::{Handshake, Settings, Version};

/// Plaintext bytes that a client may send before the server has answered.
///
/// Source: `kMaxEarlyDataAccepted` of `BoringSSL` (`ssl/internal.h`), which
/// Chromium and Google's servers use. RFC 8446, section 4.2.10, leaves it to the
/// server.
const MAX_EARLY_DATA: usize = 14_336;

/// A handshake message that claims more is refused unread. `BoringSSL` and
/// OpenSSL draw the line near 100 kB for certificates, far lower for the rest.
const MAX_MESSAGE: usize = 1 << 17;

/// Stands for what the messages would say.
static FILLER: [u8; 4_096] = [0xaa; 4_096];

/// One end of a TLS connection, between the application and a byte stream.
///
/// Bytes from the stream go in by [`handle_data`](Self::handle_data) and come
/// out by [`poll_read`](Self::poll_read); bytes for the stream go in by
/// [`write`](Self::write) and come out by [`poll_write`](Self::poll_write).
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    is_client: bool,
    flights: Vec<Flight>,
    /// Flights that were sent or received whole.
    done: usize,
    /// What the peer still has to say in this flight.
    steps: VecDeque<Expected>,
    reader: Reader,
    /// TLS 1.2: the peer has changed its cipher.
    peer_sealed: bool,
    /// A handshake message that has begun: its head, and bytes it lacks.
    message: Vec<u8>,
    message_left: usize,
    readable: VecDeque<Bytes>,
    /// Plaintext that is in no record yet.
    pending: Chunks,
    outgoing: VecDeque<Bytes>,
    /// Plaintext bytes put in records so far.
    written: u64,
    early_left: usize,
    failed: Option<Error>,
}

impl Session {
    /// The client's end; its first flight is ready.
    pub fn client(settings: &Settings) -> Self {
        Self::new(settings, true)
    }

    /// The server's end.
    pub fn server(settings: &Settings) -> Self {
        Self::new(settings, false)
    }

    fn new(settings: &Settings, is_client: bool) -> Self {
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

    /// Bytes of the stream arrived: the next ones, cut anywhere.
    ///
    /// # Errors
    /// They are not what this session has to come to; it takes no more.
    pub fn handle_data(&mut self, data: Bytes) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.reader.push(data);
        let result = self.read_records();
        self.failed = result.clone().err();
        result
    }

    /// The next plaintext bytes. Those of a record come when it is whole.
    pub fn poll_read(&mut self) -> Option<Bytes> {
        self.readable.pop_front()
    }

    /// Whether application data may be sent now. A client with early data may
    /// from the start, up to a limit; its server once it has answered.
    pub fn can_write(&self) -> bool {
        let early = self.settings.handshake == Handshake::EarlyData;
        match (self.is_client, self.is_connected()) {
            (_, true) => true,
            (true, false) => self.early_left > 0,
            // Data behind the server's Finished, in half a round trip (RFC 8446,
            // section 2.3). rustls and OpenSSL do so for early data only.
            (false, false) => early && self.done >= 2,
        }
    }

    /// Most plaintext bytes that the next record takes.
    pub fn record_limit(&self) -> usize {
        let Settings {
            records, version, ..
        } = self.settings;
        let limit = records.limit(version, self.written);
        if self.is_early() {
            limit.min(self.early_left)
        } else {
            limit
        }
    }

    /// Queues plaintext. It is put in records when it is
    /// [asked for](Self::poll_write), as few as the limit allows, and not before
    /// it [may](Self::can_write) be sent.
    pub fn write(&mut self, plaintext: Bytes) {
        self.pending.push(plaintext);
    }

    /// The next bytes for the stream: the handshake's flights, then records. A
    /// record comes in several pieces, so that its content need not be copied.
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

    /// Whether the handshake is complete on this side.
    pub fn is_connected(&self) -> bool {
        self.done == self.flights.len()
    }

    /// Whether what this side writes is early data.
    fn is_early(&self) -> bool {
        self.is_client && !self.is_connected()
    }

    /// Speaks as long as it is our turn, then waits for the peer's flight.
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

    /// The peer's flight is complete.
    fn heard(&mut self) {
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

    /// Whether application data may come: after the handshake, or as early data
    /// until the client says that it ends.
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
            // RFC 8446, section 5: dropped where it comes during the handshake.
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

    /// What was expected has come.
    fn step(&mut self) {
        if self.steps.pop_front().is_some() && self.steps.is_empty() {
            self.heard();
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

/// A message of `size` bytes, head included.
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

//! The connection: dispatch of frames to their handlers, and shared state.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use pagerace_core::Priority;

use super::block::Block;
use super::budget::Budget;
use super::closed::{Closed, Closure};
use super::code::{Code, ConnectionError, Fault};
use super::flow::{self, ReceiveWindow, SendWindow};
use super::frame::{self, Piece, Reader};
use super::stream::Stream;
use super::{Config, Event, Role, Settings, settings};
use crate::hpack;

/// The client's connection preface: RFC 9113, section 3.4.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// One end of an HTTP/2 connection.
///
/// The `handle_*` functions take received input and the `poll_*` functions return pending
/// output. After a [`ConnectionError`] every further `handle_*` call returns it again.
#[derive(Debug)]
pub struct Connection {
    pub(super) role: Role,
    pub(super) config: Config,
    writes: VecDeque<Write>,
    /// Number of replies among the writes.
    replies: usize,
    pub(super) events: VecDeque<Event>,
    reader: Reader,
    /// The rest of the client's preface that has not arrived.
    preface: &'static [u8],
    /// The stream of the current frame.
    pub(super) current: u64,
    pub(super) settings_received: bool,
    pub(super) settings_acknowledged: bool,
    pub(super) peer_settings: Settings,
    pub(super) decoder: hpack::Decoder,
    /// Lines of the field sections sent.
    pub(super) sent_lines: hpack::Memory,
    /// The incomplete field section.
    pub(super) block: Option<Block>,
    /// The stream that receives the current DATA frame. If `None`, its content is
    /// dropped.
    pub(super) sink: Option<u64>,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) closed: Closed,
    /// The lowest stream id that the client has not used.
    pub(super) next_stream: u64,
    /// On a client, the streams with content left to send.
    pub(super) uploads: BTreeSet<u64>,
    pub(super) send: SendWindow,
    pub(super) receive: ReceiveWindow,
    pub(super) budget: Budget,
    /// Priority updates for requests whose heads have not arrived.
    pub(super) pending_priorities: BTreeMap<u64, Priority>,
    pub(super) goaway_received: Option<(u64, Code)>,
    /// The last stream id in our GOAWAY.
    pub(super) goaway_sent: Option<u64>,
    error: Option<ConnectionError>,
}

/// Bytes to write. `is_reply` is true if a frame of the peer caused them.
#[derive(Debug)]
struct Write {
    data: Bytes,
    is_reply: bool,
}

impl Connection {
    /// Creates a connection. Its first write is the preface.
    ///
    /// # Panics
    /// If `config` has a value outside its range.
    pub fn new(role: Role, config: Config) -> Self {
        let window = i64::from(config.connection_window);
        assert!(
            (flow::INITIAL..=flow::MAX).contains(&window),
            "a connection window of {window} bytes"
        );
        assert!(
            i64::from(config.stream_window) <= flow::MAX,
            "a stream window of {} bytes",
            config.stream_window
        );
        assert!(
            frame::SIZES.contains(&config.max_frame_size),
            "frames of {} bytes",
            config.max_frame_size
        );
        let mut first = Vec::with_capacity(96);
        if role == Role::Client {
            first.extend_from_slice(PREFACE);
        }
        settings::encode(role, &config, &mut first);
        if window > flow::INITIAL {
            let increment = (window - flow::INITIAL) as u32;
            frame::encode(
                frame::WINDOW_UPDATE,
                0,
                0,
                &increment.to_be_bytes(),
                &mut first,
            );
        }
        let mut connection = Self {
            role,
            writes: VecDeque::new(),
            replies: 0,
            events: VecDeque::new(),
            reader: Reader::new(),
            preface: match role {
                Role::Client => &[],
                Role::Server => PREFACE,
            },
            current: 0,
            settings_received: false,
            settings_acknowledged: false,
            peer_settings: Settings::default(),
            decoder: hpack::Decoder::default(),
            sent_lines: hpack::Memory::default(),
            block: None,
            sink: None,
            streams: BTreeMap::new(),
            closed: Closed::new(config.limits.closed_streams),
            next_stream: 1,
            uploads: BTreeSet::new(),
            send: SendWindow::new(flow::INITIAL),
            receive: ReceiveWindow::new(window, window),
            budget: Budget::default(),
            pending_priorities: BTreeMap::new(),
            goaway_received: None,
            goaway_sent: None,
            error: None,
            config,
        };
        connection.write(first);
        connection
    }

    /// Returns the next bytes to write. On a server, its owner may write response frames
    /// before or after these bytes, but not in between the bytes of one call.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        if self.writes.is_empty() {
            self.write_body();
        }
        let write = self.writes.pop_front()?;
        self.replies -= usize::from(write.is_reply);
        Some(write.data)
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        if let Event::Data { stream, data } = &event {
            self.consume(*stream, data.len() as u32);
        }
        Some(event)
    }

    /// Lets the peer send more bytes of content on all streams together, at most 2^31 - 1.
    pub fn grant(&mut self, bytes: u32) {
        self.receive.grow(bytes);
        let mut data = Vec::new();
        frame::encode(frame::WINDOW_UPDATE, 0, 0, &bytes.to_be_bytes(), &mut data);
        self.write(data);
    }

    /// Returns how many bytes of content the peer may still send on all streams together.
    pub fn window_left(&self) -> u64 {
        self.receive.left().max(0) as u64
    }

    /// The peer's settings, or the defaults until they arrive.
    pub const fn peer_settings(&self) -> &Settings {
        &self.peer_settings
    }

    /// The last stream and the code of the peer's last GOAWAY.
    pub const fn goaway_received(&self) -> Option<(u64, Code)> {
        self.goaway_received
    }

    /// Handles received bytes, in order and split at any point.
    ///
    /// Content is passed on as slices of `data`, without copying.
    ///
    /// # Errors
    /// [`ConnectionError`] if the peer broke the protocol. Write the remaining bytes of
    /// [`poll_write`](Self::poll_write), then close the connection.
    pub fn handle_data(&mut self, data: Bytes) -> Result<(), ConnectionError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.read(data).map_err(|fault| {
            let error = fault.on(self.current);
            self.uploads.clear();
            self.write_goaway(error.code, error.reason.as_bytes());
            self.error = Some(error.clone());
            error
        })
    }

    /// Resets a stream with `RST_STREAM`. Nothing more can be sent on it, and of its
    /// message only the events already queued follow. Does nothing if the stream is
    /// closed.
    pub fn reset(&mut self, stream: u64, code: Code) {
        if self.close(stream, Closure::ResetByUs) {
            let mut data = Vec::new();
            let code = code.0.to_be_bytes();
            frame::encode(frame::RST_STREAM, 0, stream, &code, &mut data);
            self.write(data);
        }
    }

    /// Releases a stream that is no longer needed. A stream that is not closed is reset:
    /// with `NO_ERROR` if a server has answered before the request was complete (section
    /// 8.1), otherwise with `CANCEL`.
    pub fn forget(&mut self, stream: u64) {
        let answered = self.streams.get(&stream).is_some_and(|s| s.local_closed);
        let code = match self.role {
            Role::Server if answered => Code::NO_ERROR,
            _ => Code::CANCEL,
        };
        self.reset(stream, code);
    }

    /// Queues GOAWAY. A server refuses later requests; a client sends it only out of
    /// politeness. Open streams continue.
    pub fn go_away(&mut self, code: Code) {
        self.write_goaway(code, b"");
    }

    fn write_goaway(&mut self, code: Code, reason: &[u8]) {
        // Every stream that the client has opened counts as processed.
        let last = match self.role {
            Role::Server => self.next_stream.saturating_sub(2),
            Role::Client => 0,
        };
        let last = self.goaway_sent.map_or(last, |before| before.min(last));
        self.goaway_sent = Some(last);
        let payload = [&(last as u32).to_be_bytes(), &code.0.to_be_bytes(), reason].concat();
        let mut data = Vec::new();
        frame::encode(frame::GOAWAY, 0, 0, &payload, &mut data);
        self.write(data);
    }

    fn read(&mut self, mut input: Bytes) -> Result<(), Fault> {
        let part = input.split_to(input.len().min(self.preface.len()));
        if !self.preface.starts_with(&part) {
            return Err(Fault::protocol(
                "the client's preface is not that of HTTP/2",
            ));
        }
        self.preface = &self.preface[part.len()..];
        // The reader is moved out, because `check` borrows the connection.
        let mut reader = std::mem::replace(&mut self.reader, Reader::new());
        let result = loop {
            match reader.next(&mut input, |header| self.check(header)) {
                Ok(Some(piece)) => {
                    if let Err(fault) = self.piece(piece) {
                        break Err(fault);
                    }
                }
                Ok(None) => break Ok(()),
                Err(fault) => break Err(fault),
            }
        };
        self.reader = reader;
        result
    }

    fn piece(&mut self, piece: Piece) -> Result<(), Fault> {
        match piece {
            Piece::DataStart(header) => self.data_start(&header)?,
            Piece::Data(_, data) => self.data(data)?,
            Piece::DataEnd(header, padding) => self.data_end(&header, padding)?,
            Piece::Frame(header, payload) => match header.ty {
                frame::HEADERS => self.headers(&header, payload)?,
                frame::CONTINUATION => self.continuation(&header, &payload)?,
                _ => self.control_frame(&header, &payload)?,
            },
        }
        if self.replies > self.config.limits.replies {
            let reason = "too many frames that want a reply";
            return Err(Fault::new(Code::ENHANCE_YOUR_CALM, reason));
        }
        Ok(())
    }

    /// Queues a reply to a frame of the peer.
    pub(super) fn reply(&mut self, ty: u8, flags: u8, stream: u64, payload: &[u8]) {
        if self.error.is_some() {
            return;
        }
        let mut data = Vec::with_capacity(frame::HEADER_SIZE + payload.len());
        frame::encode(ty, flags, stream, payload, &mut data);
        self.replies += 1;
        self.writes.push_back(Write {
            data: data.into(),
            is_reply: true,
        });
    }

    pub(super) fn write(&mut self, data: impl Into<Bytes>) {
        self.writes.push_back(Write {
            data: data.into(),
            is_reply: false,
        });
    }
}

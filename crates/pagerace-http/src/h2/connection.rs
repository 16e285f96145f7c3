//! The connection: frames to their handlers, and what all handlers share.

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

/// What a client sends first: RFC 9113, section 3.4.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// One end of an HTTP/2 connection.
///
/// `handle_*` takes what the transport received, `poll_*` gives what is to be
/// done. After a [`ConnectionError`] every further `handle_*` returns it again.
#[derive(Debug)]
pub struct Connection {
    pub(super) role: Role,
    pub(super) config: Config,
    writes: VecDeque<Write>,
    /// How many of the writes are replies.
    replies: usize,
    pub(super) events: VecDeque<Event>,
    reader: Reader,
    /// What of the client's preface is still to come.
    preface: &'static [u8],
    /// The stream of the frame in hand.
    pub(super) current: u64,
    pub(super) settings_received: bool,
    pub(super) settings_acknowledged: bool,
    pub(super) peer_settings: Settings,
    pub(super) decoder: hpack::Decoder,
    /// The field section that is not complete.
    pub(super) block: Option<Block>,
    /// The stream that the DATA frame in hand belongs to; `None` drops it.
    pub(super) sink: Option<u64>,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) closed: Closed,
    /// The first stream that the client has not opened.
    pub(super) next_stream: u64,
    /// Streams of a client with content to send.
    pub(super) uploads: BTreeSet<u64>,
    pub(super) send: SendWindow,
    pub(super) receive: ReceiveWindow,
    pub(super) budget: Budget,
    /// Updates of requests whose heads have not come.
    pub(super) pending_priorities: BTreeMap<u64, Priority>,
    pub(super) goaway_received: Option<(u64, Code)>,
    /// The last stream that our GOAWAY admits.
    pub(super) goaway_sent: Option<u64>,
    error: Option<ConnectionError>,
}

/// Bytes to write, and whether the peer made us.
#[derive(Debug)]
struct Write {
    data: Bytes,
    is_reply: bool,
}

impl Connection {
    /// A fresh connection; its first write is the preface.
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

    /// The next bytes to write. On a server, what its owner writes of responses
    /// may come before or behind them, but not in between the bytes of one call.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        if self.writes.is_empty() {
            self.write_body();
        }
        let write = self.writes.pop_front()?;
        self.replies -= usize::from(write.is_reply);
        Some(write.data)
    }

    /// The next thing that the peer did.
    pub fn poll_event(&mut self) -> Option<Event> {
        let event = self.events.pop_front()?;
        if let Event::Data { stream, data } = &event {
            self.consume(*stream, data.len() as u32);
        }
        Some(event)
    }

    /// The peer's settings; defaults until they come.
    pub const fn peer_settings(&self) -> &Settings {
        &self.peer_settings
    }

    /// The last stream and the code of the peer's last GOAWAY.
    pub const fn goaway_received(&self) -> Option<(u64, Code)> {
        self.goaway_received
    }

    /// Streams that are open or half closed.
    pub fn open_streams(&self) -> usize {
        self.streams.len()
    }

    /// Takes bytes, in order, cut anywhere.
    ///
    /// Content is passed on as slices of `data`, without copying.
    ///
    /// # Errors
    /// [`ConnectionError`]: write what [`poll_write`](Self::poll_write) has
    /// left, then close the connection.
    pub fn handle_data(&mut self, data: Bytes) -> Result<(), ConnectionError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        self.read(data).map_err(|fault| {
            let error = ConnectionError {
                code: fault.code,
                stream: self.current,
                reason: fault.reason,
            };
            self.uploads.clear();
            self.write_goaway(error.code, error.reason.as_bytes());
            self.error = Some(error.clone());
            error
        })
    }

    /// Gives a stream up with `RST_STREAM`. No more can be sent on it, and of
    /// its events only those follow that are already there. Does nothing if the
    /// stream is closed.
    pub fn reset(&mut self, stream: u64, code: Code) {
        if self.close(stream, Closure::ResetByUs) {
            let mut data = Vec::new();
            let code = code.0.to_be_bytes();
            frame::encode(frame::RST_STREAM, 0, stream, &code, &mut data);
            self.write(data);
        }
    }

    /// Lets go of a stream that is of no more interest: nothing if it is
    /// closed, else a reset: with `NO_ERROR` where a server has answered before
    /// the request was complete (section 8.1), with `CANCEL` otherwise.
    pub fn forget(&mut self, stream: u64) {
        let answered = self.streams.get(&stream).is_some_and(|s| s.local_closed);
        let code = match self.role {
            Role::Server if answered => Code::NO_ERROR,
            _ => Code::CANCEL,
        };
        self.reset(stream, code);
    }

    /// Queues GOAWAY: the server takes no more requests, a client says so to be
    /// polite. Open streams go on.
    pub fn go_away(&mut self, code: Code) {
        self.write_goaway(code, b"");
    }

    fn write_goaway(&mut self, code: Code, reason: &[u8]) {
        // As every stream of a server's peer has been processed until now.
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
            return Err(Fault::protocol("the client's preface is not HTTP/2's"));
        }
        self.preface = &self.preface[part.len()..];
        // The reader is out of the connection while headers are checked.
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

    /// Queues a frame that the peer made us write.
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

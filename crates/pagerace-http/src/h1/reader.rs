//! Splits the bytes of a connection into heads, content and trailers.
//!
//! Source: RFC 9112, section 6.3 (message length) and section 7.1 (chunks).

use bytes::{Buf, Bytes, BytesMut};

use super::chunk;
use super::{Config, Error};

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The lines of a head, including the empty line at its end. The caller must call
    /// [`Reader::follows`] before it asks for the next piece.
    Head(Bytes),
    Data(Bytes),
    /// The lines of a trailer section with at least one field, including the empty line
    /// at its end.
    Trailers(Bytes),
    End,
}

/// The framing of the content that follows a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Length(u64),
    Chunked,
    UntilClose,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Head,
    /// Content, of which this many bytes are left.
    Length(u64),
    ChunkSize,
    Chunk(u64),
    /// The line end that follows a chunk.
    ChunkEnd,
    Trailers,
    UntilClose,
}

/// Incremental parser of message framing.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    /// Unread bytes: incomplete lines, and whatever arrived with them.
    lines: BytesMut,
    /// Number of bytes at the start of `lines` that are known to contain no end of a
    /// section.
    scanned: usize,
    /// Unread bytes that follow those in `lines`.
    fresh: Bytes,
    head_bytes_max: usize,
}

impl Reader {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            state: State::Head,
            lines: BytesMut::new(),
            scanned: 0,
            fresh: Bytes::new(),
            head_bytes_max: config.head_bytes_max,
        }
    }

    /// Number of unread bytes.
    pub(super) fn unread(&self) -> usize {
        self.lines.len() + self.fresh.len()
    }

    /// Returns true if the content after the last head has not ended.
    pub(super) fn is_inside(&self) -> bool {
        self.state != State::Head
    }

    pub(super) fn push(&mut self, data: Bytes) {
        if !self.fresh.is_empty() {
            self.gather();
        }
        self.fresh = data;
    }

    /// Sets the framing of the content that follows the last head from
    /// [`next`](Self::next).
    pub(super) fn follows(&mut self, content: Content) {
        self.state = match content {
            Content::Length(n) => State::Length(n),
            Content::Chunked => State::ChunkSize,
            Content::UntilClose => State::UntilClose,
        };
    }

    /// Returns the next piece, or `None` if more bytes are needed.
    pub(super) fn next(&mut self) -> Result<Option<Piece>, Error> {
        loop {
            match self.state {
                State::Head => {
                    self.skip_empty_lines();
                    return Ok(self.section()?.map(Piece::Head));
                }
                State::Length(0) => {
                    self.state = State::Head;
                    return Ok(Some(Piece::End));
                }
                State::Length(left) => {
                    let data = self.take(left);
                    self.state = State::Length(left - data.len() as u64);
                    return Ok(Self::data(data));
                }
                State::UntilClose => {
                    let data = self.take(u64::MAX);
                    return Ok(Self::data(data));
                }
                State::Chunk(0) => self.state = State::ChunkEnd,
                State::Chunk(left) => {
                    let data = self.take(left);
                    self.state = State::Chunk(left - data.len() as u64);
                    return Ok(Self::data(data));
                }
                State::ChunkSize => {
                    self.gather();
                    let Some((line, size)) = chunk::size(&self.lines)? else {
                        return Ok(None);
                    };
                    self.lines.advance(line);
                    self.state = match size {
                        0 => State::Trailers,
                        size => State::Chunk(size),
                    };
                }
                State::ChunkEnd => {
                    self.gather();
                    if !chunk::end(&self.lines)? {
                        return Ok(None);
                    }
                    self.lines.advance(2);
                    self.state = State::ChunkSize;
                }
                State::Trailers => {
                    self.gather();
                    if self.lines.starts_with(b"\r\n") {
                        self.lines.advance(2);
                        self.scanned = 0;
                        self.state = State::Length(0);
                        continue;
                    }
                    let section = self.section()?;
                    if section.is_some() {
                        self.state = State::Length(0);
                    }
                    return Ok(section.map(Piece::Trailers));
                }
            }
        }
    }

    /// Handles the end of the connection. Content without a length is complete then.
    /// Returns false if a message is cut off.
    pub(super) fn handle_end(&mut self) -> bool {
        match self.state {
            State::UntilClose => {
                self.state = State::Length(0);
                true
            }
            State::Head => self.unread() == 0,
            _ => false,
        }
    }

    fn data(data: Bytes) -> Option<Piece> {
        (!data.is_empty()).then_some(Piece::Data(data))
    }

    /// Takes at most `max` unread bytes, without copying.
    fn take(&mut self, max: u64) -> Bytes {
        let most = |len: usize| usize::try_from(max).map_or(len, |max| max.min(len));
        if self.lines.is_empty() {
            self.fresh.split_to(most(self.fresh.len()))
        } else {
            self.lines.split_to(most(self.lines.len())).freeze()
        }
    }

    /// Moves all unread bytes to `lines`.
    fn gather(&mut self) {
        if !self.fresh.is_empty() {
            self.lines.extend_from_slice(&self.fresh);
            self.fresh = Bytes::new();
        }
    }

    /// Skips empty lines before a head, which RFC 9112, section 2.2 tells a server to
    /// ignore.
    fn skip_empty_lines(&mut self) {
        self.gather();
        while self.lines.starts_with(b"\r\n") {
            self.lines.advance(2);
            self.scanned = 0;
        }
    }

    /// Takes the lines up to and including an empty line. Returns `None` if the empty
    /// line has not arrived.
    fn section(&mut self) -> Result<Option<Bytes>, Error> {
        self.gather();
        let from = self.scanned.saturating_sub(END.len() - 1);
        let end = self.lines[from..].windows(END.len()).position(|w| w == END);
        let length = end.map_or(self.lines.len(), |at| from + at + END.len());
        if length > self.head_bytes_max {
            let reason = format!("a head of more than {} bytes", self.head_bytes_max);
            return Err(Error::with(431, reason));
        }
        if end.is_none() {
            // Fail now rather than when the limit is reached.
            if self.lines.first().is_some_and(|b| *b < b' ' && *b != b'\r') {
                return Err(Error::bad("a head begins with a control character"));
            }
            self.scanned = self.lines.len();
            return Ok(None);
        }
        self.scanned = 0;
        Ok(Some(self.lines.split_to(length).freeze()))
    }
}

/// The end of a section: the end of its last line, and the empty line.
const END: &[u8] = b"\r\n\r\n";

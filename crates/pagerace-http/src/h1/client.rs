//! Client connection: one request at a time.

use std::collections::VecDeque;

use bytes::Bytes;

use super::reader::{Content, Piece, Reader};
use super::{Config, Error, Event, head, write};
use crate::{Field, fields};

/// Reason why a request was not sent. The connection is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefused {
    /// The response to another request is outstanding.
    #[error("a request is under way on this connection; there is no pipelining")]
    Busy,
    /// The connection accepts no more requests.
    #[error("the connection is closing: open another")]
    Closed,
    /// Method, authority or path is missing, or has characters that would break the
    /// framing.
    #[error("{0} is missing or has characters that it may not have")]
    Malformed(
        /// Name of the pseudo-header field.
        &'static str,
    ),
}

/// The client's end of an HTTP/1.1 connection.
#[derive(Debug)]
pub struct Client {
    reader: Reader,
    config: Config,
    /// Number of requests sent so far.
    requests: u64,
    /// True if the response to the last request is outstanding.
    waiting: bool,
    to_head: bool,
    /// True if the connection ends with the current response.
    close: bool,
    closed: bool,
    writes: VecDeque<Bytes>,
    events: VecDeque<Event>,
}

impl Client {
    /// Creates a new connection.
    pub fn new(config: Config) -> Self {
        Self {
            reader: Reader::new(&config),
            config,
            requests: 0,
            waiting: false,
            to_head: false,
            close: false,
            closed: false,
            writes: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Returns true if a request may be sent now.
    pub const fn can_request(&self) -> bool {
        !self.waiting && !self.close && !self.closed
    }

    /// Returns true if no response is outstanding and the connection accepts no more
    /// requests.
    pub const fn is_closed(&self) -> bool {
        self.closed || (self.close && !self.waiting)
    }

    /// Queues a request and returns its number. `fields` must begin with the
    /// pseudo-header fields.
    ///
    /// # Errors
    /// [`RequestRefused`] if the request cannot be sent. Nothing is queued.
    pub fn send_request(
        &mut self,
        fields: &[Field],
        body: Option<Bytes>,
    ) -> Result<u64, RequestRefused> {
        if self.close || self.closed {
            return Err(RequestRefused::Closed);
        }
        if self.waiting {
            return Err(RequestRefused::Busy);
        }
        let connect = fields::get(fields, ":method").is_some_and(|m| m == &b"CONNECT"[..]);
        for name in [":method", ":authority", ":path"] {
            let value = fields::get(fields, name).map_or(&b""[..], |v| &v[..]);
            let good = !value.is_empty() && value.iter().all(u8::is_ascii_graphic);
            if !(good || connect && name == ":path") {
                return Err(RequestRefused::Malformed(name));
            }
        }
        self.requests += 1;
        self.waiting = true;
        self.to_head = fields::get(fields, ":method").is_some_and(|m| m == &b"HEAD"[..]);
        let length = body.as_ref().map(|body| body.len() as u64);
        self.writes.push_back(write::request(fields, length));
        self.writes.extend(body.filter(|body| !body.is_empty()));
        Ok(self.requests)
    }

    /// Handles received bytes, in order.
    ///
    /// # Errors
    /// If the server broke the protocol. The connection is closed, and an outstanding
    /// response will not arrive.
    pub fn handle_data(&mut self, data: Bytes) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        self.reader.push(data);
        self.read().inspect_err(|_| self.closed = true)
    }

    /// Handles the end of the server's bytes.
    ///
    /// # Errors
    /// If a response is incomplete.
    pub fn handle_end(&mut self) -> Result<(), Error> {
        if self.closed {
            return Ok(());
        }
        let whole = self.reader.handle_end();
        let result = self.read();
        self.closed = true;
        result?;
        if !whole || self.waiting {
            return Err(Error::bad("the connection ended before the response did"));
        }
        Ok(())
    }

    /// Returns the next bytes to send.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        self.writes.pop_front()
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    fn read(&mut self) -> Result<(), Error> {
        let stream = self.requests;
        loop {
            if !self.waiting {
                // Bytes that belong to no request end the connection: RFC 9112, section
                // 9.2.
                if self.reader.unread() > 0 {
                    self.closed = true;
                }
                return Ok(());
            }
            let Some(piece) = self.reader.next()? else {
                return Ok(());
            };
            match piece {
                Piece::Head(lines) => self.head(&lines)?,
                Piece::Data(data) => self.events.push_back(Event::Data { stream, data }),
                Piece::Trailers(lines) => {
                    let fields = head::trailers(&lines, &self.config)?;
                    self.events.push_back(Event::Trailers { stream, fields });
                }
                Piece::End => {
                    self.waiting = false;
                    self.events.push_back(Event::Finished { stream });
                }
            }
        }
    }

    fn head(&mut self, lines: &Bytes) -> Result<(), Error> {
        let stream = self.requests;
        let head = head::response(lines, self.to_head, &self.config)?;
        let fields = head.fields;
        if head.status < 200 {
            // An interim response is followed by another head.
            self.events.push_back(Event::Interim { stream, fields });
            return Ok(());
        }
        self.close = head.close;
        self.reader.follows(head.content);
        if head.content == Content::UntilClose {
            self.close = true;
        }
        self.events.push_back(Event::Headers { stream, fields });
        Ok(())
    }
}

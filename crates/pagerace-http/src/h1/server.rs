//! Server connection: requests are answered one at a time, in order.

use std::collections::VecDeque;

use bytes::Bytes;

use super::reader::{Piece, Reader};
use super::{Config, Error, Event, has_content, head, write};
use crate::{Field, fields};

/// A request that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// True if the connection ends with the response.
    close: bool,
    is_head: bool,
    /// True if the head of the response was handed out.
    begun: bool,
}

/// The server's end of an HTTP/1.1 connection.
#[derive(Debug)]
pub struct Server {
    reader: Reader,
    config: Config,
    /// Number of requests whose heads were received.
    requests: u64,
    /// Unanswered requests, oldest first. The last one may be incomplete.
    asked: VecDeque<Asked>,
    /// True if no more bytes are read.
    deaf: bool,
    /// True if the last response was written.
    done: bool,
    writes: VecDeque<Bytes>,
    events: VecDeque<Event>,
}

impl Server {
    /// Creates a new connection.
    pub fn new(config: Config) -> Self {
        Self {
            reader: Reader::new(&config),
            config,
            requests: 0,
            asked: VecDeque::new(),
            deaf: false,
            done: false,
            writes: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// Handles received bytes, in order. An error in them is reported as
    /// [`Event::StreamError`], and nothing is read after it.
    pub fn handle_data(&mut self, data: Bytes) {
        if self.deaf {
            return;
        }
        self.reader.push(data);
        self.read();
        if self.reader.unread() > self.config.unread_bytes_max && !self.deaf {
            self.refuse(Error::with(503, "too many requests wait for their answers"));
        }
    }

    /// Returns true if the owner should read more from the transport. The owner may read
    /// on regardless, but unread bytes are limited by [`Config::unread_bytes_max`].
    pub fn wants_data(&self) -> bool {
        !self.deaf && self.asked.len() < self.config.pipelined_max
    }

    /// Handles the end of the client's bytes. Complete requests are still answered.
    pub fn handle_end(&mut self) {
        if !self.deaf && self.reader.is_inside() {
            // An incomplete request will not be completed, so it gets no response, unless
            // one has already begun.
            if self.asked.pop_back_if(|asked| !asked.begun).is_some() {
                self.requests -= 1;
            }
        }
        self.deaf = true;
        self.done |= self.asked.is_empty();
    }

    /// Returns the next bytes to send that are not part of a response: 100 (Continue).
    /// Call this only between responses.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        self.writes.pop_front()
    }

    /// Returns the oldest event that was not returned yet; `None` until more happens.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns the number of the request to answer next, if its head was received.
    pub fn next_to_answer(&self) -> Option<u64> {
        let waiting = self.asked.len() as u64;
        (waiting > 0).then(|| self.requests - waiting + 1)
    }

    /// Returns the head of the response to the request
    /// [`next_to_answer`](Self::next_to_answer), with `body_len` bytes of content. The
    /// head includes `content-length` unless the status allows no content. The owner
    /// writes the head, then the content unless the request was HEAD, and then calls
    /// [`handle_answered`](Self::handle_answered).
    ///
    /// # Panics
    /// If there is no request to answer, or if `body_len` is not zero although the status
    /// allows no content and the request was not HEAD.
    pub fn response_head(&mut self, fields: &[Field], body_len: u64) -> Bytes {
        let asked = self
            .asked
            .front_mut()
            .expect("there is a request to answer");
        asked.begun = true;
        let asked = *asked;
        let status = fields::get(fields, ":status").and_then(|v| std::str::from_utf8(v).ok());
        let status = status
            .and_then(|s| s.parse().ok())
            .filter(|s| (200..1000).contains(s))
            .unwrap_or(500);
        let length = if has_content(status) {
            Some(body_len)
        } else {
            assert!(
                body_len == 0 || asked.is_head,
                "status {status} has no content"
            );
            None
        };
        let last = asked.close || (self.deaf && self.asked.len() == 1);
        write::response(status, fields, length, last)
    }

    /// Returns a 103 response to a request; `None` if earlier requests are unanswered, or the
    /// response has begun. The owner writes it before the response's head.
    pub fn early_hints(&self, stream: u64, fields: &[Field]) -> Option<Bytes> {
        let begun = self.asked.front().is_none_or(|asked| asked.begun);
        let is_next = !begun && self.next_to_answer() == Some(stream);
        is_next.then(|| write::response(103, fields, None, false))
    }

    /// Notes that the response to the oldest request was written.
    pub fn handle_answered(&mut self) {
        if let Some(asked) = self.asked.pop_front() {
            self.done |= asked.close || (self.deaf && self.asked.is_empty());
        }
        if self.done {
            self.deaf = true;
            self.asked.clear();
        } else {
            self.read();
        }
    }

    /// Returns true if the connection is to be closed after all bytes are written.
    pub const fn wants_close(&self) -> bool {
        self.done
    }

    /// Reads on, up to the limit on unanswered requests.
    fn read(&mut self) {
        while !self.deaf {
            // The limit stops only new requests, not the rest of a request whose head was
            // read.
            let full = self.asked.len() >= self.config.pipelined_max;
            if full && !self.reader.is_inside() {
                return;
            }
            match self.reader.next() {
                Ok(Some(piece)) => {
                    if let Err(error) = self.take(piece) {
                        self.refuse(error);
                    }
                }
                Ok(None) => return,
                Err(error) => self.refuse(error),
            }
        }
    }

    fn take(&mut self, piece: Piece) -> Result<(), Error> {
        let stream = self.requests;
        match piece {
            Piece::Head(lines) => {
                let head = head::request(&lines, &self.config)?;
                self.reader.follows(head.content);
                self.requests += 1;
                self.asked.push_back(Asked {
                    close: head.close,
                    is_head: head.is_head,
                    begun: false,
                });
                // Skip 100 (Continue) if earlier requests are unanswered, because it
                // would precede their responses.
                if head.expects_continue && self.asked.len() == 1 {
                    let go_on = write::response(100, &[], None, false);
                    self.writes.push_back(go_on);
                }
                self.events.push_back(Event::Headers {
                    stream: stream + 1,
                    fields: head.fields,
                });
            }
            Piece::Data(data) => self.events.push_back(Event::Data { stream, data }),
            Piece::Trailers(lines) => {
                let fields = head::trailers(&lines, &self.config)?;
                self.events.push_back(Event::Trailers { stream, fields });
            }
            Piece::End => {
                self.events.push_back(Event::Finished { stream });
                // Requests after one that ends the connection are not read.
                self.deaf = self.asked.back().is_some_and(|asked| asked.close);
            }
        }
        Ok(())
    }

    /// Reports a malformed request: the request whose content is being read, or else the
    /// next one. If its response has already begun, the connection ends with that response.
    fn refuse(&mut self, error: Error) {
        self.deaf = true;
        if !self.reader.is_inside() {
            self.requests += 1;
            self.asked.push_back(Asked {
                close: true,
                is_head: false,
                begun: false,
            });
        }
        let stream = self.requests;
        match self.asked.back_mut() {
            None => self.done = true,
            Some(asked) => {
                asked.close = true;
                if !asked.begun {
                    self.events.push_back(Event::StreamError { stream, error });
                }
            }
        }
    }
}

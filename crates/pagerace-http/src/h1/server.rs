//! The server's side: requests in, one answer after the other out.

use std::collections::VecDeque;

use bytes::Bytes;

use super::reader::{Piece, Reader};
use super::{Config, Error, Event, has_content, head, write};
use crate::{Field, fields};

/// What is known of a request that is not answered yet.
#[derive(Clone, Copy, Debug)]
struct Asked {
    /// The connection ends with the answer.
    close: bool,
    is_head: bool,
}

/// A server's connection.
#[derive(Debug)]
pub struct Server {
    reader: Reader,
    config: Config,
    /// Requests whose heads have come.
    requests: u64,
    /// Those not answered, oldest first; the last may not be complete.
    asked: VecDeque<Asked>,
    /// Nothing more is read.
    deaf: bool,
    /// The last answer was written.
    done: bool,
    writes: VecDeque<Bytes>,
    events: VecDeque<Event>,
}

impl Server {
    /// A fresh connection.
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

    /// Bytes arrived, in order. What is wrong with them comes as
    /// [`Event::StreamError`]; from there on nothing is read.
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

    /// Whether the owner should read on from below. It need not heed this at once,
    /// but what waits unread is bounded by [`Config::unread_bytes_max`].
    pub fn wants_data(&self) -> bool {
        !self.deaf && self.asked.len() < self.config.pipelined_max
    }

    /// The client closed its side: what it asked before is still answered.
    pub fn handle_end(&mut self) {
        if !self.deaf && self.reader.is_inside() {
            // Half a request will never be whole.
            self.asked.pop_back();
            self.requests -= 1;
        }
        self.deaf = true;
        self.done |= self.asked.is_empty();
    }

    /// Bytes to send outside of the answers: 100 (Continue). Only between
    /// answers.
    pub fn poll_write(&mut self) -> Option<Bytes> {
        self.writes.pop_front()
    }

    /// The next thing that happened.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// The request to be answered next, if its head has come.
    pub fn next_to_answer(&self) -> Option<u64> {
        let waiting = self.asked.len() as u64;
        (waiting > 0).then(|| self.requests - waiting + 1)
    }

    /// The head of the answer to the request that is
    /// [`next_to_answer`](Self::next_to_answer), with `body_len` bytes of content
    /// behind it; `content-length` is added unless the status has no content.
    /// The owner writes it, then the content unless the request was HEAD, and
    /// then calls [`answered`](Self::answered).
    ///
    /// # Panics
    /// If there is no request to answer, or a status without content has some.
    pub fn response_head(&mut self, fields: &[Field], body_len: u64) -> Bytes {
        let asked = *self.asked.front().expect("there is a request to answer");
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

    /// The answer to the oldest request was written.
    pub fn answered(&mut self) {
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

    /// Whether the connection is to be closed, once all is written.
    pub const fn wants_close(&self) -> bool {
        self.done
    }

    /// Reads on, as far as the limit on unanswered requests lets it.
    fn read(&mut self) {
        while !self.deaf {
            // Only the beginning of a further request waits.
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
                });
                // In the midst of other answers it would come too early.
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
                // Nobody may ask behind a request that ends the connection.
                self.deaf = self.asked.back().is_some_and(|asked| asked.close);
            }
        }
        Ok(())
    }

    /// What is read now cannot be understood: the request whose content it was
    /// to be, or else the next one.
    fn refuse(&mut self, error: Error) {
        self.deaf = true;
        if !self.reader.is_inside() {
            self.requests += 1;
            self.asked.push_back(Asked {
                close: true,
                is_head: false,
            });
        }
        if let Some(asked) = self.asked.back_mut() {
            asked.close = true;
        }
        let stream = self.requests;
        self.events.push_back(Event::StreamError { stream, error });
    }
}

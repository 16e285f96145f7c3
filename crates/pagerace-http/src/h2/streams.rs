//! Opening, ending and failing of streams.
//!
//! Source: RFC 9113, sections 5.1 and 5.4.2.

use bytes::Bytes;

use super::closed::Closure;
use super::code::{Code, Fault};
use super::flow::{self, ReceiveWindow, SendWindow};
use super::stream::Stream;
use super::{Connection, Event, Role, frame};
use crate::message::Progress;

impl Connection {
    /// Returns true if the stream is idle. Only the client opens streams.
    pub(super) fn is_idle(&self, stream: u64) -> bool {
        stream.is_multiple_of(2) || stream >= self.next_stream
    }

    /// Handles the end of the peer's side.
    pub(super) fn end_remote(&mut self, stream: u64) -> Result<(), Fault> {
        let Some(known) = self.streams.get_mut(&stream) else {
            return Ok(());
        };
        known.remote_closed = true;
        if let Err(reason) = known.inbound.finish() {
            return self.fail_stream(stream, Code::PROTOCOL_ERROR, reason);
        }
        let over = known.local_closed;
        self.events.push_back(Event::Finished { stream });
        if over {
            self.close(stream, Closure::Ended);
        }
        Ok(())
    }

    /// Ends the local side.
    pub(super) fn end_local(&mut self, stream: u64) {
        let Some(known) = self.streams.get_mut(&stream) else {
            return;
        };
        known.local_closed = true;
        if known.remote_closed {
            self.close(stream, Closure::Ended);
        }
        self.budget.handle_answered();
    }

    /// Opens a stream of the client.
    pub(super) fn open(&mut self, stream: u64, head_only: bool) {
        let announced = i64::from(self.config.stream_window);
        let window = if self.settings_acknowledged {
            announced
        } else {
            flow::INITIAL
        };
        let send = i64::from(self.peer_settings.initial_window_size);
        self.streams.insert(
            stream,
            Stream {
                inbound: Progress::new(self.role, head_only),
                remote_closed: false,
                local_closed: false,
                receive: ReceiveWindow::new(announced, window),
                send: SendWindow::new(send),
                body: Bytes::new(),
            },
        );
    }

    /// Closes a stream. Returns true if it was open.
    pub(super) fn close(&mut self, stream: u64, closure: Closure) -> bool {
        self.uploads.remove(&stream);
        if self.streams.remove(&stream).is_none() {
            return false;
        }
        self.closed.insert(stream, closure);
        true
    }

    /// Raises a stream error: section 5.4.2. On an idle stream, which cannot be reset, it
    /// is a connection error.
    pub(super) fn fail_stream(
        &mut self,
        stream: u64,
        code: Code,
        reason: String,
    ) -> Result<(), Fault> {
        if self.is_idle(stream) {
            return Err(Fault::new(code, reason));
        }
        let news = self.close(stream, Closure::ResetByUs) || self.closed.get(stream).is_none();
        if news {
            self.closed.insert(stream, Closure::ResetByUs);
            self.events.push_back(Event::StreamError {
                stream,
                code,
                reason,
            });
        }
        self.reply(frame::RST_STREAM, 0, stream, &code.0.to_be_bytes());
        self.charge_reset()
    }

    /// On a server, counts a request that ends in a reset.
    pub(super) fn charge_reset(&mut self) -> Result<(), Fault> {
        match self.role {
            Role::Server => self.budget.reset(&self.config.limits),
            Role::Client => Ok(()),
        }
    }
}

//! Server-only operations.

use bytes::Bytes;
use pagerace_core::Priority;

use super::client::headers_frame;
use super::inbound::Inbound;
use super::{Connection, Event, Role, frame};
use crate::Field;

impl Connection {
    /// Returns the bytes that precede `body_len` bytes of content on a response stream:
    /// the head, and the header of a single DATA frame for the content.
    ///
    /// The bytes are not queued. The scheduler of responses writes them and the content
    /// itself, packet by packet. Without content, the stream ends after them. The caller
    /// keeps the section below the client's
    /// [`max_field_section_size`](super::Settings::max_field_section_size).
    ///
    /// # Panics
    /// On a client, or if `body_len` exceeds 2^62 - 1.
    pub fn response_head(&mut self, stream: u64, fields: &[Field], body_len: u64) -> Bytes {
        assert!(self.role == Role::Server, "a client sends no responses");
        assert!(
            stream.is_multiple_of(4),
            "stream {stream} is not a request stream"
        );
        let mut data = Vec::new();
        headers_frame(fields, &mut self.sent_lines, &mut data);
        if body_len > 0 {
            frame::encode_header(frame::DATA, body_len, &mut data);
        }
        data.into()
    }

    /// Handles `PRIORITY_UPDATE`. The update takes effect at once if the head of the
    /// request was reported, otherwise when the head arrives.
    pub(super) fn priority_update(&mut self, stream: u64, priority: Option<Priority>) {
        let Some(priority) = priority else {
            return;
        };
        if self.requests.get(&stream).is_some_and(Inbound::has_head) {
            self.events
                .push_back(Event::PriorityUpdate { stream, priority });
            return;
        }
        if self.requests.get(&stream).is_some_and(Inbound::is_closed) {
            return;
        }
        self.pending_priorities.insert(stream, priority);
        // Streams that were forgotten long ago have the lowest ids.
        while self.pending_priorities.len() > self.config.pending_priorities_max {
            self.pending_priorities.pop_first();
        }
    }

    /// Replaces the priority in a head that was just reported with a pending update.
    pub(super) fn apply_pending_priority(&mut self, stream: u64, events_before: usize) {
        if self.pending_priorities.is_empty() {
            return;
        }
        for event in self.events.iter_mut().skip(events_before) {
            if let Event::Headers {
                stream: s,
                priority,
                ..
            } = event
                && *s == stream
                && let Some(update) = self.pending_priorities.remove(&stream)
            {
                *priority = update;
            }
        }
    }
}

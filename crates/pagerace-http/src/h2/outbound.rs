//! Frames of outgoing messages. The owner of a server schedules those of responses.
//!
//! Source: RFC 9113, sections 4.3, 6.1, 6.2 and 6.10.

use bytes::Bytes;
use pagerace_core::Dependency;

use super::block::encode_dependency;
use super::{Connection, Role, frame};
use crate::{Field, fields, hpack};

impl Connection {
    /// Returns the frames of a field section of a response: an interim response, the
    /// head, or the trailers. If `end` is true, the stream ends with it.
    ///
    /// The frames are not queued. The owner writes them as one block at a time of its
    /// choice: the sections of different streams in any order, all output of one stream
    /// in the order of the calls. The result is empty if the stream is closed, as after
    /// [`Event::Reset`](super::Event::Reset). The caller keeps the section below the
    /// client's [`max_header_list_size`](super::Settings::max_header_list_size).
    ///
    /// # Panics
    /// On a client.
    pub fn response_head(&mut self, stream: u64, fields: &[Field], end: bool) -> Bytes {
        assert!(self.role == Role::Server, "a client sends no responses");
        if !self.can_send(stream) {
            return Bytes::new();
        }
        let head = self.headers_frames(stream, fields, None, end);
        self.budget.progress();
        if end {
            self.end_local(stream);
        }
        head
    }

    /// Returns how many bytes the next DATA frame of a stream may have. The windows of
    /// stream and connection and the peer's maximum frame size limit it. Returns 0 if the
    /// stream is closed.
    pub fn send_window(&self, stream: u64) -> usize {
        let Some(known) = self.streams.get(&stream).filter(|s| !s.local_closed) else {
            return 0;
        };
        let windows = known.send.available().min(self.send.available());
        windows.min(self.peer_settings.max_frame_size as usize)
    }

    /// Returns true if the connection's window is closed.
    pub fn is_blocked(&self) -> bool {
        self.send.available() == 0
    }

    /// Returns the header of a DATA frame of `length` bytes and deducts them from the
    /// windows. The caller writes the bytes after the header. If `end` is true, the
    /// stream ends with the frame. The result is empty if the stream is closed; nothing
    /// is to be written then.
    ///
    /// # Panics
    /// If `length` exceeds [`send_window`](Self::send_window).
    pub fn data_frame(&mut self, stream: u64, length: usize, end: bool) -> Bytes {
        let window = self.send_window(stream);
        assert!(
            length <= window,
            "{length} bytes of stream {stream}, flow control lets in {window}"
        );
        let Some(known) = self.streams.get_mut(&stream).filter(|s| !s.local_closed) else {
            return Bytes::new();
        };
        known.send.take(length);
        self.send.take(length);
        self.budget.progress();
        if end {
            self.end_local(stream);
        }
        let flags = if end { frame::END_STREAM } else { 0 };
        Bytes::copy_from_slice(&frame::header(frame::DATA, flags, stream, length))
    }

    /// Returns true if more can be sent on a stream.
    pub fn can_send(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|s| !s.local_closed)
    }

    /// Returns a HEADERS frame, and CONTINUATION frames if the section exceeds the peer's
    /// maximum frame size.
    pub(super) fn headers_frames(
        &mut self,
        stream: u64,
        fields: &[Field],
        dependency: Option<Dependency>,
        end: bool,
    ) -> Bytes {
        let mut payload = Vec::with_capacity(fields::section_size(fields) as usize);
        let mut flags = if end { frame::END_STREAM } else { 0 };
        if let Some(dependency) = dependency {
            flags |= frame::HAS_PRIORITY;
            payload.extend_from_slice(&encode_dependency(dependency));
        }
        if self.peer_settings.header_table_size < hpack::DEFAULT_CAPACITY {
            payload.push(hpack::EMPTY_TABLE);
        }
        hpack::encode(fields, &mut self.sent_lines, &mut payload);
        let size_max = self.peer_settings.max_frame_size as usize;
        let mut data = Vec::with_capacity(frame::HEADER_SIZE + payload.len());
        let mut ty = frame::HEADERS;
        let mut rest = &payload[..];
        loop {
            let (part, after) = rest.split_at(rest.len().min(size_max));
            if after.is_empty() {
                flags |= frame::END_HEADERS;
            }
            frame::encode(ty, flags, stream, part, &mut data);
            if after.is_empty() {
                return data.into();
            }
            (ty, flags, rest) = (frame::CONTINUATION, 0, after);
        }
    }
}

//! The frames of messages that we send. Those of responses are scheduled by the
//! owner of the server.
//!
//! Source: RFC 9113, sections 4.3, 6.1, 6.2 and 6.10.

use bytes::Bytes;
use pagerace_core::Dependency;

use super::block::encode_dependency;
use super::{Connection, Role, frame};
use crate::{Field, fields, hpack};

impl Connection {
    /// The frames of a field section of a response: an interim one, the head,
    /// or the trailers. With `end` the stream ends.
    ///
    /// They are not queued: the owner writes them, whole, when it likes; the
    /// sections of different streams in any order, what belongs to one stream in
    /// the order of the calls. Empty if the stream is closed, as after
    /// [`Event::Reset`](super::Event::Reset). The caller keeps the section below
    /// the client's [`max_header_list_size`](super::Settings::max_header_list_size).
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

    /// Bytes of DATA that the next frame of a stream may have: what the windows
    /// of stream and connection have left, and no more than a frame of the peer
    /// may have. 0 if the stream is closed.
    pub fn send_window(&self, stream: u64) -> usize {
        let Some(known) = self.streams.get(&stream).filter(|s| !s.local_closed) else {
            return 0;
        };
        let windows = known.send.available().min(self.send.available());
        windows.min(self.peer_settings.max_frame_size as usize)
    }

    /// The header of a DATA frame of `length` bytes, which the caller writes
    /// behind it; they are taken off the windows. With `end` the stream ends.
    /// Empty if there is nothing to write as the stream is closed.
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

    /// Whether anything can still be sent on a stream.
    pub fn can_send(&self, stream: u64) -> bool {
        self.streams.get(&stream).is_some_and(|s| !s.local_closed)
    }

    /// HEADERS, and CONTINUATION where the peer's frames are too small.
    pub(super) fn headers_frames(
        &self,
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
        hpack::encode(fields, &mut payload);
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

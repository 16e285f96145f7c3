//! Client-only operations.

use bytes::Bytes;
use pagerace_core::{Dependency, Priority};

use super::block::encode_dependency;
use super::{Connection, Role, frame};
use crate::{Field, fields};

/// The highest stream id of a client: RFC 9113, section 5.1.1.
const STREAM_MAX: u64 = (1 << 31) - 1;

/// Reason why a request was not sent. The connection is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefused {
    /// The server accepts no more requests. Open another connection (RFC 9113, section
    /// 6.8).
    #[error("the server is going away and takes no stream above {0}")]
    GoingAway(u64),
    /// The limit on concurrent requests is reached. Wait until a request ends (RFC 9113,
    /// section 5.1.2).
    #[error("{0} requests are open, as many as allowed: wait for one to end")]
    TooMany(u32),
    /// The field section exceeds the server's limit (RFC 9113, section 6.5.2).
    #[error(
        "the field section has {size} bytes, the server takes at most {max}: send fewer fields"
    )]
    TooLarge {
        /// Size of the field section in bytes, as [`fields::section_size`] counts.
        size: u64,
        /// The server's limit in bytes.
        max: u64,
    },
    /// No stream ids are left. Open another connection (RFC 9113, section 5.1.1).
    #[error("the connection has no stream ids left: open another")]
    Exhausted,
}

impl Connection {
    /// Returns true if the server accepts another request now.
    pub fn can_request(&self) -> bool {
        self.admits().is_ok()
    }

    fn admits(&self) -> Result<(), RequestRefused> {
        if let Some((last, _)) = self.goaway_received {
            return Err(RequestRefused::GoingAway(last));
        }
        if self.next_stream > STREAM_MAX {
            return Err(RequestRefused::Exhausted);
        }
        let allowed = if self.settings_received {
            self.peer_settings.max_concurrent_streams
        } else {
            Some(self.config.assumed_concurrent_streams)
        };
        let ours = self.config.concurrent_requests_max;
        let max = allowed.map_or(ours, |allowed| allowed.min(ours));
        if self.streams.len() as u64 >= u64::from(max) {
            return Err(RequestRefused::TooMany(max));
        }
        Ok(())
    }

    /// Queues a complete request on the next stream and returns the stream id. The
    /// content is sent as flow control allows.
    ///
    /// `fields` must begin with the pseudo-header fields. A `priority` other than the
    /// default is appended as a `priority` field. The `dependency` goes into the HEADERS
    /// frame, unless the server ignores RFC 7540 priorities.
    ///
    /// # Errors
    /// [`RequestRefused`] if the request cannot be sent. Nothing is queued.
    ///
    /// # Panics
    /// On a server, or if the weight of `dependency` is not in 1 to 256.
    pub fn send_request(
        &mut self,
        fields: &[Field],
        priority: Option<Priority>,
        dependency: Option<Dependency>,
        body: Option<Bytes>,
    ) -> Result<u64, RequestRefused> {
        assert!(self.role == Role::Client, "a server sends no requests");
        self.admits()?;
        let signal = priority
            .map(|p| p.to_string())
            .filter(|value| !value.is_empty());
        let mut section = fields.to_vec();
        section.extend(signal.map(|value| Field::new("priority", value)));
        let size = fields::section_size(&section);
        if let Some(max) = self.peer_settings.max_header_list_size.map(u64::from)
            && size > max
        {
            return Err(RequestRefused::TooLarge { size, max });
        }
        let stream = self.next_stream;
        self.next_stream += 2;
        let head_only = fields::get(fields, ":method").is_some_and(|m| m == &b"HEAD"[..]);
        self.open(stream, head_only);

        let body = body.filter(|body| !body.is_empty());
        let dependency = dependency.filter(|_| self.tree_counts());
        let head = self.headers_frames(stream, &section, dependency, body.is_none());
        self.write(head);
        match body {
            Some(body) => {
                let known = self.streams.get_mut(&stream).expect("opened above");
                known.body = body;
                self.uploads.insert(stream);
            }
            None => self.end_local(stream),
        }
        Ok(stream)
    }

    /// Queues a PRIORITY frame (RFC 7540, section 6.3), unless the server ignores RFC
    /// 7540 priorities.
    ///
    /// # Panics
    /// On a server, if `stream` is not a request stream or is its own parent, or if the
    /// weight is not in 1 to 256.
    pub fn send_dependency(&mut self, stream: u64, dependency: Dependency) {
        self.assert_request_stream(stream);
        assert!(
            dependency.parent != stream,
            "stream {stream} depends on itself"
        );
        if !self.tree_counts() {
            return;
        }
        let mut data = Vec::new();
        let payload = encode_dependency(dependency);
        frame::encode(frame::PRIORITY, 0, stream, &payload, &mut data);
        self.write(data);
    }

    /// Queues a `PRIORITY_UPDATE` for a request (RFC 9218, section 7.1).
    ///
    /// # Panics
    /// On a server, or if `stream` is not a request stream.
    pub fn send_priority_update(&mut self, stream: u64, priority: Priority) {
        self.assert_request_stream(stream);
        let value = priority.to_string();
        let payload = [&(stream as u32).to_be_bytes(), value.as_bytes()].concat();
        let mut data = Vec::new();
        frame::encode(frame::PRIORITY_UPDATE, 0, 0, &payload, &mut data);
        self.write(data);
    }

    fn assert_request_stream(&self, stream: u64) {
        assert!(self.role == Role::Client, "only clients signal priorities");
        assert!(
            stream % 2 == 1 && stream <= STREAM_MAX,
            "stream {stream} is not a request stream"
        );
    }

    /// Queues one DATA frame for the first request whose content flow control allows to
    /// be sent.
    pub(super) fn write_body(&mut self) {
        let Some((stream, length)) = self
            .uploads
            .iter()
            .map(|stream| (*stream, self.send_window(*stream)))
            .find(|(_, length)| *length > 0)
        else {
            return;
        };
        let known = self.streams.get_mut(&stream).expect("uploads are open");
        let part = known.body.split_to(known.body.len().min(length));
        let end = known.body.is_empty();
        if end {
            self.uploads.remove(&stream);
        }
        let header = self.data_frame(stream, part.len(), end);
        self.write(header);
        self.write(part);
    }
}

//! Client-only operations.

use bytes::Bytes;
use pagerace_core::Priority;

use super::inbound::Inbound;
use super::{Connection, Role, Write, frame};
use crate::qpack::{self, Memory};
use crate::{Field, fields, varint};

/// Reason why a request was not sent. The connection is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestRefused {
    /// The server accepts no request from this stream on. Open another connection (RFC
    /// 9114, section 5.2).
    #[error("the server is going away and takes no request from stream {0} on")]
    GoingAway(u64),
    /// The field section exceeds the server's limit (RFC 9114, section 4.2.2).
    #[error(
        "the field section has {size} bytes, the server takes at most {max}: send fewer fields"
    )]
    TooLarge {
        /// Size of the field section in bytes, as [`fields::section_size`] counts.
        size: u64,
        /// The server's limit in bytes.
        max: u64,
    },
}

impl Connection {
    /// Queues a complete request on a new client-initiated bidirectional stream.
    ///
    /// `fields` must begin with the pseudo-header fields. A `priority` other than the
    /// default is appended as a `priority` field.
    ///
    /// # Errors
    /// [`RequestRefused`] if the request cannot be sent. Nothing is queued.
    ///
    /// # Panics
    /// On a server, or if `stream` is not a request stream or is in use.
    pub fn send_request(
        &mut self,
        stream: u64,
        fields: &[Field],
        priority: Option<Priority>,
        body: Option<Bytes>,
    ) -> Result<(), RequestRefused> {
        assert!(self.role == Role::Client, "a server sends no requests");
        assert!(
            stream.is_multiple_of(4),
            "stream {stream} is not a request stream"
        );
        assert!(
            !self.requests.contains_key(&stream),
            "stream {stream} is in use"
        );
        if let Some(end) = self.goaway_received.filter(|end| stream >= *end) {
            return Err(RequestRefused::GoingAway(end));
        }
        let signal = priority
            .map(|p| p.to_string())
            .filter(|value| !value.is_empty());
        let mut section = fields.to_vec();
        section.extend(signal.map(|value| Field::new("priority", value)));
        let size = fields::section_size(&section);
        let max = self
            .peer_settings
            .and_then(|s| s.max_field_section_size)
            .unwrap_or(u64::MAX);
        if size > max {
            return Err(RequestRefused::TooLarge { size, max });
        }
        let head_only = fields::get(fields, ":method").is_some_and(|m| m == &b"HEAD"[..]);
        self.requests
            .insert(stream, Inbound::new(stream, self.role, head_only));

        let body = body.filter(|body| !body.is_empty());
        let mut data = Vec::with_capacity(size as usize);
        headers_frame(&section, &mut self.sent_lines, &mut data);
        if let Some(body) = &body {
            frame::encode_header(frame::DATA, body.len() as u64, &mut data);
        }
        self.writes.push_back(Write {
            stream,
            data: data.into(),
            fin: body.is_none(),
        });
        if let Some(body) = body {
            self.writes.push_back(Write {
                stream,
                data: body,
                fin: true,
            });
        }
        Ok(())
    }

    /// Queues a `PRIORITY_UPDATE` for a request (RFC 9218, section 7.2).
    ///
    /// # Panics
    /// On a server, or if `stream` is not a request stream.
    pub fn send_priority_update(&mut self, stream: u64, priority: Priority) {
        assert!(
            self.role == Role::Client,
            "only clients send PRIORITY_UPDATE"
        );
        assert!(
            stream.is_multiple_of(4),
            "stream {stream} is not a request stream"
        );
        let mut payload = Vec::new();
        varint::encode(stream, &mut payload);
        payload.extend_from_slice(priority.to_string().as_bytes());
        let mut data = Vec::new();
        frame::encode(frame::PRIORITY_UPDATE_REQUEST, &payload, &mut data);
        self.write(self.control_stream(), data);
    }
}

/// Appends a HEADERS frame.
pub(super) fn headers_frame(fields: &[Field], memory: &mut Memory, out: &mut Vec<u8>) {
    let mut section = Vec::with_capacity(fields::section_size(fields) as usize);
    qpack::encode(fields, memory, &mut section);
    frame::encode(frame::HEADERS, &section, out);
}

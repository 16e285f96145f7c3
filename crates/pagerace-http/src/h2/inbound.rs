//! The message received on a stream: head, content, trailers, in this order.
//!
//! Source: RFC 9113, sections 8.1 and 8.1.1.

use pagerace_core::Dependency;

use super::{Event, Role};
use crate::message::{self, Malformed};
use crate::{Field, priority};

/// The expected next part of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Head,
    Content,
    End,
}

/// State of a message being received.
#[derive(Debug)]
pub(super) struct Inbound {
    /// The role of this end. A client receives responses.
    role: Role,
    /// True if the message is a response to HEAD.
    head_only: bool,
    phase: Phase,
    content_length: Option<u64>,
    content_received: u64,
}

impl Inbound {
    pub(super) const fn new(role: Role, head_only: bool) -> Self {
        Self {
            role,
            head_only,
            phase: Phase::Head,
            content_length: None,
            content_received: 0,
        }
    }

    /// Handles a field section. `end` is true if the stream ends with it.
    pub(super) fn section(
        &mut self,
        stream: u64,
        fields: Vec<Field>,
        dependency: Option<Dependency>,
        end: bool,
    ) -> Result<Event, Malformed> {
        let content_length = match (self.phase, self.role) {
            (Phase::Head, Role::Server) => message::check_request(&fields)?.content_length,
            (Phase::Head, Role::Client) => {
                let head = message::check_response(&fields)?;
                if head.status < 200 {
                    if end {
                        return Err("an interim response that ends the stream".into());
                    }
                    return Ok(Event::Interim { stream, fields });
                }
                // These responses state a length but have no content: RFC 9110, section
                // 8.6.
                let bare = self.head_only || head.status == 304;
                head.content_length.filter(|_| !bare)
            }
            (Phase::Content, _) => {
                if !end {
                    return Err("trailers that do not end the stream".into());
                }
                message::check_trailers(&fields)?;
                self.phase = Phase::End;
                return Ok(Event::Trailers { stream, fields });
            }
            (Phase::End, _) => return Err("a field section after the trailers".into()),
        };
        self.content_length = content_length;
        self.phase = Phase::Content;
        let priority = priority::of_fields(&fields);
        Ok(Event::Headers {
            stream,
            fields,
            priority,
            dependency,
        })
    }

    /// Returns true if content may arrive now.
    pub(super) fn takes_content(&self) -> bool {
        self.phase == Phase::Content
    }

    /// Counts received content and checks it against `content-length`.
    pub(super) fn content(&mut self, bytes: usize) -> Result<(), Malformed> {
        self.content_received += bytes as u64;
        match self.content_length {
            Some(length) if self.content_received > length => {
                Err("more content than content-length announces".into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the message is complete.
    pub(super) fn finish(&self) -> Result<(), Malformed> {
        if self.phase == Phase::Head {
            return Err("the stream ends before the head of a message".into());
        }
        match self.content_length {
            Some(length) if self.content_received < length => {
                Err("less content than content-length announces".into())
            }
            _ => Ok(()),
        }
    }
}

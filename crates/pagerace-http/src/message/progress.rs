//! The message received on a stream: head, content, trailers, in this order.
//!
//! Source: RFC 9113, sections 8.1 and 8.1.1; RFC 9114, section 4.1.

use super::{Malformed, check_request, check_response, check_trailers};
use crate::{Field, Role};

/// The expected next part of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Head,
    Content,
    End,
}

/// The part of a message that a field section is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Interim,
    Head,
    Trailers,
}

/// State of a message being received.
#[derive(Debug)]
pub(crate) struct Progress {
    /// The role of this end. A client receives responses.
    role: Role,
    /// True if the message is a response to HEAD.
    head_only: bool,
    phase: Phase,
    content_length: Option<u64>,
    content_received: u64,
}

impl Progress {
    pub(crate) const fn new(role: Role, head_only: bool) -> Self {
        Self {
            role,
            head_only,
            phase: Phase::Head,
            content_length: None,
            content_received: 0,
        }
    }

    pub(crate) const fn role(&self) -> Role {
        self.role
    }

    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    /// Checks a field section, and tells which part of the message it is.
    pub(crate) fn section(&mut self, fields: &[Field]) -> Result<Section, Malformed> {
        let content_length = match (self.phase, self.role) {
            (Phase::Head, Role::Server) => check_request(fields)?,
            (Phase::Head, Role::Client) => {
                let head = check_response(fields)?;
                if head.status < 200 {
                    return Ok(Section::Interim);
                }
                // These responses state a length but have no content: RFC 9110, section
                // 8.6.
                let bare = self.head_only || head.status == 304;
                head.content_length.filter(|_| !bare)
            }
            (Phase::Content, _) => {
                check_trailers(fields)?;
                self.phase = Phase::End;
                return Ok(Section::Trailers);
            }
            (Phase::End, _) => return Err("a field section after the trailers".into()),
        };
        self.content_length = content_length;
        self.phase = Phase::Content;
        Ok(Section::Head)
    }

    /// Counts received content and checks it against `content-length`.
    pub(crate) fn content(&mut self, bytes: usize) -> Result<(), Malformed> {
        self.content_received += bytes as u64;
        match self.content_length {
            Some(length) if self.content_received > length => {
                Err("more content than content-length announces".into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that the message is complete.
    pub(crate) fn finish(&self) -> Result<(), Malformed> {
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

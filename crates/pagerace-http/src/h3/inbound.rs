//! The receiving side of a request stream: it checks the order of frames, decodes field
//! sections and counts content.
//!
//! Source: RFC 9114, sections 4.1 and 7.2; RFC 9204, section 2.1.2 for blocked
//! sections.

use std::collections::VecDeque;

use bytes::Bytes;

use super::code::{Code, Fault};
use super::frame::{self, Payload, Piece, Reader};
use super::{Config, Event, Role};
use crate::qpack::{Decoder, Error, Section};
use crate::{Field, message, priority};

/// State of the connection that all streams share.
pub(super) struct Shared<'a> {
    pub(super) config: &'a Config,
    pub(super) decoder: &'a mut Decoder,
    pub(super) events: &'a mut VecDeque<Event>,
    /// Number of bytes held for all blocked streams.
    pub(super) held_bytes: &'a mut usize,
}

/// The expected next part of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Head,
    Content,
    End,
}

/// State of the receiving side of one request stream.
#[derive(Debug)]
pub(super) struct Inbound {
    stream: u64,
    /// The role of this end. A client receives responses.
    role: Role,
    /// True if the message is a response to HEAD.
    head_only: bool,
    reader: Reader,
    phase: Phase,
    content_length: Option<u64>,
    content_received: u64,
    /// The blocked field section, and the insert count that it requires.
    blocked: Option<(u64, Bytes)>,
    /// Bytes received after the blocked section.
    held: VecDeque<Bytes>,
    held_fin: bool,
    /// True if the message is complete or abandoned.
    closed: bool,
}

impl Inbound {
    pub(super) fn new(stream: u64, role: Role, head_only: bool) -> Self {
        Self {
            stream,
            role,
            head_only,
            reader: Reader::new(),
            phase: Phase::Head,
            content_length: None,
            content_received: 0,
            blocked: None,
            held: VecDeque::new(),
            held_fin: false,
            closed: false,
        }
    }

    /// Returns true if the head was decoded.
    pub(super) fn has_head(&self) -> bool {
        self.phase != Phase::Head
    }

    /// The insert count that the blocked section requires.
    pub(super) fn blocked_until(&self) -> Option<u64> {
        self.blocked.as_ref().map(|(required, _)| *required)
    }

    /// Handles received bytes, in order.
    pub(super) fn receive(
        &mut self,
        data: Bytes,
        fin: bool,
        shared: &mut Shared<'_>,
    ) -> Result<(), Fault> {
        if self.closed {
            return Ok(());
        }
        if self.blocked.is_some() {
            return self.hold(data, fin, shared);
        }
        let mut input = data;
        loop {
            let (phase, role, size_max) =
                (self.phase, self.role, shared.config.max_field_section_size);
            let piece = self
                .reader
                .next(&mut input, |ty, _| dispose(ty, phase, role, size_max));
            match piece? {
                None => break,
                Some(Piece::Streamed(data)) => self.content(data, shared),
                Some(Piece::Frame(_, section)) => self.section(section, shared)?,
            }
            if self.closed {
                return Ok(());
            }
            if self.blocked.is_some() {
                return self.hold(input, fin, shared);
            }
        }
        if fin { self.finish(shared) } else { Ok(()) }
    }

    /// Resumes after the encoder stream delivered the required inserts.
    pub(super) fn unblock(&mut self, shared: &mut Shared<'_>) -> Result<(), Fault> {
        let Some((_, section)) = self.blocked.take() else {
            return Ok(());
        };
        *shared.held_bytes -= section.len();
        let held = std::mem::take(&mut self.held);
        *shared.held_bytes -= held.iter().map(Bytes::len).sum::<usize>();
        self.section(section, shared)?;
        for data in held {
            self.receive(data, false, shared)?;
        }
        if self.held_fin {
            self.receive(Bytes::new(), true, shared)
        } else {
            Ok(())
        }
    }

    /// Abandons the message: the peer reset the stream, or this end gave it up.
    pub(super) fn close(&mut self, shared: &mut Shared<'_>) {
        if self.closed {
            return;
        }
        self.closed = true;
        shared.decoder.cancel(self.stream);
        if let Some((_, section)) = self.blocked.take() {
            *shared.held_bytes -= section.len();
        }
        *shared.held_bytes -= self.held.drain(..).map(|held| held.len()).sum::<usize>();
    }

    /// Returns true if the message is complete or abandoned.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    fn hold(&mut self, data: Bytes, fin: bool, shared: &mut Shared<'_>) -> Result<(), Fault> {
        self.held_fin |= fin;
        if data.is_empty() {
            return Ok(());
        }
        *shared.held_bytes += data.len();
        self.held.push_back(data);
        check_held(shared)
    }

    fn section(&mut self, section: Bytes, shared: &mut Shared<'_>) -> Result<(), Fault> {
        let size_max = shared.config.max_field_section_size;
        match shared.decoder.decode(self.stream, &section, size_max) {
            Ok(Section::Decoded(fields)) => self.fields(fields, shared),
            Ok(Section::Blocked(required)) => {
                *shared.held_bytes += section.len();
                self.blocked = Some((required, section));
                return check_held(shared);
            }
            Err(error @ Error::SectionTooLarge(_)) => {
                self.fail(Code::EXCESSIVE_LOAD, error.to_string(), shared);
            }
            Err(error) => {
                return Err(Fault::new(
                    Code::QPACK_DECOMPRESSION_FAILED,
                    error.to_string(),
                ));
            }
        }
        Ok(())
    }

    fn fields(&mut self, fields: Vec<Field>, shared: &mut Shared<'_>) {
        let stream = self.stream;
        let checked = match (self.phase, self.role) {
            (Phase::Head, Role::Server) => message::check_request(&fields).map(|head| {
                self.content_length = head.content_length;
                self.phase = Phase::Content;
                let priority = priority::of_fields(&fields);
                Event::Headers {
                    stream,
                    fields,
                    priority,
                }
            }),
            (Phase::Head, Role::Client) => message::check_response(&fields).map(|head| {
                if head.status < 200 {
                    return Event::Interim { stream, fields };
                }
                // These responses state a length but have no content: RFC 9110, section
                // 8.6.
                let bare = self.head_only || head.status == 304;
                self.content_length = head.content_length.filter(|_| !bare);
                self.phase = Phase::Content;
                let priority = priority::of_fields(&fields);
                Event::Headers {
                    stream,
                    fields,
                    priority,
                }
            }),
            (Phase::Content, _) => message::check_trailers(&fields).map(|()| {
                self.phase = Phase::End;
                Event::Trailers { stream, fields }
            }),
            (Phase::End, _) => unreachable!("`dispose` refuses HEADERS after the trailers"),
        };
        match checked {
            Ok(event) => shared.events.push_back(event),
            Err(reason) => self.fail(Code::MESSAGE_ERROR, reason, shared),
        }
    }

    fn content(&mut self, data: Bytes, shared: &mut Shared<'_>) {
        self.content_received += data.len() as u64;
        if self
            .content_length
            .is_some_and(|length| self.content_received > length)
        {
            let reason = "more content than content-length announces".into();
            return self.fail(Code::MESSAGE_ERROR, reason, shared);
        }
        shared.events.push_back(Event::Data {
            stream: self.stream,
            data,
        });
    }

    fn finish(&mut self, shared: &mut Shared<'_>) -> Result<(), Fault> {
        if !self.reader.is_between_frames() {
            // A stream must not end inside a frame: section 7.1.
            return Err(Fault::new(
                Code::FRAME_ERROR,
                "the stream ends inside a frame",
            ));
        }
        if self.phase == Phase::Head {
            let code = match self.role {
                Role::Server => Code::REQUEST_INCOMPLETE,
                Role::Client => Code::MESSAGE_ERROR,
            };
            self.fail(
                code,
                "the stream ends before the head of a message".into(),
                shared,
            );
        } else if self
            .content_length
            .is_some_and(|length| self.content_received < length)
        {
            let reason = "less content than content-length announces".into();
            self.fail(Code::MESSAGE_ERROR, reason, shared);
        } else {
            self.closed = true;
            shared.events.push_back(Event::Finished {
                stream: self.stream,
            });
        }
        Ok(())
    }

    fn fail(&mut self, code: Code, reason: String, shared: &mut Shared<'_>) {
        self.close(shared);
        shared.events.push_back(Event::StreamError {
            stream: self.stream,
            code,
            reason,
        });
    }
}

fn check_held(shared: &Shared<'_>) -> Result<(), Fault> {
    if *shared.held_bytes <= shared.config.blocked_bytes_max {
        return Ok(());
    }
    Err(Fault::new(
        Code::EXCESSIVE_LOAD,
        "too much data behind blocked field sections",
    ))
}

/// Decides the treatment of a frame on a request stream: sections 4.1 and 7.2.
fn dispose(ty: u64, phase: Phase, role: Role, size_max: u64) -> Result<Payload, Fault> {
    let unexpected = |why: &str| Err(Fault::new(Code::FRAME_UNEXPECTED, why));
    match ty {
        frame::DATA if phase == Phase::Content => Ok(Payload::Stream),
        frame::DATA => unexpected("DATA outside the content of a message"),
        frame::HEADERS if phase == Phase::End => unexpected("HEADERS after the trailers"),
        // A line counts at least 32 bytes towards the limit but may take two on the wire,
        // and Huffman codes can be longer than their text. So only sections far above the
        // limit are refused before they are decoded.
        frame::HEADERS => Ok(Payload::Collect {
            max: size_max.saturating_mul(4).saturating_add(64),
            or_else: Code::EXCESSIVE_LOAD,
        }),
        frame::PUSH_PROMISE if role == Role::Client => Err(Fault::new(
            Code::ID_ERROR,
            "PUSH_PROMISE, though no push is allowed",
        )),
        frame::PUSH_PROMISE
        | frame::SETTINGS
        | frame::GOAWAY
        | frame::MAX_PUSH_ID
        | frame::CANCEL_PUSH
        | frame::PRIORITY_UPDATE_REQUEST
        | frame::PRIORITY_UPDATE_PUSH => unexpected("a control frame on a request stream"),
        ty if frame::is_http2(ty) => unexpected("a frame of HTTP/2"),
        _ => Ok(Payload::Skip),
    }
}

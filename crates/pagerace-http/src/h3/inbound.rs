//! The receiving side of a request stream: it checks the order of frames, decodes field
//! sections and counts content.
//!
//! Source: RFC 9114, sections 4.1 and 7.2.

use std::collections::VecDeque;

use bytes::Bytes;

use super::code::{Code, Fault};
use super::frame::{self, Payload, Piece, Reader};
use super::{Event, Role};
use crate::message::{Phase, Progress, Section};
use crate::qpack::{self, Memory};
use crate::{Field, priority};

/// State of the receiving side of one request stream.
#[derive(Debug)]
pub(super) struct Inbound {
    stream: u64,
    reader: Reader,
    message: Progress,
    /// True if the message is complete or abandoned.
    closed: bool,
}

impl Inbound {
    pub(super) fn new(stream: u64, role: Role, head_only: bool) -> Self {
        Self {
            stream,
            reader: Reader::new(),
            message: Progress::new(role, head_only),
            closed: false,
        }
    }

    /// Returns true if the head was decoded.
    pub(super) fn has_head(&self) -> bool {
        self.message.phase() != Phase::Head
    }

    /// Returns true if the message is complete or abandoned.
    pub(super) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Abandons the message: the peer reset the stream, or this end gave it up.
    pub(super) const fn close(&mut self) {
        self.closed = true;
    }

    /// Handles received bytes, in order. A field section may have `size_max` bytes. `memory` has
    /// lines of earlier sections of the connection.
    pub(super) fn receive(
        &mut self,
        mut input: Bytes,
        fin: bool,
        size_max: u64,
        memory: &mut Memory,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Fault> {
        while !self.closed {
            let (phase, role) = (self.message.phase(), self.message.role());
            let piece = self
                .reader
                .next(&mut input, |ty, _| dispose(ty, phase, role, size_max));
            match piece? {
                None if fin => return self.finish(events),
                None => break,
                Some(Piece::Streamed(data)) => self.content(data, events),
                Some(Piece::Frame(_, section)) => {
                    self.section(qpack::decode(&section, size_max, memory), events)?;
                }
            }
        }
        Ok(())
    }

    fn section(
        &mut self,
        section: Result<Vec<Field>, qpack::Error>,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Fault> {
        match section {
            Ok(fields) => self.fields(fields, events),
            Err(error @ qpack::Error::SectionTooLarge(_)) => {
                self.fail(Code::EXCESSIVE_LOAD, error.to_string(), events);
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

    fn fields(&mut self, fields: Vec<Field>, events: &mut VecDeque<Event>) {
        let stream = self.stream;
        events.push_back(match self.message.section(&fields) {
            Ok(Section::Interim) => Event::Interim { stream, fields },
            Ok(Section::Head) => Event::Headers {
                stream,
                priority: priority::of_fields(&fields),
                fields,
            },
            Ok(Section::Trailers) => Event::Trailers { stream, fields },
            Err(reason) => return self.fail(Code::MESSAGE_ERROR, reason, events),
        });
    }

    fn content(&mut self, data: Bytes, events: &mut VecDeque<Event>) {
        let stream = self.stream;
        match self.message.content(data.len()) {
            Ok(()) => events.push_back(Event::Data { stream, data }),
            Err(reason) => self.fail(Code::MESSAGE_ERROR, reason, events),
        }
    }

    fn finish(&mut self, events: &mut VecDeque<Event>) -> Result<(), Fault> {
        if !self.reader.is_between_frames() {
            // A stream must not end inside a frame: section 7.1.
            return Err(Fault::new(
                Code::FRAME_ERROR,
                "the stream ends inside a frame",
            ));
        }
        let stream = self.stream;
        match self.message.finish() {
            Ok(()) => {
                self.closed = true;
                events.push_back(Event::Finished { stream });
            }
            Err(reason) => {
                let code = match self.message.role() {
                    Role::Server if !self.has_head() => Code::REQUEST_INCOMPLETE,
                    _ => Code::MESSAGE_ERROR,
                };
                self.fail(code, reason, events);
            }
        }
        Ok(())
    }

    fn fail(&mut self, code: Code, reason: String, events: &mut VecDeque<Event>) {
        self.close();
        events.push_back(Event::StreamError {
            stream: self.stream,
            code,
            reason,
        });
    }
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

//! DATA frames: content, and its flow control.
//!
//! Source: RFC 9113, sections 5.1, 6.1 and 6.9.

use bytes::Bytes;

use super::closed::Closure;
use super::code::{Code, Fault};
use super::frame::{self, Header};
use super::stream::Stream;
use super::{Connection, Event};
use crate::message::Phase;

impl Connection {
    pub(super) fn data_start(&mut self, header: &Header) -> Result<(), Fault> {
        let Header { length, stream, .. } = *header;
        self.sink = None;
        if !self.receive.receive(length) {
            let reason = "more DATA than the connection's window allows";
            return Err(Fault::new(Code::FLOW_CONTROL_ERROR, reason));
        }
        let failure = match self.streams.get_mut(&stream) {
            None => self.late_data(stream)?,
            Some(known) => match take_data(known, length) {
                None => {
                    self.sink = Some(stream);
                    return Ok(());
                }
                failure => failure,
            },
        };
        self.consume(0, length);
        match failure {
            Some((code, reason)) => self.fail_stream(stream, code, reason.into()),
            None => Ok(()),
        }
    }

    /// Handles DATA on a closed stream: section 5.1. Returns the stream error, if it is
    /// one.
    fn late_data(&self, stream: u64) -> Result<Option<(Code, &'static str)>, Fault> {
        match self.closed.get(stream) {
            Some(Closure::Ended) => {
                let reason = "DATA after the stream was closed";
                Err(Fault::new(Code::STREAM_CLOSED, reason))
            }
            Some(Closure::ResetByPeer) => Ok(Some((Code::STREAM_CLOSED, "DATA after RST_STREAM"))),
            Some(Closure::ResetByUs) | None => Ok(None),
        }
    }

    pub(super) fn data(&mut self, data: Bytes) -> Result<(), Fault> {
        let Some(stream) = self.sink else {
            return Ok(());
        };
        let Some(known) = self.streams.get_mut(&stream) else {
            // The stream was closed in the middle of a frame.
            self.consume(0, data.len() as u32);
            return Ok(());
        };
        if let Err(reason) = known.inbound.content(data.len()) {
            self.consume(0, data.len() as u32);
            return self.fail_stream(stream, Code::PROTOCOL_ERROR, reason);
        }
        self.events.push_back(Event::Data { stream, data });
        Ok(())
    }

    pub(super) fn data_end(&mut self, header: &Header, padding: u32) -> Result<(), Fault> {
        let end = header.has(frame::END_STREAM);
        if header.length == padding && !end {
            self.budget.idle_frame(&self.config.limits)?;
        } else {
            self.budget.progress();
        }
        let Some(stream) = self.sink.take() else {
            return Ok(());
        };
        self.consume(stream, padding);
        if end { self.end_remote(stream) } else { Ok(()) }
    }

    /// Returns consumed bytes to the windows of the stream and the connection. With
    /// stream 0, only the connection's window counts.
    pub(super) fn consume(&mut self, stream: u64, bytes: u32) {
        if bytes == 0 {
            return;
        }
        if !self.config.own_grants
            && let Some(increment) = self.receive.consume(bytes)
        {
            self.reply(frame::WINDOW_UPDATE, 0, 0, &increment.to_be_bytes());
        }
        let Some(known) = self.streams.get_mut(&stream).filter(|s| !s.remote_closed) else {
            return;
        };
        if let Some(increment) = known.receive.consume(bytes) {
            self.reply(frame::WINDOW_UPDATE, 0, stream, &increment.to_be_bytes());
        }
    }
}

/// Counts a DATA frame towards its stream's window. Returns the stream error if the frame
/// is not allowed.
fn take_data(stream: &mut Stream, length: u32) -> Option<(Code, &'static str)> {
    if stream.remote_closed {
        return Some((Code::STREAM_CLOSED, "DATA after END_STREAM"));
    }
    if !stream.receive.receive(length) {
        let reason = "more DATA than the stream's window allows";
        return Some((Code::FLOW_CONTROL_ERROR, reason));
    }
    if stream.inbound.phase() != Phase::Content {
        return Some((
            Code::PROTOCOL_ERROR,
            "DATA outside the content of a message",
        ));
    }
    None
}

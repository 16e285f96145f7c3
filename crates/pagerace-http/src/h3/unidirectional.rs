//! The peer's unidirectional streams: their types and their data.
//!
//! Source: RFC 9114, section 6.2; RFC 9204, section 4.2.

use bytes::Bytes;

use super::code::{Code, Fault};
use super::control::Message;
use super::{Connection, Event, Role};
use crate::{qpack, varint};

pub(super) const CONTROL: u64 = 0x00;
const PUSH: u64 = 0x01;
pub(super) const QPACK_ENCODER: u64 = 0x02;
pub(super) const QPACK_DECODER: u64 = 0x03;

/// State of a unidirectional stream of the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unidirectional {
    /// The stream's type is incomplete: up to 7 bytes of it.
    Untyped(Vec<u8>),
    Control,
    QpackEncoder,
    QpackDecoder,
    /// The stream has an unknown type. Its bytes are dropped.
    Ignored,
}

impl Unidirectional {
    /// Returns true if closing the stream is a connection error.
    pub(super) const fn is_critical(&self) -> bool {
        matches!(
            self,
            Self::Control | Self::QpackEncoder | Self::QpackDecoder
        )
    }
}

impl Connection {
    pub(super) fn unidirectional_data(
        &mut self,
        stream: u64,
        mut data: Bytes,
        fin: bool,
    ) -> Result<(), Fault> {
        let known = self
            .unidirectional
            .entry(stream)
            .or_insert(Unidirectional::Untyped(vec![]));
        if let Unidirectional::Untyped(have) = known {
            let Some(ty) = read_type(have, &mut data) else {
                // A stream may be closed before its type has arrived: section 6.2.
                return if fin {
                    self.close_unidirectional(stream)
                } else {
                    Ok(())
                };
            };
            let kind = self.classify(ty)?;
            self.unidirectional.insert(stream, kind);
        }
        match self.unidirectional[&stream] {
            Unidirectional::Control => self.control_data(data)?,
            Unidirectional::QpackEncoder => qpack::check_encoder_instructions(&data)
                .map_err(|e| Fault::new(Code::QPACK_ENCODER_STREAM_ERROR, e.to_string()))?,
            Unidirectional::QpackDecoder => self.decoder_data(&data)?,
            Unidirectional::Untyped(_) | Unidirectional::Ignored => {}
        }
        if fin {
            self.close_unidirectional(stream)
        } else {
            Ok(())
        }
    }

    fn classify(&self, ty: u64) -> Result<Unidirectional, Fault> {
        let kind = match ty {
            CONTROL => Unidirectional::Control,
            QPACK_ENCODER => Unidirectional::QpackEncoder,
            QPACK_DECODER => Unidirectional::QpackDecoder,
            PUSH => {
                return Err(match self.role {
                    Role::Server => {
                        Fault::new(Code::STREAM_CREATION_ERROR, "a client opened a push stream")
                    }
                    Role::Client => {
                        Fault::new(Code::ID_ERROR, "a push stream, though no push is allowed")
                    }
                });
            }
            _ => return Ok(Unidirectional::Ignored),
        };
        if self.unidirectional.values().any(|other| *other == kind) {
            let reason = format!("a second unidirectional stream of type 0x{ty:x}");
            return Err(Fault::new(Code::STREAM_CREATION_ERROR, reason));
        }
        Ok(kind)
    }

    pub(super) fn close_unidirectional(&mut self, stream: u64) -> Result<(), Fault> {
        // Remove the entry, because a peer that keeps opening and closing streams would
        // otherwise exhaust memory. QUIC delivers no more data of an ended stream.
        match self.unidirectional.remove(&stream) {
            Some(known) if known.is_critical() => Err(Fault::new(
                Code::CLOSED_CRITICAL_STREAM,
                "a critical stream was closed",
            )),
            _ => Ok(()),
        }
    }

    fn control_data(&mut self, mut data: Bytes) -> Result<(), Fault> {
        while let Some(message) = self.control.next(&mut data)? {
            match message {
                Message::Settings(settings) => {
                    self.peer_settings = Some(settings);
                    self.events.push_back(Event::Settings(settings));
                }
                Message::GoAway(id) => {
                    self.goaway_received = Some(id);
                    self.events.push_back(Event::GoAway { id });
                }
                Message::PriorityUpdate(stream, priority) => {
                    self.priority_update(stream, priority);
                }
                Message::Nothing => {}
            }
        }
        Ok(())
    }

    fn decoder_data(&mut self, data: &[u8]) -> Result<(), Fault> {
        self.feedback.extend_from_slice(data);
        qpack::check_decoder_instructions(&mut self.feedback)
            .map_err(|e| Fault::new(Code::QPACK_DECODER_STREAM_ERROR, e.to_string()))
    }
}

/// Moves bytes from `input` to `have` until they hold the complete type.
fn read_type(have: &mut Vec<u8>, input: &mut Bytes) -> Option<u64> {
    loop {
        if let Some((ty, _)) = varint::decode(have) {
            return Some(ty);
        }
        if input.is_empty() {
            return None;
        }
        have.push(input.split_to(1)[0]);
    }
}

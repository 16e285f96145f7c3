//! The peer's control stream.
//!
//! Source: RFC 9114, sections 6.2.1 and 7.2; RFC 9218, section 7.2.

use bytes::Bytes;
use pagerace_core::Priority;

use super::code::{Code, Fault};
use super::frame::{self, Payload, Piece, Reader};
use super::{Role, Settings};
use crate::{priority, varint};

/// Longest accepted payload of a control frame, in bytes. SETTINGS with every known
/// setting takes less than 200.
const PAYLOAD_MAX: u64 = 4096;

/// A message on the control stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message {
    Settings(Settings),
    GoAway(u64),
    /// A priority update. The priority is `None` if the value is not a dictionary, in
    /// which case the update is ignored.
    PriorityUpdate(u64, Option<Priority>),
    /// A valid frame that has no effect here.
    Nothing,
}

/// Incremental parser of the control stream.
#[derive(Debug)]
pub(super) struct Control {
    role: Role,
    reader: Reader,
    settings_seen: bool,
    goaway: Option<u64>,
    max_push_id: Option<u64>,
}

impl Control {
    /// Creates a parser. `role` is the role of this end.
    pub(super) const fn new(role: Role) -> Self {
        Self {
            role,
            reader: Reader::new(),
            settings_seen: false,
            goaway: None,
            max_push_id: None,
        }
    }

    /// Parses the next message in `input`. Returns `None` when `input` is used up.
    pub(super) fn next(&mut self, input: &mut Bytes) -> Result<Option<Message>, Fault> {
        let (role, settings_seen) = (self.role, self.settings_seen);
        match self
            .reader
            .next(input, |ty, _| dispose(ty, role, settings_seen))?
        {
            None => Ok(None),
            Some(Piece::Frame(ty, payload)) => self.message(ty, &payload).map(Some),
            Some(Piece::Streamed(_)) => unreachable!("no control frame is streamed"),
        }
    }

    fn message(&mut self, ty: u64, payload: &[u8]) -> Result<Message, Fault> {
        match ty {
            frame::SETTINGS => {
                self.settings_seen = true;
                Settings::parse(payload).map(Message::Settings)
            }
            frame::GOAWAY => self.goaway(only_integer(payload)?),
            frame::MAX_PUSH_ID => {
                let id = only_integer(payload)?;
                if self.max_push_id.is_some_and(|before| id < before) {
                    return Err(Fault::new(Code::ID_ERROR, "MAX_PUSH_ID became smaller"));
                }
                self.max_push_id = Some(id);
                Ok(Message::Nothing)
            }
            frame::CANCEL_PUSH => {
                // A server here promises no push and a client allows none, so every push
                // id is invalid: section 7.2.3.
                only_integer(payload)?;
                Err(Fault::new(
                    Code::ID_ERROR,
                    "CANCEL_PUSH of a push that never was",
                ))
            }
            frame::PRIORITY_UPDATE_REQUEST => {
                let (stream, value) = element(payload)?;
                if stream % 4 != 0 {
                    let reason = format!(
                        "PRIORITY_UPDATE of stream {stream}, which is not a \
                                          request stream"
                    );
                    return Err(Fault::new(Code::ID_ERROR, reason));
                }
                Ok(Message::PriorityUpdate(stream, priority::parse(value)))
            }
            frame::PRIORITY_UPDATE_PUSH => {
                element(payload)?;
                Err(Fault::new(
                    Code::ID_ERROR,
                    "PRIORITY_UPDATE of a push that never was",
                ))
            }
            _ => unreachable!("`dispose` lets no other frame be collected"),
        }
    }

    /// Handles GOAWAY: section 7.2.6.
    fn goaway(&mut self, id: u64) -> Result<Message, Fault> {
        if self.role == Role::Client && !id.is_multiple_of(4) {
            return Err(Fault::new(
                Code::ID_ERROR,
                "GOAWAY does not name a request stream",
            ));
        }
        if self.goaway.is_some_and(|before| id > before) {
            return Err(Fault::new(Code::ID_ERROR, "GOAWAY became larger"));
        }
        self.goaway = Some(id);
        Ok(Message::GoAway(id))
    }
}

fn dispose(ty: u64, role: Role, settings_seen: bool) -> Result<Payload, Fault> {
    let unexpected = |why: &str| Err(Fault::new(Code::FRAME_UNEXPECTED, why));
    if !settings_seen && ty != frame::SETTINGS {
        let reason = format!("the control stream begins with frame type 0x{ty:x}, not SETTINGS");
        return Err(Fault::new(Code::MISSING_SETTINGS, reason));
    }
    match ty {
        frame::SETTINGS if settings_seen => unexpected("a second SETTINGS"),
        frame::DATA | frame::HEADERS | frame::PUSH_PROMISE => {
            unexpected("a frame of a message on the control stream")
        }
        frame::MAX_PUSH_ID | frame::PRIORITY_UPDATE_REQUEST | frame::PRIORITY_UPDATE_PUSH
            if role == Role::Client =>
        {
            unexpected("a frame that only clients send")
        }
        ty if frame::is_http2(ty) => unexpected("a frame of HTTP/2"),
        frame::SETTINGS
        | frame::GOAWAY
        | frame::MAX_PUSH_ID
        | frame::CANCEL_PUSH
        | frame::PRIORITY_UPDATE_REQUEST
        | frame::PRIORITY_UPDATE_PUSH => Ok(Payload::Collect {
            max: PAYLOAD_MAX,
            or_else: Code::EXCESSIVE_LOAD,
        }),
        _ => Ok(Payload::Skip),
    }
}

/// Decodes a payload that consists of exactly one integer.
fn only_integer(payload: &[u8]) -> Result<u64, Fault> {
    match varint::decode(payload) {
        Some((value, len)) if len == payload.len() => Ok(value),
        _ => Err(Fault::new(
            Code::FRAME_ERROR,
            "the payload is not exactly one integer",
        )),
    }
}

/// Splits the payload of `PRIORITY_UPDATE` into prioritized element id and priority field
/// value.
fn element(payload: &[u8]) -> Result<(u64, &[u8]), Fault> {
    let (id, len) = varint::decode(payload)
        .ok_or_else(|| Fault::new(Code::FRAME_ERROR, "PRIORITY_UPDATE ends inside its id"))?;
    Ok((id, &payload[len..]))
}

//! The SETTINGS frame.
//!
//! Source: RFC 9114, section 7.2.4; RFC 9204, section 5; RFC 9220, section 3;
//! RFC 9297, section 2.1.1.

use std::collections::BTreeSet;

use super::code::{Code, Fault};
use super::{Config, frame};
use crate::varint;

const QPACK_MAX_TABLE_CAPACITY: u64 = 0x01;
const MAX_FIELD_SECTION_SIZE: u64 = 0x06;
const QPACK_BLOCKED_STREAMS: u64 = 0x07;
const ENABLE_CONNECT_PROTOCOL: u64 = 0x08;
const H3_DATAGRAM: u64 = 0x33;
/// A setting of this project, from the range that IANA assigns by expert review; see
/// [`crate::object`].
const OBJECT_DATAGRAMS: u64 = 0x3a7c_91e5;

/// A reserved identifier, 0x1f * N + 0x21 (RFC 9114, section 7.2.4.1).
const GREASE: u64 = 0x1f * 7 + 0x21;

/// Settings of the peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Largest dynamic table in bytes; zero if not given.
    pub qpack_max_table_capacity: u64,
    /// Largest field section in bytes; unlimited if `None`.
    pub max_field_section_size: Option<u64>,
    /// Number of streams that may be blocked; zero if not given.
    pub qpack_blocked_streams: u64,
    /// True if the peer supports extended CONNECT.
    pub enable_connect_protocol: bool,
    /// True if the peer supports HTTP datagrams.
    pub h3_datagram: bool,
    /// True if the peer supports responses in numbered datagrams: see [`crate::object`].
    pub object_datagrams: bool,
}

impl Settings {
    /// Parses a SETTINGS payload. Unknown identifiers are ignored.
    pub(super) fn parse(payload: &[u8]) -> Result<Self, Fault> {
        let truncated = || Fault::new(Code::FRAME_ERROR, "SETTINGS ends inside a setting");
        let mut settings = Self::default();
        let mut seen = BTreeSet::new();
        let mut rest = payload;
        while !rest.is_empty() {
            let (id, len) = varint::decode(rest).ok_or_else(truncated)?;
            let (value, value_len) = varint::decode(&rest[len..]).ok_or_else(truncated)?;
            rest = &rest[len + value_len..];
            if !seen.insert(id) {
                let reason = format!("setting 0x{id:x} occurs twice");
                return Err(Fault::new(Code::SETTINGS_ERROR, reason));
            }
            settings.set(id, value)?;
        }
        Ok(settings)
    }

    fn set(&mut self, id: u64, value: u64) -> Result<(), Fault> {
        match id {
            QPACK_MAX_TABLE_CAPACITY => self.qpack_max_table_capacity = value,
            MAX_FIELD_SECTION_SIZE => self.max_field_section_size = Some(value),
            QPACK_BLOCKED_STREAMS => self.qpack_blocked_streams = value,
            ENABLE_CONNECT_PROTOCOL => self.enable_connect_protocol = flag(id, value)?,
            H3_DATAGRAM => self.h3_datagram = flag(id, value)?,
            OBJECT_DATAGRAMS => self.object_datagrams = flag(id, value)?,
            // HTTP/2 settings that HTTP/3 forbids: section 7.2.4.1.
            0x00 | 0x02..=0x05 => {
                let reason = format!("setting 0x{id:x} belongs to HTTP/2");
                return Err(Fault::new(Code::SETTINGS_ERROR, reason));
            }
            _ => {}
        }
        Ok(())
    }
}

fn flag(id: u64, value: u64) -> Result<bool, Fault> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => {
            let reason = format!("setting 0x{id:x} is {value}, must be 0 or 1");
            Err(Fault::new(Code::SETTINGS_ERROR, reason))
        }
    }
}

/// Appends the SETTINGS frame for `config`.
pub(super) fn encode(config: &Config, out: &mut Vec<u8>) {
    let mut payload = Vec::with_capacity(32);
    let mut put = |id, value| {
        varint::encode(id, &mut payload);
        varint::encode(value, &mut payload);
    };
    put(
        MAX_FIELD_SECTION_SIZE,
        config.max_field_section_size.min(varint::MAX),
    );
    if config.object_datagrams {
        put(H3_DATAGRAM, 1);
        put(OBJECT_DATAGRAMS, 1);
    }
    if config.grease {
        put(GREASE, 0);
    }
    frame::encode(frame::SETTINGS, &payload, out);
}

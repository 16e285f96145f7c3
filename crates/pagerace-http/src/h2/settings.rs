//! The SETTINGS frame.
//!
//! Source: RFC 9113, section 6.5; RFC 8441, section 3; RFC 9218, section 2.1.

use super::code::{Code, Fault};
use super::{Config, Role, flow, frame};
use crate::hpack;

const HEADER_TABLE_SIZE: u16 = 0x1;
const ENABLE_PUSH: u16 = 0x2;
const MAX_CONCURRENT_STREAMS: u16 = 0x3;
const INITIAL_WINDOW_SIZE: u16 = 0x4;
const MAX_FRAME_SIZE: u16 = 0x5;
const MAX_HEADER_LIST_SIZE: u16 = 0x6;
const ENABLE_CONNECT_PROTOCOL: u16 = 0x8;
const NO_RFC7540_PRIORITIES: u16 = 0x9;

/// Settings of the peer. Sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Largest HPACK dynamic table.
    pub header_table_size: u32,
    /// True if the peer accepts push.
    pub enable_push: bool,
    /// Streams that this end may have open at once; unlimited if `None`.
    pub max_concurrent_streams: Option<u32>,
    /// Initial flow-control window of each stream.
    pub initial_window_size: u32,
    /// Largest frame payload.
    pub max_frame_size: u32,
    /// Largest field section; unlimited if `None`.
    pub max_header_list_size: Option<u32>,
    /// True if the peer supports extended CONNECT.
    pub enable_connect_protocol: bool,
    /// True if the peer ignores RFC 7540 priorities; `None` if it has not said.
    pub no_rfc7540_priorities: Option<bool>,
}

impl Default for Settings {
    /// The values before any settings arrive: RFC 9113, section 6.5.2.
    fn default() -> Self {
        Self {
            header_table_size: hpack::DEFAULT_CAPACITY,
            enable_push: true,
            max_concurrent_streams: None,
            initial_window_size: flow::INITIAL as u32,
            max_frame_size: frame::MAX_SIZE_DEFAULT,
            max_header_list_size: None,
            enable_connect_protocol: false,
            no_rfc7540_priorities: None,
        }
    }
}

impl Settings {
    /// Applies a SETTINGS payload of the peer. `role` is the role of this end. `first` is
    /// true for the first SETTINGS frame. Unknown identifiers are ignored.
    pub(super) fn update(&mut self, payload: &[u8], role: Role, first: bool) -> Result<(), Fault> {
        let told_before = self.no_rfc7540_priorities;
        for setting in payload.chunks_exact(6) {
            let id = u16::from_be_bytes([setting[0], setting[1]]);
            let value = u32::from_be_bytes([setting[2], setting[3], setting[4], setting[5]]);
            self.set(id, value, role)?;
        }
        // The value must not change after the first SETTINGS: RFC 9218, section 2.1.
        if !first && self.no_rfc7540_priorities.unwrap_or(false) != told_before.unwrap_or(false) {
            let reason = "SETTINGS_NO_RFC7540_PRIORITIES changed";
            return Err(Fault::protocol(reason));
        }
        Ok(())
    }

    fn set(&mut self, id: u16, value: u32, role: Role) -> Result<(), Fault> {
        match id {
            HEADER_TABLE_SIZE => self.header_table_size = value,
            ENABLE_PUSH => {
                self.enable_push = flag(id, value)?;
                if role == Role::Client && self.enable_push {
                    // Section 6.5.2.
                    return Err(Fault::protocol("a server enabled push"));
                }
            }
            MAX_CONCURRENT_STREAMS => self.max_concurrent_streams = Some(value),
            INITIAL_WINDOW_SIZE if i64::from(value) > flow::MAX => {
                let reason = format!("an initial window of {value} bytes");
                return Err(Fault::new(Code::FLOW_CONTROL_ERROR, reason));
            }
            INITIAL_WINDOW_SIZE => self.initial_window_size = value,
            MAX_FRAME_SIZE if !frame::SIZES.contains(&value) => {
                let reason = format!("frames of at most {value} bytes");
                return Err(Fault::protocol(reason));
            }
            MAX_FRAME_SIZE => self.max_frame_size = value,
            MAX_HEADER_LIST_SIZE => self.max_header_list_size = Some(value),
            ENABLE_CONNECT_PROTOCOL => {
                let before = self.enable_connect_protocol;
                self.enable_connect_protocol = flag(id, value)?;
                if before && !self.enable_connect_protocol {
                    // RFC 8441, section 3.
                    return Err(Fault::protocol("extended CONNECT was disabled again"));
                }
            }
            NO_RFC7540_PRIORITIES => self.no_rfc7540_priorities = Some(flag(id, value)?),
            _ => {}
        }
        Ok(())
    }
}

fn flag(id: u16, value: u32) -> Result<bool, Fault> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => {
            let reason = format!("setting 0x{id:x} is {value}, must be 0 or 1");
            Err(Fault::protocol(reason))
        }
    }
}

/// Appends the SETTINGS frame for `config`, without values that equal their defaults.
pub(super) fn encode(role: Role, config: &Config, out: &mut Vec<u8>) {
    let mut payload = Vec::with_capacity(36);
    let mut put = |id: u16, value: u32| {
        payload.extend_from_slice(&id.to_be_bytes());
        payload.extend_from_slice(&value.to_be_bytes());
    };
    let default = Settings::default();
    if config.header_table_size != default.header_table_size {
        put(HEADER_TABLE_SIZE, config.header_table_size);
    }
    if role == Role::Client {
        put(ENABLE_PUSH, 0);
    }
    if let Some(max) = config.max_concurrent_streams {
        put(MAX_CONCURRENT_STREAMS, max);
    }
    if config.stream_window != default.initial_window_size {
        put(INITIAL_WINDOW_SIZE, config.stream_window);
    }
    if config.max_frame_size != default.max_frame_size {
        put(MAX_FRAME_SIZE, config.max_frame_size);
    }
    put(MAX_HEADER_LIST_SIZE, config.max_header_list_size);
    if config.no_rfc7540_priorities {
        put(NO_RFC7540_PRIORITIES, 1);
    }
    frame::encode(frame::SETTINGS, 0, 0, &payload, out);
}

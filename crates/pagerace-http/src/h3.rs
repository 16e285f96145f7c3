//! An HTTP/3 connection as a state machine, client or server.
//!
//! The caller passes received bytes to [`Connection::handle_data`], sends the bytes from
//! [`Connection::poll_write`], and learns what the peer did from
//! [`Connection::poll_event`]. The caller owns the QUIC connection: it opens the streams,
//! resets them on [`Event::StreamError`], and closes the connection with the code of a
//! [`ConnectionError`].
//!
//! Source: RFC 9114, <https://www.rfc-editor.org/rfc/rfc9114>; `PRIORITY_UPDATE` from RFC
//! 9218, section 7; HTTP datagrams from RFC 9297. Not implemented: push (a client never
//! allows it, a server never promises) and extended CONNECT.

mod client;
mod code;
mod connection;
mod control;
mod datagram;
mod event;
mod frame;
mod inbound;
mod server;
mod settings;
mod unidirectional;

pub use client::RequestRefused;
pub use code::{Code, ConnectionError};
pub use connection::Connection;
pub use datagram::{data_frame, datagram_overhead, encode_datagram_head};
pub use event::{Event, Write};
pub use settings::Settings;

pub use crate::Role;

/// Limits that one end sets for its peer, and behaviour of its own. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest accepted field section, as [`crate::fields::section_size`] counts.
    pub max_field_section_size: u64,
    /// Most priority updates kept for requests that have not arrived. Beyond the limit,
    /// those with the lowest stream ids are dropped.
    pub pending_priorities_max: usize,
    /// Requests that a client may cancel in excess of those that it takes to their end;
    /// beyond, a server's connection fails with `H3_EXCESSIVE_LOAD` (the attack of
    /// CVE-2023-44487). As for HTTP/2, completed responses stand in for time.
    pub cancelled_max: u32,
    /// True to include a reserved setting in SETTINGS, as RFC 9114, section 7.2.4.1 asks.
    /// Deviates: the setting is always the same, so that runs are reproducible.
    pub grease: bool,
    /// True to accept responses in numbered datagrams, and to send them to peers with the
    /// same setting: see [`crate::object`]. The QUIC connection must have DATAGRAM frames
    /// enabled.
    pub object_datagrams: bool,
}

impl Default for Config {
    /// Field sections of 64 KiB, about as much as browsers accept.
    fn default() -> Self {
        Self {
            max_field_section_size: 64 * 1024,
            pending_priorities_max: 128,
            cancelled_max: 1000,
            grease: true,
            object_datagrams: false,
        }
    }
}

#[cfg(test)]
mod tests;

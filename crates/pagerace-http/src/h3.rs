//! An HTTP/3 connection as a state machine, client or server.
//!
//! Bytes go in by [`Connection::handle_data`], come out by
//! [`Connection::poll_write`]; what they mean comes out by
//! [`Connection::poll_event`]. The caller owns the QUIC connection: it opens
//! the streams, resets them when an [`Event::StreamError`] says so, and closes
//! the connection with the code of a [`ConnectionError`].
//!
//! Source: RFC 9114, <https://www.rfc-editor.org/rfc/rfc9114>; `PRIORITY_UPDATE`
//! from RFC 9218, section 7. Left out: push (a client here never allows it, a
//! server never promises), extended CONNECT, and HTTP datagrams.

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

/// What this end allows the other. All limits are in bytes unless said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest field section taken, as [`crate::fields::section_size`] counts.
    pub max_field_section_size: u64,
    /// Largest dynamic table that the peer may use towards us.
    pub qpack_max_table_capacity: u64,
    /// Streams that may wait for dynamic table entries.
    pub qpack_blocked_streams: u64,
    /// Most bytes held for all streams that wait so; beyond, the connection
    /// fails with `H3_EXCESSIVE_LOAD`.
    pub blocked_bytes_max: usize,
    /// Most priority updates kept for requests that have not come yet.
    pub pending_priorities_max: usize,
    /// Whether SETTINGS holds a reserved setting, as RFC 9114, section 7.2.4.1
    /// asks. Deviates: always the same one, so that a run repeats.
    pub grease: bool,
    /// Whether responses may come as numbered datagrams, and be sent so to peers
    /// that say the same: see [`crate::object`]. The QUIC connection has to have
    /// enabled DATAGRAM frames.
    pub object_datagrams: bool,
}

impl Default for Config {
    /// 64 KiB field sections, as browsers take about that much; no dynamic
    /// table, hence no blocked streams.
    fn default() -> Self {
        Self {
            max_field_section_size: 64 * 1024,
            qpack_max_table_capacity: 0,
            qpack_blocked_streams: 0,
            blocked_bytes_max: 4 * 1024 * 1024,
            pending_priorities_max: 128,
            grease: true,
            object_datagrams: false,
        }
    }
}

#[cfg(test)]
mod tests;

//! An HTTP/2 connection as a state machine, client or server.
//!
//! The caller passes received bytes to [`Connection::handle_data`], sends the bytes from
//! [`Connection::poll_write`], and learns what the peer did from
//! [`Connection::poll_event`]. Responses of a server do not pass through `poll_write`.
//! The owner of the server schedules them frame by frame: it asks
//! [`Connection::send_window`] how much flow control allows, and writes the bytes of
//! [`Connection::response_head`] and [`Connection::data_frame`] itself, in any order
//! among streams.
//!
//! Source: RFC 9113, <https://www.rfc-editor.org/rfc/rfc9113>; the dependency tree from
//! RFC 7540, section 5.3; `PRIORITY_UPDATE` and `SETTINGS_NO_RFC7540_PRIORITIES` from RFC
//! 9218, sections 2.1 and 7.1. Not implemented: push (a client disables it, a server
//! never promises), extended CONNECT, upgrade from HTTP/1.1, and the settings timeout of
//! section 6.5.3, because the connection reads no clock.

mod block;
mod budget;
mod check;
mod client;
mod closed;
mod code;
mod connection;
mod control;
mod data;
mod event;
mod flow;
mod frame;
mod outbound;
mod settings;
mod stream;
mod streams;

pub use client::RequestRefused;
pub use code::{Code, ConnectionError};
pub use connection::Connection;
pub use event::Event;
pub use settings::Settings;

pub use crate::Role;
use crate::hpack;

/// Limits that one end sets for its peer, and behaviour of its own. All sizes are in
/// bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest HPACK dynamic table that the peer's encoder may use.
    pub header_table_size: u32,
    /// Streams that the peer may have open at once; unlimited if `None`.
    pub max_concurrent_streams: Option<u32>,
    /// Flow-control window of each stream, at most 2^31 - 1.
    pub stream_window: u32,
    /// Flow-control window of the connection, 65,535 to 2^31 - 1.
    pub connection_window: u32,
    /// True if the owner opens the connection's window itself, by
    /// [`Connection::grant`]: consumed bytes do not reopen it.
    pub own_grants: bool,
    /// Largest accepted frame payload, 2^14 to 2^24 - 1.
    pub max_frame_size: u32,
    /// Largest accepted field section, as [`crate::fields::section_size`] counts.
    pub max_header_list_size: u32,
    /// True to tell the peer that this end ignores RFC 7540 priorities.
    pub no_rfc7540_priorities: bool,
    /// Most requests that a client has open before the server's settings arrive.
    pub assumed_concurrent_streams: u32,
    /// Most requests that a client has open, even if the server allows more.
    pub concurrent_requests_max: u32,
    /// Limits on input that costs this end more than the peer.
    pub limits: Limits,
}

/// Limits on the work that a peer may cause. Exceeding one fails the connection with
/// `ENHANCE_YOUR_CALM`, unless noted otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CONTINUATION frames of one field section (CVE-2024-27316).
    pub continuations: u32,
    /// Client streams that end in a reset, sent by the client or caused by its stream
    /// error, in excess of those that end in a complete response (CVE-2023-44487,
    /// CVE-2025-8671).
    ///
    /// Deviates: other implementations count resets per second. The connection reads no
    /// clock, so completed responses stand in for time.
    pub resets: u32,
    /// Frames that carry no part of a message (PING, SETTINGS, PRIORITY, empty DATA and
    /// the like: CVE-2019-9511 to 9518), in excess of ten for each frame that does.
    pub idle_frames: u32,
    /// Reply frames that wait for [`Connection::poll_write`].
    pub replies: usize,
    /// Priority updates kept for requests that have not arrived. Beyond the limit, those
    /// with the lowest stream ids are dropped; the connection does not fail.
    pub pending_priorities: usize,
    /// Closed streams remembered, to tell late frames from invalid ones. Beyond the
    /// limit, those with the lowest ids are dropped; the connection does not fail.
    pub closed_streams: usize,
}

impl Default for Limits {
    /// 1000 resets, as nghttp2 allows in one burst. The other limits are well above the
    /// normal behaviour of browsers and servers.
    fn default() -> Self {
        Self {
            continuations: 32,
            resets: 1000,
            idle_frames: 10_000,
            replies: 4096,
            pending_priorities: 128,
            closed_streams: 256,
        }
    }
}

impl Config {
    /// The settings of Chromium's client: windows of 6 MiB and 15 MiB, a dynamic table of
    /// 64 KiB, field sections of 256 KiB.
    ///
    /// Source: Chromium, `net/http/http_network_session.{h,cc}`
    /// (`kSpdyMaxHeaderTableSize`, `kSpdyMaxHeaderListSize`,
    /// `kSpdySessionMaxRecvWindowSize`, `kSpdyStreamMaxRecvWindowSize`) and
    /// `net/spdy/spdy_session.{h,cc}` (`kInitialMaxConcurrentStreams`,
    /// `kMaxConcurrentStreamLimit`).
    pub fn chromium() -> Self {
        Self {
            header_table_size: 64 * 1024,
            max_concurrent_streams: None,
            stream_window: 6 * 1024 * 1024,
            connection_window: 15 * 1024 * 1024,
            own_grants: false,
            max_frame_size: frame::MAX_SIZE_DEFAULT,
            max_header_list_size: 256 * 1024,
            no_rfc7540_priorities: false,
            assumed_concurrent_streams: 100,
            concurrent_requests_max: 256,
            limits: Limits::default(),
        }
    }

    /// Settings of a server for pages: 128 concurrent requests as nginx allows, windows
    /// of 1 MiB for uploads, field sections of 64 KiB.
    pub fn server() -> Self {
        Self {
            header_table_size: hpack::DEFAULT_CAPACITY,
            max_concurrent_streams: Some(128),
            stream_window: 1024 * 1024,
            connection_window: 1024 * 1024,
            own_grants: false,
            max_frame_size: frame::MAX_SIZE_DEFAULT,
            max_header_list_size: 64 * 1024,
            no_rfc7540_priorities: false,
            assumed_concurrent_streams: 100,
            concurrent_requests_max: 256,
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests;

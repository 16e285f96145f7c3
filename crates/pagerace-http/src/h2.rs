//! An HTTP/2 connection as a state machine, client or server.
//!
//! Bytes of the one byte stream below go in by [`Connection::handle_data`],
//! come out by [`Connection::poll_write`]; what they mean comes out by
//! [`Connection::poll_event`]. What a server answers does not pass through
//! `poll_write`: its owner schedules responses frame by frame, asks
//! [`Connection::send_window`] what flow control lets in, and puts the bytes of
//! [`Connection::response_head`] and [`Connection::data_frame`] on the wire
//! itself, in any order among streams.
//!
//! Source: RFC 9113, <https://www.rfc-editor.org/rfc/rfc9113>; the dependency
//! tree from RFC 7540, section 5.3; `PRIORITY_UPDATE` and
//! `SETTINGS_NO_RFC7540_PRIORITIES` from RFC 9218, sections 2.1 and 7.1. Left
//! out: push (a client here forbids it, a server never promises), extended
//! CONNECT, upgrade from HTTP/1.1, and the time limits of section 6.5.3, as no
//! clock is read.

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
mod inbound;
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

/// What this end allows the other. All sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest HPACK dynamic table that the peer may use towards us.
    pub header_table_size: u32,
    /// Streams that the peer may have open at once; no limit where `None`.
    pub max_concurrent_streams: Option<u32>,
    /// Flow-control window of each stream, at most 2^31 - 1.
    pub stream_window: u32,
    /// Flow-control window of the connection, 65,535 to 2^31 - 1.
    pub connection_window: u32,
    /// Largest frame payload taken, 2^14 to 2^24 - 1.
    pub max_frame_size: u32,
    /// Largest field section taken, as [`crate::fields::section_size`] counts.
    pub max_header_list_size: u32,
    /// Whether we tell the peer that RFC 7540's priorities mean nothing to us.
    pub no_rfc7540_priorities: bool,
    /// How many requests a client has open before the server's settings came.
    pub assumed_concurrent_streams: u32,
    /// How many requests a client has open at most, whatever the server allows.
    pub concurrent_requests_max: u32,
    /// Bounds on what costs us more than the peer.
    pub limits: Limits,
}

/// Bounds on what a peer may make us do; beyond any, the connection fails with
/// `ENHANCE_YOUR_CALM`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// CONTINUATION frames of one field section (CVE-2024-27316).
    pub continuations: u32,
    /// Streams of a client that end in a reset, by either end, more than end in
    /// a complete response (CVE-2023-44487, CVE-2025-8671).
    ///
    /// Deviates: others count resets per second; without a clock, work done
    /// stands for time.
    pub resets: u32,
    /// Frames that carry no part of a message (PING, SETTINGS, PRIORITY, empty
    /// DATA and the like: CVE-2019-9511 to 9518), beyond ten for each that does.
    pub idle_frames: u32,
    /// Frames that the peer made us write, waiting for
    /// [`Connection::poll_write`].
    pub replies: usize,
    /// Priority updates kept for requests that have not come yet; the oldest
    /// are dropped, and nothing fails.
    pub pending_priorities: usize,
    /// Closed streams remembered, to tell late frames from wrong ones; the
    /// oldest are dropped, and nothing fails.
    pub closed_streams: usize,
}

impl Default for Limits {
    /// 1000 resets as nghttp2 allows in one go; the others well above what
    /// browsers and servers do.
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
    /// What Chromium's client tells: windows of 6 MiB and 15 MiB, a dynamic
    /// table of 64 KiB, field sections of 256 KiB.
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
            max_frame_size: frame::MAX_SIZE_DEFAULT,
            max_header_list_size: 256 * 1024,
            no_rfc7540_priorities: false,
            assumed_concurrent_streams: 100,
            concurrent_requests_max: 256,
            limits: Limits::default(),
        }
    }

    /// A server for pages: 128 requests at once as nginx allows, windows of
    /// 1 MiB for uploads, field sections of 64 KiB.
    pub fn server() -> Self {
        Self {
            header_table_size: hpack::DEFAULT_CAPACITY,
            max_concurrent_streams: Some(128),
            stream_window: 1024 * 1024,
            connection_window: 1024 * 1024,
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

//! HTTP/1.1 connections as state machines: a client and a server.
//!
//! The caller passes received bytes to `handle_data`, sends the bytes from `poll_write`,
//! and learns the acts of the peer from `poll_event`. The caller owns the transport
//! connection and closes it when [`Server::wants_close`] or [`Client::is_closed`] returns
//! true.
//!
//! Requests of one connection are numbered 1, 2, 3, ...; these numbers stand in for the
//! stream ids of other HTTP versions. Heads become [`Field`](crate::Field) lists of the
//! same form as there: pseudo-header fields first, names in lower case.
//!
//! Source: RFC 9112, <https://www.rfc-editor.org/rfc/rfc9112>; the `httparse` crate
//! parses the lines of heads. Where the RFC lets a recipient be lenient (bare LF,
//! misplaced white space, folded lines), this module is strict, because request smuggling
//! depends on leniency. Not implemented: pipelining by the client, transfer codings other
//! than `chunked`, upgrades, and sending in chunks.

mod chunk;
mod client;
mod error;
mod event;
mod head;
mod reader;
mod server;
mod write;

pub use client::{Client, RequestRefused};
pub use error::Error;
pub use event::Event;
pub use server::Server;
pub use write::has_content;

/// Limits on the messages that one end accepts from its peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest head, and largest trailer section, in bytes.
    pub head_bytes_max: usize,
    /// Most field lines of a head or trailer section.
    pub fields_max: usize,
    /// Requests that a server reads before it has answered them. The bytes of further
    /// requests wait unread.
    pub pipelined_max: usize,
    /// Most bytes that may wait unread; see [`Server::wants_data`].
    pub unread_bytes_max: usize,
}

impl Default for Config {
    /// Limits that accept as many bytes of fields as [`crate::h3::Config`].
    fn default() -> Self {
        Self {
            head_bytes_max: 64 * 1024,
            fields_max: 256,
            pipelined_max: 16,
            unread_bytes_max: 1024 * 1024,
        }
    }
}

#[cfg(test)]
mod tests;

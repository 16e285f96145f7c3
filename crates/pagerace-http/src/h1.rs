//! HTTP/1.1 connections as state machines: a client and a server.
//!
//! Bytes go in by `handle_data` and come out by `poll_write`; what they mean
//! comes out by `poll_event`. The caller owns the connection below: it closes
//! it when [`Server::wants_close`] or [`Client::is_closed`] says so.
//!
//! Requests of one connection are numbered 1, 2, 3, ...: what is a stream in the
//! other versions of HTTP. Heads become the same [`Field`](crate::Field) lists as
//! there, pseudo-header fields first, names in lower case.
//!
//! Source: RFC 9112, <https://www.rfc-editor.org/rfc/rfc9112>; the `httparse`
//! crate reads the lines of heads. Where the RFC lets a recipient be lenient
//! (bare LF, white space in odd places, folded lines), this is not: leniency is
//! what request smuggling lives on. Left out: pipelining by the client, transfer
//! codings but `chunked`, upgrades, and sending in chunks.

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

/// What this end takes from the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Largest head, and largest trailer section, in bytes.
    pub head_bytes_max: usize,
    /// Most field lines of a head.
    pub fields_max: usize,
    /// Requests that a server takes before they are answered; the bytes of
    /// further ones wait unread.
    pub pipelined_max: usize,
    /// Most bytes that wait unread; see [`Server::wants_data`].
    pub unread_bytes_max: usize,
}

impl Default for Config {
    /// As many bytes of fields as [`crate::h3::Config`] takes.
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

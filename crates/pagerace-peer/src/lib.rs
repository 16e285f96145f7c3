//! HTTP peers without IO: clients, and servers that send through a strategy.
//!
//! All are state machines over bytes and time. The simulator connects them by
//! emulated links, the live world by sockets: one engine for both.
//!
//! - [`Server`]: HTTP/3 over UDP datagrams: connections, a [`Site`] that answers
//!   requests, and for each connection an [`Outgoing`] that asks the strategy
//!   packet by packet.
//! - [`Client`]: one connection to one server, requests in, responses out.
//! - [`stream`]: the same for HTTP/1.1 and HTTP/2, over any byte stream.
//! - [`tcp`]: those over our own TLS and TCP, segment by segment.
//! - [`LossReport`]: what became of an object that came in numbered datagrams.
//! - [`hol`]: bytes that waited behind a gap, seen at the receiver.

pub mod body;
pub mod client;
mod desk;
pub mod hol;
mod objects;
pub mod outgoing;
mod pump;
mod range;
pub mod server;
pub mod site;
pub mod stream;
pub mod tcp;

pub use body::{Body, Store};
pub use client::{Client, ClientConfig, ClientEvent};
pub use objects::LossReport;
pub use outgoing::{Outgoing, SentFrame};
pub use server::{Retransmission, Server, ServerConfig};
pub use site::{Reply, Request, Site};

#[cfg(test)]
mod tests;

//! HTTP/3 peers without IO: a client, and a server that sends through a
//! strategy.
//!
//! Both are state machines over UDP datagrams and time. The simulator connects
//! them by emulated links, the live world by sockets: one engine for both.
//!
//! - [`Server`]: connections, a [`Site`] that answers requests, and for each
//!   connection an [`Outgoing`] that asks the strategy packet by packet.
//! - [`Client`]: one connection to one server, requests in, responses out.
//! - [`hol`]: bytes that waited behind a gap, seen at the receiver.

pub mod body;
pub mod client;
pub mod hol;
pub mod outgoing;
mod pump;
pub mod server;
pub mod site;

pub use body::Body;
pub use client::{Client, ClientConfig, ClientEvent};
pub use outgoing::{Outgoing, SentFrame};
pub use server::{Retransmission, Server, ServerConfig};
pub use site::{Reply, Request, Site};

#[cfg(test)]
mod tests;

//! HTTP peers without IO: clients, and servers that send through a strategy.
//!
//! All peers are state machines over bytes and time. The simulator connects them with
//! emulated links, and live loads with sockets: both use the same engine.
//!
//! - [`Server`]: HTTP/3 over UDP datagrams. It has connections, a [`Site`] that responds
//!   to requests, and for each connection an [`Outgoing`] that asks the strategy packet
//!   by packet.
//! - [`Client`]: HTTP/3 over one connection to one server; it takes requests and returns
//!   responses.
//! - [`stream`]: clients and servers of HTTP/1.1 and HTTP/2, over any byte stream.
//! - [`tcp`]: those peers over simulated TLS and TCP, segment by segment.
//! - [`LossReport`]: losses of an object that was sent in numbered datagrams.
//! - [`hol`]: head-of-line blocking at the receiver.

pub mod body;
pub mod client;
mod desk;
pub mod hol;
mod objects;
pub mod outgoing;
mod pump;
mod range;
pub mod server;
pub mod settings;
pub mod site;
pub mod stream;
pub mod tcp;

pub use body::{Body, Store};
pub use client::{Client, ClientConfig, ClientEvent};
pub use objects::LossReport;
pub use outgoing::{Outgoing, SentFrame};
pub use server::{Retransmission, Server, ServerConfig};
pub use settings::{
    Connections, EarlyData, H3Discovery, LoadSettings, NameLookup, OriginRtt, Reprioritisation,
};
pub use site::{Reply, Request, Site};

#[cfg(test)]
mod tests;

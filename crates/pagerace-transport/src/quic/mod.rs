//! QUIC (RFC 9000, 9001, 9002) by quinn-proto.
//!
//! - [`Host`]: one UDP address with its connections. It takes datagrams and the time, and
//!   returns datagrams and deadlines.
//! - [`Connection`]: streams, and late binding of bytes to packets ([`PacketSource`]).
//! - [`keys`]: real TLS, or null keys of the same sizes and without computation. Null keys
//!   also support resumption and early data.
//! - [`tap`]: the content of packets, observed when they are sealed and opened.

mod acks;
pub mod congestion;
pub mod connection;
pub mod epoch;
pub mod frame;
mod guard;
pub mod host;
pub mod keys;
mod packing;
mod reassembly;
pub mod settings;
mod signals;
pub mod tap;
mod transmit;

pub use connection::{Connection, Event, Offer, PacketSource, Read, Stats, StreamOffer};
pub use epoch::Epoch;
pub use frame::{Frame, StreamFrame};
pub use guard::Guard;
pub use host::{ConnectionId, Datagram, Host, NoSources, Sources};
pub use keys::{ClientKeys, ServerKeys};
pub use settings::{DEFAULT_MTU, QuicSettings};
pub use tap::{PacketRecord, Space};

#[cfg(test)]
mod tests;

//! QUIC (RFC 9000, 9001, 9002) by quinn-proto.
//!
//! - [`Host`]: one UDP address with its connections; datagrams and time in,
//!   datagrams and deadlines out.
//! - [`Connection`]: streams, and the place where bytes are bound to packets as
//!   late as possible ([`PacketSource`]).
//! - [`keys`]: real TLS, or keys of the same sizes that cost nothing; the latter
//!   also resume and send early data.
//! - [`tap`]: what the packets carry, seen where they are sealed and opened.

pub mod congestion;
pub mod connection;
pub mod epoch;
pub mod frame;
pub mod host;
pub mod keys;
mod pacer;
mod packing;
mod reassembly;
pub mod settings;
mod signals;
pub mod tap;
mod transmit;

pub use connection::{Connection, Event, Offer, PacketSource, Read, Stats, StreamOffer};
pub use epoch::Epoch;
pub use frame::{Frame, StreamFrame};
pub use host::{ConnectionId, Datagram, Host, NoSources, Sources};
pub use keys::{ClientKeys, ServerKeys};
pub use settings::{DEFAULT_MTU, Settings};
pub use tap::{PacketRecord, Space};

#[cfg(test)]
mod tests;

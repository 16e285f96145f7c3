//! TLS over a byte stream, without the cipher: flights and records with the
//! sizes of the real thing.
//!
//! A [`Session`] takes bytes of the stream and gives plaintext, and the other
//! way round. What TLS does to delivery is there: the round trips of the
//! handshake and what they carry, the bytes that each record adds, and that no
//! byte of a record can be read before its last has arrived.
//!
//! Follows RFC 8446 (TLS 1.3: full handshake, resumption by a pre-shared key,
//! early data) and RFC 5246 with RFC 5077 (TLS 1.2: full handshake, abbreviated
//! handshake by a session ticket). The sizes of the messages are those of
//! rustls, which a test compares flight by flight.
//!
//! Left out: the cipher itself and the time that it takes; alerts, so that a
//! connection ends with its TCP stream; False Start (RFC 7918), which would
//! save TLS 1.2 a round trip; key updates; client certificates;
//! `HelloRetryRequest`; a server that refuses a ticket or early data. The
//! messages' contents are filler: nothing is negotiated, both ends are told by
//! their [`Settings`].

mod chunks;
mod error;
mod record;
mod script;
mod session;
mod settings;

pub use error::Error;
pub use record::{MAX_PLAINTEXT, overhead};
pub use session::Session;
pub use settings::{ClientHello, Handshake, RecordSize, Settings, UnknownVersion, Version};

#[cfg(test)]
mod tests;

//! TLS over a byte stream, without the cipher: flights and records with the sizes of real
//! TLS.
//!
//! A [`Session`] turns bytes of the stream into plaintext, and plaintext into bytes. It
//! models the aspects of TLS that affect delivery: the round trips and sizes of the
//! handshake, the bytes that each record adds, and the delay of a record's plaintext until
//! the last byte has arrived.
//!
//! Follows RFC 8446 (TLS 1.3: full handshake, resumption by a pre-shared key,
//! early data) and RFC 5246 with RFC 5077 (TLS 1.2: full handshake, abbreviated
//! handshake by a session ticket). The message sizes are those of rustls, and a test
//! compares them flight by flight.
//!
//! These features are not modelled: the cipher and its run time; alerts, so that a
//! connection ends with its TCP stream; False Start (RFC 7918), which would save TLS 1.2 a
//! round trip; key updates; client certificates; `HelloRetryRequest`; a server that refuses
//! a ticket or early data. The contents of messages are filler. Nothing is negotiated, as
//! both ends receive their parameters from their [`TlsSettings`].

mod error;
mod record;
mod script;
mod session;
mod settings;

pub use error::Error;
pub use record::{MAX_PLAINTEXT, overhead};
pub use session::Session;
pub use settings::{ClientHello, Handshake, RecordSize, TlsSettings, Version, certificate_size};

#[cfg(test)]
mod tests;

//! Transports in virtual time.
//!
//! - [`quic`]: quinn-proto's state machine with a virtual clock, and with its own keys,
//!   tap and packet-by-packet scheduling. The simulator and the live server drive the
//!   same [`quic::Host`].
//! - [`tcp`]: a TCP implementation that works segment by segment, for the simulator and for
//!   probes. Other live connections use the kernel's TCP.
//! - [`tls`]: handshake flights and records with the sizes of real TLS, for use over TCP.
//!
//! This crate reads no clock, opens no socket and starts no thread.

mod chunks;
mod pacer;
pub mod quic;
pub mod tcp;
pub mod tls;

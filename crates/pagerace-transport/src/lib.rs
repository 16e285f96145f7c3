//! Transports in virtual time.
//!
//! - [`quic`]: quinn-proto's state machine behind our own clock, keys, tap and
//!   packet-by-packet scheduling. The simulator and the live server drive the
//!   same [`quic::Host`].
//! - [`tcp`]: our own TCP, segment by segment; for the simulator, as the live
//!   world has the kernel's.
//! - [`tls`]: handshake flights and records with the sizes of real TLS, to put on
//!   it.
//!
//! Nothing here reads a clock, opens a socket or starts a thread.

pub mod quic;
pub mod tcp;
pub mod tls;

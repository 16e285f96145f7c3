//! QUIC in virtual time: quinn-proto's state machine behind our own clock,
//! keys, tap and packet-by-packet scheduling.
//!
//! Nothing here reads a clock, opens a socket or starts a thread. The simulator
//! and the live server drive the same [`quic::Host`].

pub mod quic;
pub mod tcp;
pub mod tls;

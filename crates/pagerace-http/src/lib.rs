//! HTTP/3 without IO.
//!
//! [`h3::Connection`] is a state machine over (stream id, bytes): it opens no
//! socket, reads no clock and draws no random number, so that the same code
//! serves a simulation and a real connection.
//!
//! | module | document |
//! |---|---|
//! | [`h3`] | HTTP/3, RFC 9114, and `PRIORITY_UPDATE`, RFC 9218 section 7 |
//! | [`qpack`] | QPACK, RFC 9204 |
//! | [`priority`] | the `priority` field, RFC 9218 sections 4 and 5 |
//! | [`fields`] | field lines, RFC 9110 section 5 |
//! | [`varint`] | variable-length integers, RFC 9000 section 16 |
//!
//! Left out: server push (refused as RFC 9114 allows), extended CONNECT,
//! HTTP datagrams, and compressing what we send against a dynamic table.

pub mod fields;
pub mod fuzz;
pub mod h3;
pub mod priority;
pub mod qpack;
pub mod varint;

pub use fields::Field;

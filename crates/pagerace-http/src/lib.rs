//! HTTP/1.1, HTTP/2 and HTTP/3 without IO.
//!
//! [`h1`], [`h2::Connection`] and [`h3::Connection`] are state machines over bytes. They
//! open no socket, read no clock and draw no random number, so that the same code serves
//! a simulation and a real connection.
//!
//! | module | document |
//! |---|---|
//! | [`h1`] | HTTP/1.1, RFC 9112 |
//! | [`h2`] | HTTP/2, RFC 9113, and priorities, RFC 7540 section 5.3 and RFC 9218 section 7 |
//! | [`hpack`] | HPACK, RFC 7541 |
//! | [`h3`] | HTTP/3, RFC 9114, and `PRIORITY_UPDATE`, RFC 9218 section 7 |
//! | [`qpack`] | QPACK, RFC 9204 |
//! | [`object`] | responses in numbered HTTP datagrams (RFC 9297), an extension of this project |
//! | [`priority`] | the `priority` field, RFC 9218 sections 4 and 5 |
//! | [`ranges`] | byte ranges, RFC 9110 sections 14 and 15.3.7 |
//! | [`fields`] | field lines, RFC 9110 section 5 |
//! | [`varint`] | variable-length integers, RFC 9000 section 16 |
//!
//! Not implemented: server push (refused as RFC 9113 and RFC 9114 allow), extended
//! CONNECT, encoding field sections against a dynamic table, and the dynamic table of QPACK.

mod fault;
pub mod fields;
#[cfg(test)]
#[path = "../../../fuzz/src/http.rs"]
#[expect(unreachable_pub, reason = "the fuzzers call it from outside")]
mod fuzz;
pub mod h1;
pub mod h2;
pub mod h3;
pub mod hpack;
mod literal;
mod message;
pub mod object;
pub mod priority;
pub mod qpack;
pub mod ranges;
mod role;
pub mod varint;

pub use fault::ConnectionError;
pub use fields::Field;
pub use role::Role;
